/**
 * People and teams in a path that can no longer be asked: what the views show, and who is asked
 * instead.
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/http.ts';
import { outcome } from '../../support/refusals.ts';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { activatePolicy, createTeam, type TestMember } from '../../support/scene/factories.ts';
import { lossesIn } from '../../support/scene/losses.ts';
import { level, team as ofTeam, user } from '../../support/scene/nodes.ts';
import { TEAMS } from '../../support/scene/teams.ts';
import { until } from '../../support/waiting.ts';

// Ada is asked first, Bob last. No path names the bystander, who may decide.
const home = await scene({ people: { ada: REVIEWER, bob: REVIEWER, bystander: REVIEWER } });
const { app, organization, owner, people, person } = home;
const { askOn, decide, claim, later, read, routing, timeline, deadlineOf } = home;
const { ada, bob, bystander } = people;
const { withPermissions, roster: rosterOf, ways: common } = lossesIn(home);
const ways: typeof common = {
  ...common,
  'left with request.decide.unrouted': (member) =>
    withPermissions(member, { permissions: ['request.read', 'request.decide.unrouted'] }),
};

const reviewer = (displayName: string) => person({ displayName, can: REVIEWER });
const statusesOf = (body: Json) => (body['levels'] ?? []).map((each) => String(each['status']));

/**
 * For each person that the routing view shows at the level: name, whether notified, whether able to
 * decide.
 */
const peopleAt = (body: Json, index: number): string[] =>
  (
    (body['levels']?.[index]?.['targets'] ?? []) as unknown as {
      members: Record<string, unknown>[];
    }[]
  ).flatMap(({ members }) =>
    members.map((each) =>
      [
        each['display_name'],
        each['notified_at'] === undefined ? 'unnotified' : 'notified',
        each['can_decide'] === true ? 'can' : 'cannot',
      ].join(' '),
    ),
  );

/** Events of escalation in the timeline, oldest first: the verb, and the name or the node. */
async function notified(id: string): Promise<string[]> {
  const events = (await timeline(id)) as unknown as { event_type: string; data: Json }[];
  const walk = events.filter(({ event_type }) => /level_|path_|policy_|expired/.test(event_type));
  return walk.map(({ event_type, data }) =>
    [event_type.replace('approval_request.', ''), data['display_name'] ?? data['node_id']]
      .filter(Boolean)
      .join(' '),
  );
}

/** The scopes of the member's queue that contain it, in a session. */
async function scopesOf({ browser }: TestMember, id: string): Promise<string[]> {
  const scopes = ['notified', 'decidable', 'visible'];
  const lists = await Promise.all(
    scopes.map((scope) => browser.get(`/api/v1/requests?scope=${scope}&limit=200`)),
  );
  return scopes.filter((_, index) =>
    ((lists[index]?.body['requests'] ?? []) as unknown as Json[]).some(
      (each) => String(each['id']) === id,
    ),
  );
}

const vanish = async (way: string, member: TestMember): Promise<void> => {
  expect((await ways[way]?.(member))?.status).toBeLessThan(300);
};

describe.each(Object.keys(ways))(
  'a person who was %s while a request was on its way to them',
  (way) => {
    test('is skipped at once when alone, no one is asked in their place, and every view shows it', async () => {
      const gone = await reviewer('Gone');
      const nodes = [level([user(ada)]), level([user(gone)]), level([user(bob)])];
      const id = await askOn({ nodes });
      expect(await scopesOf(gone, id)).toEqual(['decidable', 'visible']);
      await vanish(way, gone);
      expect(peopleAt(await routing(id), 1)).toEqual(['Gone unnotified cannot']);
      await later(id);
      expect(await notified(id)).toEqual([
        'level_notified Ada',
        `level_skipped ${nodes[1]?.id}`,
        'level_notified Bob',
      ]);
      const body = await routing(id);
      expect(statusesOf(body)).toEqual(['done', 'skipped', 'current']);
      expect([0, 1, 2].map((index) => peopleAt(body, index))).toEqual([
        ['Ada notified can'],
        ['Gone unnotified cannot'],
        ['Bob notified can'],
      ]);
      expect(body['levels']?.[1]).not.toHaveProperty('notified_at');
      expect(await scopesOf(gone, id)).toEqual([]);
      expect(await scopesOf(bob, id)).toEqual(['notified', 'decidable', 'visible']);
      expect(await scopesOf(bystander, id)).toEqual([]);
      for (const refused of [
        await decide(gone, id),
        await claim(gone, id),
        await decide(bystander, id),
      ]) {
        expect([401, 403]).toContain(refused.status);
      }
      expect((await decide(bob, id)).status).toBe(200);
    });
  },
);

