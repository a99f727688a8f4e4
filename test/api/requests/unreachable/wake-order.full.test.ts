/** Requests that become due together are locked in one order, so their change never ends in a deadlock. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { wakeNow } from '../../../../src/data/requests/wake.ts';
import { beforeStatementOfTransaction } from '../../../support/gates.ts';
import { REVIEWER, scene } from '../../../support/scene.ts';

const { app, owner, person, ask, claimed } = await scene({ pipelines: { bot: {} } });

test('rights are taken while the reconciler makes requests due', async () => {
  const holder = await person(REVIEWER);
  const [alone, held] = [await ask(), await ask()];
  await claimed(holder, held);
  const { membershipId } = holder;
  // Only the holder was asked about the first request.
  const asked = app.db('notifications').where({ request_id: alone });
  await asked.whereNot({ membership_id: membershipId }).delete();
  const tried = { wake_attempts: 1, wake_at: new Date(Date.now() + 3_600_000) };
  await app.db('approval_requests').whereIn('id', [alone, held]).update(tried);
  const policies = app.db('permission_policies').where({ membership_id: membershipId });
  const [policy = ''] = await policies.pluck<string[]>('id');
  const waking: Promise<void>[] = [];
  const happens = async () => {
    waking.push(wakeNow(app.db, 'tried'));
    await delay(500);
  };
  const removed = await beforeStatementOfTransaction(app, { of: 'unreachable as', happens }, () =>
    owner.browser.delete(`/api/v1/members/${membershipId}/permission_policies/${policy}`),
  );
  expect(removed.status).toBe(204);
  await Promise.all(waking);
  const due = await app.db('approval_requests').where('next_at', '<=', app.db.fn.now());
  expect(due).toHaveLength(2);
});
