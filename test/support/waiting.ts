/**
 * Waits for something that comes soon, with a limit. After it the test fails and names what it
 * waited for.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Trx } from '../../src/platform/postgres.ts';

/** A limit for what hangs, not a measure of speed. It ends before the time of a test, so that the failure says why. */
export const PATIENCE_MS = 30_000;
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

/** Whether it is reached within the limit, for what a test tells in its own words. */
export async function comes(what: string, condition: () => Promise<boolean>): Promise<boolean> {
  return await until(what, condition).then(
    () => true,
    () => false,
  );
}

/**
 * Waits until this many processes of the database wait for locks of this transaction, or for one of
 * those that do. Other short waits, such as for the growth of a table, do not count.
 */
export async function untilBlocked(gate: Trx, count = 1): Promise<void> {
  await until(`${count} processes wait for the gate`, async () => {
    const { rows } = await gate.raw<{ rows: [{ waiting: number }] }>(
      `with recursive blocked (pid) as (
         select pg_backend_pid()
         union
         select waiting.pid from pg_locks waiting, blocked
         where not waiting.granted and blocked.pid = any(pg_blocking_pids(waiting.pid))
       )
       select cast(count(*) - 1 as integer) as waiting from blocked`,
    );
    return rows[0].waiting >= count;
  });
}
