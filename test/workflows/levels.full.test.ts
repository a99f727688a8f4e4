/** What a level does on a real Temporal server with its clock moved: teams follow their policies, and urgency rises. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { scene } from '../support/scene.ts';
import { courseOf, detailsOf, timerSummariesOf, type Names } from '../support/scene/courses.ts';
import {
  activatePath,
  activatePipeline,
  activatePolicy,
  createAgent,
  createMember,
  createTeam,
  type Policy,
  type TestMember,
} from '../support/scene/factories.ts';
import { ask, decide, handleOf, notificationsOf, waiting } from '../support/temporal.ts';
import { fastForward } from '../support/clocks/time-skipping.ts';

const HOUR_MS = 3_600_000;
const REVIEWER: Policy[] = [
  { scope_kind: 'organization', permissions: ['request.read', 'request.decide', 'request.claim'] },
];

const { app, organization } = await scene({ app: { temporal: true } });
const person = (displayName: string) =>
  createMember(app, organization.id, { displayName, policies: REVIEWER });
const [ada, ben, cleo, zoe] = [
  await person('Ada'),
  await person('Ben'),
  await person('Cleo'),
  await person('Zoe'),
];

const user = ({ membershipId }: TestMember) => ({ type: 'user', id: membershipId });
const everyone = { type: 'broadcast' };
const level = (id: string, targets: readonly object[], wait: string) => ({
  id,
  type: 'level',
  targets,
  escalate_after: wait,
});

/** A team with a policy. Its first level asks Ben for an hour, its second the whole team for half an hour. */
async function orderedTeam(
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ teamId: string; policy: [string, string] }> {
  const teamId = await createTeam(app, organization.id, { members: [ben, cleo] });
  const policy: [string, string] = [randomUUID(), randomUUID()];
  await activatePolicy(organization.owner, teamId, {
    nodes: [level(policy[0], [user(ben)], '1h'), level(policy[1], [everyone], '30m')],
    ...more,
  });
  return { teamId, policy };
}

/** A request of two days on its own path, waiting at the first level. */
async function askOn(nodes: readonly object[]): Promise<string> {
  const agent = await createAgent(app, organization);
  await activatePath(organization.owner, { path_key: agent.slug, name: 'Path', nodes });
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    blocks: [],
    default_escalation_path: agent.slug,
  });
  const id = await ask(app, agent, { timeout: '48h' });
  await waiting(app, id);
  return id;
}

async function notified(id: string): Promise<string[]> {
  const names = new Map(
    [ada, ben, cleo, zoe].map(({ membershipId, displayName }) => [membershipId, displayName]),
  );
  return (await notificationsOf(app, id)).map(
    ({ membershipId }) => names.get(membershipId) ?? membershipId,
  );
}

interface Shown {
  readonly state: string;
  readonly next_step?: { readonly kind: string; readonly node_id?: string };
}

async function routing(id: string): Promise<Shown> {
  return (await organization.owner.http.get(`/api/v1/requests/${id}/routing`))
    .body as unknown as Shown;
}

