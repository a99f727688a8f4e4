/** How much time is left to decide. Little of the whole time is emphasized. */
import { Instant } from '../../shared/design/instant.tsx';
import { useNowSeconds } from '../../shared/api/clock.ts';
import classes from './deadline.module.css';

const LITTLE_SHARE = 0.25;
const MOST_LITTLE_SECONDS = 60 * 60;

interface DeadlineProps {
  readonly request: { readonly created_at: string; readonly deadline_at: string };
  /** False inside links, as in `Instant`. */
  readonly focusable?: boolean;
}

export function Deadline({ request, focusable = true }: DeadlineProps) {
  const [from, to] = [request.created_at, request.deadline_at].map((at) => Date.parse(at) / 1_000);
  const left = (to ?? 0) - useNowSeconds();
  const little = Math.min(MOST_LITTLE_SECONDS, LITTLE_SHARE * ((to ?? 0) - (from ?? 0)));
  const instant = <Instant at={request.deadline_at} as="left" focusable={focusable} />;
  if (left >= little) return instant;
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
