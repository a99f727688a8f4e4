/** A Temporal server for this file alone goes away, comes back, and loses its database. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/local/embedded-temporal.ts';
import { requestOf } from '../support/adapter.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { brokenPromises } from '../support/outcomes.ts';
import { testCacheDirectory } from '../support/run/cache.ts';
import { fastForward } from '../support/clocks/time-skipping.ts';
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

const directory = mkdtempSync(join(tmpdir(), 'countersign-temporal-away-'));
let temporal: EmbeddedTemporal;
let app: TestApp;
let scene: Scene;

const startTemporal = () =>
  startEmbeddedTemporal({
    directory,
    cacheDirectory: testCacheDirectory(),
    namespace: 'away',
    ui: false,
    timeSkipping: true,
  });

/** A create that used up this budget would come after the reconciler, with the rules' answer. */
const environment = { TEMPORAL_NAMESPACE: 'away', COUNTERSIGN_CREATE_BUDGET: '30s' };

beforeAll(async () => {
  temporal = await startTemporal();
  app = await startApp({ temporal: true, temporalAddress: temporal.address, environment });
  scene = await setScene(app);
});
afterAll(async () => {
  await Promise.all([app.close(), temporal.stop()]);
  rmSync(directory, { recursive: true, force: true });
});

const isAway = () => app.temporal.presence.away.aborted;

async function stopTemporal(): Promise<void> {
  await temporal.stop();
  await until('its absence is noticed', isAway);
}

async function returnTemporal(): Promise<void> {
  const { address } = temporal;
  temporal = await startTemporal();
  expect(temporal.address).toBe(address);
  await until('its return is noticed', () => !isAway());
}

/** What a request that a rule approves is meanwhile. */
const ruled = () => (app.context.inlineRules ? 'approved' : 'pending');

const levelsNotified = async (id: string) =>
  (await app.db('escalation_steps').where({ request_id: id }).select('step_key')).length;

async function workflowStatus(id: string): Promise<string | undefined> {
  const handle = app.temporal.client()?.workflow.getHandle(`approval-request:${id}`);
  return (await handle?.describe().catch(() => undefined))?.status.name;
}

/** A request that got its final answer while Temporal was away never needed a workflow. */
async function expectEveryWorkflowAsItsRequest(): Promise<void> {
  const rows = await app
    .db('approval_requests')
    .select<{ id: string; state: string }[]>('id', 'state');
  for (const { id, state } of rows) {
    const expected = state === 'pending' ? ['RUNNING'] : ['COMPLETED', undefined];
    await until(`the workflow of a request that is ${state}`, async () =>
      expected.includes(await workflowStatus(id)),
    );
  }
}

test('while Temporal is away everything except new escalation continues, and escalation catches up afterwards', async () => {
  const [decided, cancelled, watched] = await Promise.all([
    askPeople(scene, app),
    askPeople(scene, app),
    askPeople(scene, app),
  ]);
  await stopTemporal();

  const waiting = scene.adapter.get(decided, { wait: '30s' });
  expect((await scene.decide(decided)).status).toBe(200);
  expect(requestOf(await waiting).status).toBe('approved');
  expect(requestOf(await scene.adapter.cancel(cancelled)).status).toBe('cancelled');

  const created = await Promise.all([
    scene.adapter.create(body('deploy', '1s')),
    scene.adapter.create(body('refund')),
    scene.adapter.create(body('deploy')),
    scene.adapter.create(body('deploy')),
  ]);
  expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
  const [expiring = '', refund = '', withdrawn = '', kept = ''] = created.map(
    (answer) => requestOf(answer).id,
  );
  // That of one second may be over by now.
  expect(created.slice(1).map((answer) => requestOf(answer).status)).toEqual([
    ruled(),
    'pending',
    'pending',
  ]);
  expect(requestOf(await scene.adapter.cancel(withdrawn)).status).toBe('cancelled');
  expect(await finalStatus(scene.adapter, expiring)).toBe('expired');
  const expiredAt = await app
    .db('decisions')
    .where({ request_id: expiring })
    .first<{ channel: string }>('channel');
  expect(expiredAt.channel).toBe('system');

  await returnTemporal();
  const after = requestOf(await scene.adapter.create(body('deploy'))).id;
  expect(await finalStatus(scene.adapter, refund)).toBe('approved');
  await until(
    'what was asked meanwhile is handed to people',
    async () => (await stateOf(app, kept)) === 'pending',
  );
  await until(
    'what was asked afterwards is handed to people',
    async () => (await stateOf(app, after)) === 'pending',
  );
  await untilSettled(app);
  await expectEveryWorkflowAsItsRequest();
  expect(await levelsNotified(watched)).toBe(1);
  expect(await levelsNotified(kept)).toBe(1);
  expect(await brokenPromises(app.db, scene)).toEqual([]);
});

test('a Temporal server that hangs delays creates only until it is noticed', async () => {
  const pid = temporal.pid();
  if (pid === undefined) throw new Error('the Temporal server is not running');
  process.kill(pid, 'SIGSTOP');
  const first = await Promise.all([
    scene.adapter.create(body('deploy')),
    scene.adapter.create(body('refund')),
  ]);
  await until('its silence is noticed', isAway);
  const answers = [...first, await scene.adapter.create(body('refund'))];
  // None of them was held back until the reconciler came.
  expect(answers.map((answer) => requestOf(answer).status)).toEqual(['pending', ruled(), ruled()]);
  process.kill(pid, 'SIGCONT');
  await until('its return is noticed', () => !isAway());
  const ids = answers.map((answer) => requestOf(answer).id);
  await until(
    'the first is handed to people',
    async () => (await stateOf(app, ids[0] ?? '')) === 'pending',
  );
  expect(await Promise.all(ids.slice(1).map((id) => finalStatus(scene.adapter, id)))).toEqual([
    'approved',
    'approved',
  ]);
  await untilSettled(app);
  await expectEveryWorkflowAsItsRequest();
  expect(await brokenPromises(app.db, scene)).toEqual([]);
});

test('after Temporal has lost its database, pending requests continue from their place', async () => {
  const [waiting, decided] = await Promise.all([askPeople(scene, app), askPeople(scene, app)]);
  await fastForward(app, waiting, 0.51);
  await until('the second level is notified', async () => (await levelsNotified(waiting)) === 2);
  await stopTemporal();
  for (const file of readdirSync(directory).filter((name) => name.includes('sqlite')))
    rmSync(join(directory, file));
  expect((await scene.decide(decided)).status).toBe(200);
  await returnTemporal();

  const fresh = requestOf(await scene.adapter.create(body('refund'))).id;
  expect(await finalStatus(scene.adapter, fresh)).toBe('approved');
  const open = (
    await app.db('approval_requests').where({ state: 'pending' }).select<{ id: string }[]>('id')
  ).map(({ id }) => id);
  expect(open).toContain(waiting);
  for (const id of open)
    await until('it has a workflow again', async () => (await workflowStatus(id)) === 'RUNNING');
  const [early = ''] = open.filter((id) => id !== waiting);
  await fastForward(app, early, 0.51);
  await until('the next level is notified', async () => (await levelsNotified(early)) === 2);
  expect(await levelsNotified(waiting)).toBe(2);
  expect((await scene.decide(waiting)).status).toBe(200);
  await until('its workflow ends', async () => (await workflowStatus(waiting)) === 'COMPLETED');
  await untilSettled(app);
  expect(await brokenPromises(app.db, scene)).toEqual([]);
});
