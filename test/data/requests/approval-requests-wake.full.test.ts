/** Wake-ups of many requests at once: set, as every process does when Temporal returns, and cleared. */
import { describe, expect, test } from '@jest/globals';
import { lockRequests } from '../../../src/data/requests/engine/lock.ts';
import { clearTries, clearWakes, putOffWakes, wakeNow } from '../../../src/data/requests/wake.ts';
import { scene } from '../../support/scene.ts';
import { askUnevaluated } from '../../support/scene/approval-requests.ts';
import { untilBlocked } from '../../support/waiting.ts';

/** A database of its own for each part: the first wakes all requests that are open. */
const all = await scene();
const single = await scene();

describe('at once', () => {
  const { app } = all;
  const agent = all.agents.bot;

  /** Sorted. The lowest id comes last in the table, so a scan reads the others first. */
  async function fiveRequests(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await askUnevaluated(app, agent));
    ids.sort();
    for (const id of [...ids].reverse())
      await app.db('approval_requests').where({ id }).update({ next_at: new Date() });
    return ids;
  }

  const due = async (ids: readonly string[]): Promise<string[]> =>
    await app.db('approval_requests').whereIn('id', ids).whereNotNull('wake_at').pluck('id');

  /** While another transaction holds the lowest id, the statement holds none of the others. */
  async function expectLockedInOrder(
    ids: readonly string[],
    statement: () => Promise<void>,
  ): Promise<void> {
    const [lowest = '', ...others] = ids;
    const { running, free } = await app.db.transaction(async (trx) => {
      await lockRequests(trx, [lowest]);
      const call = statement();
      await untilBlocked(trx);
      const lockable = await app.db.transaction(
        async (other) =>
          await other('approval_requests').whereIn('id', ids).forUpdate().skipLocked().pluck('id'),
      );
      return { running: call, free: lockable };
    });
    expect(free.sort()).toEqual(others);
    await running;
  }

  test('clearing the wake-ups of requests with final answers leaves open ones due', async () => {
    const ids = await fiveRequests();
    const [open = '', ...others] = [...ids].reverse();
    // Too late for the reconciler of this process.
    const inAnHour = new Date(Date.now() + 3_600_000);
    await app.db('approval_requests').whereIn('id', ids).update({ wake_at: inAnHour });
    await app.db('approval_requests').whereIn('id', others).update({ state: 'cancelled' });
    await expectLockedInOrder(ids, () => clearWakes(app.db, ids));
    expect(await due(ids)).toEqual([open]);
  });

  test('waking all open requests locks no higher id while it waits for the lowest, so that two writers with this order never deadlock', async () => {
    const ids = await fiveRequests();
    await expectLockedInOrder(ids, () => wakeNow(app.db, 'open'));
    expect((await due(ids)).sort()).toEqual(ids);
  });
});

describe('by the instant of the wake-up', () => {
  const { app } = single;
  const agent = single.agents.bot;
  // Too late for the reconciler of this process.
  const [from, to, other] = [2, 3, 1].map((hours) => new Date(Date.now() + hours * 3_600_000)) as [
    Date,
    Date,
    Date,
  ];

  const rows = () => app.db('approval_requests');
  const asked = async (columns: object) => {
    const id = await askUnevaluated(app, agent);
    await rows()
      .where({ id })
      .update({ state: 'pending', routed_at: from, wake_at: from, ...columns });
    return { id, from, to };
  };
  const each = async (wakes: readonly { readonly id: string }[], column: string) => {
    const values: unknown[] = [];
    for (const { id } of wakes)
      values.push(...(await rows().where({ id }).pluck<unknown[]>(column)));
    return values;
  };

  test('putting wake-ups off leaves those that have another reason by now', async () => {
    const wakes = [
      await asked({}),
      await asked({ wake_at: other }),
      await asked({ wake_attempts: 1 }),
      await asked({ state: 'cancelled' }),
      await asked({ wake_at: null }),
    ];
    await putOffWakes(app.db, wakes);
    expect(await each(wakes, 'wake_at')).toEqual([to, other, from, from, null]);
  });

  test('clearing tries leaves those made since', async () => {
    const tried = { wake_attempts: 2 };
    const wakes = [
      await asked(tried),
      await asked({ ...tried, wake_at: other }),
      await asked({ ...tried, state: 'cancelled' }),
      await asked({ ...tried, wake_at: null }),
    ];
    await clearTries(app.db, wakes);
    expect(await each(wakes, 'wake_attempts')).toEqual([0, 2, 2, 2]);
    expect(await each(wakes, 'wake_at')).toEqual([from, other, from, null]);
  });
});
