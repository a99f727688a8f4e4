/** Days of escalation on a real Temporal server. Only its clock is moved. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stepRequest } from '../../src/services/requests/step.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../support/scene/factories.ts';
import {
  ask,
  decide,
  eventsOf,
  handleOf,
  notificationsOf,
  timelineOf,
  typesOf,
  waiting,
} from '../support/temporal.ts';
import { until } from '../support/waiting.ts';
import { fastForward } from '../support/time-skipping.ts';

const HOUR_MS = 3_600_000;

let app: TestApp;
let organization: TestOrganization;
let agent: TestAgent;
/** One person for each level. The levels wait 8, 12 and 16 hours. The path repeats once, 12 hours later. */
let people: readonly [TestMember, TestMember, TestMember];
const nodes = [randomUUID(), randomUUID(), randomUUID()] as const;

beforeAll(async () => {
  app = await startApp({ temporal: true });
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
  const policies = [
    { scope_kind: 'organization', permissions: ['request.read', 'request.decide'] },
  ] as const;
  const person = () => createMember(app, organization.id, { policies });
  people = [await person(), await person(), await person()];
  await activatePath(organization.owner, {
    path_key: 'on-call',
    name: 'On call',
    nodes: people.map(({ membershipId }, n) => ({
      id: nodes[n],
      type: 'level',
      targets: [{ type: 'user', id: membershipId }],
      escalate_after: `${8 + 4 * n}h`,
    })),
    repeat: { times: 1, after: '12h' },
  });
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    blocks: [],
    default_escalation_path: 'on-call',
  });
});

afterAll(async () => {
  await app.close();
});

async function notified(requestId: string): Promise<string[]> {
  const notifications = await notificationsOf(app, requestId);
  return notifications.map(({ stepKey, membershipId }) => {
    const level = nodes.findIndex((id) => stepKey.startsWith(id)) + 1;
    const person = people.findIndex((member) => member.membershipId === membershipId) + 1;
    return `level ${level}, run ${stepKey.split(':')[1] ?? ''}: person ${person}`;
  });
}

async function verbs(requestId: string): Promise<string[]> {
  return (await timelineOf(app, requestId)).map(({ type }) =>
    type.replace('approval_request.', ''),
  );
}

describe('an escalation path that takes days', () => {
  test('notifies each person once for each level and run, repeats, is exhausted, and expires', async () => {
    const id = await ask(app, agent, { timeout: '120h' });
    await waiting(app, id);
    await fastForward(app, id, 121);
    await handleOf(app, id).result();
    const run = (n: number) =>
      [1, 2, 3].map((level) => `level ${level}, run ${n}: person ${level}`);
    expect(await notified(id)).toEqual([...run(1), ...run(2)]);
    const levels = Array.from({ length: 3 }, () => 'level_notified');
    expect(await verbs(id)).toEqual([
      'created',
      'pipeline_concluded',
      'routed',
      ...levels,
      'path_repeated',
      ...levels,
      'path_exhausted',
      'expired',
    ]);
    const timeline = await timelineOf(app, id);
    const start = timeline[0]?.at.getTime() ?? 0;
    const hours = timeline
      .slice(3)
      .map(({ at }) => Math.round(((at.getTime() - start) / HOUR_MS) * 100) / 100);
    expect(hours).toEqual([0, 8, 20, 48, 48, 56, 68, 84, 120]);
    const row = await app
      .db('approval_requests')
      .where({ id })
      .first<{ state: string; wake_at: Date | null }>('state', 'wake_at');
    expect(row).toEqual({ state: 'expired', wake_at: null });
  });

  test('ends with the decision: decided at level 2, it never notifies the third person', async () => {
    const id = await ask(app, agent);
    await waiting(app, id);
    await fastForward(app, id, 10);
    expect(await notified(id)).toEqual(['level 1, run 1: person 1', 'level 2, run 1: person 2']);
    await decide(people[1], id);
    expect(await handleOf(app, id).result()).toEqual({
      kind: 'done',
      status: 'approved',
      automatic: false,
    });
    expect(await notified(id)).toHaveLength(2);
    expect((await verbs(id)).slice(-2)).toEqual(['level_notified', 'approved']);
  });

  test('skips a level without anyone to ask, at once, and records that', async () => {
    const id = await ask(app, agent);
    await waiting(app, id);
    await app
      .db('memberships')
      .where({ id: people[1].membershipId })
      .update({ status: 'suspended' });
    try {
      await fastForward(app, id, 9);
      expect(await notified(id)).toEqual(['level 1, run 1: person 1', 'level 3, run 1: person 3']);
      const timeline = await timelineOf(app, id);
      expect(timeline.slice(-2).map(({ type }) => type)).toEqual([
        'approval_request.level_skipped',
        'approval_request.level_notified',
      ]);
      expect(timeline.at(-2)?.data).toMatchObject({
        path_key: 'on-call',
        node_id: nodes[1],
        run: 1,
      });
      expect(timeline.at(-1)?.at).toEqual(timeline.at(-2)?.at);
    } finally {
      await app
        .db('memberships')
        .where({ id: people[1].membershipId })
        .update({ status: 'active' });
    }
  });

  test('notifies no one twice when the workflow and the reconciler run the same step at once', async () => {
    const id = await ask(app, agent);
    await waiting(app, id);
    const floor = new Date(Date.now() + 9 * HOUR_MS);
    const steps = ['workflow', 'reconciler', 'workflow', 'reconciler'] as const;
    await Promise.all(steps.map((by) => stepRequest(app.context, id, { floor, by })));
    await stepRequest(app.context, id, { floor, by: 'workflow' });
    expect(await notified(id)).toEqual(['level 1, run 1: person 1', 'level 2, run 1: person 2']);
    expect(await verbs(id)).toEqual([
      'created',
      'pipeline_concluded',
      'routed',
      'level_notified',
      'level_notified',
    ]);
    // The workflow does not know of these steps. It looks after its own eight hours and finds level 2 still waiting.
    await fastForward(app, id, 8.5);
    await until(
      'a second timer',
      async () =>
        typesOf(await eventsOf(app, id)).filter((type) => type === 'TimerStarted').length === 2,
    );
    expect(await notified(id)).toHaveLength(2);
  });
});
