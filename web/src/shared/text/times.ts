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
  seconds < 1 ? 'time is up' : `${durationText(seconds)} left`;

// Intl.DateTimeFormat takes a tenth of the time in which a page appears, and all texts are in one language.
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const twoDigits = (value: number): string => String(value).padStart(2, '0');
const dayOf = (date: Date): string => `${date.getDate()} ${MONTHS[date.getMonth()]}`;
const clockOf = (date: Date): string =>
  `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;

/** `UTC+1`, `UTC-3:30`, `UTC`. */
function zoneOf(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes > 0 ? '+' : '-'}${hours}${rest > 0 ? `:${twoDigits(rest)}` : ''}`;
}

/** In the zone of the viewer, with its distance from UTC: `23 Nov 2026, 08:05:09 UTC+1`. */
export function exactText(at: string): string {
  const date = new Date(at);
  const seconds = twoDigits(date.getSeconds());
  return `${dayOf(date)} ${date.getFullYear()}, ${clockOf(date)}:${seconds} ${zoneOf(date)}`;
}

/** The time alone where it is near. */
export function clockText(at: string, nowSeconds: number): string {
  const date = new Date(at);
  return Math.abs(date.getTime() / 1_000 - nowSeconds) < DAY / 2
    ? clockOf(date)
    : `${dayOf(date)}, ${clockOf(date)}`;
}
