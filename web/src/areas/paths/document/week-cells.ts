/** Working hours as the cells of a week, which people paint: to the minute, in the order of the week. Pure. */
import { WEEKDAYS } from '../../../../../src/domain/escalation/weekly-hours.ts';
import type { HoursView } from './read-path.ts';

type Interval = HoursView['intervals'][number];

interface Span {
  readonly from: number;
  readonly to: number;
}

const DAY = 24 * 60;
const WEEK = 7 * DAY;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

const timeOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** What is no interval counts for nothing. */
function spansOf(intervals: readonly Interval[]): readonly Span[] {
  const spans = intervals.flatMap(({ weekdays, start, end }) => {
    if (!TIME.test(start) || !TIME.test(end) || start === end) return [];
    const length = (minutesOf(end) - minutesOf(start) + DAY) % DAY || DAY;
    return weekdays.map((day) => {
      const from = WEEKDAYS.indexOf(day) * DAY + minutesOf(start);
      return { from, to: from + length };
    });
  });
  // What runs past Sunday continues on Monday.
  return joined(
    spans.flatMap(({ from, to }) =>
      to <= WEEK
        ? [{ from, to }]
        : [
            { from, to: WEEK },
            { from: 0, to: to - WEEK },
          ],
    ),
  );
}

function joined(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (last && span.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else result.push(span);
  }
  return result;
}

export interface Cell {
  /** From Monday, which is 0. */
  readonly day: number;
  readonly hour: number;
}

type CellState = 'open' | 'partly' | 'closed';

/** By day and hour. */
export function cellsOf(intervals: readonly Interval[]): readonly (readonly CellState[])[] {
  const spans = spansOf(intervals);
  return WEEKDAYS.map((_day, day) =>
    Array.from({ length: 24 }, (_hour, hour) => {
      const from = day * DAY + hour * 60;
      const open = spans.reduce(
        (sum, span) => sum + Math.max(0, Math.min(span.to, from + 60) - Math.max(span.from, from)),
        0,
      );
      if (open === 0) return 'closed';
      return open === 60 ? 'open' : 'partly';
    }),
  );
}

/** The intervals with these cells open, or closed. Days with the same times are one interval. */
export function withCells(
  intervals: readonly Interval[],
  cells: readonly Cell[],
  isOpen: boolean,
): readonly Interval[] {
  const painted = cells.map(({ day, hour }) => {
    const from = day * DAY + hour * 60;
    return { from, to: from + 60 };
  });
  const before = spansOf(intervals);
  const spans = isOpen ? joined([...before, ...painted]) : painted.reduce(without, before);
  return intervalsOf(spans);
}

const without = (spans: readonly Span[], hole: Span): readonly Span[] =>
  spans.flatMap(({ from, to }) =>
    [
      { from, to: Math.min(to, hole.from) },
      { from: Math.max(from, hole.to), to },
    ].filter((span) => span.from < span.to),
  );

function intervalsOf(spans: readonly Span[]): readonly Interval[] {
  const days = new Map<string, Interval>();
  for (const [index, day] of WEEKDAYS.entries()) {
    const [begins, ends] = [index * DAY, (index + 1) * DAY];
    for (const { from, to } of spans) {
      if (from >= ends || to <= begins) continue;
      const start = timeOf(Math.max(from, begins) - begins);
      const end = timeOf(Math.min(to, ends) - begins);
      const known = days.get(`${start} ${end}`);
      days.set(`${start} ${end}`, { weekdays: [...(known?.weekdays ?? []), day], start, end });
    }
  }
  return [...days.values()];
}
