/** Compares the work for a small text and for a large one. */

const TURNS = 3;

/**
 * Milliseconds of both, without what the first turn compiles. They take turns, because other work of the machine makes
 * all of it slower for a while.
 */
export function leastTimes(
  small: () => unknown,
  large: () => unknown,
): readonly [small: number, large: number] {
  const turns = Array.from({ length: TURNS }, () => [timeOf(small), timeOf(large)] as const);
  return [Math.min(...turns.map(([first]) => first)), Math.min(...turns.map(([, last]) => last))];
}

/** Of this process alone: others are busy, too. */
function timeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1_000;
}
