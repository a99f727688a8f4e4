/** Whoever a path names and can be asked no more, since it was saved or since it was walked: what is said of it, and who is asked. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask, deadlineOf, decide, stepAt } from '../../support/scene/approval-requests.ts';
import { claim } from '../../support/scene/claims.ts';
import {
  activatePath,
  activatePipeline,
  activatePolicy,
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Answer, Json } from '../../support/http.ts';
import { codeOf, idsOf, TEAMS } from '../../support/scene/teams.ts';
import { until } from '../../support/waiting.ts';

const PERMISSIONS = ['request.read', 'request.decide', 'request.claim'];
const REVIEWER = [{ scope_kind: 'organization' as const, permissions: PERMISSIONS }];
const READER = [{ scope_kind: 'organization' as const, permissions: ['request.read'] }];

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;
/** Asked first, asked last, and named by no path though they may decide. */
let ada: TestMember;
let bob: TestMember;
let bystander: TestMember;

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  owner = organization.owner;
  ada = await reviewer('Ada');
  bob = await reviewer('Bob');
  bystander = await reviewer('Bystander');
});
afterAll(() => app.close());

const reviewer = (displayName: string) =>
  createMember(app, organization.id, { displayName, policies: REVIEWER });
const user = ({ membershipId }: TestMember) => ({ type: 'user', id: membershipId });
const level = (targets: readonly object[], escalate_after = '10m') => ({
  id: randomUUID(),
  type: 'level',
  targets,
  escalate_after,
});

async function askOn(document: Readonly<Record<string, unknown>>): Promise<string> {
  const path_key = `path-${randomUUID()}`;
  await activatePath(owner, { path_key, name: 'Path', ...document });
  const agent = await createAgent(app, organization);
  await activatePipeline(owner, `agents/${agent.slug}`, {
    default_escalation_path: path_key,
    blocks: [],
  });
  return await ask(app, agent, { timeout: '48h' });
}

const view = async (id: string, name: string): Promise<Json> =>
  (await owner.http.get(`/api/v1/requests/${id}/${name}`)).body;
const read = async (id: string): Promise<Json> =>
  (await owner.http.get(`/api/v1/requests/${id}`)).body;
const routing = (id: string) => view(id, 'routing');
const onwards = async (id: string) => {
  await stepAt(app, id, new Date(String((await routing(id))['next_at'])));
};
const statusesOf = (body: Json) => (body['levels'] ?? []).map((each) => String(each['status']));

/** Of everybody the routing shows at the level: name, whether told, whether able to decide. */
const peopleAt = (body: Json, index: number): string[] =>
  (
    (body['levels']?.[index]?.['targets'] ?? []) as unknown as {
      members: Record<string, unknown>[];
    }[]
  ).flatMap(({ members }) =>
    members.map((each) =>
      [
        each['display_name'],
        each['notified_at'] === undefined ? 'unnotified' : 'told',
        each['can_decide'] === true ? 'can' : 'cannot',
      ].join(' '),
    ),
  );

/** What the timeline tells of the walk: the verb, and the name or the node; oldest first. */
async function told(id: string): Promise<string[]> {
  const { events } = (await view(id, 'timeline')) as unknown as {
    events: { event_type: string; data: Record<string, unknown> }[];
  };
  const walk = events.filter(({ event_type }) => /level_|path_|policy_|expired/.test(event_type));
  return walk.map(({ event_type, data }) =>
    [event_type.replace('approval_request.', ''), data['display_name'] ?? data['node_id']]
      .filter(Boolean)
      .join(' '),
  );
}

/** In which scopes of his queue he finds it, in a session. */
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

const pathOf = ({ membershipId }: TestMember) => `/api/v1/members/${membershipId}`;
async function policyOf({ membershipId }: TestMember): Promise<string> {
  const [id = ''] = await app
    .db('permission_policies')
    .where({ membership_id: membershipId })
    .pluck<string[]>('id');
  return `${pathOf({ membershipId } as TestMember)}/permission_policies/${id}`;
}
async function withPermissions(member: TestMember, terms: object): Promise<Answer> {
  const body = {
    scope_kind: 'organization',
    resource_ids: [],
    permissions: PERMISSIONS,
    revision: 1,
    ...terms,
  };
  return await owner.browser.call('PUT', await policyOf(member), { body });
}

