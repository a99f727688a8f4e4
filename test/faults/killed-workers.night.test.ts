/**
 * The course of half a day on a path is the same when its worker is killed at three different
 * points of a step. test/workflows/long-paths.full.test.ts replaces the worker at every step.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/local/embedded-temporal.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { claim } from '../support/scene/claims.ts';
import { courseOf, type Names } from '../support/scene/courses.ts';
import {
  activatePath,
  activatePipeline,
  activatePolicy,
  createAgent,
  createMember,
} from '../support/scene/factories.ts';
import {
  createOrganization,
  createTeam,
  type TestAgent,
  type TestMember,
} from '../support/scene/factories.ts';
import {
  killServiceProcesses,
  startServiceProcess,
  type ServiceProcess,
} from '../support/processes/processes.ts';
import { testCacheDirectory } from '../support/run/cache.ts';
import { ask, clientOf, decide, handleOf, notificationsOf, waiting } from '../support/temporal.ts';
import { fastForward } from '../support/clocks/time-skipping.ts';
import { untilBlocked } from '../support/waiting.ts';
import { workflowIdOf } from '../../temporal/ids.ts';
import { WORKFLOW_TYPE } from '../../src/domain/requests/workflow-contract.ts';
import { until } from './scene.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const directory = mkdtempSync(join(tmpdir(), 'countersign-killed-workers-'));
/** A server for this file alone, since it is frozen now and then. */
let temporal: EmbeddedTemporal;
/** Runs no worker. */
let app: TestApp;
let worker: ServiceProcess;
let agent: TestAgent;
let people: readonly [TestMember, TestMember, TestMember];
let names: Names;

const startWorker = () =>
  startServiceProcess({
    databaseUrl: app.databaseUrl,
    taskQueue: app.taskQueue,
    temporalAddress: temporal.address,
  });

/** Ada; then a team that asks Ben, then Cleo, inside the second level. Two runs. */
beforeAll(async () => {
  const cacheDirectory = testCacheDirectory();
  temporal = await startEmbeddedTemporal({
    directory,
    cacheDirectory,
    namespace: process.env['TEST_TEMPORAL_NAMESPACE'] ?? '',
    ui: false,
    timeSkipping: true,
  });
  app = await startApp({ temporal: true, worker: false, temporalAddress: temporal.address });
  worker = await startWorker();
  const organization = await createOrganization(app);
  const policies = [
    {
      scope_kind: 'organization',
      permissions: ['request.read', 'request.decide', 'request.claim'],
    },
  ] as const;
  const person = (displayName: string) =>
    createMember(app, organization.id, { policies, displayName });
  people = [await person('Ada'), await person('Ben'), await person('Cleo')];
  await app
    .db('organizations')
    .where({ id: organization.id })
    .update({ claim_timeout_seconds: 2 * 3_600 });
  const user = (member: TestMember) => ({ type: 'user', id: member.membershipId });
  const level = (id: string, target: object, wait: string) => ({
    id,
    type: 'level',
    targets: [target],
    escalate_after: wait,
  });
  const ids = { ada: randomUUID(), team: randomUUID(), first: randomUUID(), second: randomUUID() };
  const teamId = await createTeam(app, organization.id, { members: [people[1], people[2]] });
  names = {
    ...Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name])),
    [teamId]: 'policy',
  };
  await activatePolicy(organization.owner, teamId, {
    nodes: [level(ids.first, user(people[1]), '1h'), level(ids.second, user(people[2]), '1h')],
  });
  agent = await createAgent(app, organization);
  await activatePath(organization.owner, {
    path_key: 'long',
    name: 'Long',
    nodes: [
      level(ids.ada, user(people[0]), '4h'),
      level(ids.team, { type: 'team', id: teamId }, '5h'),
    ],
    repeat: { times: 1, after: '3h' },
  });
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    blocks: [],
    default_escalation_path: 'long',
  });
});

afterAll(async () => {
  await killServiceProcesses();
  await Promise.all([app.close(), temporal.stop()]);
  rmSync(directory, { recursive: true, force: true });
});

/** When the next thing is due. */
async function nextInstant(id: string): Promise<number> {
  const { rows } = await app.db.raw<{ rows: { at: Date }[] }>(
    `select least(deadline_at, coalesce((select expires_at from claims where request_id = r.id and ended_at is null), next_at)) as at
       from approval_requests r where id = :id`,
    { id },
  );
  return rows[0]?.at.getTime() ?? Number.NaN;
}

const lastAt = async (id: string): Promise<number> =>
  (
    await app.db('approval_requests').where({ id }).first<{ last_at: Date }>('last_at')
  ).last_at.getTime();

