/** The keys of the app, in groups. */
import { account as text } from '../text/account.ts';
import { shortcutGroups } from '../text/shortcuts.ts';
import classes from './key-tables.module.css';

/** `isOn`: whether keys that are single characters work. */
export function KeyTables({ isOn }: { readonly isOn: boolean }) {
  return shortcutGroups.map(({ title, isSingle, keys }) => (
    <table key={title} className={classes['keys']} data-off={isSingle && !isOn}>
      <caption>
        {title}
        {isSingle && !isOn && ` (${text.off})`}
      </caption>
      <thead className="visually-hidden">
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
  ));
}
