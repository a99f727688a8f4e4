/** The clock of a worker's machine is off: in the middle of a path, at a claim, and when a request comes. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { courseOf, type Names } from '../support/scene/courses.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
} from '../support/scene/factories.ts';
import type { TestAgent, TestMember } from '../support/scene/factories.ts';
import { HttpClient } from '../support/http.ts';
import {
  killServiceProcesses,
  startServiceProcess,
  type ServiceProcess,
} from '../support/processes/processes.ts';
import { ask, handleOf, notificationsOf, timelineOf, waiting } from '../support/temporal.ts';
import { fastForward } from '../support/clocks/time-skipping.ts';
import { until } from './scene.ts';

const HOUR_MS = 3_600_000;
/** As organizations have it by default. */
const CLAIM_MS = 15 * 60_000;
const levels = [randomUUID(), randomUUID(), randomUUID()] as const;
const names: Names = Object.fromEntries(levels.map((id, n) => [id, `level ${n + 1}`]));

/** Only the other process steps requests. */
let app: TestApp;
let other: ServiceProcess;
let agent: TestAgent;
let people: readonly TestMember[];

beforeAll(async () => {
  app = await startApp({ temporal: true, worker: false });
  const organization = await createOrganization(app);
  const policies = [
    {
      scope_kind: 'organization',
      permissions: ['request.read', 'request.decide', 'request.claim'],
    },
  ] as const;
  const person = (displayName: string) =>
    createMember(app, organization.id, { policies, displayName });
  [agent, ...people] = [
    await createAgent(app, organization),
    await person('Ada'),
    await person('Ben'),
    await person('Cleo'),
  ];
  await activatePath(organization.owner, {
    path_key: 'on-call',
    name: 'On call',
    nodes: people.map(({ membershipId }, n) => ({
      id: levels[n],
      type: 'level',
      targets: [{ type: 'user', id: membershipId }],
      escalate_after: `${n + 1}h`,
    })),
    repeat: { times: 1, after: '1h' },
  });
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    blocks: [],
    default_escalation_path: 'on-call',
  });
  other = await startServiceProcess({
    databaseUrl: app.databaseUrl,
    taskQueue: app.taskQueue,
    movableClock: true,
  });
});

afterAll(async () => {
  await killServiceProcesses();
  await app.close();
});

/** Sets the clock of the worker, and waits until its readiness check reports the difference. */
async function setClockOff(ms: number): Promise<void> {
  other.setClockOff(ms);
  const http = new HttpClient(other.url);
  await until(`a clock ${ms} ms off`, async () => {
    const { body } = await http.get('/health/ready');
    const { status, message = '' } = body['checks']?.['database'] as unknown as {
      status: string;
      message?: string;
    };
    const off = Number(/its clock is (\d+) ms off/.exec(message)?.[1] ?? 0);
    return ms === 0 ? status === 'ok' : Math.abs(off - Math.abs(ms)) < 60_000;
  });
}

describe.each([
  ['set back by an hour', -HOUR_MS],
  ['set forward by an hour', HOUR_MS],
])('a worker whose clock is %s', (_name, offMs) => {
  test('fires no level twice, early or late, skips none, and keeps the deadline, also when the clock is corrected', async () => {
    const id = await ask({ ...app, url: other.url }, agent, { timeout: '9h' });
    await waiting(app, id);
    await fastForward(app, id, 0.5);
    await setClockOff(offMs);
    await fastForward(app, id, 0.25);
    expect(await courseOf(app, id, names)).toEqual(['0 level_notified Ada at level 1 1']);
    await fastForward(app, id, 3.25);
    await setClockOff(0);
    await fastForward(app, id, 6);
    expect(await handleOf(app, id).result()).toMatchObject({ status: 'expired' });

    expect(await courseOf(app, id, names)).toEqual([
      '0 level_notified Ada at level 1 1',
      '60 level_notified Ben at level 2 1',
      '180 level_notified Cleo at level 3 1',
      '420 path_repeated at level 1 2',
      '420 level_notified Ada at level 1 2',
      '480 level_notified Ben at level 2 2',
      '540 expired',
    ]);
    expect(await notificationsOf(app, id)).toHaveLength(5);
    const instants = (await timelineOf(app, id)).map(({ at }) => at.getTime());
    expect(instants).toEqual([...instants].sort((a, b) => a - b));
    const row = await app
      .db('approval_requests')
      .where({ id })
      .first<Record<'created_at' | 'deadline_at', Date>>('created_at', 'deadline_at');
    expect(row.deadline_at.getTime() - row.created_at.getTime()).toBe(9 * HOUR_MS);
    expect(instants.at(-1)).toBeGreaterThanOrEqual(row.deadline_at.getTime());
  });

  test('records a claim at the time of the database, and its release after it', async () => {
    await setClockOff(offMs);
    try {
      const id = await ask({ ...app, url: other.url }, agent, { timeout: '9h' });
      await waiting(app, id);
      const before = Date.now();
      const ada = new HttpClient(other.url, { authorization: `Bearer ${people[0]?.apiKey ?? ''}` });
      const { status, body } = await ada.post(`/api/v1/requests/${id}/claim`);
      expect(status).toBe(200);
      const { expires_at } = body['claim'] as unknown as { expires_at: string };
      const claimedAt = Date.parse(expires_at) - CLAIM_MS;
      expect(claimedAt).toBeGreaterThanOrEqual(before - 1);
      expect(claimedAt).toBeLessThanOrEqual(Date.now());
      expect((await ada.delete(`/api/v1/requests/${id}/claim`)).status).toBe(204);
      expect(await courseOf(app, id, names)).toEqual([
        '0 level_notified Ada at level 1 1',
        '0 claimed Ada',
        '0 claim_released Ada',
      ]);
    } finally {
      await setClockOff(0);
    }
  });

  test('takes a request whose times are those of the database, and expires it on time', async () => {
    await setClockOff(offMs);
    try {
      const before = Date.now();
      const id = await ask({ ...app, url: other.url }, agent, { timeout: '2s' });
      await until('it is expired', async () => {
        const row = await app
          .db('approval_requests')
          .where({ id })
          .first<{ state: string }>('state');
        return row?.state === 'expired';
      });
      const [created] = await timelineOf(app, id);
      expect(created?.at.getTime()).toBeGreaterThanOrEqual(before - 1);
      expect(created?.at.getTime()).toBeLessThanOrEqual(Date.now());
      const decision = await app
        .db('decisions')
        .where({ request_id: id })
        .first<{ decided_at: Date }>('decided_at');
      expect(decision.decided_at.getTime() - (created?.at.getTime() ?? 0)).toBeGreaterThanOrEqual(
        2_000,
      );
    } finally {
      await setClockOff(0);
    }
  });
});
