/** Durations as the API writes them: one unit, no fraction, for example `30s`, `15m`, `24h`. */

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
const GRAMMAR = /^([1-9][0-9]*)(s|m|h)$/;

/** JSON-Schema pattern of the grammar, for the OpenAPI document. */
export const DURATION_PATTERN = GRAMMAR.source;

/**
 * Milliseconds; undefined when the text is not a duration. A number too large to count in
 * milliseconds is Infinity.
 */
export function parseDuration(text: string): number | undefined {
  const match = GRAMMAR.exec(text);
  if (!match) return undefined;
  const ms = Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
  return Number.isSafeInteger(ms) ? ms : Infinity;
}

/** The shortest and the longest duration that is allowed. Without `max`, none is too long. */
export interface DurationBounds {
  readonly min: string;
  readonly max?: string;
}

/** What a duration must be, for people. */
export const durationRule = (example: string): string =>
  `must be a duration such as ${example} (one number, one of s, m, h)`;

/** The bounds, for people, as they follow the rule of a duration. */
export const boundsRule = ({ min, max }: DurationBounds): string =>
  max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;

/** Whether the text is a duration within the bounds. */
export function isDurationWithin(text: string, { min, max }: DurationBounds): boolean {
  const ms = parseDuration(text);
  if (ms === undefined || ms < (parseDuration(min) ?? 0)) return false;
  return max === undefined || ms <= (parseDuration(max) ?? 0);
}

/**
 * A positive whole number of seconds in the largest unit without a fraction: 900 is `15m`, 90 is
 * `90s`.
 */
export function formatDuration(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