/** Through the API, by force where somebody is asked by name. */
const ways: Readonly<Record<string, (member: TestMember) => Promise<Answer>>> = {
  suspended: (member) =>
    owner.browser.call('PATCH', pathOf(member), { body: { status: 'suspended', force: true } }),
  removed: (member) => owner.browser.delete(`${pathOf(member)}?force=true`),
  'stripped of every permission': async (member) => owner.browser.delete(await policyOf(member)),
  'left with reading': (member) => withPermissions(member, { permissions: ['request.read'] }),
  'left with request.decide.unrouted': (member) =>
    withPermissions(member, { permissions: ['request.read', 'request.decide.unrouted'] }),
  'narrowed to another agent': async (member) =>
    withPermissions(member, {
      scope_kind: 'agent',
      resource_ids: [(await createAgent(app, organization)).slug],
    }),
};
const vanish = async (way: string, member: TestMember): Promise<void> => {
  expect((await ways[way]?.(member))?.status).toBeLessThan(300);
};

describe.each(Object.keys(ways))(
  'somebody who was %s while a request was on its way to him',
  (way) => {
    test('is passed over at once where he is alone, nobody else is asked in his place, and everything says so', async () => {
      const gone = await reviewer('Gone');
      const nodes = [level([user(ada)]), level([user(gone)]), level([user(bob)])];
      const id = await askOn({ nodes });
      expect(await scopesOf(gone, id)).toEqual(['decidable', 'visible']);
      await vanish(way, gone);
      expect(peopleAt(await routing(id), 1)).toEqual(['Gone unnotified cannot']);
      await onwards(id);
      expect(await told(id)).toEqual([
        'level_notified Ada',
        `level_skipped ${nodes[1]?.id}`,
        'level_notified Bob',
      ]);
      const body = await routing(id);
      expect(statusesOf(body)).toEqual(['done', 'skipped', 'current']);
      expect([0, 1, 2].map((index) => peopleAt(body, index))).toEqual([
        ['Ada told can'],
        ['Gone unnotified cannot'],
        ['Bob told can'],
      ]);
      expect(body['levels']?.[1]).not.toHaveProperty('notified_at');
      expect(await scopesOf(gone, id)).toEqual([]);
      expect(await scopesOf(bob, id)).toEqual(['notified', 'decidable', 'visible']);
      expect(await scopesOf(bystander, id)).toEqual([]);
      for (const refused of [
        await decide(gone.http, id),
        await claim(gone.http, id),
        await decide(bystander.http, id),
      ]) {
        expect([401, 403]).toContain(refused.status);
      }
      expect((await decide(bob.http, id)).status).toBe(200);
    });

    test('leaves the level to whoever else is named there', async () => {
      const gone = await reviewer('Gone');
      const nodes = [level([user(ada)]), level([user(gone), user(bob)]), level([user(ada)])];
      const id = await askOn({ nodes });
      await vanish(way, gone);
      await onwards(id);
      expect(await told(id)).toEqual(['level_notified Ada', 'level_notified Bob']);
      const body = await routing(id);
      expect(statusesOf(body)).toEqual(['done', 'current', 'upcoming']);
      expect(peopleAt(body, 1)).toEqual(['Gone unnotified cannot', 'Bob told can']);
      expect(await scopesOf(bob, id)).toEqual(['notified', 'decidable', 'visible']);
    });

    test('stays on the record as told, and is shown as unable to decide from then on', async () => {
      const gone = await reviewer('Gone');
      const id = await askOn({ nodes: [level([user(gone), user(bob)])] });
      expect(await scopesOf(gone, id)).toEqual(['notified', 'decidable', 'visible']);
      await vanish(way, gone);
      expect(peopleAt(await routing(id), 0)).toEqual(['Gone told cannot', 'Bob told can']);
      expect(await told(id)).toEqual(['level_notified Gone', 'level_notified Bob']);
      expect(await scopesOf(gone, id)).toEqual([]);
      expect([401, 403]).toContain((await decide(gone.http, id)).status);
    });
  },
);

