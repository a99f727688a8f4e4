/** What still works while Temporal is away. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorOf, requestOf, type Adapter } from '../../../support/adapter.ts';
import { expiryLags, expiryLagsWithoutWaits, withinSeconds } from './expiry.ts';
import { startProvider, type Instance, type Provider } from './provider.ts';
import { submission } from './submissions.ts';

let provider: Provider;
let adapter: Adapter;
let unruled: Instance;

beforeAll(async () => {
  // A long budget: a create that does not use it up is distinguishable even on a busy machine.
  provider = await startProvider({
    temporal: false,
    environment: { COUNTERSIGN_CREATE_BUDGET: '30s' },
  });
  ({ adapter } = await provider.instance({ outcome: 'deny', reason: 'never' }));
  unruled = await provider.instance();
});
afterAll(async () => {
  await provider.stop();
});

describe('while Temporal is away', () => {
  test('a create answers 201 pending, and a replay the same', async () => {
    const idempotencyKey = randomUUID();
    const created = await adapter.create(submission(), { idempotencyKey });
    expect([created.status, requestOf(created).status]).toEqual([201, 'pending']);
    expect(created.elapsedMs).toBeLessThan(25_000);
    const replayed = await adapter.create(submission(), { idempotencyKey });
    expect(replayed.status).toBe(200);
  });

  test('no one can approve before a rule that denies has run, and the rule still decides', async () => {
    const { id } = requestOf(await adapter.create(submission()));
    expect(await provider.decide(id, 'approved')).toEqual({
      status: 409,
      code: 'request_evaluating',
    });
    const settled = requestOf(await adapter.get(id, { wait: '25s' }));
    expect(settled).toMatchObject({ status: 'denied', decision: { note: 'never' } });
    expect(await provider.decide(id, 'approved')).toEqual({
      status: 409,
      code: 'already_terminal',
    });
  });

  test('a cancel acts at once and ends the wait', async () => {
    const { id } = requestOf(await adapter.create(submission()));
    const [waited, cancelled] = await Promise.all([
      adapter.get(id, { wait: '30s' }),
      adapter.get(id).then(() => adapter.cancel(id)),
    ]);
    expect(waited.text).toBe(cancelled.text);
    expect(errorOf(await adapter.cancel(randomUUID())).status).toBe(404);
  });

  test('an expiry is recorded and ends the wait within a second of the deadline', async () => {
    await withinSeconds(() => expiryLags(unruled.adapter));
  });

  test('an expiry that no caller waits for is recorded within a second of the deadline', async () => {
    await withinSeconds(() => expiryLagsWithoutWaits(unruled.adapter));
  });
});
