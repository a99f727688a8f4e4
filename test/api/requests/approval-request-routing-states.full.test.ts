/** The routing view for branches, deferrals, teams and claims, and the order of the timeline. */
import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/http.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { activatePolicy, createTeam } from '../../support/scene/factories.ts';
import { level as levelOf, team as ofTeam, user } from '../../support/scene/nodes.ts';

const { app, organization, owner, people, ...verbs } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, cleo: REVIEWER },
});
const { askOn, claimed, decide, release, addReviewers, later, person } = verbs;
const { read, routing, timeline, verbsOf, deadlineOf } = verbs;
const { ada, bob, cleo } = people;

const level = (id: string, targets: readonly object[], more: object = {}) =>
  levelOf(targets, '10m', { id, ...more });
const levelsOf = (body: Json) =>
  (body['levels'] ?? []).map((each) => `${String(each['node_id'])} ${String(each['status'])}`);
const membersOf = (body: Json, index: number) =>
  (body['levels']?.[index]?.['targets']?.[0]?.['members'] ?? []).map(
    (each) =>
      `${String(each['display_name'])}${each['notified_at'] === undefined ? '' : ' notified'}${String(each['can_decide']) === 'true' ? '' : ' cannot'}`,
  );

describe('a path that branches', () => {
  test('shows the levels of the current branch, and the other ones after urgency is raised', async () => {
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
    expect((await verbsOf(id)).slice(3)).toEqual(['urgency_raised', 'level_notified']);

    const calmOne = await askOn({ nodes: [branch, level(last, [user(cleo)])] });
    expect(levelsOf(await routing(calmOne))).toEqual([`${calm} current`, `${last} upcoming`]);
    expect(await routing(calmOne)).toMatchObject({ urgency: 'standard' });
  });
});

