/** When something stops working: amber in two weeks, red in two days. */
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { worryOf } from '../states.ts';
import classes from './end-of.module.css';

interface EndOfProps {
  /** RFC 3339. */
  readonly at: string;
  readonly label: string;
  readonly focusable?: boolean;
}

export function EndOf({ at, label, focusable = true }: EndOfProps) {
  const worry = worryOf(at, useNowSeconds() * 1_000);
  return (
    <span className={classes['end']} data-worry={worry}>
      {label} <Instant at={at} as="in" focusable={focusable} />
    </span>
  );
}
