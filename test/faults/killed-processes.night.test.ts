/** Two API and worker processes on one database: one is killed and restarted, the other keeps running. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { requestOf } from '../support/adapter.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { brokenPromises } from '../support/outcomes.ts';
import { makeLate } from '../support/scene/late-steps.ts';
import { untilBlocked } from '../support/waiting.ts';
import {
  killServiceProcesses,
  startServiceProcess,
  type ServiceProcess,
} from '../support/processes/processes.ts';
import {
  askPeople,
  body,
  finalStatus,
  setScene,
  stateOf,
  until,
  untilSettled,
  type Scene,
} from './scene.ts';

/** Connections of this test's process that serve calls and the reread of every second. */
const POOL = 6;

let app: TestApp;
let scene: Scene;
let other: ServiceProcess;

const startOther = () =>
  startServiceProcess({ databaseUrl: app.databaseUrl, taskQueue: app.taskQueue });

beforeAll(async () => {
  app = await startApp({
    temporal: true,
    environment: { COUNTERSIGN_DATABASE_POOL: String(POOL) },
  });
  [scene, other] = await Promise.all([setScene(app), startOther()]);
});
afterAll(async () => {
  await killServiceProcesses();
  await app.close();
});

/** The wait ends before one that was parked earlier, for as long, and that nothing ends. */
async function decideElsewhere(): Promise<void> {
  const [undecided, id] = [await askPeople(scene, app), await askPeople(scene, app)];
  const parked = (each: string) => () => app.context.changes.waitedFor().includes(each);
  const endless = scene.adapter.get(undecided, { wait: '30s' });
  await until('the first wait is parked', parked(undecided));
  const waiting = scene.adapter.get(id, { wait: '30s' });
  await until('the wait is parked', parked(id));
  expect((await scene.decide(id, { url: other.url })).status).toBe(200);
  const first = await Promise.race([waiting, endless]);
  expect(requestOf(first)).toMatchObject({ id, status: 'approved' });
  expect(requestOf(await scene.adapter.cancel(undecided)).status).toBe('cancelled');
  await endless;
}

/** All at once, through the other process, which is killed after some answers: the rest is cut off at different points. */
async function cutOff(answers: number, calls: readonly Promise<unknown>[]): Promise<void> {
  const kills: Promise<void>[] = [];
  let left = answers;
  const count = () => {
    left -= 1;
    if (left === 0) kills.push(other.kill());
  };
  await Promise.all(calls.map((call) => call.then(count, () => undefined)));
  expect(kills).toHaveLength(1);
  await Promise.all(kills);
}

describe('two processes', () => {
  test('a wait parked on one learns from the other that the decision is recorded, without the reread of every second', async () => {
    for (let round = 0; round < 3; round += 1) {
      const id = await askPeople(scene, app);
      const waiting = scene.adapter.get(id, { wait: '30s' });
      await until('the wait is parked', () => app.context.changes.waitedFor().includes(id));
      // Without a connection nothing can be reread here. The listener has a connection of its own.
      const held = await Promise.all(Array.from({ length: POOL }, () => app.db.transaction()));
      let heard = false;
      app.context.changes.subscribe(id, () => (heard = true));
      try {
        expect((await scene.decide(id, { url: other.url })).status).toBe(200);
        await until('the notice has come', () => heard);
      } finally {
        await Promise.all(held.map((transaction) => transaction.rollback()));
      }
      expect(requestOf(await waiting).status).toBe('approved');
    }
  });

  test('a wait that lost its notice with the listener connection is found by the reread', async () => {
    const listener = app
      .db('pg_stat_activity')
      .where({ application_name: 'countersign-listener' })
      .whereRaw('datname = current_database()');
    // A process serves before it listens.
    await until('both listen', async () => (await listener.clone().select('pid')).length === 2);
    const { rowCount } = await app.db.raw<{ rowCount: number }>(
      `select pg_terminate_backend(pid) from (${listener.select('pid').toQuery()}) as l`,
    );
    expect(rowCount).toBe(2);
    await decideElsewhere();
    await until(
      'both listen again',
      async () => (await listener.clone().select('pid')).length === 2,
    );
    await decideElsewhere();
  });
});

const open = (ids: readonly string[]) =>
  app.db('approval_requests').whereIn('id', ids).where('next_at', '<', new Date());