/** The ways differ in who may decide, which the tests above and those of access hold for each of them. */
describe.each(['removed', 'left with request.decide.unrouted'])(
  'a person who was %s, at a level with other people',
  (way) => {
    test('leaves the level to the other people it names', async () => {
      const gone = await reviewer('Gone');
      const nodes = [level([user(ada)]), level([user(gone), user(bob)]), level([user(ada)])];
      const id = await askOn({ nodes });
      await vanish(way, gone);
      await later(id);
      expect(await notified(id)).toEqual(['level_notified Ada', 'level_notified Bob']);
      const body = await routing(id);
      expect(statusesOf(body)).toEqual(['done', 'current', 'upcoming']);
      expect(peopleAt(body, 1)).toEqual(['Gone unnotified cannot', 'Bob notified can']);
      expect(await scopesOf(bob, id)).toEqual(['notified', 'decidable', 'visible']);
    });

    test('stays recorded as notified, and is shown as unable to decide', async () => {
      const gone = await reviewer('Gone');
      const id = await askOn({ nodes: [level([user(gone), user(bob)])] });
      expect(await scopesOf(gone, id)).toEqual(['notified', 'decidable', 'visible']);
      await vanish(way, gone);
      expect(peopleAt(await routing(id), 0)).toEqual(['Gone notified cannot', 'Bob notified can']);
      expect(await notified(id)).toEqual(['level_notified Gone', 'level_notified Bob']);
      expect(await scopesOf(gone, id)).toEqual([]);
      expect([401, 403]).toContain((await decide(gone, id)).status);
    });
  },
);

describe('a team on the path of a request', () => {
  let one: TestMember;
  let two: TestMember;
  let team: string;
  let nodes: readonly ReturnType<typeof level>[];
  let id: string;
  const roster = (...members: readonly TestMember[]) => rosterOf(team, ...members);

  beforeEach(async () => {
    [one, two] = [await reviewer('One'), await reviewer('Two')];
    team = await createTeam(app, organization.id, { members: [one, two] });
    nodes = [level([user(ada)]), level([ofTeam(team)]), level([user(bob)])];
    id = await askOn({ nodes });
  });

  const skipped = async (members: readonly string[]): Promise<void> => {
    await later(id);
    expect(await notified(id)).toEqual([
      'level_notified Ada',
      `level_skipped ${nodes[1]?.id}`,
      'level_notified Bob',
    ]);
    const body = await routing(id);
    expect(statusesOf(body)).toEqual(['done', 'skipped', 'current']);
    expect(body['levels']?.[1]).toMatchObject({
      targets: [{ type: 'team', id: team, name: expect.any(String) }],
    });
    expect(peopleAt(body, 1)).toEqual(members);
    expect(await scopesOf(bystander, id)).toEqual([]);
  };

  test('that was emptied is skipped at once, and is shown without members', async () => {
    expect((await roster()).status).toBe(200);
    await skipped([]);
    expect(await scopesOf(one, id)).toEqual([]);
  });

  test('that was archived is skipped too, though the API refuses to archive it while the request waits', async () => {
    expect(outcome(await owner.http.delete(`${TEAMS}/${team}`))).toBe(
      '409 team_in_escalation_path',
    );
    await app.db('teams').where({ id: team }).update({ archived_at: new Date() });
    await skipped([]);
    expect(await scopesOf(one, id)).toEqual([]);
    expect((await decide(one, id)).status).toBe(403);
  });

  test('in which no one may decide is skipped, and is shown with its members', async () => {
    await vanish('suspended', one);
    await vanish('left with reading', two);
    await skipped(['One unnotified cannot', 'Two unnotified cannot']);
  });

  test('that one member left asks the others', async () => {
    expect((await roster(two)).status).toBe(200);
    await later(id);
    expect(await notified(id)).toEqual(['level_notified Ada', 'level_notified Two']);
    expect(peopleAt(await routing(id), 1)).toEqual(['Two notified can']);
    expect(await scopesOf(one, id)).toEqual([]);
    expect(await scopesOf(two, id)).toEqual(['notified', 'decidable', 'visible']);
    expect(outcome(await decide(one, id))).toBe('403 request_not_routed');
  });

  test('shows people it notified who left since, unless another target names them, and shows each person once', async () => {
    const other = await createTeam(app, organization.id, { members: [two] });
    const node = level([ofTeam(team), ofTeam(other), user(bob)]);
    const request = await askOn({ nodes: [node] });
    expect((await roster()).status).toBe(200);
    const targets = ((await routing(request))['levels']?.[0]?.['targets'] ?? []) as unknown as {
      members: Json[];
    }[];
    const names = targets.map(({ members }) =>
      members.map((each) => `${String(each['display_name'])} ${String(each['can_decide'])}`),
    );
    expect(names).toEqual([['One false'], ['Two true'], ['Bob true']]);
  });

  test('whose policy no longer grants anything is skipped', async () => {
    const third = await person({ displayName: 'Third' });
    const granting = await createTeam(app, organization.id, {
      members: [third],
      policies: [everywhere(...REVIEWER)],
    });
    const there = [level([user(ada)]), level([ofTeam(granting)]), level([user(bob)])];
    const request = await askOn({ nodes: there });
    expect(peopleAt(await routing(request), 1)).toEqual(['Third unnotified can']);
    const [policy] = await app
      .db('permission_policies')
      .where({ team_id: granting })
      .pluck<string[]>('id');
    expect(
      (await owner.browser.delete(`${TEAMS}/${granting}/permission_policies/${policy}`)).status,
    ).toBe(204);
    expect(peopleAt(await routing(request), 1)).toEqual(['Third unnotified cannot']);
    await later(request);
    expect(await notified(request)).toEqual([
      'level_notified Ada',
      `level_skipped ${there[1]?.id}`,
      'level_notified Bob',
    ]);
  });

  test('with a policy skips a person who left; the level waits for the people it notified while they may decide', async () => {
    await activatePolicy(owner, team, {
      nodes: [level([user(one)], '5m'), level([user(two)], '5m')],
    });
    await later(id);
    expect(await notified(id)).toEqual(['level_notified Ada', 'level_notified One']);
    await vanish('removed', two);
    await later(id);
    // The team asks no one else, and the timeline says so. The wait of the path's own level
    // continues.
    expect((await notified(id)).slice(2)).toEqual([
      `level_skipped ${nodes[1]?.id}`,
      `team_policy_exhausted ${nodes[1]?.id}`,
    ]);
    expect(statusesOf(await routing(id))).toEqual(['done', 'current', 'upcoming']);
    expect(peopleAt(await routing(id), 1)).toEqual(['One notified can']);
    expect((await roster()).status).toBe(200);
    expect(peopleAt(await routing(id), 1)).toEqual(['One notified cannot']);
    await until('the level no longer waits', async () => (await notified(id)).length > 4);
    expect((await notified(id)).slice(4)).toEqual([
      `level_skipped ${nodes[1]?.id}`,
      'level_notified Bob',
    ]);
  });
});

