/** English texts of times and durations. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The two largest units at most: `2 d 3 h`, `14 min`, `40 s`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  const [first, second, units] =
    whole < DAY ? [HOUR, MINUTE, ['h', 'min']] : [DAY, HOUR, ['d', 'h']];
  const rest = Math.floor((whole % first) / second);
  return `${Math.floor(whole / first)} ${units[0]}${rest > 0 ? ` ${rest} ${units[1]}` : ''}`;
}

export const agoText = (seconds: number): string =>
  seconds < 5 ? 'just now' : `${durationText(seconds)} ago`;

export const inText = (seconds: number): string =>
  seconds < 1 ? 'now' : `in ${durationText(seconds)}`;

export const leftText = (seconds: number): string =>
  seconds < 1 ? 'time is over' : `${durationText(seconds)} left`;

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_CLOCK = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** In the zone of the viewer, with its name. */
export const exactText = (at: string): string => EXACT.format(new Date(at));

/** The time alone where it is near. */
export function clockText(at: string, nowSeconds: number): string {
  const date = new Date(at);
  return Math.abs(date.getTime() / 1_000 - nowSeconds) < DAY / 2
    ? CLOCK.format(date)
    : DAY_CLOCK.format(date);
}
