/** What one should know of working hours: where they overlap with others, and when their clocks change. Pure. */
import { openRanges } from '../../../shared/schedule/open-hours.ts';
import { clockChanges, isZone, offsetAt, type Range } from '../../../shared/schedule/zone-times.ts';
import type { HoursView } from './read-path.ts';

type Hours = Pick<HoursView, 'timezone' | 'intervals'>;

const WEEK_MS = 7 * 86_400_000;
const YEAR_MS = 366 * 86_400_000;

/** How long both are open in the week that begins at an instant. */
export function overlapMs(one: Hours, other: Hours, from: number): number {
  const week = { from, to: from + WEEK_MS };
  const theirs = openRanges(other, week);
  return openRanges(one, week).reduce(
    (sum, range) => sum + theirs.reduce((inner, each) => inner + sharedMs(range, each), 0),
    0,
  );
}

const sharedMs = (one: Range, other: Range): number =>
  Math.max(0, Math.min(one.to, other.to) - Math.max(one.from, other.from));

interface ClockChange {
  readonly at: number;
  /** By how much clocks go forward; back if negative. */
  readonly byMs: number;
}

/** The next change of the zone's clocks within a year, if there is one. */
export function nextClockChange(zone: string, from: number): ClockChange | undefined {
  if (!isZone(zone)) return undefined;
  const [at] = clockChanges(zone, { from, to: from + YEAR_MS });
  return at === undefined
    ? undefined
    : { at, byMs: offsetAt(zone, at) - offsetAt(zone, at - 1_000) };
}
