/** What an action on an account page brought about. Screen readers announce it. */
import type { Ref } from 'react';
import classes from './result.module.css';

export function Result({
  text,
  error = null,
  ref,
}: {
  readonly text: string;
  readonly error?: Error | null;
  readonly ref?: Ref<HTMLParagraphElement>;
}) {
  return (
    <p
      ref={ref}
      tabIndex={-1}
      role={error ? 'alert' : 'status'}
      className={classes['result']}
      data-failed={error !== null}
    >
      {error?.message ?? text}
    </p>
  );
}
