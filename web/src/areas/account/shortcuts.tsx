/** The keys of the app, and the switch for those that are single characters. */
import { useState } from 'react';
import { Toggle } from '../../shared/design/toggle.tsx';
import { KeyTables } from '../../shared/page/key-tables.tsx';
import { areSingleKeysOn, setSingleKeys } from '../../shared/browser/single-keys.ts';
import { account as text } from '../../shared/text/account.ts';
import { Panel } from '../../shared/design/panel.tsx';
import { Page } from '../../shared/page/page.tsx';

export function Shortcuts() {
  const [isOn, setIsOn] = useState(areSingleKeysOn);
  return (
    <Page title={text.shortcuts}>
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
        <KeyTables isOn={isOn} />
      </Panel>
    </Page>
  );
}
