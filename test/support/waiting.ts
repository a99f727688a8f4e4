/**
 * Waits for something that comes soon, with a limit. After it the test fails and names what it
 * waited for.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../src/platform/postgres.ts';

/** Enough for a busy machine: a limit for what hangs, not a measure of speed. */
export const PATIENCE_MS = 120_000;
/** Each look costs the servers work, so those at something slow become rare. */
const LONGEST_PAUSE_MS = 150;

export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (
    let pauseMs = 10;
    !(await condition());
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)
  ) {
    if (performance.now() >= end) throw new Error(`not reached within ${timeoutMs} ms: ${what}`);
    await delay(pauseMs);
  }
}

/**
 * Waits until this many statements wait for locks that others hold. `db` must not be the
 * transaction that holds one.
 */
export async function untilBlocked(db: Db, count = 1): Promise<void> {
  await until(`${count} statements wait for locks`, async () => {
    const { rows } = await db.raw<{ rows: [{ waiting: number }] }>(
      `select cast(count(*) as integer) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].waiting >= count;
  });
}
