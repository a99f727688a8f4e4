/** Which days a range of time covers whole, so that their events need not be counted one by one. */

const DAY_MS = 86_400_000;

/** A part of time: from `from`, inclusive, to `to`, exclusive. */
export interface TimeRange {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface CountedDays {
  /** Whole days of UTC. Undefined when there is none. */
  readonly days: TimeRange | undefined;
  /** What is left before and after them. */
  readonly rest: readonly TimeRange[];
}

export function countedDays({ from, to }: TimeRange): CountedDays {
  const first = from && new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const end = to && new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS);
  if (first && end && first >= end) return { days: undefined, rest: [{ from, to }] };
  const rest = [
    { from, to: first },
    { from: end, to },
  ].filter((range) => range.from && range.to && range.from < range.to);
  return { days: { from: first, to: end }, rest };
}
