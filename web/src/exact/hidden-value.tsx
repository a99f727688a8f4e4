/** The place of a hidden value. A press shows it, once the service has recorded who sees it. */
import { useState, type ReactNode } from 'react';
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
  readonly children: ReactNode;
}

export function HiddenValue({
  pointers,
  label,
  action = words.reveal,
  children,
}: HiddenValueProps) {
  const { reveal, isRevealed } = useReading();
  const [state, setState] = useState<'closed' | 'asking' | 'failed'>('closed');
  if (isRevealed(pointers[0] ?? '')) return children;
  return (
    <>
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
          <span className={classes['label']}>
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
