/** When a receiver that did not accept an event is tried again. */

/** Attempts end this long after the decision. */
export const DELIVERY_HOURS = 168;
/** An event is kept until then, and at least this long after its last attempt. */
export const KEPT_HOURS = 24;
/** For one attempt, from the connection to the headers of the response; for a verification, to its end. */
export const ATTEMPT_MS = 10_000;
/** Attempts under way at once to one host, and to one address. */
export const MOST_AT_ONCE = 8;

export const FIRST_RETRY_MS = 5_000;
export const LONGEST_RETRY_MS = 3_600_000;
/** Each pause is longer or shorter by at most this share. */
export const RETRY_SPREAD = 0.2;

/**
 * Milliseconds until the attempt after `attempt` (from 1): doubles from 5 s to 1 h. `jitter` (0 to 1) takes away or adds up
 * to a fifth. A receiver may ask for more by `atLeastMs`.
 */
export function retryPause(attempt: number, jitter: number, atLeastMs = 0): number {
  const full = Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_RETRY_MS);
  return Math.max(Math.round(full * (1 - RETRY_SPREAD + 2 * RETRY_SPREAD * jitter)), atLeastMs);
}

/** The statuses whose `Retry-After` counts. */
export const maySayWhen = (status: number): boolean => status === 429 || status === 503;
