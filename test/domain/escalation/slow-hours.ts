/** Working hours told a second time: by looking at what clocks show, minute after minute. */
import { WEEKDAYS, type WorkingHoursSet } from '../../../src/domain/escalation/types.ts';

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;

/** What clocks in a zone show: minutes from 1970-01-01 00:00 local time, by the minute of UTC. */
export interface Clocks {
  /** First minute that is known. */
  readonly from: number;
  readonly shown: readonly number[];
}

export function clocksOf(timezone: string, from: Date, days: number): Clocks {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const first = from.getTime() / MINUTE;
  const show = (minute: number): number => {
    const parts = Object.fromEntries(
      format.formatToParts(minute * MINUTE).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute: shown = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, shown) / MINUTE;
  };
  // Clocks are moved at a quarter of an hour; in between they run.
  const shown: number[] = [];
  for (let quarter = first; quarter < first + days * DAY_MINUTES; quarter += 15) {
    const local = show(quarter);
    for (let minute = 0; minute < 15; minute += 1) shown.push(local + minute);
  }
  return { from: first, shown };
}

/** The first minute at which clocks show the local one; one that is skipped counts on from the last minute before the gap. */
function minuteOf({ shown }: Clocks, local: number): number | undefined {
  const first = shown.indexOf(local);
  if (first !== -1) return first;
  const behind = shown.findIndex((each) => each > local);
  return behind <= 0 ? undefined : behind - 1 + (local - (shown[behind - 1] ?? 0));
}

/** For each minute of the clocks, whether the hours are active. The first and last two days are not to be trusted. */
export function activeMinutes({ intervals }: WorkingHoursSet, clocks: Clocks): readonly boolean[] {
  const { shown } = clocks;
  const active = shown.map(() => false);
  const days = [...new Set(shown.map((local) => Math.floor(local / DAY_MINUTES)))];
  for (const day of days) {
    const weekday = WEEKDAYS[(new Date(day * DAY_MINUTES * MINUTE).getUTCDay() + 6) % 7];
    for (const { weekdays, start, end } of intervals) {
      if (!weekdays.some((each) => each === weekday)) continue;
      const [from, to] = [start, end].map(
        (time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)),
      );
      if (from === undefined || to === undefined) continue;
      const opens = minuteOf(clocks, day * DAY_MINUTES + from);
      const closes = minuteOf(clocks, (to > from ? day : day + 1) * DAY_MINUTES + to);
      if (opens !== undefined) active.fill(true, opens, Math.max(opens, closes ?? shown.length));
    }
  }
  return active;
}
