/** What people start a new path from. */
import type { StartKind } from '../document/path-edits.ts';
import { create as text } from './text.ts';
import classes from './new-path.module.css';

export const STARTS: readonly StartKind[] = ['team', 'office', 'turns'];

export function PathStarts({ onStart }: { readonly onStart: (kind: StartKind) => void }) {
  return (
    <ul className={classes['starts']} aria-label={text.starts}>
      {STARTS.map((kind) => (
        <li key={kind}>
          <button
            type="button"
            className={classes['start']}
            onClick={() => {
              onStart(kind);
            }}
          >
            <strong>{text.start[kind]}</strong>
            <span>{text.startHint[kind]}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
