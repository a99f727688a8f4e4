/**
 * Temporal is killed in the middle of a path and stays away for a minute and a half, in real time.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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
import { testCacheDirectory } from '../support/run/servers.ts';
import { ask, decide, handleOf, notificationsOf, waiting } from '../support/temporal.ts';
import { stateOf, until } from './scene.ts';

const OUTAGE_MS = 90_000;
/**
 * The wait of each of the four levels. The outage covers two of them, or all if no process looks
 * after the row.
 */
const WAIT_MS = 20_000;
const LONG_WAIT_MS = 30_000;

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
  const [pid = 0] = temporal.servers.map((server) => server.pid());
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

async function reaches(
  deployment: Deployment,
  id: string,
  levels: number,
): Promise<NotifiedPerson[]> {
  await until(
    `${levels} are notified`,
    async () => (await notified(deployment, id)).length >= levels,
    90_000,
  );
  return await notified(deployment, id);
}

/** Milliseconds between the levels. */
const gaps = (all: readonly NotifiedPerson[]): number[] =>
  all.slice(1).map(({ at }, nth) => at - (all[nth]?.at ?? 0));

/** After the outage: everything overdue came once, and what follows waits its own time. */
async function expectCaughtUp(id: string, returning: number): Promise<void> {
  const all = await reaches(dark, id, 3);
  expect(all.map(({ name }) => name)).toEqual(['Ada', 'Ben', 'Cleo']);
  expect(all[1]?.at).toBeGreaterThanOrEqual(returning);
  expect(gaps(all)[1]).toBeGreaterThanOrEqual(WAIT_MS);
  expect((await verbsOf(dark.app, id)).slice(2)).toEqual([
    'routed',
    'level_notified',
    'level_notified',
    'level_notified',
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
  const [walked, decided, claimed, forgotten] = await Promise.all([
    asked(),
    asked(),
    asked(),
    ask(dark.app, dark.agent, { timeout: '1h' }),
  ]);
  const expiring = await ask(app, lit.agent, { timeout: '40s' });
  await Promise.all([
    ...[walked, decided, claimed, expiring].map((id) => waiting(app, id)),
    waiting(dark.app, forgotten),
  ]);
  await Promise.all([killTemporal(), dark.app.close()]);
  const goneAt = performance.now();
  await until('its absence is noticed', isAway);

  // Answered over HTTP, and recorded with the answer.
  await decide(ada, decided);
  expect(await stateOf(app, decided)).toBe('approved');
  expect(
    (await adapterOf(app, lit.agent).get(`/api/aap/v1/requests/${decided}`)).body['status'],
  ).toBe('approved');
  expect((await claim(ada.http, claimed)).status).toBe(200);
  expect((await verbsOf(app, claimed)).at(-1)).toBe('claimed');
  const newcomer = await asked();
  await reaches(lit, newcomer, 1);

  await delay(OUTAGE_MS - (performance.now() - goneAt));
  expect(await stateOf(app, expiring)).toBe('expired');
  expect((await namesOf(lit, walked)).slice(0, 2)).toEqual(['Ada', 'Ben']);
  expect(await namesOf(lit, claimed)).toEqual(['Ada']);
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
    expect(all.map(({ name }) => name)).toEqual(['Ada', 'Ben', 'Cleo', 'Dan']);
    for (const gap of gaps(all)) expect(gap).toBeGreaterThanOrEqual(LONG_WAIT_MS);
  }
  // Nothing happens while it is claimed. Then only the next level is asked.
  expect(await namesOf(lit, claimed)).toEqual(['Ada']);
  expect((await release(ada.http, claimed)).status).toBe(204);
  await reaches(lit, claimed, 2);
  expect(await namesOf(lit, claimed)).toEqual(['Ada', 'Ben']);

  for (const id of [walked, claimed, newcomer]) await decide(ada, id);
  for (const id of [walked, claimed, newcomer, decided, expiring]) await expectEnded(lit, id);
});
