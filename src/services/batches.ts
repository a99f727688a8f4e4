/** Long lists of past requests, a batch at a time. */

export interface BatchLimits {
  /** How many items all batches look at together. */
  readonly most: number;
  /** How many one batch does. */
  readonly size: number;
  /** No further batch begins after this time. */
  readonly ms: number;
  /** Nor after the caller is gone. */
  readonly signal: AbortSignal;
}

/** `after`: undefined at the beginning of the list. */
export interface Batch<Position> {
  readonly after: Position | undefined;
  readonly size: number;
  /** What is left of the time. */
  readonly leftMs: number;
}

export interface DoneBatch<Position> {
  /** How many items it looked at. */
  readonly seen: number;
  /** Where the list continues. Absent at its end. */
  readonly next?: Position | undefined;
}

/** At least one batch. Returns where the list continues. */
export async function inBatches<Position>(
  start: Position | undefined,
  { most, size: whole, ms, signal }: BatchLimits,
  work: (batch: Batch<Position>) => Promise<DoneBatch<Position>>,
): Promise<Position | undefined> {
  const endsAt = performance.now() + ms;
  const leftMs = () => endsAt - performance.now();
  let after = start;
  let left = most;
  let size = whole;
  do {
    const { seen, next } = await work({ after, size: Math.min(size, left), leftMs: leftMs() });
    after = next;
    left -= seen;
    // Long documents end a batch early. The next one reads few of them in vain.
    size = Math.min(whole, 2 * Math.max(1, seen));
  } while (after !== undefined && left > 0 && leftMs() > 0 && !signal.aborted);
  return after;
}
