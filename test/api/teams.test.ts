/** Teams: names, rosters, and that nobody gains more through a roster than he holds. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import {
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  grant,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../support/factories.ts';
import type { Answer } from '../support/http.ts';

const TEAMS = '/api/v1/teams';

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

async function freshOrganization() {
  organization = await createOrganization(app);
  owner = organization.owner;
}

const create = (name: unknown) => owner.http.post(TEAMS, { name });
const rename = (id: string, name: unknown) => owner.http.call('PATCH', `${TEAMS}/${id}`, { body: { name } });
const archive = (id: string) => owner.http.delete(`${TEAMS}/${id}`);
const setMembers = (client: TestMember['http'], id: string, membershipIds: readonly unknown[]) =>
  client.call('PUT', `${TEAMS}/${id}/members`, { body: { membership_ids: membershipIds } });
const newMember = (...policies: Policy[]) => createMember(app, organization.id, { policies });
const ids = (...members: readonly TestMember[]) => members.map((member) => member.membershipId);

const codeOf = (answer: Answer) => ({ status: answer.status, code: answer.body['error']?.['code'] as unknown });
const names = (answer: Answer) => (answer.body as unknown as { teams: { name: string }[] }).teams.map((team) => team.name);
const roster = async (id: string) =>
  ((await owner.http.get(`${TEAMS}/${id}`)).body as unknown as { members: { membership_id: string }[] }).members
    .map((member) => member.membership_id)
    .sort();

async function directoryManaged(): Promise<string> {
  const id = await createTeam(app, organization.id);
  await app.db('teams').where({ id }).update({ directory_managed: true });
  return id;
}

const byDirectory = (teamId: string, { membershipId }: TestMember) =>
  app.db('team_members').insert({ team_id: teamId, membership_id: membershipId, source: 'directory', created_at: new Date() });

async function eventsOf(id: string): Promise<{ event_type: string; data: unknown; actor_id: string }[]> {
  const rows = await app
    .db('audit_events')
    .where({ organization_id: organization.id, subject_type: 'team', subject_id: id })
    .orderBy('sequence')
    .select<{ event_type: string; data: string; actor_id: string }[]>('event_type', 'data', 'actor_id');
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
}

describe('creating a team', () => {
  beforeAll(freshOrganization);

  test('answers an empty team that grants nothing, and drops the blanks around its name', async () => {
    const created = await create('  Platform on-call ');
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      team: {
        id: expect.any(String),
        name: 'Platform on-call',
        directory_managed: false,
        member_count: 0,
        assignments: [],
        escalation_policy: { active_revision: null, latest_revision: null },
        archived_at: null,
        created_at: expect.any(String),
      },
    });
    const id = String(created.body['team']?.['id']);
    expect((await owner.http.get(`${TEAMS}/${id}`)).body).toEqual({ ...created.body, members: [] });
    expect(await eventsOf(id)).toEqual([{ event_type: 'team.created', data: { name: 'Platform on-call' }, actor_id: owner.membershipId }]);
  });

  test.each([[''], [' \t '], ['x'.repeat(101)], [null], [7], [undefined]])('refuses the name %j at its field', async (name) => {
    const answer = await create(name);
    expect(answer.status).toBe(400);
    expect(answer.body['error']?.['details']?.['issues']).toEqual([expect.objectContaining({ pointer: '/name' })]);
  });

  test('a name of 100 letters between blanks is fine', async () => {
    expect((await create(` ${'n'.repeat(100)} `)).status).toBe(201);
  });

  test('a name is taken by a live team of the organization whatever its case, and free once that is archived', async () => {
    await freshOrganization();
    const first = await create('Operations');
    expect(codeOf(await create('OPERATIONS'))).toEqual({ status: 409, code: 'team_name_taken' });
    expect((await archive(String(first.body['team']?.['id']))).status).toBe(204);
    expect((await create('OPERATIONS')).status).toBe(201);
    const elsewhere = await createOrganization(app);
    expect((await elsewhere.owner.http.post(TEAMS, { name: 'Operations' })).status).toBe(201);
  });

  test('needs team.write for the organization, which a grant for some team is not', async () => {
    const team = await createTeam(app, organization.id);
    const lead = await newMember({ scope_kind: 'team', resource_ids: [team], permissions: ['team.write'] });
    const refused = await lead.http.post(TEAMS, { name: 'Another' });
    expect(refused.body['error']).toMatchObject({ code: 'permission_denied', details: { reason: 'outside_scope' } });
    const manager = await newMember({ scope_kind: 'organization', permissions: ['team.write'] });
    expect((await manager.http.post(TEAMS, { name: 'Another' })).status).toBe(201);
  });

  test('20 times two at once with one name make one team each time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all([create(`Race ${round}`), create(`RACE ${round}`)]);
      expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409]);
    }
  });
});

describe('listing teams', () => {
  let teams: Readonly<Record<string, string>>;

  beforeAll(async () => {
    await freshOrganization();
    const made: Record<string, string> = {};
    for (const name of ['delta', 'Alpha', 'charlie', 'bravo', 'echo_x']) made[name] = await createTeam(app, organization.id, { name });
    teams = made;
    await archive(made['bravo'] ?? '');
    await createTeam(app, (await createOrganization(app)).id, { name: 'foreign' });
  });

  test('shows live teams by name without regard to case, archived ones on demand', async () => {
    expect(names(await owner.http.get(TEAMS))).toEqual(['Alpha', 'charlie', 'delta', 'echo_x']);
    expect(names(await owner.http.get(`${TEAMS}?status=archived`))).toEqual(['bravo']);
    const all = await owner.http.get(`${TEAMS}?status=all`);
    expect(names(all)).toEqual(['Alpha', 'bravo', 'charlie', 'delta', 'echo_x']);
    expect(all.body['teams']?.[1]?.['archived_at']).toEqual(expect.any(String));
    expect(all.body).not.toHaveProperty('next_cursor');
  });

  test('searches names for the very letters, without regard to case', async () => {
    expect(names(await owner.http.get(`${TEAMS}?q=LT`))).toEqual(['delta']);
    expect(names(await owner.http.get(`${TEAMS}?q=_`))).toEqual(['echo_x']);
    expect(names(await owner.http.get(`${TEAMS}?q=%25`))).toEqual([]);
    expect(names(await owner.http.get(`${TEAMS}?q=`))).toHaveLength(4);
  });

  test('pages through every team once, in the same order, also with a long search in the cursor', async () => {
    const wide = 'é"\u0001'.repeat(33);
    for (let n = 0; n < 3; n += 1) await createTeam(app, organization.id, { name: `${wide}${n}` });
    for (const [filter, expected] of [
      ['status=all&q=', ['Alpha', 'bravo', 'charlie', 'delta', 'echo_x']],
      [`q=${encodeURIComponent(wide)}`, [`${wide}0`, `${wide}1`, `${wide}2`]],
    ] as const) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await owner.http.get(`${TEAMS}?${filter}&limit=2${cursor}`);
        expect(page.status).toBe(200);
        expect(names(page).length).toBeLessThanOrEqual(2);
        seen.push(...names(page));
        cursor = page.body['next_cursor'] === undefined ? '' : `&cursor=${String(page.body['next_cursor'])}`;
      } while (cursor);
      expect(seen).toEqual(expect.arrayContaining([...expected]));
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  test('refuses a bad status or limit, and a cursor of other filters', async () => {
    const { body } = await owner.http.get(`${TEAMS}?limit=1`);
    const cursor = String(body['next_cursor']);
    for (const query of [
      'status=gone',
      'limit=0',
      'limit=501',
      'cursor=x',
      'page=2',
      `status=all&cursor=${cursor}`,
      `q=a&cursor=${cursor}`,
    ]) {
      expect((await owner.http.get(`${TEAMS}?${query}`)).status).toBe(400);
    }
  });

  test('shows an organization-wide reader all, a reader of some teams those, and nobody else any', async () => {
    const scoped = await newMember({
      scope_kind: 'team',
      resource_ids: [teams['delta'] ?? '', teams['bravo'] ?? ''],
      permissions: ['team.read'],
    });
    expect(names(await scoped.http.get(TEAMS))).toEqual(['delta']);
    expect(names(await scoped.http.get(`${TEAMS}?status=all`))).toEqual(['bravo', 'delta']);
    expect((await scoped.http.get(`${TEAMS}/${teams['bravo'] ?? ''}`)).status).toBe(200);
    const outside = await scoped.http.get(`${TEAMS}/${teams['charlie'] ?? ''}`);
    expect(outside.body['error']).toMatchObject({
      code: 'permission_denied',
      details: { permission: 'team.read', scope_kind: 'team', scope_id: teams['charlie'], reason: 'outside_scope' },
    });
    const bare = await newMember();
    expect((await bare.http.get(TEAMS)).status).toBe(403);
    const wide = await newMember({ scope_kind: 'organization', permissions: ['team.read'] });
    expect(names(await wide.http.get(`${TEAMS}?status=archived`))).toEqual(['bravo']);
  });

  test('shows what members inherit, team by team', async () => {
    const policy = { scope_kind: 'team', resource_ids: [teams['delta'] ?? ''], permissions: ['team.read', 'team.member.write'] } as const;
    await grant(app.db, organization.id, { teamId: teams['delta'] ?? '', policy });
    await grant(app.db, organization.id, {
      teamId: teams['charlie'] ?? '',
      policy: { scope_kind: 'organization', permissions: ['agent.read'] },
    });
    const { body } = await owner.http.get(TEAMS);
    const shown = (body as unknown as { teams: { name: string; assignments: unknown[] }[] }).teams;
    expect(shown.find((team) => team.name === 'Alpha')?.assignments).toEqual([]);
    expect(shown.find((team) => team.name === 'charlie')?.assignments).toMatchObject([
      {
        principal_kind: 'team',
        principal_id: teams['charlie'],
        scope_kind: 'organization',
        scope_name: organization.slug,
        permissions: ['agent.read'],
      },
    ]);
    expect(shown.find((team) => team.name === 'delta')?.assignments).toMatchObject([
      {
        principal_id: teams['delta'],
        scope_kind: 'team',
        scope_id: teams['delta'],
        scope_name: 'delta',
        permissions: ['team.member.write', 'team.read'],
      },
    ]);
  });
});

describe('organization keys', () => {
  test('read the teams their policies name and change none', async () => {
    const hosted = await startApp({ databaseUrl: app.databaseUrl, environment: { COUNTERSIGN_EDITION: 'hosted' } });
    try {
      await freshOrganization();
      const [seen, hidden] = [await createTeam(app, organization.id), await createTeam(app, organization.id)];
      const key = await createOrganizationKey(hosted, organization, [
        { scope_kind: 'team', resource_ids: [seen], permissions: ['team.read', 'team.write', 'team.member.write'] },
      ]);
      expect((await key.http.get(TEAMS)).body['teams']).toMatchObject([{ id: seen }]);
      expect((await key.http.get(`${TEAMS}/${hidden}`)).status).toBe(403);
      expect((await key.http.call('PATCH', `${TEAMS}/${seen}`, { body: { name: 'x' } })).status).toBe(403);
      expect((await setMembers(key.http, seen, [])).status).toBe(403);
    } finally {
      await hosted.close();
    }
  });
});

describe('renaming a team', () => {
  beforeAll(freshOrganization);

  test('answers the team and is told with both names; the name it has already is no change', async () => {
    const id = await createTeam(app, organization.id, { name: 'before' });
    expect((await rename(id, 'before')).status).toBe(200);
    expect(await eventsOf(id)).toEqual([]);
    const renamed = await rename(id, ' Before ');
    expect(renamed.body['team']).toMatchObject({ id, name: 'Before' });
    expect(await eventsOf(id)).toMatchObject([{ event_type: 'team.renamed', data: { from: 'before', to: 'Before' } }]);
  });

  test("refuses a live team's name, an archived and a directory-managed team, a bad name and one that is not there", async () => {
    const [one, two] = [await createTeam(app, organization.id, { name: 'one' }), await createTeam(app, organization.id, { name: 'two' })];
    expect(codeOf(await rename(one, 'TWO'))).toEqual({ status: 409, code: 'team_name_taken' });
    expect((await rename(one, ' ')).status).toBe(400);
    expect((await archive(two)).status).toBe(204);
    expect((await rename(one, 'TWO')).status).toBe(200);
    expect(codeOf(await rename(two, 'three'))).toEqual({ status: 409, code: 'team_archived' });
    expect(codeOf(await rename(await directoryManaged(), 'three'))).toEqual({ status: 409, code: 'directory_managed' });
    expect((await rename(randomUUID(), 'three')).status).toBe(404);
    expect((await rename('no-uuid', 'three')).status).toBe(404);
  });

  test("is for whoever may write this team, and another organization's is not there", async () => {
    const [own, other] = [await createTeam(app, organization.id), await createTeam(app, organization.id)];
    const lead = await newMember({ scope_kind: 'team', resource_ids: [own], permissions: ['team.write'] });
    const byLead = (id: string) => lead.http.call('PATCH', `${TEAMS}/${id}`, { body: { name: `new ${id}` } });
    expect((await byLead(own)).status).toBe(200);
    expect((await byLead(own.toUpperCase())).status).toBe(200);
    expect((await byLead(other)).status).toBe(403);
    const foreign = await createTeam(app, (await createOrganization(app)).id);
    expect((await rename(foreign, 'mine')).status).toBe(404);
    expect((await archive(foreign)).status).toBe(404);
    expect((await setMembers(owner.http, foreign, [])).status).toBe(404);
    expect((await owner.http.get(`${TEAMS}/${foreign}`)).status).toBe(404);
  });
});

describe('archiving a team', () => {
  beforeAll(freshOrganization);

  test('is for good: repeating it moves nothing, and only once is it told', async () => {
    const id = await createTeam(app, organization.id, { name: 'short-lived' });
    expect((await archive(id)).status).toBe(204);
    const archivedAt = (await owner.http.get(`${TEAMS}/${id}`)).body['team']?.['archived_at'];
    expect(archivedAt).toEqual(expect.any(String));
    expect((await archive(id)).status).toBe(204);
    expect((await owner.http.get(`${TEAMS}/${id}`)).body['team']?.['archived_at']).toBe(archivedAt);
    expect(await eventsOf(id)).toMatchObject([{ event_type: 'team.archived', data: { name: 'short-lived' } }]);
    expect(codeOf(await setMembers(owner.http, id, []))).toEqual({ status: 409, code: 'team_archived' });
  });

  test('is refused for a directory-managed team, and for whoever lacks the permission even when it is done already', async () => {
    expect(codeOf(await archive(await directoryManaged()))).toEqual({ status: 409, code: 'directory_managed' });
    const id = await createTeam(app, organization.id);
    await archive(id);
    const bare = await newMember({ scope_kind: 'organization', permissions: ['team.read', 'team.member.write'] });
    expect((await bare.http.delete(`${TEAMS}/${id}`)).status).toBe(403);
    expect((await archive(randomUUID())).status).toBe(404);
  });

  test('takes what it granted from its members at their next call, in another process too, as leaving it does', async () => {
    const other = await startApp({ databaseUrl: app.databaseUrl });
    try {
      const member = await newMember();
      const policies = [{ scope_kind: 'organization', permissions: ['agent.read'] }] as const;
      const listing = async () => {
        const headers = { authorization: `Bearer ${member.apiKey}` };
        const answers = [await member.http.get('/api/v1/agents'), await other.http.get('/api/v1/agents', { headers })];
        return answers.map((answer) => answer.status);
      };
      const id = await createTeam(app, organization.id, { policies });
      expect(await listing()).toEqual([403, 403]);
      expect((await setMembers(owner.http, id, ids(member))).status).toBe(200);
      expect(await listing()).toEqual([200, 200]);
      expect((await setMembers(owner.http, id, [])).status).toBe(200);
      expect(await listing()).toEqual([403, 403]);
      await setMembers(owner.http, id, ids(member));
      expect(await listing()).toEqual([200, 200]);
      expect((await archive(id)).status).toBe(204);
      expect(await listing()).toEqual([403, 403]);
      expect(await roster(id)).toEqual(ids(member));
    } finally {
      await other.close();
    }
  });
});

describe('the members of a team', () => {
  beforeAll(freshOrganization);

  test('are exactly those named and those of the directory, each once, by name, with where they come from', async () => {
    const id = await createTeam(app, organization.id);
    const [ada, bob, cleo] = [
      await createMember(app, organization.id, { displayName: 'ada' }),
      await createMember(app, organization.id, { displayName: 'Bob', status: 'suspended' }),
      await createMember(app, organization.id, { displayName: 'Cleo' }),
    ];
    await byDirectory(id, bob);
    await byDirectory(id, cleo);
    const set = await setMembers(owner.http, id, [bob.membershipId.toUpperCase(), ada.membershipId]);
    expect(set.status).toBe(200);
    expect(set.body).toEqual({
      members: [
        { membership_id: ada.membershipId, display_name: 'ada', email: ada.email, status: 'active', sources: ['manual'] },
        { membership_id: bob.membershipId, display_name: 'Bob', email: bob.email, status: 'suspended', sources: ['directory', 'manual'] },
        { membership_id: cleo.membershipId, display_name: 'Cleo', email: cleo.email, status: 'active', sources: ['directory'] },
      ],
    });
    const read = await owner.http.get(`${TEAMS}/${id}`);
    expect(read.body['members']).toEqual(set.body['members']);
    expect(read.body['team']?.['member_count']).toBe(3);
    await app.db('memberships').where({ id: ada.membershipId }).update({ status: 'deprovisioned' });
    const without = await owner.http.get(`${TEAMS}/${id}`);
    expect(without.body['team']?.['member_count']).toBe(2);
    expect(await roster(id)).toEqual(ids(bob, cleo).sort());
    expect((await setMembers(owner.http, id, [])).body['members']).toMatchObject([{ sources: ['directory'] }, { sources: ['directory'] }]);
  });

  test('are told as added and removed; the same members again are no change', async () => {
    const id = await createTeam(app, organization.id);
    const [one, two] = [await newMember(), await newMember()];
    await setMembers(owner.http, id, ids(one));
    await setMembers(owner.http, id, ids(one));
    await setMembers(owner.http, id, ids(two));
    await setMembers(owner.http, id, []);
    await setMembers(owner.http, id, []);
    expect((await eventsOf(id)).map(({ event_type, data }) => [event_type, data])).toEqual([
      ['team.members_changed', { added: ids(one), removed: [] }],
      ['team.members_changed', { added: ids(two), removed: ids(one) }],
      ['team.members_changed', { added: [], removed: ids(two) }],
    ]);
  });

  test('stay as they were when an id is unknown, foreign, removed or named twice: each is named', async () => {
    const id = await createTeam(app, organization.id);
    const good = await newMember();
    const removed = await createMember(app, organization.id, { status: 'deprovisioned' });
    const foreign = await createMember(app, (await createOrganization(app)).id);
    const [kept] = ids(await newMember());
    await setMembers(owner.http, id, [kept]);
    const refused = await setMembers(owner.http, id, [...ids(good, removed, foreign, good), randomUUID()]);
    expect(refused.status).toBe(400);
    const issues = refused.body['error']?.['details']?.['issues'] as unknown as { pointer: string }[];
    expect(issues.map((issue) => issue.pointer)).toEqual([1, 2, 3, 4].map((index) => `/membership_ids/${index}`));
    for (const body of [['x'], [null], Array.from({ length: 1001 }, () => randomUUID())]) {
      expect((await setMembers(owner.http, id, body)).status).toBe(400);
    }
    expect((await owner.http.call('PUT', `${TEAMS}/${id}/members`, { body: {} })).status).toBe(400);
    expect(await roster(id)).toEqual([kept]);
  });

  test('1,000 at once are replaced by 1,000 others', async () => {
    const id = await createTeam(app, organization.id);
    const { rows } = await app.db.raw<{ rows: { id: string }[] }>(
      `with someone as (
         insert into users (id, email, display_name, created_at)
         select gen_random_uuid(), 'crowd-' || n || '@example.com', 'Crowd ' || n, clock_timestamp() from generate_series(1, 2000) as n
         returning id
       )
       insert into memberships (id, organization_id, user_id, status, admission_source, created_at, updated_at)
       select gen_random_uuid(), :organizationId, id, 'active', 'manual', clock_timestamp(), clock_timestamp() from someone returning id`,
      { organizationId: organization.id },
    );
    const crowd = rows.map((row) => row.id);
    for (const half of [crowd.slice(0, 1000), crowd.slice(1000)]) {
      expect((await setMembers(owner.http, id, half)).body['members']).toHaveLength(1000);
      expect(await roster(id)).toEqual([...half].sort());
    }
  });

  test('are changed by who may change the members of this team only', async () => {
    const [own, other] = [await createTeam(app, organization.id), await createTeam(app, organization.id)];
    const lead = await newMember({ scope_kind: 'team', resource_ids: [own], permissions: ['team.member.write'] });
    expect((await setMembers(lead.http, own, ids(lead))).status).toBe(200);
    expect((await setMembers(lead.http, other, ids(lead))).body['error']).toMatchObject({ details: { reason: 'outside_scope' } });
    const writer = await newMember({ scope_kind: 'organization', permissions: ['team.write', 'team.read'] });
    expect((await setMembers(writer.http, own, [])).body['error']).toMatchObject({ details: { reason: 'missing_permission' } });
  });
});

describe('whoever adds somebody to a team', () => {
  const DANGEROUS = ['permission_policy.write', 'request.decide.unrouted'];
  beforeAll(freshOrganization);

  const teamOf = (...policies: Policy[]) => createTeam(app, organization.id, { policies });
  const leadOf = (team: string, ...more: Policy[]) =>
    newMember({ scope_kind: 'team', resource_ids: [team], permissions: ['team.member.write'] }, ...more);

  test("cannot make himself or another an administrator by the administrators' team, by session or key", async () => {
    const admins = await teamOf(
      { scope_kind: 'organization', permissions: ['team.read'] },
      { scope_kind: 'organization', permissions: ['membership.write', 'team.write'] },
    );
    const lead = await leadOf(admins, { scope_kind: 'organization', permissions: ['team.read', 'team.write'] });
    const friend = await newMember();
    for (const client of [lead.browser, lead.http]) {
      for (const someone of [lead, friend]) {
        const refused = await setMembers(client, admins, ids(someone));
        expect(refused.status).toBe(403);
        expect(refused.body['error']).toMatchObject({
          code: 'grant_exceeds_own',
          details: { grants: [{ permission: 'membership.write', scope_kind: 'organization' }] },
        });
      }
    }
    expect(await roster(admins)).toEqual([]);
    expect(await eventsOf(admins)).toEqual([]);
    expect((await lead.http.get('/api/v1/members')).status).toBe(403);
  });

  test('needs what the team grants at the same scope or wider', async () => {
    const [target, other] = [await createTeam(app, organization.id), await createTeam(app, organization.id)];
    const team = await teamOf({ scope_kind: 'team', resource_ids: [target, other], permissions: ['team.read'] });
    const half = await leadOf(team, { scope_kind: 'team', resource_ids: [target], permissions: ['team.read'] });
    const refused = await setMembers(half.http, team, ids(half));
    expect(refused.body['error']?.['details']).toEqual({ grants: [{ permission: 'team.read', scope_kind: 'team', scope_id: other }] });
    const same = await leadOf(team, { scope_kind: 'team', resource_ids: [other, target], permissions: ['team.read'] });
    expect((await setMembers(same.http, team, ids(same))).status).toBe(200);
    const wider = await leadOf(team, { scope_kind: 'organization', permissions: ['team.read'] });
    expect((await setMembers(wider.http, team, ids(wider))).status).toBe(200);
  });

  test('needs it of himself when the directory has added the same person: he would stay when the directory takes him out', async () => {
    const team = await teamOf({ scope_kind: 'organization', permissions: ['agent.write'] });
    const lead = await leadOf(team);
    const synced = await newMember();
    await byDirectory(team, synced);
    expect(codeOf(await setMembers(lead.http, team, ids(synced)))).toEqual({ status: 403, code: 'grant_exceeds_own' });
  });

  test('may pass on what he holds through the very team, and no longer once he is out of it', async () => {
    const team = await teamOf({ scope_kind: 'organization', permissions: ['agent.read'] });
    const [lead, friend] = [await leadOf(team), await newMember()];
    await setMembers(owner.http, team, ids(lead));
    expect((await setMembers(lead.http, team, ids(lead, friend))).status).toBe(200);
    expect((await setMembers(lead.http, team, [])).status).toBe(200);
    expect(codeOf(await setMembers(lead.http, team, ids(lead)))).toEqual({ status: 403, code: 'grant_exceeds_own' });
  });

  test('needs no more than the permission to take people out, or to leave the members as they are', async () => {
    const team = await teamOf({ scope_kind: 'organization', permissions: [...DANGEROUS, 'membership.write'] });
    const [lead, first, second] = [await leadOf(team), await newMember(), await newMember()];
    await app.db('sessions').where({ membership_id: owner.membershipId }).update({ authenticated_at: new Date() });
    expect((await setMembers(owner.browser, team, ids(first, second))).status).toBe(200);
    expect((await setMembers(lead.http, team, ids(second, first))).status).toBe(200);
    expect((await setMembers(lead.http, team, ids(second))).status).toBe(200);
    expect(codeOf(await setMembers(lead.http, team, ids(first)))).toEqual({ status: 403, code: 'grant_exceeds_own' });
    expect((await setMembers(lead.http, team, [])).status).toBe(200);
  });

  test('needs a fresh session, with a second factor where the organization demands one, for what is dangerous', async () => {
    const team = await teamOf({ scope_kind: 'organization', permissions: DANGEROUS });
    const session = app.db('sessions').where({ membership_id: owner.membershipId });
    expect(codeOf(await setMembers(owner.http, team, ids(owner)))).toEqual({ status: 403, code: 'session_required' });
    await session.clone().update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect(codeOf(await setMembers(owner.browser, team, ids(owner)))).toEqual({ status: 403, code: 'reauthentication_required' });
    await session.clone().update({ authenticated_at: new Date() });
    await app.db('organizations').where({ id: organization.id }).update({ require_mfa: true });
    expect(codeOf(await setMembers(owner.browser, team, ids(owner)))).toEqual({ status: 403, code: 'mfa_required' });
    await session.clone().update({ assurance: 'strong' });
    expect((await setMembers(owner.browser, team, ids(owner))).status).toBe(200);
    await session.clone().update({ assurance: 'single_factor' });
    await app.db('organizations').where({ id: organization.id }).update({ require_mfa: false });
  });

  test('cannot pass on by a key what the key may not carry', async () => {
    const team = await teamOf({ scope_kind: 'organization', permissions: ['agent.read'] });
    const keys = await teamOf({ scope_kind: 'organization', permissions: ['api_key.issue'] });
    expect(codeOf(await setMembers(owner.http, keys, ids(owner)))).toEqual({ status: 403, code: 'grant_exceeds_own' });
    expect((await setMembers(owner.browser, keys, ids(owner))).status).toBe(200);
    const admin = await newMember({ scope_kind: 'organization', permissions: ['team.member.write', 'agent.read'] });
    await app
      .db('api_keys')
      .where({ membership_id: admin.membershipId })
      .update({ permissions: ['team.member.write'] });
    const hosted = await startApp({ databaseUrl: app.databaseUrl, environment: { COUNTERSIGN_EDITION: 'hosted' } });
    try {
      const headers = { authorization: `Bearer ${admin.apiKey}` };
      const put = await hosted.http.call('PUT', `${TEAMS}/${team}/members`, { headers, body: { membership_ids: ids(admin) } });
      expect(codeOf(put)).toEqual({ status: 403, code: 'grant_exceeds_own' });
    } finally {
      await hosted.close();
    }
    expect((await setMembers(admin.browser, team, ids(admin))).status).toBe(200);
  });
});

describe('at the same time, 20 times', () => {
  let crowd: TestMember[];

  beforeAll(async () => {
    await freshOrganization();
    crowd = [];
    for (let n = 0; n < 6; n += 1) crowd.push(await newMember());
  });

  test('archiving and changing the members: whoever comes first counts, and an archived team changes no more', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = await createTeam(app, organization.id);
      const [archived, changed] = await Promise.all([archive(id), setMembers(owner.http, id, ids(...crowd))]);
      expect(archived.status).toBe(204);
      expect([200, 409]).toContain(changed.status);
      expect(await roster(id)).toEqual(changed.status === 200 ? ids(...crowd).sort() : []);
      const told = (await eventsOf(id)).map((event) => event.event_type);
      expect(told).toEqual(changed.status === 200 ? ['team.members_changed', 'team.archived'] : ['team.archived']);
    }
  });

  test('two rosters: one of them stands, never a mixture, and the audit log adds up to it', async () => {
    const id = await createTeam(app, organization.id);
    const rosters = [ids(...crowd.slice(0, 4)), ids(...crowd.slice(2))];
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(rosters.map((each) => setMembers(owner.http, id, each)));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
      expect(rosters.map((each) => [...each].sort())).toContainEqual(await roster(id));
      await setMembers(owner.http, id, round % 2 === 0 ? [] : ids(...crowd.slice(1, 3)));
    }
    const present = new Set<string>();
    for (const { data } of await eventsOf(id)) {
      const { added, removed } = data as { added: string[]; removed: string[] };
      for (const each of removed) expect(present.delete(each)).toBe(true);
      for (const each of added) {
        expect(present.has(each)).toBe(false);
        present.add(each);
      }
    }
    expect([...present].sort()).toEqual(await roster(id));
  });

  test('passing on a grant and losing it: whoever has lost it first passes nothing on', async () => {
    const agentRead = [{ scope_kind: 'organization', permissions: ['agent.read'] }] as const;
    for (let round = 0; round < 20; round += 1) {
      const [source, target] = [
        await createTeam(app, organization.id, { policies: agentRead }),
        await createTeam(app, organization.id, { policies: agentRead }),
      ];
      const lead = await newMember({ scope_kind: 'team', resource_ids: [target], permissions: ['team.member.write'] });
      await setMembers(owner.http, source, ids(lead));
      const losing = round % 2 === 0 ? archive(source) : setMembers(owner.http, source, []);
      const [passed] = await Promise.all([setMembers(lead.http, target, ids(lead)), losing]);
      expect([200, 403]).toContain(passed.status);
      expect(await roster(target)).toEqual(passed.status === 200 ? ids(lead) : []);
      const order = await app
        .db('audit_events')
        .whereIn('subject_id', [source, target])
        .orderBy('sequence')
        .select<{ subject_id: string }[]>('subject_id');
      const told = order.map((event) => event.subject_id);
      expect(told).toEqual(passed.status === 200 ? [source, target, source] : [source, source]);
    }
  });

  test('archiving twice: both succeed, and it is told once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = await createTeam(app, organization.id);
      const answers = await Promise.all([archive(id), archive(id)]);
      expect(answers.map((answer) => answer.status)).toEqual([204, 204]);
      expect(await eventsOf(id)).toHaveLength(1);
    }
  });

  test('two renamed to one name: one of them gets it', async () => {
    for (let round = 0; round < 20; round += 1) {
      const teams = [await createTeam(app, organization.id), await createTeam(app, organization.id)];
      const answers = await Promise.all(teams.map((id) => rename(id, `Wanted ${round}`)));
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
    }
  });
});