describe('a team with a policy inside a level', () => {
  test('is asked in the order of its policy, with repeats, until its level is over', async () => {
    const { teamId, policy } = await orderedTeam({ repeat: { times: 3, after: '10m' } });
    const [outer, last] = [randomUUID(), randomUUID()];
    const names: Names = {
      [outer]: 'outer',
      [last]: 'last',
      [teamId]: 'team',
      [policy[0]]: 'first',
      [policy[1]]: 'second',
    };
    const id = await askOn([
      level(outer, [user(ada), { type: 'team', id: teamId }], '3h'),
      level(last, [user(zoe)], '1h'),
    ]);
    expect(await courseOf(app, id, names)).toEqual([
      '0 level_notified Ada at outer 1',
      '0 level_notified Ben at outer 1 in team: first 1',
    ]);
    expect(await routing(id)).toMatchObject({
      state: 'waiting',
      next_step: { kind: 'team', node_id: outer },
    });
    await fastForward(app, id, 2.75);
    expect((await routing(id)).next_step).toMatchObject({ kind: 'level', node_id: last });
    await fastForward(app, id, 2);
    const second = (minutes: number, run: number) =>
      ['Ben', 'Cleo'].map(
        (name) => `${minutes} level_notified ${name} at outer 1 in team: second ${run}`,
      );
    expect(await courseOf(app, id, names)).toEqual([
      '0 level_notified Ada at outer 1',
      '0 level_notified Ben at outer 1 in team: first 1',
      ...second(60, 1),
      '100 team_policy_repeated at outer 1 in team: first 2',
      '100 level_notified Ben at outer 1 in team: first 2',
      ...second(160, 2),
      '180 level_notified Zoe at last 1',
      '240 path_exhausted at last 1',
    ]);
    expect((await notified(id)).sort()).toEqual([
      'Ada',
      'Ben',
      'Ben',
      'Ben',
      'Ben',
      'Cleo',
      'Cleo',
      'Zoe',
    ]);
    const keys = (await notificationsOf(app, id)).map(
      ({ stepKey, membershipId }) => `${stepKey} ${membershipId}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
    await decide(zoe, id);
    expect(await handleOf(app, id).result()).toMatchObject({ status: 'approved' });
  });

  test('appears in the Temporal UI with the level that waits and its own place', async () => {
    const { teamId, policy } = await orderedTeam();
    const [outer, last] = [randomUUID(), randomUUID()];
    const id = await askOn([
      level(outer, [{ type: 'team', id: teamId }], '3h'),
      level(last, [user(zoe)], '1h'),
    ]);
    expect(await timerSummariesOf(app, id)).toEqual([
      expect.stringMatching(/: level 1 of 2, run 1 of 1, 1 team inside$/),
    ]);
    expect(await detailsOf(app, id)).toContain(
      `inside: team ${teamId} at its level ${policy[0]}, run 1, until `,
    );
    await fastForward(app, id, 1.25);
    expect(await detailsOf(app, id)).toContain(
      `inside: team ${teamId} at its level ${policy[1]}, run 1, until `,
    );
    await fastForward(app, id, 1);
    expect(await detailsOf(app, id)).toContain(`inside: team ${teamId} has no one left to ask`);
    await fastForward(app, id, 1);
    expect(await detailsOf(app, id)).not.toContain('inside');
    expect((await timerSummariesOf(app, id)).at(-1)).toMatch(/: level 2 of 2, run 1 of 1$/);
    await decide(zoe, id);
  });

  test('that waits for working hours says so in the timer, and stops when its level is over', async () => {
    // Opens in five hours, for two minutes.
    const opens = new Date(Math.ceil((Date.now() + 5 * 3_600_000) / 60_000) * 60_000);
    const clock = (at: Date) => at.toISOString().slice(11, 16);
    const weekday = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][opens.getUTCDay()];
    const interval = {
      weekdays: [weekday],
      start: clock(opens),
      end: clock(new Date(opens.getTime() + 120_000)),
    };
    const teamId = await createTeam(app, organization.id, { members: [ben] });
    const [defer, inner, outer, last] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await activatePolicy(organization.owner, teamId, {
      working_hours: [{ id: 'office', name: 'Office', timezone: 'UTC', intervals: [interval] }],
      nodes: [
        { id: defer, type: 'defer', working_hours_id: 'office' },
        level(inner, [user(ben)], '1h'),
      ],
    });
    const names: Names = {
      [outer]: 'outer',
      [last]: 'last',
      [teamId]: 'team',
      [defer]: 'hours',
      [inner]: 'inner',
    };
    const id = await askOn([
      level(outer, [user(ada), { type: 'team', id: teamId }], '3h'),
      level(last, [user(zoe)], '4h'),
    ]);
    expect((await timerSummariesOf(app, id)).at(-1)).toMatch(
      /: level 1 of 2, run 1 of 1, 1 team inside, 1 deferred$/,
    );
    expect(await detailsOf(app, id)).toContain(
      `inside: team ${teamId} deferred until ${opens.toISOString()}, run 1`,
    );
    await fastForward(app, id, 6);
    expect(await courseOf(app, id, names)).toEqual([
      '0 level_notified Ada at outer 1',
      '0 deferred at outer 1 in team: hours 1',
      '180 level_notified Zoe at last 1',
    ]);
    await decide(zoe, id);
  });

  test('keeps the revision it began with; the next level uses the newer one', async () => {
    const { teamId, policy } = await orderedTeam();
    const [outer, last, newer] = [randomUUID(), randomUUID(), randomUUID()];
    const names: Names = {
      [outer]: 'outer',
      [last]: 'last',
      [teamId]: 'team',
      [policy[0]]: 'first',
      [policy[1]]: 'second',
      [newer]: 'newer',
    };
    const team = [{ type: 'team', id: teamId }];
    const id = await askOn([level(outer, team, '3h'), level(last, team, '1h')]);
    await activatePolicy(organization.owner, teamId, { nodes: [level(newer, [user(cleo)], '1h')] });
    await fastForward(app, id, 3.5);
    expect(await courseOf(app, id, names)).toEqual([
      '0 level_notified Ben at outer 1 in team: first 1',
      '60 level_notified Ben at outer 1 in team: second 1',
      '60 level_notified Cleo at outer 1 in team: second 1',
      '90 team_policy_exhausted at outer 1 in team: second 1',
      '180 level_notified Cleo at last 1 in team: newer 1',
    ]);
    await decide(cleo, id);
  });

  test('skips suspended people at once, and its level when no one in the team may decide', async () => {
    const teamId = await createTeam(app, organization.id, { members: [ben, cleo] });
    const [first, second, outer, last] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await activatePolicy(organization.owner, teamId, {
      nodes: [level(first, [user(ben)], '1h'), level(second, [user(cleo)], '1h')],
    });
    const names: Names = {
      [outer]: 'outer',
      [last]: 'last',
      [teamId]: 'team',
      [first]: 'first',
      [second]: 'second',
    };
    const nodes = [
      level(outer, [{ type: 'team', id: teamId }], '4h'),
      level(last, [user(zoe)], '1h'),
    ];
    const id = await askOn(nodes);
    const suspend = async (member: TestMember, status = 'suspended') =>
      await app.db('memberships').where({ id: member.membershipId }).update({ status });
    await suspend(cleo);
    try {
      await fastForward(app, id, 1.5);
      expect(await courseOf(app, id, names)).toEqual([
        '0 level_notified Ben at outer 1 in team: first 1',
        '60 level_skipped at outer 1 in team: second 1',
        '60 team_policy_exhausted at outer 1 in team: second 1',
      ]);
      await fastForward(app, id, 3);
      expect((await courseOf(app, id, names)).at(-1)).toBe('240 level_notified Zoe at last 1');
      await suspend(ben);
      const other = await askOn([
        level(randomUUID(), [{ type: 'team', id: teamId }], '4h'),
        level(last, [user(zoe)], '1h'),
      ]);
      const verbs = (await courseOf(app, other, names)).map((line) =>
        line.split(' ').slice(0, 2).join(' '),
      );
      expect(verbs).toEqual(['0 level_skipped', '0 level_notified']);
      await decide(zoe, other);
    } finally {
      await suspend(ben, 'active');
      await suspend(cleo, 'active');
    }
    await decide(zoe, id);
  });
});

describe('a level that raises the urgency', () => {
  const ids = {
    choice: randomUUID(),
    quiet: randomUUID(),
    loud: randomUUID(),
    hours: randomUUID(),
    raising: randomUUID(),
    again: randomUUID(),
    urgent: randomUUID(),
    calm: randomUUID(),
    later: randomUUID(),
    end: randomUUID(),
  };
  const names: Names = Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name]));

  /** Two runs. Branches ask Cleo for an urgent request and Ada for others. Urgent requests skip both waits for the office. */
  function pathThatRaises(opens: Date): Readonly<Record<string, unknown>> {
    const clock = (at: Date) => at.toISOString().slice(11, 16);
    const weekday = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][opens.getUTCDay()];
    const interval = {
      weekdays: [weekday],
      start: clock(opens),
      end: clock(new Date(opens.getTime() + 120_000)),
    };
    const urgent = [{ type: 'urgency', urgency: 'interrupt' }];
    const hours = (id: string) => ({
      id,
      type: 'defer',
      working_hours_id: 'office',
      standard_only: true,
    });
    return {
      working_hours: [{ id: 'office', name: 'Office', timezone: 'UTC', intervals: [interval] }],
      nodes: [
        {
          id: ids.choice,
          type: 'if_else',
          conditions: urgent,
          then: [level(ids.loud, [user(cleo)], '1h')],
          else: [level(ids.quiet, [user(ada)], '1h')],
        },
        hours(ids.hours),
        { ...level(ids.raising, [user(ben)], '1h'), raise_urgency: true },
        {
          id: ids.again,
          type: 'if_else',
          conditions: urgent,
          then: [level(ids.urgent, [user(cleo)], '1h')],
          else: [level(ids.calm, [user(ada)], '1h')],
        },
        hours(ids.later),
        level(ids.end, [user(ada)], '1h'),
      ],
      repeat: { times: 1, after: '1h' },
    };
  }

  interface Levels {
    readonly levels: readonly {
      readonly node_id: string;
      readonly run: number;
      readonly status: string;
    }[];
  }

  /** The routing view's levels by name, with their status. */
  async function levelsShown(id: string): Promise<string[]> {
    const { levels } = (await organization.owner.http.get(`/api/v1/requests/${id}/routing`))
      .body as unknown as Levels;
    return levels.map(
      ({ node_id, run, status }) => `${names[node_id] ?? node_id} ${run} ${status}`,
    );
  }

  /** The urgency in the row and in the routing view. */
  async function urgencies(id: string): Promise<unknown[]> {
    const row = await app
      .db('approval_requests')
      .where({ id })
      .first<{ urgency: string }>('urgency');
    return [row.urgency, (await ada.http.get(`/api/v1/requests/${id}/routing`)).body['urgency']];
  }

  test('changes every later branch and deferral, in this run and the next', async () => {
    // The office opens in six hours, for two minutes, and again a week later.
    const opens = new Date(Math.ceil((Date.now() + 6 * HOUR_MS) / 60_000) * 60_000);
    const agent = await createAgent(app, organization);
    await activatePath(organization.owner, {
      path_key: agent.slug,
      name: 'Raising',
      ...pathThatRaises(opens),
    });
    await activatePipeline(organization.owner, `agents/${agent.slug}`, {
      blocks: [],
      default_escalation_path: agent.slug,
    });
    const id = await ask(app, agent, { timeout: '48h' });
    await waiting(app, id);
    expect(await urgencies(id)).toEqual(['standard', 'standard']);
    // The levels ahead are those of an urgent request: that is what it will be then.
    expect(await levelsShown(id)).toEqual([
      'quiet 1 current',
      'raising 1 upcoming',
      'urgent 1 upcoming',
      'end 1 upcoming',
    ]);

    await fastForward(app, id, 1.5);
    expect(await courseOf(app, id, names)).toEqual([
      '0 level_notified Ada at quiet 1',
      '60 deferred at hours 1',
    ]);
    expect((await timerSummariesOf(app, id)).at(-1)).toContain(
      `deferred until ${opens.toISOString()}, run 1 of 2`,
    );
    expect(await urgencies(id)).toEqual(['standard', 'standard']);
    expect(
      (await organization.owner.http.get(`/api/v1/requests/${id}/routing`)).body,
    ).toMatchObject({
      state: 'deferred',
    });

    await fastForward(app, id, (opens.getTime() - Date.now()) / HOUR_MS - 1.5 + 0.5);
    expect((await courseOf(app, id, names, { from: opens })).slice(2)).toEqual([
      '0 urgency_raised at raising 1',
      '0 level_notified Ben at raising 1',
    ]);
    expect(await urgencies(id)).toEqual(['interrupt', 'interrupt']);
    expect(await levelsShown(id)).toEqual([
      'quiet 1 done',
      'raising 1 current',
      'urgent 1 upcoming',
      'end 1 upcoming',
    ]);
    expect(await detailsOf(app, id)).toMatch(/level 3 of 6, run 1 of 2, urgent$/m);

    await fastForward(app, id, 9);
    expect((await courseOf(app, id, names, { from: opens })).slice(2)).toEqual([
      '0 urgency_raised at raising 1',
      '0 level_notified Ben at raising 1',
      '60 level_notified Cleo at urgent 1',
      '120 level_notified Ada at end 1',
      '240 path_repeated at choice 2',
      '240 level_notified Cleo at loud 2',
      '300 level_notified Ben at raising 2',
      '360 level_notified Cleo at urgent 2',
      '420 level_notified Ada at end 2',
      '480 path_exhausted at end 2',
    ]);
    expect(await levelsShown(id)).toEqual([
      ...['quiet 1 done', 'raising 1 done', 'urgent 1 done', 'end 1 done'],
      ...['loud 2 done', 'raising 2 done', 'urgent 2 done', 'end 2 done'],
    ]);
    const timeline = (await ada.http.get(`/api/v1/requests/${id}/timeline`)).body as unknown as {
      readonly events: readonly { readonly event_type: string; readonly data: object }[];
    };
    const raised = timeline.events.filter(
      ({ event_type }) => event_type === 'approval_request.urgency_raised',
    );
    expect(raised.map(({ data }) => data)).toEqual([
      { path_key: agent.slug, node_id: ids.raising, run: 1 },
    ]);
    await decide(ada, id);
    expect(await handleOf(app, id).result()).toMatchObject({ status: 'approved' });
  });
});