describe('a path on which no one can decide', () => {
  let reader: TestMember;
  let empty: string;
  let readers: string;
  const path = () => ({
    nodes: [level([user(reader)]), level([ofTeam(empty)]), level([ofTeam(readers)])],
    repeat: { times: 1, after: '5m' },
  });

  beforeEach(async () => {
    reader = await person({ displayName: 'Reader', can: ['request.read'] });
    empty = await createTeam(app, organization.id, { name: `Empty ${randomUUID()}` });
    readers = await createTeam(app, organization.id, {
      name: `Readers ${randomUUID()}`,
      members: [reader],
    });
  });

  test('is saved with a warning for each target', async () => {
    const { body } = await owner.http.post('/api/v1/escalation-paths', {
      path_key: `path-${randomUUID()}`,
      name: 'No one',
      ...path(),
    });
    expect(body['warnings']).toMatchObject([
      { code: 'user_cannot_decide', membership_id: reader.membershipId },
      { code: 'empty_team', team_id: empty, member_count: 0 },
      { code: 'team_members_cannot_decide', team_id: readers, count: 1, member_count: 1 },
    ]);
  });

  test('runs to its end, as the timeline shows; the request waits for its deadline, and only owners may answer', async () => {
    const document = path();
    const id = await askOn(document);
    const all = document.nodes.map((node) => `level_skipped ${node.id}`);
    expect(await notified(id)).toEqual(all);
    expect(await routing(id)).toMatchObject({
      state: 'waiting',
      run: 1,
      runs: 2,
      next_step: { kind: 'repeat' },
    });
    await later(id);
    const [first, , last] = document.nodes;
    expect(await notified(id)).toEqual([
      ...all,
      `path_repeated ${first?.id}`,
      ...all,
      `path_exhausted ${last?.id}`,
    ]);
    const body = await routing(id);
    expect(body).toMatchObject({ state: 'exhausted', run: 2 });
    expect(statusesOf(body)).toEqual(Array(6).fill('skipped'));
    const asked = app.db('notifications').where({ request_id: id });
    // Owners are told that no one is left.
    expect(await asked.pluck('step_key')).toEqual(['unreachable']);
    for (const member of [reader, bystander]) {
      expect(await scopesOf(member, id)).toEqual([]);
      expect((await decide(member, id)).status).toBe(403);
    }
    expect(await scopesOf(owner, id)).toEqual(['notified', 'decidable', 'visible']);
    expect(await read(id)).toMatchObject({ status: 'pending' });
    const deadline = await deadlineOf(id);
    await later(id, new Date(deadline.getTime() - 1));
    expect(await read(id)).toMatchObject({ status: 'pending' });
    await later(id, deadline);
    expect(await read(id)).toMatchObject({ status: 'expired', decision: { channel: 'system' } });
    expect((await notified(id)).at(-1)).toBe('expired');
  });

  test('asks in its next run the people who can decide by then', async () => {
    const document = path();
    const id = await askOn(document);
    expect((await rosterOf(empty, bob)).status).toBe(200);
    expect((await withPermissions(reader, {})).status).toBe(200);
    await later(id);
    expect((await notified(id)).slice(4)).toEqual(['level_notified Reader']);
    expect(statusesOf(await routing(id)).slice(3)).toEqual(['current', 'upcoming', 'upcoming']);
    await later(id);
    expect((await notified(id)).slice(5)).toEqual(['level_notified Bob']);
    expect((await decide(bob, id)).status).toBe(200);
  });

  test('lets an owner claim and decide', async () => {
    const id = await askOn(path());
    expect((await claim(owner, id)).status).toBe(200);
    expect((await decide(owner, id, { status: 'denied' })).status).toBe(200);
  });
});