const lateOnes = (ids: readonly string[]) => open(ids).pluck<string[]>('id');
const makeDue = (ids: readonly string[]) => open(ids).update({ wake_at: new Date() });

/** How often each person was notified of each request. */
async function notifiedTimes(ids: readonly string[]): Promise<number[]> {
  const rows = await app
    .db('notifications')
    .whereIn('request_id', ids)
    .groupBy('request_id', 'membership_id')
    .select<{ times: string }[]>(app.db.raw('count(*) as times'));
  return rows.map(({ times }) => Number(times));
}

describe('kill -9', () => {
  test('in the middle of a set of late levels: every level is notified, and none twice', async () => {
    const sets = await Promise.all(
      [0, 1].map(() => Promise.all(Array.from({ length: 8 }, () => askPeople(scene, app)))),
    );
    const ids = sets.flat();
    await app.db.transaction(async (trx) => {
      // The last check of the statement needs these rows. By then it has written all else.
      await trx('memberships').whereIn('id', scene.people).forUpdate().select('id');
      for (const [nth, set] of sets.entries()) {
        await makeLate(app, set, { ms: 60_000, wakes: true });
        // One process has a set, so the next set is the other's.
        await untilBlocked(trx, nth + 1);
      }
      await other.kill();
    });
    // As after the lease of the killed process.
    await makeDue(ids);
    await until('every level is notified', async () => (await lateOnes(ids)).length === 0);
    const people = scene.people.length;
    expect(await notifiedTimes(ids)).toEqual(Array.from({ length: ids.length * people }, () => 2));
    expect(await brokenPromises(app.db, scene)).toEqual([]);
    other = await startOther();
  });

  test('between a create and its answer: the repeat finds the same request, which gets one answer', async () => {
    const asked = Array.from({ length: 24 }, (_, at) => ({
      key: randomUUID(),
      tool: at % 2 === 0 ? ('refund' as const) : ('deploy' as const),
    }));
    const through = scene.adapterAt(other.url);
    await cutOff(
      6,
      asked.map(({ key, tool }) => through.create(body(tool), { idempotencyKey: key })),
    );
    other = await startOther();
    const outcomes = await Promise.all(
      asked.map(async ({ key, tool }) => {
        const { id } = requestOf(await scene.adapter.create(body(tool), { idempotencyKey: key }));
        if (tool === 'refund') return await finalStatus(scene.adapter, id);
        await until('handed to people', async () => (await stateOf(app, id)) === 'pending');
        return requestOf(await scene.adapter.cancel(id)).status;
      }),
    );
    expect(outcomes).toEqual(
      asked.map(({ tool }) => (tool === 'refund' ? 'approved' : 'cancelled')),
    );
    expect(await brokenPromises(app.db, scene)).toEqual([]);
  });

  test('while pending, and between a decision and the signal to its workflow: everyone sees the one decision', async () => {
    const ids = await Promise.all(Array.from({ length: 9 }, () => askPeople(scene, app)));
    const waits = ids.map((id) => finalStatus(scene.adapter, id));
    const key = (id: string) => `decision:${id}`;
    await cutOff(
      3,
      ids.map((id) => scene.decide(id, { key: key(id), url: other.url })),
    );
    // The same decision again through the surviving process, whether or not the first attempt was
    // recorded.
    for (const id of ids)
      expect(await scene.decide(id, { key: key(id) })).toMatchObject({
        status: 200,
        body: { decision: { status: 'approved' } },
      });
    expect(await Promise.all(waits)).toEqual(ids.map(() => 'approved'));
    await untilSettled(app);
    expect(await brokenPromises(app.db, scene)).toEqual([]);
  });

  test('a decision without its signal still ends the workflow', async () => {
    const id = await askPeople(scene, app);
    const mute = await startApp({ databaseUrl: app.databaseUrl });
    try {
      expect((await scene.decide(id, { url: mute.url })).status).toBe(200);
    } finally {
      await mute.close();
    }
    await untilSettled(app);
    const workflow = app.temporal.client()?.workflow.getHandle(`approval-request:${id}`);
    await until(
      'the workflow has ended',
      async () => (await workflow?.describe())?.status.name === 'COMPLETED',
    );
    expect(await brokenPromises(app.db, scene)).toEqual([]);
  });
});
