/** Waking many requests at once, as every process does when Temporal returns. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { lockRequest } from '../../../src/data/requests/lock.ts';
import { wakeNow } from '../../../src/data/requests/wake.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { askUnevaluated } from '../../support/scene/approval-requests.ts';
import { createAgent, createOrganization } from '../../support/scene/factories.ts';
import { untilBlocked } from '../../support/waiting.ts';

describe('waking all open requests', () => {
  let app: TestApp;
  let ids: readonly string[];

  beforeAll(async () => {
    app = await startApp();
    const agent = await createAgent(app, await createOrganization(app));
    const asked: string[] = [];
    for (let count = 0; count < 5; count += 1) asked.push(await askUnevaluated(app, agent));
    ids = asked.sort();
    // The lowest id comes last in the table, so a scan reads the others first.
    for (const id of [...ids].reverse())
      await app.db('approval_requests').where({ id }).update({ next_at: new Date() });
  });
  afterAll(async () => {
    await app.close();
  });

  const lockable = async (): Promise<string[]> =>
    await app.db.transaction(
      async (trx) =>
        await trx('approval_requests').whereIn('id', ids).forUpdate().skipLocked().pluck('id'),
    );

  test('locks no higher id while it waits for the lowest, so that two writers with this order never deadlock', async () => {
    const [lowest = '', ...others] = ids;
    const { waking, free } = await app.db.transaction(async (trx) => {
      await lockRequest(trx, lowest);
      const call = wakeNow(app.db, 'open');
      await untilBlocked(app.db);
      return { waking: call, free: await lockable() };
    });
    expect(free.sort()).toEqual(others);
    await waking;
    expect(
      await app.db('approval_requests').whereIn('id', ids).whereNull('wake_at').pluck('id'),
    ).toEqual([]);
  });
});