describe('levels that are skipped', () => {
  test('come before the level that is asked instead, in the order of the path and not of their ids', async () => {
    const [last, middle, first] = [randomUUID(), randomUUID(), randomUUID()].sort();
    const empty = await createTeam(app, organization.id, { name: `Team ${randomUUID()}` });
    const team = ofTeam(empty);
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

describe('a path that waits for working hours', () => {
  test('is deferred until they begin; a claim pauses it without an instant', async () => {
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
    await claimed(ada, id);
    const paused = await routing(id);
    expect(paused).toMatchObject({ state: 'paused', next_step: { kind: 'level', node_id: first } });
    expect(paused).not.toHaveProperty('next_at');
    expect(paused['next_step']).not.toHaveProperty('at');
    expect((await release(ada, id)).status).toBe(204);
    await later(id, new Date(opens));
    expect(levelsOf(await routing(id))).toEqual([`${first} current`]);
    expect((await verbsOf(id)).slice(3)).toEqual([
      'deferred',
      'claimed',
      'claim_released',
      'level_notified',
    ]);
  });
});

describe('a level that asks a team', () => {
  test('without a policy notifies all its members, and shows what people who joined or left since can do now', async () => {
    const team = await createTeam(app, organization.id, {
      name: `Team ${randomUUID()}`,
      members: [ada, bob],
    });
    const node = randomUUID();
    const id = await askOn({ nodes: [level(node, [ofTeam(team)])] });
    expect(await routing(id)).toMatchObject({
      levels: [{ status: 'current', targets: [ofTeam(team)] }],
    });
    expect(membersOf(await routing(id), 0)).toEqual(['Ada notified', 'Bob notified']);
    await app.db('team_members').where({ team_id: team, membership_id: bob.membershipId }).delete();
    await app.db('team_members').insert({
      team_id: team,
      membership_id: cleo.membershipId,
      source: 'manual',
      created_at: new Date(),
    });
    expect(membersOf(await routing(id), 0)).toEqual([
      'Ada notified',
      'Cleo',
      'Bob notified cannot',
    ]);
    expect((await decide(bob, id)).status).toBe(403);
    expect((await decide(cleo, id)).status).toBe(200);
  });

  test('with a policy follows it: the next step is that of the team until the level ends', async () => {
    const team = await createTeam(app, organization.id, { members: [ada, bob] });
    const policy = {
      working_hours: [],
      nodes: [
        level(randomUUID(), [user(bob)], { escalate_after: '2m' }),
        level(randomUUID(), [user(ada)], { escalate_after: '2m' }),
      ],
    };
    await activatePolicy(owner, team, policy);
    const [node, last] = [randomUUID(), randomUUID()];
    const id = await askOn({
      nodes: [level(node, [ofTeam(team)]), level(last, [user(cleo)])],
    });
    const start = await routing(id);
    expect(start).toMatchObject({ state: 'waiting', next_step: { kind: 'team', node_id: node } });
    expect(membersOf(start, 0)).toEqual(['Ada', 'Bob notified']);
    expect(levelsOf(start)).toEqual([`${node} current`, `${last} upcoming`]);
    await later(id);
    expect(membersOf(await routing(id), 0)).toEqual(['Ada notified', 'Bob notified']);
    // The team's policy ends inside the level. Then the wait of the path counts.
    await later(id);
    expect(await routing(id)).toMatchObject({ next_step: { kind: 'level', node_id: last } });
    await later(id);
    expect(levelsOf(await routing(id))).toEqual([`${node} done`, `${last} current`]);
  });

  test('records repeats and the end of its policy as the team’s; only the end of the path exhausts it', async () => {
    const team = await createTeam(app, organization.id, { members: [ada] });
    const inner = level(randomUUID(), [user(ada)], { escalate_after: '1m' });
    await activatePolicy(owner, team, {
      nodes: [inner],
      repeat: { times: 1, after: '1m' },
    });
    const node = randomUUID();
    const id = await askOn({ nodes: [level(node, [ofTeam(team)])] });
    for (let steps = 0; (await routing(id))['state'] !== 'exhausted' && steps < 10; steps += 1)
      await later(id);
    const walked = [
      'level_notified',
      'team_policy_repeated',
      'level_notified',
      'team_policy_exhausted',
      'path_exhausted',
    ];
    expect((await verbsOf(id)).slice(-5)).toEqual(walked);
    const events = await timeline(id);
    expect(events.at(-2)?.['data']).toMatchObject({
      team_id: team,
      team_node_id: inner.id,
      team_run: 2,
      node_id: node,
      run: 1,
    });
    expect(events.at(-1)?.['data']).not.toHaveProperty('team_id');
  });
});

describe('who can decide', () => {
  test('is shown for this request, by the current rights of the notified people', async () => {
    const powerful = await person({
      displayName: 'Powerful',
      can: ['request.read', 'request.decide', 'request.decide.unrouted'],
    });
    const team = await createTeam(app, organization.id, { members: [powerful, ada] });
    const named = await person({
      displayName: 'Named',
      can: ['request.read'],
    });
    const id = await askOn({
      nodes: [
        level(randomUUID(), [ofTeam(team)]),
        level(randomUUID(), [user(named)]),
        level(randomUUID(), [user(owner)]),
      ],
    });
    const can = async () => {
      const body = await routing(id);
      return [0, 1, 2].flatMap((index) =>
        membersOf(body, index).map((each) => each.replace(owner.displayName, 'Owner')),
      );
    };
    expect(await can()).toEqual(['Ada notified', 'Powerful notified', 'Named cannot', 'Owner']);
    await app.db('memberships').where({ id: ada.membershipId }).update({ status: 'suspended' });
    const then = await can();
    await app.db('memberships').where({ id: ada.membershipId }).update({ status: 'active' });
    expect(then).toEqual(['Ada notified cannot', 'Powerful notified', 'Named cannot', 'Owner']);
  });
});

describe('the timeline', () => {
  test('holds every kind of event in order, and each moved updated_at', async () => {
    const nodes = [
      level(randomUUID(), [user(ada)]),
      level(randomUUID(), [user(bob)], { raise_urgency: true }),
    ];
    const id = await askOn({ nodes, repeat: { times: 1, after: '5m' } });
    const updates: string[] = [];
    const note = async () => {
      updates.push(String((await read(id))['updated_at']));
    };
    await note();
    await claimed(ada, id);
    await note();
    expect((await release(ada, id)).status).toBe(204);
    await note();
    expect((await addReviewers(ada, id, [cleo])).status).toBe(200);
    await note();
    const { expires_at } = await claimed(cleo, id);
    await note();
    await later(id, new Date(String(expires_at)));
    await note();
    // The second run and its end.
    for (let step = 0; step < 3; step += 1) {
      await later(id);
      await note();
    }
    await later(id, await deadlineOf(id));
    await note();
    expect(await verbsOf(id)).toEqual([
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
    const events = await timeline(id);
    const instants = events.map((event) => String(event['occurred_at']));
    expect(instants).toEqual([...instants].sort());
    expect(updates).toEqual([...new Set(updates)].sort());
    expect(updates.at(-1)).toEqual(instants.at(-1));
  });
});
