/** Threads for heavy work, and what becomes of it when the process stops. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { asAppError, problemFrom } from '../../../api/http/problems/problem.ts';
import { openWorkerPool, PoolClosed } from '../../../src/platform/threads/worker-pool.ts';
import { builtTestPath } from '../../support/run/built.ts';

const directory = mkdtempSync(join(tmpdir(), 'countersign-worker-pool-'));
const file = join(directory, 'tasks.mjs');
writeFileSync(
  file,
  `import { measured } from ${JSON.stringify(builtTestPath('src/platform/threads/measured.ts'))};
   const twice = (n) => 2 * n;
   const endless = () => { for (;;); };
   const busy = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); return null; };
   const idle = (ms) => new Promise((resolve) => setTimeout(resolve, ms, null));
   export const runTask = measured({ twice, endless, busy, idle });`,
);
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const idle = (_ms: number): null => null;
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

test.each([
  ['counts for the caller', busy, { atLeast: 1, atMost: Infinity }],
  ['does not count while it waits', idle, { atLeast: 0, atMost: 250 }],
] as const)('the time of a thread %s', async (_what, task, { atLeast, atMost }) => {
  const pool = openWorkerPool(pathToFileURL(file));
  const spent: number[] = [];
  pool.time.spend = (_caller, ms) => {
    spent.push(ms);
  };
  try {
    await pool.run(task, 500, 'one');
    expect(spent).toHaveLength(1);
    expect(spent[0]).toBeGreaterThanOrEqual(atLeast);
    expect(spent[0]).toBeLessThanOrEqual(atMost);
  } finally {
    await pool.close();
  }
});
