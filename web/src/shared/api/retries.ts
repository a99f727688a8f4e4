/** When a read that failed is tried again, and how long it waits before. Pure. */
import { ApiError } from './api.ts';

const PAUSES_MS = [1_000, 2_000, 5_000, 15_000, 30_000];

/** A service that wants a longer pause is asked sooner: a reader waits in front of it. */
const MOST_PAUSE_MS = 60_000;

const RETRIES = 2;
/** One call too many in a minute is no failure of the service, and ends with the minute. */
const BUSY_RETRIES = 5;

/** `failures`: before this one. */
export function pauseMs(failures: number, retryAfterSeconds: number | undefined): number {
  const own = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0;
  const wanted = Math.min((retryAfterSeconds ?? 0) * 1_000, MOST_PAUSE_MS);
  return Math.max(own, wanted);
}

const MOST_JITTER = 0.25;

/** Somewhat longer, so that the tabs of a whole company do not all ask at once. `random`: 0 to 1. */
export const withJitter = (ms: number, random = Math.random()): number =>
  ms * (1 + random * MOST_JITTER);

export const retryAfterOf = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.retryAfterSeconds : undefined;

/** The service takes no more calls for now. */
export const isBusy = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 429;

/** What the service refused for another reason, it refuses again. */
export function readsAgain(failures: number, error: unknown): boolean {
  if (isBusy(error)) return failures < BUSY_RETRIES;
  const isRefused = error instanceof ApiError && error.status !== 0 && error.status < 500;
  return !isRefused && failures < RETRIES;
}
