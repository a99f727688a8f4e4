/** A slow second implementation of working hours. It compares the local time of each minute as text. */
import { WEEKDAYS } from '../../../../src/domain/escalation/weekly-hours.ts';
import type { WorkingHoursSet } from '../../../../src/domain/escalation/types.ts';

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;

/** A local time: a weekday, the weekday before it, and a time `HH:MM`. */
interface Shown {
  readonly today: string | undefined;
  readonly yesterday: string | undefined;
  readonly time: string;
}

/** What clocks in the zone show, by the minute. Minutes from 1970-01-01 count on; clocks change at quarters of an hour. */
export function clocksOf(timezone: string, from: Date, days: number): readonly Shown[] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const localMinute = (minute: number): number => {
    const parts = Object.fromEntries(
      format.formatToParts(minute * MINUTE).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute: shown = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, shown) / MINUTE;
  };
  const first = from.getTime() / MINUTE;
  const shown: Shown[] = [];
  for (let quarter = first; quarter < first + days * DAY_MINUTES; quarter += 15) {
    const local = localMinute(quarter);
    for (let minute = 0; minute < 15; minute += 1) shown.push(show(local + minute));
  }
  return shown;
}

function show(localMinute: number): Shown {
  const day = Math.floor(localMinute / DAY_MINUTES);
  const minute = localMinute - day * DAY_MINUTES;
  const time = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0'));
  return { today: weekdayOf(day), yesterday: weekdayOf(day - 1), time: time.join(':') };
}

function weekdayOf(day: number): string | undefined {
  return WEEKDAYS[(new Date(day * DAY_MINUTES * MINUTE).getUTCDay() + 6) % 7];
}

/** For each local time, whether it lies inside an interval. */
export function activeMinutes(
  { intervals }: WorkingHoursSet,
  clocks: readonly Shown[],
): readonly boolean[] {
  return clocks.map(({ today, yesterday, time }) =>
    intervals.some(({ weekdays, start, end }) => {
      const on = (day: string | undefined) => weekdays.some((each) => each === day);
      if (start < end) return start <= time && time < end && on(today);
      return (start <= time && on(today)) || (time < end && on(yesterday));
    }),
  );
}
