/** What reviewers do reaches the workflow as a signal and moves its timer, on a real Temporal server. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { claim, release } from '../support/scene/claims.ts';
import { courseOf, detailsOf, timerSummariesOf, type Names } from '../support/scene/courses.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
} from '../support/scene/factories.ts';
import type { TestAgent, TestMember, TestOrganization } from '../support/scene/factories.ts';
import {
  ask,
  cancel,
  decide,
  eventsOf,
  handleOf,
  notificationsOf,
  timelineOf,
  waiting,
} from '../support/temporal.ts';
import { until } from '../support/waiting.ts';
import { fastForward } from '../support/time-skipping.ts';

const nodes = [randomUUID(), randomUUID(), randomUUID()] as const;
const names: Names = Object.fromEntries(nodes.map((id, n) => [id, `level ${n + 1}`]));

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;
let agent: TestAgent;
let ada: TestMember;
let ben: TestMember;
let cleo: TestMember;
/** Not on the path. */
let zoe: TestMember;

const policies = [
  { scope_kind: 'organization', permissions: ['request.read', 'request.decide', 'request.claim'] },
] as const;
const person = (displayName: string) =>
  createMember(app, organization.id, { policies, displayName });

beforeAll(async () => {
  app = await startApp({ temporal: true });
  organization = await createOrganization(app);
  owner = organization.owner;
  [ada, ben, cleo, zoe] = [
    await person('Ada'),
    await person('Ben'),
    await person('Cleo'),
    await person('Zoe'),
  ];
  await app
    .db('organizations')
    .where({ id: organization.id })
    .update({ claim_timeout_seconds: 6 * 3_600 });
  agent = await createAgent(app, organization);
  await activatePath(owner, {
    path_key: 'hourly',
    name: 'Hourly',
    nodes: [ada, ben, cleo].map(({ membershipId }, n) => ({
      id: nodes[n],
      type: 'level',
      targets: [{ type: 'user', id: membershipId }],
      escalate_after: '1h',
    })),
  });
  await activatePipeline(owner, `agents/${agent.slug}`, {
    blocks: [],
    default_escalation_path: 'hourly',
  });
});

afterAll(async () => {
  await app.close();
});

async function atLevelOne(): Promise<string> {
  const id = await ask(app, agent, { timeout: '48h' });
  await waiting(app, id);
  return id;
}

