/** Temporal is killed in the middle of a path and stays away until several levels are overdue, in real time. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/local/embedded-temporal.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { adapterOf } from '../support/scene/approval-requests.ts';
import { claim, release, verbsOf } from '../support/scene/claims.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
} from '../support/scene/factories.ts';
import { cloneDatabase, type TestDatabase } from '../support/run/database.ts';
import type { TestAgent, TestMember } from '../support/scene/factories.ts';
import { hurryPath } from '../support/scene/hurried-paths.ts';
import { testCacheDirectory } from '../support/run/cache.ts';
import { ask, decide, handleOf, notificationsOf, waiting } from '../support/temporal.ts';
import { stateOf, until } from './scene.ts';

/** What each of the four levels waits. The outage lasts until all of them are due where no process runs. */
const WAIT_MS = 4_000;
const LONG_WAIT_MS = 8_000;

interface Deployment {
  readonly app: TestApp;
  readonly agent: TestAgent;
  readonly people: readonly TestMember[];
}

const directory = mkdtempSync(join(tmpdir(), 'countersign-temporal-outage-'));
let temporal: EmbeddedTemporal;
let app: TestApp;
let lit: Deployment;
/** A deployment whose only process ends with Temporal, and returns with it. */
let dark: Deployment;
let darkDatabase: TestDatabase;

const startTemporal = () =>
  startEmbeddedTemporal({
    directory,
    cacheDirectory: testCacheDirectory(),
    namespace: 'outage',
    ui: false,
  });
const startOn = (more: { readonly databaseUrl?: string; readonly taskQueue?: string } = {}) =>
  startApp({
    temporal: true,
    temporalAddress: temporal.address,
    environment: { TEMPORAL_NAMESPACE: 'outage' },
    ...more,
  });

beforeAll(async () => {
  [temporal, darkDatabase] = await Promise.all([startTemporal(), cloneDatabase()]);
  app = await startOn();
  lit = await deploy(app, LONG_WAIT_MS);
  dark = await deploy(await startOn({ databaseUrl: darkDatabase.url }), WAIT_MS);
});

/** Four people, one for each level. */
async function deploy(on: TestApp, waitMs: number): Promise<Deployment> {
  const organization = await createOrganization(on);
  const policies = [
    {
      scope_kind: 'organization',
      permissions: ['request.read', 'request.decide', 'request.claim'],
    },
  ] as const;
  const person = (displayName: string) =>
    createMember(on, organization.id, { policies, displayName });
  const people = [
    await person('Ada'),
    await person('Ben'),
    await person('Cleo'),
    await person('Dan'),
  ];
  const agent = await createAgent(on, organization);
  const nodes = people.map(({ membershipId: id }) => ({
    id: randomUUID(),
    type: 'level',
    targets: [{ type: 'user', id }],
    escalate_after: '1m',
  }));
  await activatePath(organization.owner, { path_key: 'seconds', name: 'Seconds', nodes });
  await hurryPath(on, {
    organizationId: organization.id,
    pathKey: 'seconds',
    wait: `${waitMs / 1_000}s`,
  });
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    blocks: [],
    default_escalation_path: 'seconds',
  });
  return { app: on, agent, people };
}

afterAll(async () => {
  await Promise.all([app.close(), dark.app.close()]);
  await Promise.all([temporal.stop(), darkDatabase.drop()]);
  rmSync(directory, { recursive: true, force: true });
});

const isAway = () => app.temporal.presence.away.aborted;

/** Killed, and not restarted by its supervisor. */
async function killTemporal(): Promise<void> {
  const pid = temporal.pid() ?? 0;
  const stopped = temporal.stop();
  process.kill(pid, 'SIGKILL');
  await stopped;
}

interface NotifiedPerson {
  readonly name: string;
  readonly at: number;
}

async function notified({ app: on, people }: Deployment, id: string): Promise<NotifiedPerson[]> {
  const nameOf = (membershipId: string) =>
    people.find((member) => member.membershipId === membershipId)?.displayName ?? membershipId;
  return (await notificationsOf(on, id)).map(({ membershipId, at }) => ({
    name: nameOf(membershipId),
    at: at.getTime(),
  }));
}

const namesOf = async (deployment: Deployment, id: string) =>
  (await notified(deployment, id)).map(({ name }) => name);

const ORDER = ['Ada', 'Ben', 'Cleo', 'Dan'];

