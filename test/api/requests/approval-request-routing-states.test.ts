/** The routing view where a path branches, waits for hours, asks teams, or is paused by a claim; and the order of the timeline. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask, decide, deadlineOf, stepAt } from '../../support/scene/approval-requests.ts';
import { claimed, release, verbsOf } from '../../support/scene/claims.ts';
import {
  activatePath,
  activatePipeline,
  activatePolicy,
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Json } from '../../support/http.ts';

const everywhere = (...permissions: string[]): Policy[] => [
  { scope_kind: 'organization', permissions },
];
const REVIEWER = everywhere('request.read', 'request.decide', 'request.claim');
const user = ({ membershipId }: TestMember) => ({ type: 'user', id: membershipId });
const level = (id: string, targets: readonly object[], more: object = {}) => ({
  id,
  type: 'level',
  targets,
  escalate_after: '10m',
  ...more,
});

let app: TestApp;
let organization: TestOrganization;
let ada: TestMember;
let bob: TestMember;
let cleo: TestMember;

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  ada = await createMember(app, organization.id, { displayName: 'Ada', policies: REVIEWER });
  bob = await createMember(app, organization.id, { displayName: 'Bob', policies: REVIEWER });
  cleo = await createMember(app, organization.id, { displayName: 'Cleo', policies: REVIEWER });
});
afterAll(async () => {
  await app.close();
});

/** A request of two days on a path of its own. */
async function askOn(document: Readonly<Record<string, unknown>>): Promise<string> {
  const path_key = `path-${randomUUID()}`;
  await activatePath(organization.owner, { path_key, name: 'Path', ...document });
  const agent = await createAgent(app, organization);
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    default_escalation_path: path_key,
    blocks: [],
  });
  return await ask(app, agent, { timeout: '48h' });
}

const get = async (id: string, view: string): Promise<Json> =>
  (await organization.owner.http.get(`/api/v1/requests/${id}/${view}`)).body;
const routing = async (id: string) => await get(id, 'routing');
const nextAt = async (id: string) => new Date(String((await routing(id))['next_at']));
const levelsOf = (body: Json) =>
  (body['levels'] ?? []).map((each) => `${String(each['node_id'])} ${String(each['status'])}`);
const membersOf = (body: Json, index: number) =>
  (body['levels']?.[index]?.['targets']?.[0]?.['members'] ?? []).map(
    (each) =>
      `${String(each['display_name'])}${each['notified_at'] === undefined ? '' : ' told'}${String(each['can_decide']) === 'true' ? '' : ' cannot'}`,
  );

describe('a path that branches', () => {
  test('shows the levels of the branch that holds now, and the other ones once urgency is raised', async () => {
    const [calm, urgent, raising, last] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const branch = {
      id: randomUUID(),
      type: 'if_else',
      conditions: [{ type: 'urgency', urgency: 'interrupt' }],
      then: [level(urgent, [user(bob)])],
      else: [level(calm, [user(ada)])],
    };
    const nodes = [
      level(raising, [user(ada)], { raise_urgency: true }),
      branch,
      level(last, [user(cleo)]),
    ];
    const id = await askOn({ nodes });
    expect(await routing(id)).toMatchObject({
      urgency: 'interrupt',
      state: 'waiting',
      next_step: { kind: 'level', node_id: urgent },
    });
    expect(levelsOf(await routing(id))).toEqual([
      `${raising} current`,
      `${urgent} upcoming`,
      `${last} upcoming`,
    ]);
    expect((await verbsOf(app, id)).slice(3)).toEqual(['urgency_raised', 'level_notified']);

    const calmOne = await askOn({ nodes: [branch, level(last, [user(cleo)])] });
    expect(levelsOf(await routing(calmOne))).toEqual([`${calm} current`, `${last} upcoming`]);
    expect(await routing(calmOne)).toMatchObject({ urgency: 'standard' });
  });
});

describe('levels that are skipped', () => {
  test('stand before the one that is asked instead, in the order of the path and not of their ids', async () => {
    const [last, middle, first] = [randomUUID(), randomUUID(), randomUUID()].sort();
    const nobody = await createTeam(app, organization.id, { name: `Team ${randomUUID()}` });
    const team = { type: 'team', id: nobody };
    const id = await askOn({
      nodes: [
        level(String(first), [team]),
        level(String(middle), [team]),
        level(String(last), [user(ada)]),
      ],
    });
    expect(levelsOf(await routing(id))).toEqual([
      `${first} skipped`,
      `${middle} skipped`,
      `${last} current`,
    ]);
  });
});

