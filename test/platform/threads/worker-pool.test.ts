/** Threads for heavy work, and what becomes of it when the process stops. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { asAppError, problemFrom } from '../../../api/http/problem.ts';
import { CALLER_BUDGET_MS } from '../../../src/platform/threads/work-time.ts';
import { openWorkerPool, PoolClosed } from '../../../src/platform/threads/worker-pool.ts';

const directory = mkdtempSync(join(tmpdir(), 'countersign-worker-pool-'));
const file = join(directory, 'tasks.mjs');
writeFileSync(
  file,
  `export const twice = (n) => 2 * n; export const endless = () => { for (;;); };
   export const busy = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); return null; };`,
);
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const twice = (n: number): number => 2 * n;
const busy = (_ms: number): null => null;
const endless = (_none: null): null => null;

test('work that a stop ends is answered with 503, so that the caller tries again', async () => {
  const pool = openWorkerPool(pathToFileURL(file));
  expect(await pool.run(twice, 21, 'one')).toBe(42);
  const ended = pool.run(endless, null, 'one').catch((error: unknown) => error);
  await pool.close();
  const error = await ended;
  expect(error).toBeInstanceOf(PoolClosed);
  const { status, headers } = problemFrom(asAppError(error), 'id');
  expect([status, headers['Retry-After']]).toEqual([503, '2']);
});

test('the time of threads is counted for the caller', async () => {
  const pool = openWorkerPool(pathToFileURL(file));
  try {
    pool.time.spend('one', CALLER_BUDGET_MS);
    await pool.run(busy, 200, 'one');
    expect(pool.time.secondsToWait('one', 'acme')).toBe(1);
    expect(pool.time.secondsToWait('two', 'acme')).toBeUndefined();
  } finally {
    await pool.close();
  }
});
