/** Limits how often a key may do something in a minute, in this process. */
import { LRUCache } from 'lru-cache';

const MINUTE_MS = 60_000;
/** Beyond these, the key that was used least recently starts again. */
const MOST_KEYS = 10_000;

interface Minute {
  calls: number;
  readonly endsAt: number;
}

/**
 * Counts a call of the key, whose minute begins with its first. Returns 0, or the milliseconds until
 * the minute ends if the key has used it up.
 */
export function minuteLimit(most: number, now = () => performance.now()): (key: string) => number {
  const minutes = new LRUCache<string, Minute>({ max: MOST_KEYS });
  return (key) => {
    const at = now();
    const known = minutes.get(key);
    const minute = known && at < known.endsAt ? known : { calls: 0, endsAt: at + MINUTE_MS };
    if (minute !== known) minutes.set(key, minute);
    minute.calls += 1;
    return minute.calls > most ? minute.endsAt - at : 0;
  };
}
