/** Teams: their names, archiving them, and who may see and change them. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  grant,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { ApiResponse } from '../../support/http.ts';
import { codeOf, idsOf, roster, setMembers, teamEvents, TEAMS } from '../../support/scene/teams.ts';
import { ROUNDS } from '../../support/rounds.ts';

let organization: TestOrganization;
let owner: TestMember;

const app = await appForFile();

async function newOrganization() {
  organization = await createOrganization(app);
  owner = organization.owner;
}

const newMember = (...policies: Policy[]) => createMember(app, organization.id, { policies });
const create = (name: unknown) => owner.http.post(TEAMS, { name });
const rename = (id: string, name: unknown) =>
  owner.http.call('PATCH', `${TEAMS}/${id}`, { body: { name } });
const archive = (id: string) => owner.http.delete(`${TEAMS}/${id}`);
const names = (answer: ApiResponse) =>
  (answer.body as unknown as { teams: { name: string }[] }).teams.map((team) => team.name);

async function directoryManaged(): Promise<string> {
  const id = await createTeam(app, organization.id);
  await app.db('teams').where({ id }).update({ directory_managed: true });
  return id;
}

describe('creating a team', () => {
  beforeAll(newOrganization);

  test('answers an empty team that grants nothing, and trims its name', async () => {
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
    expect(await teamEvents(app, id)).toEqual([
      {
        event_type: 'team.created',
        data: { name: 'Platform on-call', actor_api_key_id: owner.apiKeyId },
        actor_id: owner.membershipId,
      },
    ]);
  });

  test.each([[''], [' \t '], ['x'.repeat(101)], [null], [7], [undefined]])(
    'refuses the name %j at its field',
    async (name) => {
      const answer = await create(name);
      expect(answer.status).toBe(400);
      expect(answer.body['error']?.['details']?.['issues']).toEqual([
        expect.objectContaining({ pointer: '/name' }),
      ]);
    },
  );

  test('accepts a name of 100 characters between blanks', async () => {
    expect((await create(` ${'n'.repeat(100)} `)).status).toBe(201);
  });

  test('refuses a name that looks like an existing one, and names with invisible characters', async () => {
    expect((await create('Night Ops ①')).status).toBe(201);
    for (const name of ['\uff2eight Ops 1', 'NIGHT\u00a0OPS 1', 'Night Ops 1\ufe0f']) {
      expect([name, codeOf(await create(name))]).toEqual([
        name,
        { status: 409, code: 'team_name_taken' },
      ]);
    }
    for (const name of ['Night Ops 1\u200b', '\u202eNight', '\u3164', '\u200b'])
      expect([name, (await create(name)).status]).toEqual([name, 400]);
  });

  test('refuses the name of a live team ignoring case, and accepts it once that team is archived', async () => {
    await newOrganization();
    const first = await create('Operations');
    expect(codeOf(await create('OPERATIONS'))).toEqual({ status: 409, code: 'team_name_taken' });
    expect((await archive(String(first.body['team']?.['id']))).status).toBe(204);
    expect((await create('OPERATIONS')).status).toBe(201);
    const elsewhere = await createOrganization(app);
    expect((await elsewhere.owner.http.post(TEAMS, { name: 'Operations' })).status).toBe(201);
  });

  test('needs team.write for the organization, and a grant for one team is not enough', async () => {
    const team = await createTeam(app, organization.id);
    const lead = await newMember({
      scope_kind: 'team',
      resource_ids: [team],
      permissions: ['team.write'],
    });
    const refused = await lead.http.post(TEAMS, { name: 'Another' });
    expect(refused.body['error']).toMatchObject({
      code: 'permission_denied',
      details: { reason: 'outside_scope' },
    });
    const manager = await newMember({ scope_kind: 'organization', permissions: ['team.write'] });
    expect((await manager.http.post(TEAMS, { name: 'Another' })).status).toBe(201);
  });

  test('creates one team for two concurrent calls with one name', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all([create(`Race ${round}`), create(`RACE ${round}`)]);
      expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409]);
    }
  });
});

describe('listing teams', () => {
  let teams: Readonly<Record<string, string>>;

  beforeAll(async () => {
    await newOrganization();
    const made: Record<string, string> = {};
    for (const name of ['delta', 'Alpha', 'charlie', 'bravo', 'echo_x'])
      made[name] = await createTeam(app, organization.id, { name });
    teams = made;
    await archive(made['bravo'] ?? '');
    await createTeam(app, (await createOrganization(app)).id, { name: 'foreign' });
  });

  test('lists live teams by name ignoring case, and archived ones on demand', async () => {
    expect(names(await owner.http.get(TEAMS))).toEqual(['Alpha', 'charlie', 'delta', 'echo_x']);
    expect(names(await owner.http.get(`${TEAMS}?status=archived`))).toEqual(['bravo']);
    const all = await owner.http.get(`${TEAMS}?status=all`);
    expect(names(all)).toEqual(['Alpha', 'bravo', 'charlie', 'delta', 'echo_x']);
    expect(all.body['teams']?.[1]?.['archived_at']).toEqual(expect.any(String));
    expect(all.body).not.toHaveProperty('next_cursor');
  });

  test('finds names that contain the text literally, ignoring case', async () => {
    expect(names(await owner.http.get(`${TEAMS}?q=LT`))).toEqual(['delta']);
    expect(names(await owner.http.get(`${TEAMS}?q=_`))).toEqual(['echo_x']);
    expect(names(await owner.http.get(`${TEAMS}?q=%25`))).toEqual([]);
    expect(names(await owner.http.get(`${TEAMS}?q=`))).toHaveLength(4);
  });

  test('returns every team once across pages, also with a long search in the cursor', async () => {
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
        cursor =
          page.body['next_cursor'] === undefined
            ? ''
            : `&cursor=${String(page.body['next_cursor'])}`;
      } while (cursor);
      expect(seen).toEqual(expect.arrayContaining([...expected]));
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  test('refuses a bad status or limit and a cursor of other filters', async () => {
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

  test('shows all teams with an organization-wide grant, and the named ones with a team grant', async () => {
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
      details: {
        permission: 'team.read',
        scope_kind: 'team',
        scope_id: teams['charlie'],
        reason: 'outside_scope',
      },
    });
    const wide = await newMember({ scope_kind: 'organization', permissions: ['team.read'] });
    expect(names(await wide.http.get(`${TEAMS}?status=archived`))).toEqual(['bravo']);
  });

  test('shows what members inherit from each team', async () => {
    const policy = {
      scope_kind: 'team',
      resource_ids: [teams['delta'] ?? ''],
      permissions: ['team.read', 'team.member.write'],
    } as const;
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
  test('read the teams that their policies name and change none', async () => {
    const hosted = await startApp({
      databaseUrl: app.databaseUrl,
      environment: { COUNTERSIGN_EDITION: 'hosted' },
    });
    try {
      await newOrganization();
      const [seen, hidden] = [
        await createTeam(app, organization.id),
        await createTeam(app, organization.id),
      ];
      const key = await createOrganizationKey(hosted, organization, [
        {
          scope_kind: 'team',
          resource_ids: [seen],
          permissions: ['team.read', 'team.write', 'team.member.write'],
        },
      ]);
      expect((await key.http.get(TEAMS)).body['teams']).toMatchObject([{ id: seen }]);
      expect((await key.http.get(`${TEAMS}/${hidden}`)).status).toBe(403);
      expect(
        (await key.http.call('PATCH', `${TEAMS}/${seen}`, { body: { name: 'x' } })).status,
      ).toBe(403);
      expect((await setMembers(key.http, seen, [])).status).toBe(403);
    } finally {
      await hosted.close();
    }
  });
});

describe('renaming a team', () => {
  beforeAll(newOrganization);

  test('answers the team and writes an audit event with both names, and none for the same name', async () => {
    const id = await createTeam(app, organization.id, { name: 'before' });
    expect((await rename(id, 'before')).status).toBe(200);
    expect(await teamEvents(app, id)).toEqual([]);
    const renamed = await rename(id, ' Before ');
    expect(renamed.body['team']).toMatchObject({ id, name: 'Before' });
    expect(await teamEvents(app, id)).toMatchObject([
      { event_type: 'team.renamed', data: { from: 'before', to: 'Before' } },
    ]);
  });

  test('gives one name to one of two concurrent renames', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const teams = [
        await createTeam(app, organization.id),
        await createTeam(app, organization.id),
      ];
      const answers = await Promise.all(teams.map((id) => rename(id, `Wanted ${round}`)));
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
    }
  });

  test('refuses the name of a live team, a bad name, and teams that are archived, directory-managed or unknown', async () => {
    const [one, two] = [
      await createTeam(app, organization.id, { name: 'one' }),
      await createTeam(app, organization.id, { name: 'two' }),
    ];
    expect(codeOf(await rename(one, 'TWO'))).toEqual({ status: 409, code: 'team_name_taken' });
    expect((await rename(one, ' ')).status).toBe(400);
    expect((await archive(two)).status).toBe(204);
    expect((await rename(one, 'TWO')).status).toBe(200);
    expect(codeOf(await rename(two, 'three'))).toEqual({ status: 409, code: 'team_archived' });
    expect(codeOf(await rename(await directoryManaged(), 'three'))).toEqual({
      status: 409,
      code: 'directory_managed',
    });
    expect((await rename(randomUUID(), 'three')).status).toBe(404);
    expect((await rename('no-uuid', 'three')).status).toBe(404);
  });

  test("needs the permission for this team, and answers 404 for another organization's", async () => {
    const [own, other] = [
      await createTeam(app, organization.id),
      await createTeam(app, organization.id),
    ];
    const lead = await newMember({
      scope_kind: 'team',
      resource_ids: [own],
      permissions: ['team.write'],
    });
    const byLead = (id: string) =>
      lead.http.call('PATCH', `${TEAMS}/${id}`, { body: { name: `new ${id}` } });
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
  beforeAll(newOrganization);

  test('is permanent, and a repeat succeeds without another audit event', async () => {
    const id = await createTeam(app, organization.id, { name: 'short-lived' });
    expect((await archive(id)).status).toBe(204);
    const archivedAt = (await owner.http.get(`${TEAMS}/${id}`)).body['team']?.['archived_at'];
    expect(archivedAt).toEqual(expect.any(String));
    expect((await archive(id)).status).toBe(204);
    expect((await owner.http.get(`${TEAMS}/${id}`)).body['team']?.['archived_at']).toBe(archivedAt);
    expect(await teamEvents(app, id)).toMatchObject([
      { event_type: 'team.archived', data: { name: 'short-lived' } },
    ]);
    expect(codeOf(await setMembers(owner.http, id, []))).toEqual({
      status: 409,
      code: 'team_archived',
    });
  });

  test('is refused for a directory-managed team, and without the permission also when it is archived already', async () => {
    expect(codeOf(await archive(await directoryManaged()))).toEqual({
      status: 409,
      code: 'directory_managed',
    });
    const id = await createTeam(app, organization.id);
    await archive(id);
    const bare = await newMember({
      scope_kind: 'organization',
      permissions: ['team.read', 'team.member.write'],
    });
    expect((await bare.http.delete(`${TEAMS}/${id}`)).status).toBe(403);
    expect((await archive(randomUUID())).status).toBe(404);
  });

  test('removes its grants from its members at the next call in every process, like leaving it', async () => {
    const other = await startApp({ databaseUrl: app.databaseUrl });
    try {
      const member = await newMember();
      const policies = [{ scope_kind: 'organization', permissions: ['agent.read'] }] as const;
      const listing = async () => {
        const headers = { authorization: `Bearer ${member.apiKey}` };
        const answers = [
          await member.http.get('/api/v1/agents'),
          await other.http.get('/api/v1/agents', { headers }),
        ];
        return answers.map((answer) => answer.status);
      };
      const id = await createTeam(app, organization.id, { policies });
      expect(await listing()).toEqual([403, 403]);
      expect((await setMembers(owner.http, id, idsOf(member))).status).toBe(200);
      expect(await listing()).toEqual([200, 200]);
      expect((await setMembers(owner.http, id, [])).status).toBe(200);
      expect(await listing()).toEqual([403, 403]);
      await setMembers(owner.http, id, idsOf(member));
      expect(await listing()).toEqual([200, 200]);
      expect((await archive(id)).status).toBe(204);
      expect(await listing()).toEqual([403, 403]);
      expect(await roster(owner, id)).toEqual(idsOf(member));
    } finally {
      await other.close();
    }
  });
});
