/** Where events are on the picture of a timeline. Long idle times are folded, so that short ones stay visible. */

export interface Mark {
  /** From 0 to 1. */
  readonly at: number;
}

interface Fold {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

interface Scale {
  readonly marks: readonly Mark[];
  readonly folds: readonly Fold[];
}

/** A gap that is longer than this share of all time is folded to this share of the picture. */
const FOLD_SHARE = 0.25;
const LEAST_FOLD_SECONDS = 60;

/** Of times in seconds, in order. */
export function scaleOf(times: readonly number[]): Scale {
  const gaps = times.slice(1).map((time, index) => Math.max(0, time - (times[index] ?? time)));
  const longest = longestKept(gaps);
  const busy = sum(gaps.filter((gap) => gap <= longest));
  const folded = gaps.filter((gap) => gap > longest).length;
  const share = folded === 0 ? 0 : Math.min(FOLD_SHARE, 0.8 / folded);
  const left = 1 - folded * share;
  const widths = gaps.map((gap) => {
    if (gap > longest) return share;
    return busy === 0 ? left / Math.max(1, gaps.length - folded) : (gap / busy) * left;
  });
  const total = sum(widths) || 1;
  const positions = [0];
  for (const width of widths) positions.push((positions.at(-1) ?? 0) + width / total);
  return {
    marks: times.map((_time, index) => ({ at: positions[index] ?? 0 })),
    folds: gaps.flatMap((seconds, index) =>
      seconds > longest
        ? [{ from: positions[index] ?? 0, to: positions[index + 1] ?? 1, seconds }]
        : [],
    ),
  };
}

/** In seconds: longer gaps are folded. */
function longestKept(gaps: readonly number[]): number {
  return gaps.length > 1 ? Math.max(LEAST_FOLD_SECONDS, sum(gaps) * FOLD_SHARE) : Infinity;
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, each) => total + each, 0);
