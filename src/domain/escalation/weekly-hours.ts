/** The hours of a week in local time, for the service and for the web app. */

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
export const WEEK_MS = 7 * DAY_MS;
/** 1970-01-01 was a Thursday. */
const THURSDAY_MS = 3 * DAY_MS;

/** Milliseconds since the Monday of a week. */
export interface WeekSpan {
  readonly start: number;
  readonly end: number;
}

interface Interval {
  readonly weekdays: readonly (typeof WEEKDAYS)[number][];
  readonly start: string;
  readonly end: string;
}

/** The last one may end in the next week. */
export function weeklySpans({ weekdays, start, end }: Interval): readonly WeekSpan[] {
  const difference = sinceMidnight(end) - sinceMidnight(start);
  const length = difference > 0 ? difference : difference + DAY_MS;
  return weekdays.map((day) => {
    const from = WEEKDAYS.indexOf(day) * DAY_MS + sinceMidnight(start);
    return { start: from, end: from + length };
  });
}

/** The Monday of the week of a local time. Both are instants at which UTC shows that time. */
export const mondayOf = (local: number): number =>
  Math.floor((local + THURSDAY_MS) / WEEK_MS) * WEEK_MS - THURSDAY_MS;

/** Of `HH:MM`, in milliseconds; `24:00` is the next midnight. */
function sinceMidnight(time: string): number {
  return (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * MINUTE_MS;
}