describe('a path that waits for hours', () => {
  test('is deferred until they open, and paused, without an instant, while somebody claims it', async () => {
    // Opens six hours from now, for two minutes.
    const soon = new Date(Date.now() + 6 * 3_600_000);
    const clock = (at: Date) => at.toISOString().slice(11, 16);
    const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][soon.getUTCDay()];
    const hours = {
      id: 'office',
      name: 'Office',
      timezone: 'UTC',
      intervals: [
        { weekdays: [day], start: clock(soon), end: clock(new Date(soon.getTime() + 120_000)) },
      ],
    };
    const [first, defer] = [randomUUID(), randomUUID()];
    const id = await askOn({
      working_hours: [hours],
      nodes: [
        { id: defer, type: 'defer', working_hours_id: 'office', standard_only: true },
        level(first, [user(ada)]),
      ],
    });
    const opens = new Date(Math.floor(soon.getTime() / 60_000) * 60_000).toISOString();
    expect(await routing(id)).toMatchObject({
      state: 'deferred',
      next_at: opens,
      next_step: { kind: 'level', node_id: first, at: opens },
    });
    expect(levelsOf(await routing(id))).toEqual([`${first} upcoming`]);
    await claimed(ada.http, id);
    const paused = await routing(id);
    expect(paused).toMatchObject({ state: 'paused', next_step: { kind: 'level', node_id: first } });
    expect(paused).not.toHaveProperty('next_at');
    expect(paused['next_step']).not.toHaveProperty('at');
    expect((await release(ada.http, id)).status).toBe(204);
    await stepAt(app, id, new Date(opens));
    expect(levelsOf(await routing(id))).toEqual([`${first} current`]);
    expect((await verbsOf(app, id)).slice(3)).toEqual([
      'deferred',
      'claimed',
      'claim_released',
      'level_notified',
    ]);
  });
});

describe('a level that asks a team', () => {
  test('without a policy tells everybody in it, and shows who joined since and who left as what they can do now', async () => {
    const team = await createTeam(app, organization.id, {
      name: `Team ${randomUUID()}`,
      members: [ada, bob],
    });
    const node = randomUUID();
    const id = await askOn({ nodes: [level(node, [{ type: 'team', id: team }])] });
    expect(await routing(id)).toMatchObject({
      levels: [{ status: 'current', targets: [{ type: 'team', id: team }] }],
    });
    expect(membersOf(await routing(id), 0)).toEqual(['Ada told', 'Bob told']);
    await app.db('team_members').where({ team_id: team, membership_id: bob.membershipId }).delete();
    await app.db('team_members').insert({
      team_id: team,
      membership_id: cleo.membershipId,
      source: 'manual',
      created_at: new Date(),
    });
    expect(membersOf(await routing(id), 0)).toEqual(['Ada told', 'Cleo', 'Bob told cannot']);
    expect((await decide(bob.http, id)).status).toBe(403);
    expect((await decide(cleo.http, id)).status).toBe(200);
  });

  test('with a policy goes by it: the next step is the team’s own until the level is over', async () => {
    const team = await createTeam(app, organization.id, { members: [ada, bob] });
    const policy = {
      working_hours: [],
      nodes: [
        level(randomUUID(), [user(bob)], { escalate_after: '2m' }),
        level(randomUUID(), [user(ada)], { escalate_after: '2m' }),
      ],
    };
    const policies = `/api/v1/teams/${team}/escalation-policy/revisions`;
    const created = await organization.owner.http.post(policies, policy);
    expect({ status: created.status, text: created.status === 201 ? '' : created.text }).toEqual({
      status: 201,
      text: '',
    });
    const activated = await organization.owner.http.post(`${policies}/1/activate`, undefined, {
      headers: { 'if-match': '"0"' },
    });
    expect(activated.status).toBe(200);
    const [node, last] = [randomUUID(), randomUUID()];
    const id = await askOn({
      nodes: [level(node, [{ type: 'team', id: team }]), level(last, [user(cleo)])],
    });
    const start = await routing(id);
    expect(start).toMatchObject({ state: 'waiting', next_step: { kind: 'team', node_id: node } });
    expect(membersOf(start, 0)).toEqual(['Ada', 'Bob told']);
    expect(levelsOf(start)).toEqual([`${node} current`, `${last} upcoming`]);
    await stepAt(app, id, await nextAt(id));
    expect(membersOf(await routing(id), 0)).toEqual(['Ada told', 'Bob told']);
    // The team's policy ends inside the level; then the path's own wait is what counts.
    await stepAt(app, id, await nextAt(id));
    expect(await routing(id)).toMatchObject({ next_step: { kind: 'level', node_id: last } });
    await stepAt(app, id, await nextAt(id));
    expect(levelsOf(await routing(id))).toEqual([`${node} done`, `${last} current`]);
  });

  test('tells the repeats and the end of its policy as such: the path goes on, and alone is exhausted at its own end', async () => {
    const team = await createTeam(app, organization.id, { members: [ada] });
    const inner = level(randomUUID(), [user(ada)], { escalate_after: '1m' });
    await activatePolicy(organization.owner, team, {
      nodes: [inner],
      repeat: { times: 1, after: '1m' },
    });
    const node = randomUUID();
    const id = await askOn({ nodes: [level(node, [{ type: 'team', id: team }])] });
    for (let steps = 0; (await routing(id))['state'] !== 'exhausted' && steps < 10; steps += 1)
      await stepAt(app, id, await nextAt(id));
    const walked = [
      'level_notified',
      'team_policy_repeated',
      'level_notified',
      'team_policy_exhausted',
      'path_exhausted',
    ];
    expect((await verbsOf(app, id)).slice(-5)).toEqual(walked);
    const { events } = (await get(id, 'timeline')) as unknown as {
      events: { event_type: string; data: Record<string, unknown> }[];
    };
    expect(events.at(-2)?.data).toMatchObject({
      team_id: team,
      team_node_id: inner.id,
      team_run: 2,
      node_id: node,
      run: 1,
    });
    expect(events.at(-1)?.data).not.toHaveProperty('team_id');
  });
});

