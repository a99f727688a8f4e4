/** The `Retry-After` of a response. */

/** Eleven days: callers wait less. */
const LONGEST_MS = 1_000_000_000;

/** Milliseconds from whole seconds or an HTTP date. Undefined for anything else. */
export function retryAfterMs(header: unknown): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^[0-9]+$/.test(header)) return Math.min(Number(header) * 1_000, LONGEST_MS);
  return HTTP_DATE.test(header) ? Math.max(Date.parse(header) - Date.now(), 0) : undefined;
}

/** `Wed, 21 Oct 2026 07:28:00 GMT` */
const HTTP_DATE = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;
