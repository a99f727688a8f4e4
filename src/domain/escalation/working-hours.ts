/**
 * When working hours are active: when the zone's local date and time lie in an interval. So hours
 * open twice where clocks repeat a time. If clocks jump over their start, they open after the gap.
 */
import { IANAZone } from 'luxon';
import type { WorkingHoursSet } from './types.ts';
import { DAY_MS, mondayOf, WEEK_MS, weeklySpans, type WeekSpan } from './weekly-hours.ts';

const MINUTE_MS = 60_000;
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

/** The first local time in a span, from this one on. */
function nextInside(spans: readonly WeekSpan[], local: number): number {
  const monday = mondayOf(local);
  const time = local - monday;
  let next = Infinity;
  for (const { start, end } of spans) {
    if (time < end && start < next) next = Math.max(time, start);
  }
  return monday + next;
}

const remembered = new WeakMap<WorkingHoursSet, readonly WeekSpan[]>();

/** The hours of a week, and of the weeks before and after it. */
function spansOf(set: WorkingHoursSet): readonly WeekSpan[] {
  const known = remembered.get(set) ?? set.intervals.flatMap(weeklySpans).flatMap(everyWeek);
  remembered.set(set, known);
  return known;
}

const everyWeek = ({ start, end }: WeekSpan): readonly WeekSpan[] =>
  [-WEEK_MS, 0, WEEK_MS].map((week) => ({ start: week + start, end: week + end }));
