/** How much time is left to decide. Little time is emphasized. */
import { Instant } from '../../shared/design/instant.tsx';
import { useNowSeconds } from '../../shared/api/clock.ts';
import classes from './deadline.module.css';

const LITTLE_SECONDS = 5 * 60;

interface DeadlineProps {
  readonly at: string;
  /** False inside links, as in `Instant`. */
  readonly focusable?: boolean;
}

export function Deadline({ at, focusable = true }: DeadlineProps) {
  const left = Date.parse(at) / 1_000 - useNowSeconds();
  const instant = <Instant at={at} as="left" focusable={focusable} />;
  if (left >= LITTLE_SECONDS) return instant;
  return (
    <strong className={classes['little']}>
      <ClockIcon />
      {instant}
    </strong>
  );
}

function ClockIcon() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" className={classes['icon']}>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M8 4.4V8l2.4 1.6" />
    </svg>
  );
}
