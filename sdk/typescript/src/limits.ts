/** How long an ask may take, and how long reviewers have in it. */
import type { Options } from './calls.ts';
import { msOf } from './durations.ts';
import { Unavailable } from './errors.ts';
import { within, type Limits } from './http.ts';

const WITHDRAW_MS = 5_000;
/** What an ask without a limit takes besides the time of reviewers. */
export const MARGIN_MS = 30_000;
/** Also a caller that was held up past its limit tries to withdraw. */
const SHORTEST_MS = 250;

/** The asking ends before the limit, so that there is time to withdraw. */
export interface AskLimits extends Limits {
  /** The limit, as `performance.now()`. */
  readonly end: number;
}

type Times = Pick<Options, 'limit' | 'timeout'>;

/** Throws `Unavailable` for what is no duration. */
export function requireTimes({ limit, timeout = '15m' }: Times): void {
  msOf(timeout, 'timeout');
  if (limit !== undefined) msOf(limit, 'limit');
}

/** Reviewers never have longer than the caller asks. */
export function timeoutOf(times: Times, timeout: string = times.timeout ?? '15m'): string {
  if (times.limit === undefined) return timeout;
  const limitMs = msOf(times.limit, 'limit');
  // Their time ends first, so that the caller hears that no one answered.
  const ms = limitMs - 2 * reserveOf(limitMs);
  return ms < msOf(timeout, 'timeout')
    ? `${String(Math.max(1, Math.floor(ms / 1_000)))}s`
    : timeout;
}

export function limitsOf(
  { limit, timeout: usual = '15m' }: Times,
  timeout: string | undefined,
  signal: AbortSignal | undefined,
): AskLimits {
  const ms =
    limit === undefined ? msOf(timeout ?? usual, 'timeout') + MARGIN_MS : msOf(limit, 'limit');
  const end = performance.now() + ms;
  return { until: end - reserveOf(ms), end, signal };
}

/** Without a limit, `settle` waits as long as reviewers have. */
export function limitsUntil(deadlineAt: Date, limits: AskLimits): AskLimits {
  const longest = performance.now() + (deadlineAt.getTime() - Date.now()) + MARGIN_MS;
  const until = Math.max(limits.until, longest);
  return { ...limits, until, end: limits.end + until - limits.until };
}

const PARK = '55s';

/** A call that parks ends after its own time, and reviewers have theirs. Throws `Unavailable` for what is no duration. */
export function parkOf(park: boolean | string | undefined): string | undefined {
  if (park === undefined || park === false) return undefined;
  const time = park === true ? PARK : park;
  msOf(time, 'park');
  return time;
}

/** What functions of the caller take is a part of the limit. */
export async function bounded<T>(work: Promise<T>, limits: Limits, what: string): Promise<T> {
  let isOver = false;
  const working = work.finally(() => {
    isOver = true;
  });
  return await within(working, limits).catch((error: unknown) => {
    const isLate = !isOver && error instanceof Unavailable;
    throw isLate ? new Unavailable('unreachable', `${what} did not end in time.`) : error;
  });
}

/** The time to withdraw, in what is left of the limit. An abort does not end it. */
export function withdrawLimits({ end }: Partial<AskLimits> = {}): Limits {
  const now = performance.now();
  return {
    until: Math.max(now + SHORTEST_MS, Math.min(now + WITHDRAW_MS, end ?? Infinity)),
  };
}

/** Of a limit, the time for withdrawing. */
const reserveOf = (limitMs: number): number => Math.min(WITHDRAW_MS, limitMs / 4);
