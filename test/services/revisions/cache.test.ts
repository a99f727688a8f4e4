/** The cache of revisions with several concurrent callers. */
import { expect, test } from '@jest/globals';
import { revisionCache } from '../../../src/services/revisions/cache.ts';
import { appForFile } from '../../support/scene.ts';

const app = await appForFile();

/** A cache whose loads over the pool hang until `release`, as when every connection is in use. */
function cacheOverABusyPool() {
  const loads: boolean[] = [];
  let release: () => void = () => undefined;
  const free = new Promise<void>((resolve) => {
    release = resolve;
  });
  const find = revisionCache(async (db, revisionId) => {
    const inTransaction = db.isTransaction === true;
    loads.push(inTransaction);
    if (!inTransaction) await free;
    return { value: { revisionId }, size: 1 };
  });
  return { find, loads, release };
}

test('concurrent callers share one load', async () => {
  const { find, loads, release } = cacheOverABusyPool();
  const asked = [1, 2, 3].map(() => find(app.db, 'one'));
  release();
  expect(await Promise.all(asked)).toEqual([
    { revisionId: 'one' },
    { revisionId: 'one' },
    { revisionId: 'one' },
  ]);
  expect(loads).toEqual([false]);
});

test('a caller in a transaction never waits for a load that may need its connection', async () => {
  const { find, loads, release } = cacheOverABusyPool();
  const waiting = find(app.db, 'one');
  const found = await app.db.transaction((trx) => find(trx, 'one'));
  expect(found).toEqual({ revisionId: 'one' });
  expect(loads).toEqual([false, true]);
  release();
  expect(await waiting).toEqual({ revisionId: 'one' });
});

test('a failed load is repeated for the next caller', async () => {
  let fails = true;
  const find = revisionCache(() =>
    fails
      ? Promise.reject(new Error('away'))
      : Promise.resolve({ value: { found: true }, size: 1 }),
  );
  await expect(find(app.db, 'one')).rejects.toThrow('away');
  fails = false;
  expect(await find(app.db, 'one')).toEqual({ found: true });
});
