/** Calls a function from a number of concurrent callers and measures each call. */

export interface Load {
  readonly callers: number;
  /** Total number of calls. */
  readonly calls: number;
}

export interface Measured extends Load {
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  readonly perSecond: number;
}

export async function measure(
  call: () => Promise<unknown>,
  { callers, calls }: Load,
): Promise<Measured> {
  let left = calls;
  return await repeat(call, callers, () => left-- > 0);
}

export interface TimedLoad {
  readonly callers: number;
  /** No call begins later. */
  readonly seconds: number;
}

export async function measureFor(
  call: () => Promise<unknown>,
  { callers, seconds }: TimedLoad,
): Promise<Measured> {
  const end = performance.now() + seconds * 1_000;
  return await repeat(call, callers, () => performance.now() < end);
}

async function repeat(
  call: () => Promise<unknown>,
  callers: number,
  more: () => boolean,
): Promise<Measured> {
  const times: number[] = [];
  const began = performance.now();
  const caller = async () => {
    while (more()) {
      const started = performance.now();
      await call();
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return {
    callers,
    calls: times.length,
    ...percentiles(times),
    perSecond: round(times.length / ((performance.now() - began) / 1_000)),
  };
}

export function percentiles(
  times: readonly number[],
): Pick<Measured, 'p50' | 'p95' | 'p99' | 'max'> {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

export function median(values: readonly number[]): number {
  return percentiles(values).p50;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