async function reaches(
  deployment: Deployment,
  id: string,
  levels: number,
): Promise<NotifiedPerson[]> {
  const what = `${levels} people are notified`;
  await until(what, async () => (await notified(deployment, id)).length >= levels);
  return await notified(deployment, id);
}

/** Milliseconds between the levels. */
const gaps = (all: readonly NotifiedPerson[]): number[] =>
  all.slice(1).map(({ at }, nth) => at - (all[nth]?.at ?? 0));

/** After the outage: everything overdue came once, and what follows waits its own time. */
async function expectCaughtUp(id: string, returning: number): Promise<void> {
  // How many were notified before the process ended is open.
  const late = (await reaches(dark, id, ORDER.length)).filter(({ at }) => at >= returning);
  for (const gap of gaps(late)) expect(gap).toBeGreaterThanOrEqual(WAIT_MS);
  const names = await namesOf(dark, id);
  expect(names).toEqual(ORDER.slice(0, names.length));
  expect((await verbsOf(dark.app, id)).slice(2, 3 + names.length)).toEqual([
    'routed',
    ...names.map(() => 'level_notified'),
  ]);
}

async function expectEnded({ app: on }: Deployment, id: string): Promise<void> {
  await until('its workflow has seen the final answer', async () => {
    const description = await handleOf(on, id)
      .describe()
      .catch(() => undefined);
    return description?.status.name === 'COMPLETED';
  });
}

test('while Temporal is away levels and people continue from the row; overdue steps of a stopped process come once, and what follows waits its own time', async () => {
  const [ada] = lit.people as readonly [TestMember];
  const asked = () => ask(app, lit.agent, { timeout: '1h' });
  const [walked, decided, claimed] = await Promise.all([asked(), asked(), asked()]);
  const expiring = await ask(app, lit.agent, { timeout: '12s' });
  await Promise.all([walked, decided, claimed].map((id) => waiting(app, id)));
  // It may expire before its workflow waits.
  await until('its workflow has started', () =>
    handleOf(app, expiring)
      .describe()
      .then(
        () => true,
        () => false,
      ),
  );
  const forgotten = await ask(dark.app, dark.agent, { timeout: '1h' });
  const [{ at: begun } = { at: 0 }] = await reaches(dark, forgotten, 1);
  await Promise.all([killTemporal(), dark.app.close()]);

  // Answered over HTTP, and recorded with the answer.
  expect((await claim(ada.http, claimed)).status).toBe(200);
  expect((await verbsOf(app, claimed)).at(-1)).toBe('claimed');
  const paused = await namesOf(lit, claimed);
  await decide(ada, decided);
  expect(await stateOf(app, decided)).toBe('approved');
  expect(
    (await adapterOf(app, lit.agent).get(`/api/aap/v1/requests/${decided}`)).body['status'],
  ).toBe('approved');
  await until('its absence is noticed', isAway);
  const newcomer = await asked();
  await reaches(lit, newcomer, 1);

  await until('the request expires', async () => (await stateOf(app, expiring)) === 'expired');
  await reaches(lit, walked, 2);
  await until('every level is due', () => Date.now() > begun + 3 * WAIT_MS);
  expect(await namesOf(lit, claimed)).toEqual(paused);
  const returning = Date.now();
  temporal = await startTemporal();
  dark = {
    ...dark,
    app: await startOn({ databaseUrl: darkDatabase.url, taskQueue: dark.app.taskQueue }),
  };
  await until('its return is noticed', () => !isAway());

  await expectCaughtUp(forgotten, returning);
  for (const id of [walked, newcomer]) {
    const all = await reaches(lit, id, 4);
    expect(all.map(({ name }) => name)).toEqual(ORDER);
    for (const gap of gaps(all)) expect(gap).toBeGreaterThanOrEqual(LONG_WAIT_MS);
  }
  // Quiet while it is claimed, whatever is due; then the next one is asked, and the one after that later.
  expect(await namesOf(lit, claimed)).toEqual(paused);
  expect((await release(ada.http, claimed)).status).toBe(204);
  const resumed = await reaches(lit, claimed, Math.min(paused.length + 2, ORDER.length));
  expect(resumed.map(({ name }) => name)).toEqual(ORDER.slice(0, resumed.length));
  for (const gap of gaps(resumed)) expect(gap).toBeGreaterThanOrEqual(LONG_WAIT_MS);

  for (const id of [walked, claimed, newcomer]) await decide(ada, id);
  for (const id of [walked, claimed, newcomer, decided, expiring]) await expectEnded(lit, id);
});