describe('who can decide', () => {
  test('is said of this very request: of those told, by what they hold now', async () => {
    const powerful = await createMember(app, organization.id, {
      displayName: 'Powerful',
      policies: everywhere('request.read', 'request.decide', 'request.decide.unrouted'),
    });
    const team = await createTeam(app, organization.id, { members: [powerful, ada] });
    const named = await createMember(app, organization.id, {
      displayName: 'Named',
      policies: everywhere('request.read'),
    });
    const id = await askOn({
      nodes: [
        level(randomUUID(), [{ type: 'team', id: team }]),
        level(randomUUID(), [user(named)]),
        level(randomUUID(), [user(organization.owner)]),
      ],
    });
    const can = async () => {
      const body = await routing(id);
      return [0, 1, 2].flatMap((index) =>
        membersOf(body, index).map((each) => each.replace(organization.owner.displayName, 'Owner')),
      );
    };
    expect(await can()).toEqual(['Ada told', 'Powerful told', 'Named cannot', 'Owner']);
    await app.db('memberships').where({ id: ada.membershipId }).update({ status: 'suspended' });
    const then = await can();
    await app.db('memberships').where({ id: ada.membershipId }).update({ status: 'active' });
    expect(then).toEqual(['Ada told cannot', 'Powerful told', 'Named cannot', 'Owner']);
  });
});

describe('the timeline', () => {
  test('holds every kind of event in the order in which it happened, and updated_at moved with each', async () => {
    const nodes = [
      level(randomUUID(), [user(ada)]),
      level(randomUUID(), [user(bob)], { raise_urgency: true }),
    ];
    const id = await askOn({ nodes, repeat: { times: 1, after: '5m' } });
    const updates: string[] = [];
    const note = async () => {
      const { body } = await organization.owner.http.get(`/api/v1/requests/${id}`);
      updates.push(String(body['updated_at']));
    };
    await note();
    await claimed(ada.http, id);
    await note();
    expect((await release(ada.http, id)).status).toBe(204);
    await note();
    expect(
      (
        await ada.http.post(`/api/v1/requests/${id}/reviewers`, {
          membership_ids: [cleo.membershipId],
        })
      ).status,
    ).toBe(200);
    await note();
    const { expires_at } = await claimed(cleo.http, id);
    await note();
    await stepAt(app, id, new Date(String(expires_at)));
    await note();
    // The end of the first run, which nobody has to notice; then the second run and its end.
    await stepAt(app, id, await nextAt(id));
    for (let step = 0; step < 3; step += 1) {
      await stepAt(app, id, await nextAt(id));
      await note();
    }
    await stepAt(app, id, await deadlineOf(app, id));
    await note();
    expect(await verbsOf(app, id)).toEqual([
      'created',
      'pipeline_concluded',
      'routed',
      'level_notified',
      'claimed',
      'claim_released',
      'reviewers_added',
      'claimed',
      'claim_lapsed',
      'urgency_raised',
      'level_notified',
      'path_repeated',
      'level_notified',
      'level_notified',
      'path_exhausted',
      'expired',
    ]);
    const events = (await get(id, 'timeline'))['events'] ?? [];
    const instants = events.map((event) => String(event['occurred_at']));
    expect(instants).toEqual([...instants].sort());
    expect(updates).toEqual([...new Set(updates)].sort());
    expect(updates.at(-1)).toEqual(instants.at(-1));
  });
});
