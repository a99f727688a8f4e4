/** Shares the event loop: long work stops every few milliseconds, so that other callers are served meanwhile. */
import { setImmediate } from 'node:timers/promises';

/** How long a piece of work may hold the event loop before it gives up its turn. */
const TURN_MS = 4;

let line: Promise<unknown> = Promise.resolve();

/** All long work waits in one line, so that much of it at once holds the loop no longer than one. */
async function nextTurn(): Promise<void> {
  line = line.then(() => setImmediate());
  await line;
}

/** Returns a function to await after each part of long work. It yields to other work once a turn is used up. */
export function createYielder(): () => Promise<void> {
  let started = performance.now();
  return async () => {
    if (performance.now() - started < TURN_MS) return;
    await nextTurn();
    started = performance.now();
  };
}

/** Like `items.map(change)`, and yields meanwhile. */
export async function mapYielding<T, Changed>(
  items: readonly T[],
  change: (item: T) => Changed,
): Promise<Changed[]> {
  const yieldIfDue = createYielder();
  const changed: Changed[] = [];
  for (const item of items) {
    changed.push(change(item));
    await yieldIfDue();
  }
  return changed;
}