describe('a team on the way of a request', () => {
  let one: TestMember;
  let two: TestMember;
  let team: string;
  let nodes: readonly ReturnType<typeof level>[];
  let id: string;
  const roster = (...members: readonly TestMember[]) =>
    owner.browser.call('PUT', `${TEAMS}/${team}/members`, {
      body: { membership_ids: idsOf(...members), force: true },
    });

  beforeEach(async () => {
    [one, two] = [await reviewer('One'), await reviewer('Two')];
    team = await createTeam(app, organization.id, { members: [one, two] });
    nodes = [level([user(ada)]), level([{ type: 'team', id: team }]), level([user(bob)])];
    id = await askOn({ nodes });
  });

  const skipped = async (members: readonly string[]): Promise<void> => {
    await onwards(id);
    expect(await told(id)).toEqual([
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

  test('that was emptied is passed over at once, and is shown with nobody in it', async () => {
    expect((await roster()).status).toBe(200);
    await skipped([]);
    expect(await scopesOf(one, id)).toEqual([]);
  });

  test('that was archived is passed over too: not by the API, which refuses while the request waits', async () => {
    expect(codeOf(await owner.http.delete(`${TEAMS}/${team}`))).toEqual({
      status: 409,
      code: 'team_in_escalation_path',
    });
    await app.db('teams').where({ id: team }).update({ archived_at: new Date() });
    await skipped([]);
    expect(await scopesOf(one, id)).toEqual([]);
    expect((await decide(one.http, id)).status).toBe(403);
  });

  test('in which nobody may decide is passed over, and is shown with who is in it', async () => {
    await vanish('suspended', one);
    await vanish('left with reading', two);
    await skipped(['One unnotified cannot', 'Two unnotified cannot']);
  });

  test('which one member left asks the others', async () => {
    expect((await roster(two)).status).toBe(200);
    await onwards(id);
    expect(await told(id)).toEqual(['level_notified Ada', 'level_notified Two']);
    expect(peopleAt(await routing(id), 1)).toEqual(['Two told can']);
    expect(await scopesOf(one, id)).toEqual([]);
    expect(await scopesOf(two, id)).toEqual(['notified', 'decidable', 'visible']);
    expect(codeOf(await decide(one.http, id))).toEqual({ status: 403, code: 'request_not_routed' });
  });

  test('that told people who left it since shows them behind those who are in it, whom another target names there and nowhere else', async () => {
    const other = await createTeam(app, organization.id, { members: [two] });
    const node = level([{ type: 'team', id: team }, { type: 'team', id: other }, user(bob)]);
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

  test('whose policy grants no more is passed over', async () => {
    const third = await createMember(app, organization.id, { displayName: 'Third' });
    const granting = await createTeam(app, organization.id, {
      members: [third],
      policies: REVIEWER,
    });
    const there = [level([user(ada)]), level([{ type: 'team', id: granting }]), level([user(bob)])];
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
    await onwards(request);
    expect(await told(request)).toEqual([
      'level_notified Ada',
      `level_skipped ${there[1]?.id}`,
      'level_notified Bob',
    ]);
  });

  test('that goes by its policy passes over whoever left; the level waits on for whoever was told, while he may decide', async () => {
    await activatePolicy(owner, team, {
      nodes: [level([user(one)], '5m'), level([user(two)], '5m')],
    });
    await onwards(id);
    expect(await told(id)).toEqual(['level_notified Ada', 'level_notified One']);
    await vanish('removed', two);
    await onwards(id);
    // Her team asks nobody further, and says so; the wait of the path's own level is not over.
    expect((await told(id)).slice(2)).toEqual([
      `level_skipped ${nodes[1]?.id}`,
      `team_policy_exhausted ${nodes[1]?.id}`,
    ]);
    expect(statusesOf(await routing(id))).toEqual(['done', 'current', 'upcoming']);
    expect(peopleAt(await routing(id), 1)).toEqual(['One told can']);
    expect((await roster()).status).toBe(200);
    expect(peopleAt(await routing(id), 1)).toEqual(['One told cannot']);
    await until('the level waits for nobody any longer', async () => (await told(id)).length > 4);
    expect((await told(id)).slice(4)).toEqual([
      `level_skipped ${nodes[1]?.id}`,
      'level_notified Bob',
    ]);
  });
});

describe('a path on which nobody can decide', () => {
  let reader: TestMember;
  let empty: string;
  let readers: string;
  const path = () => ({
    nodes: [
      level([user(reader)]),
      level([{ type: 'team', id: empty }]),
      level([{ type: 'team', id: readers }]),
    ],
    repeat: { times: 1, after: '5m' },
  });

  beforeEach(async () => {
    reader = await createMember(app, organization.id, { displayName: 'Reader', policies: READER });
    empty = await createTeam(app, organization.id, { name: `Empty ${randomUUID()}` });
    readers = await createTeam(app, organization.id, {
      name: `Readers ${randomUUID()}`,
      members: [reader],
    });
  });

  test('is saved with a warning for each it names', async () => {
    const { body } = await owner.http.post('/api/v1/escalation-paths', {
      path_key: `path-${randomUUID()}`,
      name: 'Nobody',
      ...path(),
    });
    expect(body['warnings']).toMatchObject([
      { code: 'user_cannot_decide', membership_id: reader.membershipId },
      { code: 'empty_team', team_id: empty, member_count: 0 },
      { code: 'team_members_cannot_decide', team_id: readers, count: 1, member_count: 1 },
    ]);
  });

  test('is walked to its end, which the timeline tells; the request waits for its deadline, and nobody beside owners may answer', async () => {
    const document = path();
    const id = await askOn(document);
    const all = document.nodes.map((node) => `level_skipped ${node.id}`);
    expect(await told(id)).toEqual(all);
    expect(await routing(id)).toMatchObject({
      state: 'waiting',
      run: 1,
      runs: 2,
      next_step: { kind: 'repeat' },
    });
    await onwards(id);
    const [first, , last] = document.nodes;
    expect(await told(id)).toEqual([
      ...all,
      `path_repeated ${first?.id}`,
      ...all,
      `path_exhausted ${last?.id}`,
    ]);
    const body = await routing(id);
    expect(body).toMatchObject({ state: 'exhausted', run: 2 });
    expect(statusesOf(body)).toEqual(Array(6).fill('skipped'));
    expect(await app.db('notifications').where({ request_id: id })).toEqual([]);
    for (const member of [reader, bystander]) {
      expect(await scopesOf(member, id)).toEqual([]);
      expect((await decide(member.http, id)).status).toBe(403);
    }
    expect(await scopesOf(owner, id)).toEqual(['decidable', 'visible']);
    expect(await read(id)).toMatchObject({ status: 'pending' });
    const deadline = await deadlineOf(app, id);
    await stepAt(app, id, new Date(deadline.getTime() - 1));
    expect(await read(id)).toMatchObject({ status: 'pending' });
    await stepAt(app, id, deadline);
    expect(await read(id)).toMatchObject({ status: 'expired', decision: { channel: 'system' } });
    expect((await told(id)).at(-1)).toBe('expired');
  });

  test('asks in its next run whoever can decide by then', async () => {
    const document = path();
    const id = await askOn(document);
    expect(
      (
        await owner.browser.call('PUT', `${TEAMS}/${empty}/members`, {
          body: { membership_ids: idsOf(bob) },
        })
      ).status,
    ).toBe(200);
    expect((await withPermissions(reader, {})).status).toBe(200);
    await onwards(id);
    expect((await told(id)).slice(4)).toEqual(['level_notified Reader']);
    expect(statusesOf(await routing(id)).slice(3)).toEqual(['current', 'upcoming', 'upcoming']);
    await onwards(id);
    expect((await told(id)).slice(5)).toEqual(['level_notified Bob']);
    expect((await decide(bob.http, id)).status).toBe(200);
  });

  test('lets its owner take it up all the same', async () => {
    const id = await askOn(path());
    expect((await claim(owner.http, id)).status).toBe(200);
    expect((await decide(owner.http, id, { status: 'denied' })).status).toBe(200);
  });
});
