/** Warnings about a call. All of them can be read, also where only the first ones are shown at once. */
import { useState } from 'react';
import { CutText } from '../../../shared/exact/cut-text.tsx';
import { requests as text } from '../../../shared/text/requests.ts';
import type { Flag } from '../../../../../src/domain/shown/flags.ts';
import { warningText } from '../../../../../src/domain/shown/warning-text.ts';
import classes from './flag-list.module.css';

/** How many more appear at once: a call can have tens of thousands. */
const MORE = 200;

interface FlagListProps {
  readonly flags: readonly Flag[];
  /** How many are shown before a reader asks for more. */
  readonly first: number;
}

export function FlagList({ flags, first }: FlagListProps) {
  const [most, setMost] = useState(first);
  const shown = flags.slice(0, most);
  return (
    <>
      <ul className={classes['flags']}>
        {shown.map((flag) => (
          <li key={flag.key}>
            {flag.isContext && `${text.context} `}
            <CutText text={flag.place} />: <WarningText {...flag} />
          </li>
        ))}
      </ul>
      {shown.length < flags.length && (
        <button
          type="button"
          className={classes['more']}
          onClick={() => {
            setMost(most + MORE);
          }}
        >
          {text.moreFlags(flags.length - shown.length)}
        </button>
      )}
    </>
  );
}

function WarningText({ warning }: Pick<Flag, 'warning'>) {
  if (warning.kind === 'hidden') return warningText(warning);
  return (
    <>
      “<CutText text={warning.word} />” {warningText(warning)}
    </>
  );
}
