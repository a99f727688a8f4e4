/** Temporal is killed in the middle of a path and stays away for a minute and a half, in real time. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../temporal/embedded.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { adapterOf } from '../support/approval-requests.ts';
import { claim, release, verbsOf } from '../support/claims.ts';
import { activatePath, activatePipeline, createAgent, createMember, createOrganization } from '../support/factories.ts';
import type { TestAgent, TestMember } from '../support/factories.ts';
import { hurryPath } from '../support/hurried-paths.ts';
import { testCacheDirectory } from '../support/servers.ts';
import { ask, decide, handleOf, notificationsOf, waiting } from '../support/temporal.ts';
import { stateOf, until } from './scene.ts';

const OUTAGE_MS = 90_000;
/** Three levels wait so long each: all of them would be over when Temporal comes back. */
const WAIT_MS = 16_000;

const directory = mkdtempSync(join(tmpdir(), 'countersign-temporal-outage-'));
let temporal: EmbeddedTemporal;
let app: TestApp;
let agent: TestAgent;
let people: readonly TestMember[];

const startTemporal = () => startEmbeddedTemporal({ directory, cacheDirectory: testCacheDirectory(), namespace: 'outage', ui: false });

beforeAll(async () => {
  temporal = await startTemporal();
  app = await startApp({ temporal: true, temporalAddress: temporal.address, environment: { TEMPORAL_NAMESPACE: 'outage' } });
  const organization = await createOrganization(app);
  const policies = [{ scope_kind: 'organization', permissions: ['request.read', 'request.decide', 'request.claim'] }] as const;
  const person = (displayName: string) => createMember(app, organization.id, { policies, displayName });
  [agent, ...people] = [await createAgent(app, organization), await person('Ada'), await person('Ben'), await person('Cleo')];
  const nodes = people.map(({ membershipId: id }) => ({
    id: randomUUID(),
    type: 'level',
    targets: [{ type: 'user', id }],
    escalate_after: '1m',
  }));
  await activatePath(organization.owner, { path_key: 'seconds', name: 'Seconds', nodes });
  await hurryPath(app, { organizationId: organization.id, pathKey: 'seconds', wait: `${WAIT_MS / 1_000}s` });
  await activatePipeline(organization.owner, `agents/${agent.slug}`, { blocks: [], default_escalation_path: 'seconds' });
});

afterAll(async () => {
  await Promise.all([app.close(), temporal.stop()]);
  rmSync(directory, { recursive: true, force: true });
});

const isAway = () => app.temporal.presence.away.aborted;

/** Not ended in order, and not started again by its supervisor. */
async function killTemporal(): Promise<void> {
  const [pid = 0] = temporal.servers.map((server) => server.pid());
  const stopped = temporal.stop();
  process.kill(pid, 'SIGKILL');
  await stopped;
}

async function told(id: string): Promise<string[]> {
  const nameOf = (membershipId: string) => people.find((member) => member.membershipId === membershipId)?.displayName ?? membershipId;
  return (await notificationsOf(app, id)).map(({ membershipId }) => nameOf(membershipId));
}

async function toldAt(id: string, nth: number): Promise<number> {
  return (await notificationsOf(app, id))[nth]?.at.getTime() ?? Number.NaN;
}

const reaches = async (id: string, levels: number) => {
  await until(`${levels} are told`, async () => (await told(id)).length >= levels);
};

test('what fell due while Temporal was away fires once on its return, what follows waits its own time, and people were served meanwhile', async () => {
  const [ada, ben] = people as readonly [TestMember, TestMember];
  const asked = () => ask(app, agent, { timeout: '1h' });
  const [walked, decided, claimed] = await Promise.all([asked(), asked(), asked()]);
  const expiring = await ask(app, agent, { timeout: '40s' });
  for (const id of [walked, decided, claimed, expiring]) await waiting(app, id);
  await killTemporal();
  const goneAt = performance.now();
  await until('its absence is noticed', isAway);

  // Answered over HTTP, and recorded with the answer.
  await decide(ada, decided);
  expect(await stateOf(app, decided)).toBe('approved');
  expect((await adapterOf(app, agent).get(`/api/aap/v1/requests/${decided}`)).body['status']).toBe('approved');
  expect((await claim(ada.http, claimed)).status).toBe(200);
  expect((await verbsOf(app, claimed)).at(-1)).toBe('claimed');
  const newcomer = await asked();
  await reaches(newcomer, 1);

  await delay(OUTAGE_MS - (performance.now() - goneAt));
  expect(await stateOf(app, expiring)).toBe('expired');
  expect(await told(walked)).toEqual(['Ada']);
  expect(await told(claimed)).toEqual(['Ada']);
  const returning = Date.now();
  temporal = await startTemporal();
  await until('its return is noticed', () => !isAway());

  await reaches(walked, 2);
  expect(await toldAt(walked, 1)).toBeGreaterThanOrEqual(returning);
  await reaches(walked, 3);
  expect((await toldAt(walked, 2)) - (await toldAt(walked, 1))).toBeGreaterThanOrEqual(WAIT_MS);
  expect(await told(walked)).toEqual(['Ada', 'Ben', 'Cleo']);
  expect((await verbsOf(app, walked)).slice(2)).toEqual(['routed', 'level_notified', 'level_notified', 'level_notified']);

  // Quiet while it is claimed, whatever is due.
  expect(await told(claimed)).toEqual(['Ada']);
  expect((await release(ada.http, claimed)).status).toBe(204);
  await reaches(claimed, 2);
  expect(await told(claimed)).toEqual(['Ada', 'Ben']);
  await reaches(newcomer, 2);
  const followed = (await notificationsOf(app, newcomer)).map(({ at }) => at.getTime());
  for (const [nth, at] of followed.slice(1).entries()) expect(at - (followed[nth] ?? 0)).toBeGreaterThanOrEqual(WAIT_MS);

  for (const id of [walked, claimed, newcomer]) await decide(ben, id);
  for (const id of [walked, claimed, newcomer, decided, expiring]) {
    await until('its workflow has seen the final answer', async () => {
      const description = await handleOf(app, id)
        .describe()
        .catch(() => undefined);
      return description?.status.name === 'COMPLETED';
    });
  }
}, 200_000);
