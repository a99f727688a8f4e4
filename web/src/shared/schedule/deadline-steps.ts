/** Moving the deadline of a schedule: the times that it stops at, in seconds. Pure. */

const MINUTE = 60;
const HOUR = 3_600;

/** As people say them: the keys go from one to the next. */
const STOPS = [
  ...[5, 10, 15, 30, 45].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 60, 72, 96, 120, 144, 168].map((hours) => hours * HOUR),
];

export const LEAST_SECONDS = 5 * MINUTE;
export const MOST_SECONDS = 168 * HOUR;

export function nextStop(seconds: number, by: -1 | 1): number {
  if (by === 1) return STOPS.find((stop) => stop > seconds) ?? MOST_SECONDS;
  return STOPS.findLast((stop) => stop < seconds) ?? LEAST_SECONDS;
}

/** Where a line that is dragged stops: at 5 minutes, then half hours, then hours. */
export function nearestStop(seconds: number): number {
  const step = seconds < 4 * HOUR ? 5 * MINUTE : seconds < 24 * HOUR ? HOUR / 2 : HOUR;
  const at = Math.round(seconds / step) * step;
  return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, at));
}

/** The instant at a share of the width, where `place` is the scale. */
export function instantAt(
  place: (at: number) => number,
  { from, to }: { readonly from: number; readonly to: number },
  share: number,
): number {
  let [early, late] = [from, to];
  while (late - early > 1_000) {
    const middle = (early + late) / 2;
    if (place(middle) < share) early = middle;
    else late = middle;
  }
  return late;
}
