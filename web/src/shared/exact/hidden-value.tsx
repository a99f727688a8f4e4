/** The place of a hidden value, or of a text with hidden parts. A press shows it, once the service has recorded who sees it. */
import { useState, type ReactNode } from 'react';
import { shownCharacters, type Hidden } from '../../../../src/domain/shown/hidden.ts';
import type { SourceValue } from '../../../../src/platform/json/source-values.ts';
import { exact as words } from '../text/exact.ts';
import { ForeignText } from './foreign-text.tsx';
import classes from './hidden-value.module.css';
import { useReading } from './reading.ts';

interface HiddenValueProps {
  /** Into the request, such as `/arguments/password`. The first one names the value. */
  readonly pointers: readonly string[];
  /** Read aloud with the button, where the name stands elsewhere. */
  readonly label?: string;
  readonly action?: string;
  /** What is drawn before the button. */
  readonly instead?: ReactNode;
  readonly children: ReactNode;
}

export function HiddenValue({
  pointers,
  label,
  action = words.reveal,
  instead,
  children,
}: HiddenValueProps) {
  const { reveal, isRevealed } = useReading();
  const [state, setState] = useState<'closed' | 'asking' | 'failed'>('closed');
  if (isRevealed(pointers[0] ?? '')) return children;
  return (
    <>
      {instead}
      <button
        type="button"
        className={classes['reveal']}
        disabled={state === 'asking'}
        onClick={() => {
          setState('asking');
          reveal(pointers).then(
            () => {
              setState('closed');
            },
            () => {
              setState('failed');
            },
          );
        }}
      >
        {action}
        {label !== undefined && (
          <span className="visually-hidden">
            {' '}
            <ForeignText text={label} />
          </span>
        )}
      </button>
      {state === 'failed' && (
        <small role="alert" className={classes['failed']}>
          {words.notRevealed}
        </small>
      )}
    </>
  );
}

/** A text as it is drawn: `offset` is where its value begins, absent while a part is hidden that is too long to be passed over. */
interface DrawnText {
  readonly text: string;
  readonly offset?: number;
}

interface TextWithSecretsProps {
  readonly value: SourceValue;
  readonly hidden: Hidden;
  /** Where the outermost value is in the request: `/arguments` or `/context`. */
  readonly root: string;
  readonly children: (drawn: DrawnText) => ReactNode;
}

/** With more hidden characters, one has not seen enough of a text to approve it. */
const MOST_HIDDEN = 300;

/** The characters of a string. In place of each secret in it is a placeholder until a reader asks. */
export function TextWithSecrets({ value, hidden, root, children }: TextWithSecretsProps) {
  const { characters: text, offset } = value;
  const parts = hidden.parts.get(offset);
  if (!parts) return children({ text, offset });
  const shown = shownCharacters(value, hidden);
  const length = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  return (
    <HiddenValue
      pointers={[`${root}${value.pointer}`]}
      action={words.revealParts(parts.length)}
      instead={children({ text: shown, ...(length <= MOST_HIDDEN && { offset }) })}
    >
      {children({ text, offset })}
    </HiddenValue>
  );
}
