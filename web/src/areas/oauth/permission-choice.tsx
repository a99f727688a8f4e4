/** What the app could do: everything that its person can, or what they choose of it. */
import { permissionText } from '../../shared/text/permissions.ts';
import { consent as text } from './text.ts';
import type { Preview } from './consent-data.ts';
import classes from './consent.module.css';

type Entry = Preview['bearable_permissions'][number];

export function Everything({ bearable }: { readonly bearable: readonly Entry[] }) {
  return (
    <section className={classes['permissions']} aria-labelledby="everything">
      <h2 id="everything">{text.everything}</h2>
      <p className={classes['soft']}>{text.everythingHint}</p>
      <ul className={classes['list']}>
        {bearable.map((entry) => (
          <li key={entry.key}>
            <Permission entry={entry} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function PermissionChoice({
  preview: { requested_permissions: requested, bearable_permissions: bearable },
  chosen,
  onChange,
}: {
  readonly preview: Preview;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const held = new Set(bearable.map(({ key }) => key));
  const missing = requested.filter(({ key }) => !held.has(key));
  return (
    <fieldset className={classes['permissions']}>
      <legend>{text.choose}</legend>
      <p className={classes['soft']}>
        {text.chooseHint} {requested.length === 0 && text.onlyReading}
      </p>
      {bearable.map((entry) => (
        <label key={entry.key} className={classes['choice']}>
          <input
            type="checkbox"
            checked={chosen.includes(entry.key)}
            onChange={({ currentTarget: { checked } }) => {
              const others = chosen.filter((key) => key !== entry.key);
              onChange(checked ? [...others, entry.key] : others);
            }}
          />
          <Permission entry={entry} />
        </label>
      ))}
      {missing.length > 0 && (
        <p className={classes['soft']}>
          {text.notHeld} {missing.map(({ key }) => permissionText(key)).join('; ')}.
        </p>
      )}
    </fieldset>
  );
}

function Permission({ entry: { key, dangerous } }: { readonly entry: Entry }) {
  return (
    <span>
      {permissionText(key)}
      {dangerous && <span className={classes['dangerous']}> ({text.dangerous})</span>}
    </span>
  );
}
