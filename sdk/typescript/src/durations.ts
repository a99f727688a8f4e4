/** Durations as the service writes them: `30s`, `15m`, `2h`. */
import { Unavailable } from './errors.ts';

/** Timers of JavaScript end after 24 days. */
const LONGEST_MS = 500 * 3_600_000;
const MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

export function msOf(duration: string, what: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,6})([smh])$/.exec(duration) ?? [];
  if (count === undefined)
    throw new Unavailable(
      'configuration',
      `${what} must be a duration such as 15m, not ${JSON.stringify(duration)}.`,
    );
  const ms = Number(count) * (MS[unit] ?? 0);
  if (ms > LONGEST_MS)
    throw new Unavailable('configuration', `${what} must be at most 500h, not ${duration}.`);
  return ms;
}
