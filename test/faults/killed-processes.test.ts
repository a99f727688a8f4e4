/**
 * Two API and worker processes on one database: one is killed and restarted repeatedly, the other
 * keeps running.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { requestOf } from '../support/adapter.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { brokenPromises } from '../support/outcomes.ts';
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

async function decideElsewhere(): Promise<number> {
  const id = await askPeople(scene, app);
  const waiting = scene.adapter.get(id, { wait: '30s' });
  await until('the wait is parked', () => app.context.changes.waitedFor().includes(id));
  expect((await scene.decide(id, { url: other.url })).status).toBe(200);
  const decided = performance.now();
  expect(requestOf(await waiting).status).toBe('approved');
  return performance.now() - decided;
}

describe('two processes', () => {
  test('a wait parked on one learns from the other that the decision is recorded, without the reread of every second', async () => {
    for (let round = 0; round < 5; round += 1) {
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
    const { rowCount } = await app.db.raw<{ rowCount: number }>(
      `select pg_terminate_backend(pid) from (${listener.select('pid').toQuery()}) as l`,
    );
    expect(rowCount).toBe(2);
    expect(await decideElsewhere()).toBeLessThan(20_000);
    await until(
      'both listen again',
      async () => (await listener.clone().select('pid')).length === 2,
    );
    expect(await decideElsewhere()).toBeLessThan(20_000);
  });
});

describe('kill -9', () => {
  test('between a create and its answer: the repeat finds the same request, which gets one answer', async () => {
    const asked: { key: string; tool: 'refund' | 'deploy' }[] = [];
    for (const afterMs of [2, 12, 30]) {
      const round = Array.from({ length: 8 }, (_, at) => ({
        key: randomUUID(),
        tool: at % 2 === 0 ? ('refund' as const) : ('deploy' as const),
      }));
      const through = scene.adapterAt(other.url);
      const sent = round.map(({ key, tool }) =>
        through.create(body(tool), { idempotencyKey: key }).catch(() => undefined),
      );
      await delay(afterMs + Math.random() * 15);
      await other.kill();
      await Promise.all(sent);
      asked.push(...round);
      other = await startOther();
    }
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
    for (const [round, afterMs] of [1, 8, 20].entries()) {
      const mine = ids.slice(round * 3, round * 3 + 3);
      const sent = mine.map((id) =>
        scene.decide(id, { key: key(id), url: other.url }).catch(() => undefined),
      );
      await delay(afterMs + Math.random() * 8);
      await other.kill();
      await Promise.all(sent);
      // The same decision again through the surviving process, whether or not the first attempt was
      // recorded.
      for (const id of mine)
        expect(await scene.decide(id, { key: key(id) })).toMatchObject({
          status: 200,
          body: { decision: { status: 'approved' } },
        });
      other = await startOther();
    }
    expect(await Promise.all(waits)).toEqual(ids.map(() => 'approved'));
    await untilSettled(app, 30_000);
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
