/** The keys of the app, and the switch for those that are single characters. */
import { useState } from 'react';
import { Toggle } from '../../shared/design/toggle.tsx';
import { useTitle } from '../../shared/page/title.ts';
import { areSingleKeysOn, setSingleKeys } from '../../shared/browser/single-keys.ts';
import { account as text } from '../../shared/text/account.ts';
import { shortcutGroups } from '../../shared/text/shortcuts.ts';
import { Panel } from '../../shared/design/panel.tsx';
import classes from './shortcuts.module.css';

export function Shortcuts() {
  useTitle(text.shortcuts);
  const [isOn, setIsOn] = useState(areSingleKeysOn);
  return (
    <>
      <h1>{text.shortcuts}</h1>
      <Panel title={text.singleKeysTitle}>
        <Toggle
          label={text.singleKeys}
          description={text.singleKeysHint}
          isOn={isOn}
          onChange={(next) => {
            setSingleKeys(next);
            setIsOn(next);
          }}
        />
      </Panel>
      <Panel title={text.keys} hint={text.shortcutsHint}>
        {shortcutGroups.map(({ title, isSingle, keys }) => (
          <table key={title} className={classes['keys']} data-off={isSingle && !isOn}>
            <caption>
              {title}
              {isSingle && !isOn && ` (${text.off})`}
            </caption>
            <thead className={classes['head']}>
              <tr>
                <th scope="col">{text.key}</th>
                <th scope="col">{text.action}</th>
              </tr>
            </thead>
            <tbody>
              {keys.map(([key, action]) => (
                <tr key={key}>
                  <td>
                    <kbd>{isSingle ? key.toUpperCase() : key}</kbd>
                  </td>
                  <td>{action}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </Panel>
    </>
  );
}
