/**
 * When working hours are active: when the zone's local date and time lie in an interval. So hours
 * open twice where clocks repeat a time. If clocks jump over their start, they open after the gap.
 */
import { IANAZone } from 'luxon';
import { WEEKDAYS } from './document.ts';
import type { WorkingHoursSet, WorkingInterval } from './types.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** 1970-01-01 was a Thursday. */
const THURSDAY_MS = 3 * DAY_MS;
/** More than two weeks, because hours inside a clock change's gap open a week later. */
const HORIZON_MS = 16 * DAY_MS;

/** Thousands of conditions may look at one set at one instant. */
const latest = new WeakMap<WorkingHoursSet, { readonly at: number; readonly active: boolean }>();

/** True from the start of an interval up to but excluding its end. */
export function isActive(set: WorkingHoursSet, now: Date): boolean {
  const at = now.getTime();
  const known = latest.get(set);
  if (known?.at === at) return known.active;
  const local = localTime(IANAZone.create(set.timezone), at);
  const active = nextInside(spansOf(set), local) === local;
  latest.set(set, { at, active });
  return active;
}

/** `now` while the hours are active, else the next instant when they are. Undefined if they never are. */
export function nextOpening(set: WorkingHoursSet, now: Date): Date | undefined {
  const zone = IANAZone.create(set.timezone);
  if (!zone.isValid) return undefined;
  const start = now.getTime();
  for (let from = start; from < start + HORIZON_MS;) {
    const local = localTime(zone, from);
    const opening = from + nextInside(spansOf(set), local) - local;
    const steady = endOfOffset(zone, from);
    if (opening < steady) return opening === start ? now : new Date(opening);
    from = steady;
  }
  return undefined;
}

/** The local time at the instant, as the instant at which UTC shows that time. NaN in an unknown zone. */
function localTime(zone: IANAZone, instant: number): number {
  return instant + Math.round(zone.offset(instant) * MINUTE_MS);
}

/** The first instant within a day when the zone's offset from UTC differs, else the instant a day later. */
function endOfOffset(zone: IANAZone, from: number): number {
  const offset = zone.offset(from);
  let [same, other] = [from, from + DAY_MS];
  if (zone.offset(other) === offset) return other;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (zone.offset(middle) === offset) same = middle;
    else other = middle;
  }
  return other;
}

/** Milliseconds since the Monday of a week. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The first local time in a span, from this one on. */
function nextInside(spans: readonly Span[], local: number): number {
  const monday = Math.floor((local + THURSDAY_MS) / WEEK_MS) * WEEK_MS - THURSDAY_MS;
  const time = local - monday;
  let next = Infinity;
  for (const { start, end } of spans) {
    if (time < end && start < next) next = Math.max(time, start);
  }
  return monday + next;
}

const remembered = new WeakMap<WorkingHoursSet, readonly Span[]>();

/** The hours of a week, and of the weeks before and after it. */
function spansOf(set: WorkingHoursSet): readonly Span[] {
  const known = remembered.get(set) ?? set.intervals.flatMap(weeklySpans);
  remembered.set(set, known);
  return known;
}

function weeklySpans({ weekdays, start, end }: WorkingInterval): readonly Span[] {
  const difference = sinceMidnight(end) - sinceMidnight(start);
  const length = difference > 0 ? difference : difference + DAY_MS;
  return weekdays.flatMap((day) =>
    [-WEEK_MS, 0, WEEK_MS].map((week) => {
      const from = week + WEEKDAYS.indexOf(day) * DAY_MS + sinceMidnight(start);
      return { start: from, end: from + length };
    }),
  );
}

/** Of `HH:MM`, in milliseconds; `24:00` is the next midnight. */
function sinceMidnight(time: string): number {
  return (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * MINUTE_MS;
}
