/** A point in time as an age, a countdown or a clock. The exact instant appears on focus and under the pointer. */
import { useNowSeconds } from '../shell/clock.ts';
import { agoText, clockText, exactText, inText, leftText } from '../text/times.ts';
import classes from './instant.module.css';

const WAYS = {
  ago: (at: string, now: number) => agoText(now - Date.parse(at) / 1_000),
  in: (at: string, now: number) => inText(Date.parse(at) / 1_000 - now),
  left: (at: string, now: number) => leftText(Date.parse(at) / 1_000 - now),
  clock: clockText,
} as const;

interface InstantProps {
  /** RFC 3339. */
  readonly at: string;
  readonly as: keyof typeof WAYS;
  /** False inside links and rows, where another stop of the Tab key would be in the way. */
  readonly focusable?: boolean;
}

export function Instant({ at, as, focusable = true }: InstantProps) {
  const now = useNowSeconds();
  const exact = exactText(at);
  return (
    <time
      dateTime={at}
      className={classes['instant']}
      data-exact={exact}
      {...(focusable ? { tabIndex: 0 } : { title: exact })}
    >
      {WAYS[as](at, now)}
      {focusable && <span className={classes['hidden']}>, {exact}</span>}
    </time>
  );
}