async function signalsOf(id: string): Promise<string[]> {
  return (await eventsOf(app, id)).flatMap(
    ({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal?.signalName ? [signal.signalName] : [],
  );
}

/** Waits until the workflow's latest timer is a later one than its first and has this summary. */
async function waitsBy(id: string, summary: RegExp): Promise<void> {
  await until(`a timer ${summary.source}`, async () => {
    const [, ...later] = await timerSummariesOf(app, id);
    return summary.test(later.at(-1) ?? '');
  });
}

describe('the workflow of a request', () => {
  test('waits during a claim; after its release the overdue level is notified at once, the next an hour later', async () => {
    const id = await atLevelOne();
    expect((await claim(ada.http, id)).status).toBe(200);
    await waitsBy(id, /^claimed by Ada until /);
    expect(await detailsOf(app, id)).toContain('claimed by Ada until ');
    await fastForward(app, id, 2.5);
    expect(await courseOf(app, id, names)).toEqual([
      '0 level_notified Ada at level 1 1',
      '0 claimed Ada',
    ]);
    expect((await release(ada.http, id)).status).toBe(204);
    await waitsBy(id, /: level 2 of 3, run 1 of 1$/);
    await fastForward(app, id, 0.75);
    expect(await notificationsOf(app, id)).toHaveLength(2);
    await fastForward(app, id, 0.5);
    const course = await courseOf(app, id, names);
    expect(course.map((line) => line.replace(/^\d+ /, ''))).toEqual([
      'level_notified Ada at level 1 1',
      'claimed Ada',
      'claim_released Ada',
      'level_notified Ben at level 2 1',
      'level_notified Cleo at level 3 1',
    ]);
    const [, , , benAt = 0, cleoAt = 0] = course.map((line) => Number.parseInt(line, 10));
    expect(cleoAt - benAt).toBe(60);
    expect((await signalsOf(id)).filter((name) => name === 'claim')).toHaveLength(2);
    await decide(cleo, id);
    expect(await handleOf(app, id).result()).toMatchObject({ status: 'approved' });
  });

  test('notifies an added reviewer once and keeps the time of the next level', async () => {
    const id = await atLevelOne();
    const add = async () =>
      await ada.http.post(`/api/v1/requests/${id}/reviewers`, {
        membership_ids: [zoe.membershipId],
      });
    expect((await add()).status).toBe(200);
    expect((await add()).status).toBe(200);
    await waitsBy(id, /: level 1 of 3, run 1 of 1$/);
    expect(await signalsOf(id)).toContain('changed');
    await fastForward(app, id, 1.25);
    const notified = (await notificationsOf(app, id)).map(({ membershipId }) => membershipId);
    expect(notified).toEqual([ada, zoe, ben].map(({ membershipId }) => membershipId));
    expect((await courseOf(app, id, names)).at(-1)).toBe('60 level_notified Ben at level 2 1');
    await decide(zoe, id, 'denied');
    expect(await handleOf(app, id).result()).toMatchObject({ status: 'denied' });
  });

  test('moves on at once when the only person of a level is suspended or loses the right to decide', async () => {
    const ways: readonly ((member: TestMember) => Promise<unknown>)[] = [
      async ({ membershipId }) =>
        await owner.browser.call('PATCH', `/api/v1/members/${membershipId}`, {
          body: { status: 'suspended', force: true },
        }),
      async ({ membershipId }) => {
        const [policy] = await app
          .db('permission_policies')
          .where({ membership_id: membershipId })
          .pluck<string[]>('id');
        return await owner.browser.delete(
          `/api/v1/members/${membershipId}/permission_policies/${policy}`,
        );
      },
    ];
    for (const [round, leaves] of ways.entries()) {
      const gone = await person('Gone');
      const node = (targets: readonly TestMember[]) => ({
        id: randomUUID(),
        type: 'level',
        targets: targets.map(({ membershipId: id }) => ({ type: 'user', id })),
        escalate_after: '12h',
      });
      await activatePath(owner, {
        path_key: `left-${round}`,
        name: 'Left',
        nodes: [node([gone]), node([ben])],
      });
      const other = await createAgent(app, organization);
      await activatePipeline(owner, `agents/${other.slug}`, {
        blocks: [],
        default_escalation_path: `left-${round}`,
      });
      const id = await ask(app, other, { timeout: '48h' });
      await waiting(app, id);
      expect((await claim(gone.http, id)).status).toBe(200);
      await waitsBy(id, /^claimed by Gone until /);
      await leaves(gone);
      await waitsBy(id, /: level 2 of 2, run 1 of 1$/);
      const notified = (await notificationsOf(app, id)).map(({ membershipId }) => membershipId);
      expect(notified).toEqual([gone.membershipId, ben.membershipId]);
      expect(
        (await timelineOf(app, id))
          .slice(-3)
          .map(({ type }) => type.replace('approval_request.', '')),
      ).toEqual(['claim_released', 'level_skipped', 'level_notified']);
      await decide(ben, id);
      expect(await handleOf(app, id).result()).toMatchObject({ status: 'approved' });
    }
  });

  test('ends by the signal of a decision or a cancellation', async () => {
    const [decided, cancelled] = [await atLevelOne(), await atLevelOne()];
    await decide(ada, decided);
    await cancel(app, agent, cancelled);
    expect(await handleOf(app, decided).result()).toMatchObject({ status: 'approved' });
    expect(await handleOf(app, cancelled).result()).toMatchObject({ status: 'cancelled' });
    expect([await signalsOf(decided), await signalsOf(cancelled)].map(([first]) => first)).toEqual([
      'decision',
      'cancel',
    ]);
  });
});
