/** Crowds, locks and requests that always fail: none of them may delay the other requests. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { wakeDue } from '../../src/services/engine/wake-round.ts';
import { errorOf, requestOf } from '../support/adapter.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { brokenPromises } from '../support/outcomes.ts';
import { appForFile } from '../support/scene.ts';
import { makeLate } from '../support/scene/late-steps.ts';
import { askPeople, body, finalStatus, setScene, stateOf, until, untilSettled } from './scene.ts';

/** What waits for locked rows ends soon. */
const app = await appForFile({
  temporal: true,
  environment: { COUNTERSIGN_CREATE_BUDGET: '5s' },
  databaseWaits: { lockTimeoutMs: 5_000 },
});
const scene = await setScene(app);

/**
 * Another process without Temporal, beside the app of this file. It is closed after the work, even
 * after a failure.
 */
async function beside<T>(
  environment: Readonly<Record<string, string>>,
  work: (other: TestApp) => Promise<T>,
): Promise<T> {
  const other = await startApp({ databaseUrl: app.databaseUrl, environment });
  try {
    return await work(other);
  } finally {
    await other.close();
  }
}

/** Copies of a request that the pipeline has not evaluated, with changed columns. */
async function copies(
  id: string,
  count: number,
  changes: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const original = await app.db('approval_requests').where({ id }).first<Record<string, unknown>>();
  const rows = Array.from({ length: count }, () => ({
    ...original,
    ...changes,
    id: randomUUID(),
    idempotency_key: randomUUID(),
  }));
  await app.db.batchInsert('approval_requests', rows, 100);
  await app.db('audit_events').insert(
    rows.map((row) => ({
      id: randomUUID(),
      organization_id: scene.organization.id,
      event_type: 'approval_request.created',
      actor_type: 'system',
      subject_type: 'approval_request',
      subject_id: row.id,
      data: '{}',
      occurred_at: new Date(),
    })),
  );
  return rows.map((row) => row.id);
}

/**
 * Columns of a request that waits for the pipeline, and that the reconciler leaves alone before
 * `wakeAt`.
 */
const unseen = (wakeAt: Date | null) => ({
  state: 'evaluating',
  routed_at: null,
  route_source: null,
  route_scope: null,
  route_block_id: null,
  route_reason: null,
  escalation_path_revision_id: null,
  walk: null,
  next_at: null,
  wake_at: wakeAt,
  wake_attempts: 0,
});

describe('a crowd', () => {
  test('more requests than a round takes that expire at one instant are all expired, each once, and their waits end', async () => {
    const id = await askPeople(scene, app);
    const deadline = new Date(Date.now() + 1_500);
    const created = new Date(deadline.getTime() - 3_600_000);
    const ids = await copies(id, 210, {
      ...unseen(null),
      created_at: created,
      last_at: created,
      deadline_at: deadline,
    });
    const waits = await Promise.all(
      ids.slice(0, 10).map((one) => scene.adapter.get(one, { wait: '30s' })),
    );
    expect(waits.map((answer) => requestOf(answer).status)).toEqual(waits.map(() => 'expired'));
    const expired = () => app.db('decisions').whereIn('request_id', ids).select('request_id');
    await until('all are expired', async () => (await expired()).length === ids.length);
    expect(requestOf(await scene.adapter.cancel(id)).status).toBe('cancelled');
    expect(await brokenPromises(app.db, scene)).toEqual([]);
    await untilSettled(app);
  });

  test('forty overdue requests are all handed to people, and each person is notified once', async () => {
    const id = await askPeople(scene, app);
    const ids = await copies(id, 40, unseen(null));
    const longAgo = new Date(Date.now() - 60_000);
    await app.db('approval_requests').whereIn('id', ids).update({ wake_at: longAgo });
    await until('all are handed to people', async () => {
      const pending = await app
        .db('approval_requests')
        .whereIn('id', ids)
        .where({ state: 'pending' })
        .select('id');
      return pending.length === ids.length;
    });
    expect(await brokenPromises(app.db, scene)).toEqual([]);
  });

  test('more concurrent decisions than connections are all recorded', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => askPeople(scene, app)));
    const answers = await beside({ COUNTERSIGN_DATABASE_POOL: '2' }, (narrow) =>
      Promise.all(ids.map((id) => scene.decide(id, { url: narrow.url }))),
    );
    expect(answers.map((answer) => answer.status)).toEqual(ids.map(() => 200));
    await untilSettled(app);
  });
});

