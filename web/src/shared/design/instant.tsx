/** A point in time as an age, a countdown or a clock. The exact instant appears on focus and under the pointer. */
import { serverNow, useNowSeconds } from '../api/clock.ts';
import { agoText, clockText, exactText, inText, leftText } from '../text/times.ts';
import classes from './instant.module.css';

const WAYS = {
  ago: (at: string, now: number) => agoText(now - Date.parse(at) / 1_000),
  in: (at: string, now: number) => inText(Date.parse(at) / 1_000 - now),
  left: (at: string, now: number) => leftText(Date.parse(at) / 1_000 - now),
} as const;

interface InstantProps {
  /** RFC 3339. */
  readonly at: string;
  readonly as: keyof typeof WAYS | 'clock';
  /** False inside links, rows and long lists, where another stop of the Tab key would be in the way. */
  readonly focusable?: boolean;
}

export function Instant({ as, ...instant }: InstantProps) {
  if (as !== 'clock') return <Changing {...instant} way={WAYS[as]} />;
  return <Time {...instant} text={clockText(instant.at, serverNow() / 1_000)} />;
}

type Place = Omit<InstantProps, 'as'>;

function Changing({ way, ...instant }: Place & { readonly way: (typeof WAYS)['ago'] }) {
  return <Time {...instant} text={way(instant.at, useNowSeconds())} />;
}

function Time({ at, focusable = true, text }: Place & { readonly text: string }) {
  const exact = exactText(at);
  return (
    <time
      dateTime={at}
      className={classes['instant']}
      data-exact={exact}
      {...(focusable ? { tabIndex: 0 } : { title: exact })}
    >
      {text}
      {focusable && <span className="visually-hidden">, {exact}</span>}
    </time>
  );
}
