/** When working hours are open: while the local time of their zone lies in an interval. */
import { mondayOf, WEEK_MS, weeklySpans } from '../../../../src/domain/escalation/weekly-hours.ts';
import type { components } from '../api/openapi.d.ts';
import { clockChanges, isZone, offsetAt, type Range } from './zone-times.ts';

export type WorkingHours = components['schemas']['WorkingHoursSet'];

/** Hours inside the gap of a clock change open a week later. */
const HORIZON_MS = 16 * 86_400_000;

/** In order. Those that touch are one. */
export function openRanges(
  { timezone, intervals }: Pick<WorkingHours, 'timezone' | 'intervals'>,
  range: Range,
): readonly Range[] {
  if (!isZone(timezone)) return [];
  const spans = intervals.flatMap(weeklySpans);
  const edges = [range.from, ...clockChanges(timezone, range), range.to];
  const found = edges.slice(1).flatMap((to, index) => {
    const from = edges[index] ?? to;
    const offset = offsetAt(timezone, from);
    const ranges: Range[] = [];
    // An interval of Sunday may end on Monday.
    for (let week = mondayOf(from + offset) - WEEK_MS; week < to + offset; week += WEEK_MS)
      for (const { start, end } of spans)
        ranges.push({
          from: Math.max(from, week + start - offset),
          to: Math.min(to, week + end - offset),
        });
    return ranges;
  });
  return joined(found.filter(({ from, to }) => from < to));
}

function joined(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (last && range.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else result.push(range);
  }
  return result;
}

/** Whether they are open at an instant, and when that changes, if it does. */
export function openState(
  hours: Pick<WorkingHours, 'timezone' | 'intervals'>,
  now: number,
): { readonly isOpen: boolean; readonly changesAt?: number } {
  const [first] = openRanges(hours, { from: now, to: now + HORIZON_MS });
  if (!first) return { isOpen: false };
  if (first.from > now) return { isOpen: false, changesAt: first.from };
  return { isOpen: true, ...(first.to < now + HORIZON_MS && { changesAt: first.to }) };
}
