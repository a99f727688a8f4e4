/** Local times in a time zone. Without a zone they are those of the reader. Instants are milliseconds since 1970. */

export type Zone = string | undefined;

export interface Range {
  readonly from: number;
  readonly to: number;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether the browser knows the zone. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return /^[a-z]/i.test(zone);
  } catch {
    return false;
  }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formats.set(zone, format);
  return format;
}

/** How far the clocks of the zone are ahead of UTC. */
export function offsetAt(zone: Zone, at: number): number {
  if (zone === undefined) return -new Date(at).getTimezoneOffset() * MINUTE_MS;
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const time = [part('hour'), part('minute'), part('second')] as const;
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), ...time);
  return local - Math.floor(at / 1_000) * 1_000;
}

/** The local time, as the instant at which UTC shows it. */
const localAt = (zone: Zone, at: number): number => at + offsetAt(zone, at);

/** Where the clocks of the zone change: the first instant with the new offset. Those of an unknown zone never do. */
export function clockChanges(zone: Zone, { from, to }: Range): readonly number[] {
  if (zone !== undefined && !isZone(zone)) return [];
  const changes: number[] = [];
  for (let day = from; day < to; day += DAY_MS) {
    const [before, end] = [offsetAt(zone, day), Math.min(day + DAY_MS, to)];
    if (offsetAt(zone, end) === before) continue;
    let [same, other] = [day, end];
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (offsetAt(zone, middle) === before) same = middle;
      else other = middle;
    }
    changes.push(other);
  }
  return changes;
}

/** A moment of the week, such as Saturday 12:00. */
export interface WeekMoment {
  /** From Monday, which is 0. */
  readonly weekday: number;
  readonly hour: number;
}

/** Of an instant that UTC shows. */
const weekdayOf = (local: number): number => (new Date(local).getUTCDay() + 6) % 7;

/** The next instant after this one at which clocks of the zone show it. */
export function nextMoment(zone: Zone, { weekday, hour }: WeekMoment, after: number): number {
  const local = localAt(zone, after);
  const midnight = Math.floor(local / DAY_MS) * DAY_MS;
  const days = (weekday - weekdayOf(local) + 7) % 7;
  const wanted = midnight + days * DAY_MS + hour * 60 * MINUTE_MS;
  const at = instantOf(zone, wanted);
  return at > after ? at : instantOf(zone, wanted + 7 * DAY_MS);
}

/** The instant at which clocks show a local time. Where they jump over it, they show a later one. */
export function instantOf(zone: Zone, local: number): number {
  const guess = local - offsetAt(zone, local);
  return local - offsetAt(zone, guess);
}

const WEEKDAYS = 'Mon Tue Wed Thu Fri Sat Sun'.split(' ');
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const twoDigits = (value: number): string => String(value).padStart(2, '0');

function clockIn(zone: Zone, at: number): string {
  const date = new Date(localAt(zone, at));
  return `${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())}`;
}

/** `Mon 09:00`. */
export const weekdayTime = (zone: Zone, at: number): string =>
  `${WEEKDAYS[weekdayOf(localAt(zone, at))]} ${clockIn(zone, at)}`;

/** `Mon 9 Mar, 09:00`. */
export function dateTime(zone: Zone, at: number): string {
  const local = localAt(zone, at);
  const date = new Date(local);
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  return `${WEEKDAYS[weekdayOf(local)]} ${day}, ${clockIn(zone, at)}`;
}

/** The time alone within a day, otherwise with the day of the week, or with the date. */
export function labelOf({ from, to }: Range): (zone: Zone, at: number) => string {
  if (to - from > 7 * DAY_MS) return dateTime;
  return to - from > DAY_MS / 2 ? weekdayTime : clockIn;
}