/** Advances the clock of the workflow, while `act` happens to its worker. */
type Interruption = (id: string, forward: () => Promise<void>) => Promise<void>;

/**
 * Locks the row until a step waits for it, runs `act`, and unlocks the row. The clock may still be
 * advancing.
 */
async function whenStepIsAtTheLock(
  id: string,
  forward: () => Promise<void>,
  act: () => Promise<void> | void,
): Promise<{ readonly moved: Promise<void> }> {
  const lock = await app.db.transaction();
  try {
    await lock.raw('select 1 from approval_requests where id = :id for update', { id });
    const moved = forward();
    await untilBlocked(lock);
    await act();
    return { moved };
  } finally {
    await lock.commit();
  }
}

const whileItWaits: Interruption = async (id, forward) => {
  await worker.kill();
  // Otherwise the server holds the next task back for ten seconds, for the worker that is gone.
  await clientOf(app).workflowService.resetStickyTaskQueue({
    namespace: process.env['TEST_TEMPORAL_NAMESPACE'] ?? '',
    execution: { workflowId: workflowIdOf(id) },
  });
  const moved = forward();
  worker = await startWorker();
  await moved;
};

const beforeTheCommit: Interruption = async (id, forward) => {
  const { moved } = await whenStepIsAtTheLock(id, forward, () => worker.kill());
  worker = await startWorker();
  await moved;
};

const betweenCommitAndReport: Interruption = async (id, forward) => {
  const before = await lastAt(id);
  const server = temporal.pid() ?? 0;
  try {
    const { moved } = await whenStepIsAtTheLock(id, forward, () => {
      process.kill(server, 'SIGSTOP');
    });
    await until('the step is committed', async () => (await lastAt(id)) > before);
    await worker.kill();
    process.kill(server, 'SIGCONT');
    worker = await startWorker();
    await moved;
  } finally {
    process.kill(server, 'SIGCONT');
  }
};

/** Takes this many steps. Ben claims the request when notified, and never returns. */
async function runWith(interruptions: readonly Interruption[]): Promise<string> {
  const id = await ask(app, agent, { timeout: '72h' });
  await noticesKillsSoon(id);
  await waiting(app, id);
  let clock = Date.now();
  for (const [nth, interruption] of interruptions.entries()) {
    const to = (await nextInstant(id)) + MINUTE_MS;
    const hours = (to - clock) / HOUR_MS;
    clock = to;
    await interruption(id, () => fastForward(app, id, hours));
    await until('the step is taken', async () => (await nextInstant(id)) > clock);
    if (nth === 0) expect((await claim(people[1].http, id)).status).toBe(200);
  }
  await decide(people[0], id);
  expect(await handleOf(app, id).result()).toMatchObject({ status: 'approved' });
  return id;
}

/** Another run, whose tasks the server gives to another worker after two seconds instead of ten. */
async function noticesKillsSoon(id: string): Promise<void> {
  await clientOf(app).workflow.start(WORKFLOW_TYPE, {
    taskQueue: app.taskQueue,
    workflowId: workflowIdOf(id),
    args: [id, {}],
    workflowTaskTimeout: '2s',
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
  });
}

/** A new worker notices some seconds later, and each wait counts from the step before. */
const GRAIN = 10;
const EXPECTED = [
  '0 level_notified Ada at ada 1',
  '240 level_notified Ben at team 1 in policy: first 1',
  '240 claimed Ben',
  '360 claim_lapsed Ben',
  '360 level_notified Cleo at team 1 in policy: second 1',
  '420 team_policy_exhausted at team 1 in policy: second 1',
  '720 path_repeated at ada 2',
  '720 level_notified Ada at ada 2',
  '720 approved',
];

test('the sequence of events is that of an undisturbed path, wherever a step was cut off', async () => {
  const undisturbed: Interruption = (_id, forward) => forward();
  const calm = await runWith([undisturbed, undisturbed, undisturbed, undisturbed, undisturbed]);
  expect(await courseOf(app, calm, names, { grain: GRAIN })).toEqual(EXPECTED);

  const killed = await runWith([
    beforeTheCommit,
    whileItWaits,
    undisturbed,
    undisturbed,
    betweenCommitAndReport,
  ]);
  expect(await courseOf(app, killed, names, { grain: GRAIN })).toEqual(EXPECTED);
  const notified = async (id: string) =>
    (await notificationsOf(app, id)).map(
      ({ stepKey, membershipId }) => `${stepKey} ${membershipId}`,
    );
  expect(await notified(killed)).toEqual(await notified(calm));
});