describe('a parked wait', () => {
  test('holds no database connection: ten of them on two connections delay no other call', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => askPeople(scene, app)));
    await beside({ COUNTERSIGN_DATABASE_POOL: '2' }, async (narrow) => {
      const waits = ids.map((id) => scene.adapterAt(narrow.url).get(id, { wait: '30s' }));
      await until('all are parked', () => narrow.context.changes.waitedFor().length === ids.length);
      const decided = await Promise.all(ids.map((id) => scene.decide(id, { url: narrow.url })));
      expect(decided.map((answer) => answer.status)).toEqual(ids.map(() => 200));
      expect((await Promise.all(waits)).map((answer) => requestOf(answer).status)).toEqual(
        ids.map(() => 'approved'),
      );
    });
    await untilSettled(app);
  });

  test('ends when its request is gone, as when the pending cap removes one', async () => {
    const id = await askPeople(scene, app);
    const [gone = ''] = await copies(id, 1, unseen(null));
    const wait = scene.adapter.get(gone, { wait: '30s' });
    await until('it is parked', () => app.context.changes.waitedFor().includes(gone));
    await app.db('approval_requests').where({ id: gone }).delete();
    expect(errorOf(await wait)).toMatchObject({ status: 404 });
    expect(requestOf(await scene.adapter.cancel(id)).status).toBe('cancelled');
    await untilSettled(app);
  });
});

describe('a request that always fails', () => {
  test('does not keep the reconciler from those behind it', async () => {
    const id = await askPeople(scene, app);
    const longAgo = new Date(Date.now() - 60_000);
    const [failing = ''] = await copies(id, 1, {
      ...unseen(null),
      organization_pipeline_revision_id: null,
      state: 'evaluating',
    });
    const [behind = ''] = await copies(id, 1, unseen(null));
    await app
      .db('approval_requests')
      .where({ id: failing })
      .update({
        state: 'pending',
        routed_at: new Date(),
        walk: '{"broken":true}',
        route_source: 'pipeline_default',
        route_scope: 'agent',
        escalation_path_revision_id: app.db('escalation_path_revisions').select('id').first(),
        wake_at: longAgo,
      });
    await app
      .db('approval_requests')
      .where({ id: behind })
      .update({ wake_at: new Date(longAgo.getTime() + 1_000) });
    await beside({}, async (mute) => {
      await wakeDue(mute.context);
      await until(
        'the one behind is handed to people',
        async () => (await stateOf(app, behind)) === 'pending',
      );
    });
    expect(requestOf(await scene.adapter.cancel(failing)).status).toBe('cancelled');
    // A workflow that is started for it later would count for another test.
    await untilSettled(app);
  });
});

describe('a workflow that is late', () => {
  test('has its level notified by the reconciler, once, and is left alone the first time', async () => {
    const id = await askPeople(scene, app);
    const starts = async () =>
      (await app.context.metrics.reconcilerStarts.get()).values[0]?.value ?? 0;
    const levels = async () =>
      (await app.db('escalation_steps').where({ request_id: id }).select('at')).length;
    const before = await starts();
    // Each round may be the one of this test, or the service's own.
    await makeLate(app, [id], { ms: 6_000, wakes: true });
    await wakeDue(app.context);
    await until('the second level is notified', async () => (await levels()) === 2);
    expect(await starts()).toBe(before);
    // It has made no step since that of the reconciler, so it may be gone.
    await makeLate(app, [id], { ms: 6_000, wakes: true });
    await wakeDue(app.context);
    await until('a workflow is started', async () => (await starts()) === before + 1);
    expect((await scene.decide(id)).status).toBe(200);
    await untilSettled(app);
  });
});

describe('a locked database', () => {
  test('refuses or delays what cannot be written in time; once the lock is gone, everything happens once', async () => {
    const id = await askPeople(scene, app);
    const lock = await app.db.transaction();
    await lock.raw('lock table escalation_steps in access exclusive mode');
    await lock.raw('select 1 from approval_requests where id = :id for update', { id });
    const [key, cancelled] = [randomUUID(), scene.adapter.cancel(id)];
    const [answer, refused] = await Promise.all([
      scene.adapter.create(body('deploy')),
      scene.decide(id, { key }),
    ]);
    const created = requestOf(answer);
    expect(created.status).toBe('pending');
    expect(await stateOf(app, created.id)).toBe('evaluating');
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { code: 'dependency_unavailable' } },
    });
    expect(refused.headers).toHaveProperty('retry-after');
    expect(errorOf(await cancelled).status).toBe(503);
    await until('a step has failed on the lock', () =>
      app.log.some((line) => line.includes('lock timeout') && line.includes(created.id)),
    );
    await lock.commit();
    expect((await scene.decide(id, { key })).status).toBe(200);
    await until('handed to people', async () => (await stateOf(app, created.id)) === 'pending');
    expect((await scene.decide(created.id)).status).toBe(200);
    expect(await finalStatus(scene.adapter, created.id)).toBe('approved');
    await untilSettled(app);
  });
});
