/** `--limit`: how long a runtime waits for the hook. */
import { msOf } from '../../typescript/src/durations.ts';

const DEFAULT = '10m';
/** Seconds of the limit that the hook keeps, so that it always responds first. */
export const RESERVE = 5;
const SHORTEST = 7;
/** Timers of Node end at 24 days. */
const LONGEST = 1_000_000;

/** Of an installed command, in seconds. Undefined: it has none. */
export function limitIn(command: string): number | undefined {
  const [, limit] = /--limit (\d+)s/.exec(command) ?? [];
  return limit === undefined ? undefined : Number(limit);
}

/** Throws for a limit that is not a duration, or leaves no time to ask. */
export function secondsOf(limit = DEFAULT): number {
  const seconds = msOf(limit, '--limit') / 1_000;
  if (seconds < SHORTEST || seconds > LONGEST)
    throw new TypeError(`--limit must be between ${String(SHORTEST)}s and ${String(LONGEST)}s.`);
  return seconds;
}
