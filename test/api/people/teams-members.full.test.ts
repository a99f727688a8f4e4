/** The members of teams, and that callers cannot gain through a team more than they hold. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  createTeam,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
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
const archive = (id: string) => owner.http.delete(`${TEAMS}/${id}`);

const byDirectory = (teamId: string, { membershipId }: TestMember) =>
  app.db('team_members').insert({
    team_id: teamId,
    membership_id: membershipId,
    source: 'directory',
    created_at: new Date(),
  });

describe('the members of a team', () => {
  beforeAll(newOrganization);

  test('are the manual ones and those of the directory, each once, by name, with their sources', async () => {
    const id = await createTeam(app, organization.id);
    const [ada, bob, cleo] = [
      await createMember(app, organization.id, { displayName: 'ada' }),
      await createMember(app, organization.id, { displayName: 'Bob', status: 'suspended' }),
      await createMember(app, organization.id, { displayName: 'Cleo' }),
    ];
    await byDirectory(id, bob);
    await byDirectory(id, cleo);
    const set = await setMembers(owner.http, id, [
      bob.membershipId.toUpperCase(),
      ada.membershipId,
    ]);
    expect(set.status).toBe(200);
    expect(set.body).toEqual({
      members: [
        {
          membership_id: ada.membershipId,
          display_name: 'ada',
          email: ada.email,
          status: 'active',
          sources: ['manual'],
        },
        {
          membership_id: bob.membershipId,
          display_name: 'Bob',
          email: bob.email,
          status: 'suspended',
          sources: ['directory', 'manual'],
        },
        {
          membership_id: cleo.membershipId,
          display_name: 'Cleo',
          email: cleo.email,
          status: 'active',
          sources: ['directory'],
        },
      ],
    });
    const read = await owner.http.get(`${TEAMS}/${id}`);
    expect(read.body['members']).toEqual(set.body['members']);
    expect(read.body['team']?.['member_count']).toBe(3);
    await app.db('memberships').where({ id: ada.membershipId }).update({ status: 'deprovisioned' });
    const without = await owner.http.get(`${TEAMS}/${id}`);
    expect(without.body['team']?.['member_count']).toBe(2);
    expect(await roster(owner, id)).toEqual(idsOf(bob, cleo).sort());
    expect((await setMembers(owner.http, id, [])).body['members']).toMatchObject([
      { sources: ['directory'] },
      { sources: ['directory'] },
    ]);
  });

  test('leave audit events with who was added and removed, and none without a change', async () => {
    const id = await createTeam(app, organization.id);
    const [one, two] = [await newMember(), await newMember()];
    await setMembers(owner.browser, id, idsOf(one));
    await setMembers(owner.browser, id, idsOf(one));
    await setMembers(owner.browser, id, idsOf(two));
    await setMembers(owner.browser, id, []);
    await setMembers(owner.browser, id, []);
    expect((await teamEvents(app, id)).map(({ event_type, data }) => [event_type, data])).toEqual([
      ['team.members_changed', { added: idsOf(one), removed: [] }],
      ['team.members_changed', { added: idsOf(two), removed: idsOf(one) }],
      ['team.members_changed', { added: [], removed: idsOf(two) }],
    ]);
  });

  test('stay unchanged when an id is unknown, foreign, removed or repeated, and the refusal names each', async () => {
    const id = await createTeam(app, organization.id);
    const good = await newMember();
    const removed = await createMember(app, organization.id, { status: 'deprovisioned' });
    const foreign = await createMember(app, (await createOrganization(app)).id);
    const [kept] = idsOf(await newMember());
    await setMembers(owner.http, id, [kept]);
    const refused = await setMembers(owner.http, id, [
      ...idsOf(good, removed, foreign, good),
      randomUUID(),
    ]);
    expect(refused.status).toBe(400);
    const issues = refused.body['error']?.['details']?.['issues'] as unknown as {
      pointer: string;
    }[];
    expect(issues.map((issue) => issue.pointer)).toEqual(
      [1, 2, 3, 4].map((index) => `/membership_ids/${index}`),
    );
    for (const body of [['x'], [null], Array.from({ length: 1001 }, () => randomUUID())]) {
      expect((await setMembers(owner.http, id, body)).status).toBe(400);
    }
    expect((await owner.http.call('PUT', `${TEAMS}/${id}/members`, { body: {} })).status).toBe(400);
    expect(await roster(owner, id)).toEqual([kept]);
  });

  test('can be 1,000 that are replaced by 1,000 others', async () => {
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
      expect(await roster(owner, id)).toEqual([...half].sort());
    }
  });

  test('can be changed only with the permission for this team', async () => {
    const [own, other] = [
      await createTeam(app, organization.id),
      await createTeam(app, organization.id),
    ];
    const lead = await newMember({
      scope_kind: 'team',
      resource_ids: [own],
      permissions: ['team.member.write'],
    });
    expect((await setMembers(lead.http, own, idsOf(lead))).status).toBe(200);
    expect((await setMembers(lead.http, other, idsOf(lead))).body['error']).toMatchObject({
      details: { reason: 'outside_scope' },
    });
    const writer = await newMember({
      scope_kind: 'organization',
      permissions: ['team.write', 'team.read'],
    });
    expect((await setMembers(writer.http, own, [])).body['error']).toMatchObject({
      details: { reason: 'missing_permission' },
    });
  });
});

describe('a caller who adds a member to a team', () => {
  const DANGEROUS = ['permission_policy.write', 'request.decide.unrouted'];
  beforeAll(newOrganization);

  const teamOf = (...policies: Policy[]) => createTeam(app, organization.id, { policies });
  const leadOf = (team: string, ...more: Policy[]) =>
    newMember(
      { scope_kind: 'team', resource_ids: [team], permissions: ['team.member.write'] },
      ...more,
    );

  test('cannot make themselves or others administrators through a team, by session or key', async () => {
    const admins = await teamOf(
      { scope_kind: 'organization', permissions: ['team.read'] },
      { scope_kind: 'organization', permissions: ['membership.write', 'team.write'] },
    );
    const lead = await leadOf(admins, {
      scope_kind: 'organization',
      permissions: ['team.read', 'team.write'],
    });
    const friend = await newMember();
    for (const client of [lead.browser, lead.http]) {
      for (const someone of [lead, friend]) {
        const refused = await setMembers(client, admins, idsOf(someone));
        expect(refused.status).toBe(403);
        expect(refused.body['error']).toMatchObject({
          code: 'grant_exceeds_own',
          details: { grants: [{ permission: 'membership.write', scope_kind: 'organization' }] },
        });
      }
    }
    expect(await roster(owner, admins)).toEqual([]);
    expect(await teamEvents(app, admins)).toEqual([]);
    expect((await lead.http.get('/api/v1/members')).status).toBe(403);
  });

  test('needs to hold what the team grants at the same scope or wider', async () => {
    const [target, other] = [
      await createTeam(app, organization.id),
      await createTeam(app, organization.id),
    ];
    const team = await teamOf({
      scope_kind: 'team',
      resource_ids: [target, other],
      permissions: ['team.read'],
    });
    const half = await leadOf(team, {
      scope_kind: 'team',
      resource_ids: [target],
      permissions: ['team.read'],
    });
    const refused = await setMembers(half.http, team, idsOf(half));
    expect(refused.body['error']?.['details']).toEqual({
      grants: [{ permission: 'team.read', scope_kind: 'team', scope_id: other }],
    });
    const same = await leadOf(team, {
      scope_kind: 'team',
      resource_ids: [other, target],
      permissions: ['team.read'],
    });
    expect((await setMembers(same.http, team, idsOf(same))).status).toBe(200);
    const wider = await leadOf(team, { scope_kind: 'organization', permissions: ['team.read'] });
    expect((await setMembers(wider.http, team, idsOf(wider))).status).toBe(200);
  });

  test('needs to hold it also for a person added by the directory, since the manual membership would remain', async () => {
    const team = await teamOf({ scope_kind: 'organization', permissions: ['agent.write'] });
    const lead = await leadOf(team);
    const synced = await newMember();
    await byDirectory(team, synced);
    expect(codeOf(await setMembers(lead.http, team, idsOf(synced)))).toEqual({
      status: 403,
      code: 'grant_exceeds_own',
    });
  });

  test('may pass on what they hold through the team itself, until they leave it', async () => {
    const team = await teamOf({ scope_kind: 'organization', permissions: ['agent.read'] });
    const [lead, friend] = [await leadOf(team), await newMember()];
    await setMembers(owner.http, team, idsOf(lead));
    expect((await setMembers(lead.http, team, idsOf(lead, friend))).status).toBe(200);
    expect((await setMembers(lead.http, team, idsOf(friend))).status).toBe(200);
    expect(codeOf(await setMembers(lead.http, team, idsOf(lead, friend)))).toEqual({
      status: 403,
      code: 'grant_exceeds_own',
    });
  });

  test('needs only the permission to leave members unchanged, and what the team grants to take one out', async () => {
    const team = await teamOf({
      scope_kind: 'organization',
      permissions: [...DANGEROUS, 'membership.write'],
    });
    const [lead, first, second] = [await leadOf(team), await newMember(), await newMember()];
    await app
      .db('sessions')
      .where({ membership_id: owner.membershipId })
      .update({ authenticated_at: new Date() });
    expect((await setMembers(owner.browser, team, idsOf(first, second))).status).toBe(200);
    expect((await setMembers(lead.http, team, idsOf(second, first))).status).toBe(200);
    for (const members of [idsOf(second), []])
      expect(codeOf(await setMembers(lead.http, team, members))).toEqual({
        status: 403,
        code: 'grant_exceeds_own',
      });
    expect((await setMembers(owner.browser, team, [])).status).toBe(200);
  });

  test('is needed to archive a team, too: its members would lose what it grants', async () => {
    const team = await teamOf({ scope_kind: 'organization', permissions: ['agent.write'] });
    const policies = [{ scope_kind: 'organization', permissions: ['team.write'] }] as const;
    const manager = await createMember(app, organization.id, { policies });
    expect(codeOf(await manager.http.delete(`/api/v1/teams/${team}`))).toEqual({
      status: 403,
      code: 'grant_exceeds_own',
    });
    expect((await owner.http.delete(`/api/v1/teams/${team}`)).status).toBe(204);
  });

  test('needs recent authentication for dangerous grants, with a second factor when the organization requires one', async () => {
    const team = await teamOf({ scope_kind: 'organization', permissions: DANGEROUS });
    const session = app.db('sessions').where({ membership_id: owner.membershipId });
    expect(codeOf(await setMembers(owner.http, team, idsOf(owner)))).toEqual({
      status: 403,
      code: 'session_required',
    });
    await session.clone().update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect(codeOf(await setMembers(owner.browser, team, idsOf(owner)))).toEqual({
      status: 403,
      code: 'reauthentication_required',
    });
    await session.clone().update({ authenticated_at: new Date() });
    await app.db('organizations').where({ id: organization.id }).update({ require_mfa: true });
    expect(codeOf(await setMembers(owner.browser, team, idsOf(owner)))).toEqual({
      status: 403,
      code: 'mfa_required',
    });
    await session.clone().update({ assurance: 'strong' });
    expect((await setMembers(owner.browser, team, idsOf(owner))).status).toBe(200);
    await session.clone().update({ assurance: 'single_factor' });
    await app.db('organizations').where({ id: organization.id }).update({ require_mfa: false });
  });

  test('cannot pass on by key what the key cannot carry', async () => {
    const team = await teamOf({ scope_kind: 'organization', permissions: ['agent.read'] });
    const keys = await teamOf({ scope_kind: 'organization', permissions: ['api_key.issue'] });
    expect(codeOf(await setMembers(owner.http, keys, idsOf(owner)))).toEqual({
      status: 403,
      code: 'grant_exceeds_own',
    });
    expect((await setMembers(owner.browser, keys, idsOf(owner))).status).toBe(200);
    const admin = await newMember({
      scope_kind: 'organization',
      permissions: ['team.member.write', 'agent.read'],
    });
    await app
      .db('api_keys')
      .where({ membership_id: admin.membershipId })
      .update({ permissions: ['team.member.write'] });
    const hosted = await startApp({
      databaseUrl: app.databaseUrl,
      environment: { COUNTERSIGN_EDITION: 'hosted' },
    });
    try {
      const headers = { authorization: `Bearer ${admin.apiKey}` };
      const put = await hosted.http.call('PUT', `${TEAMS}/${team}/members`, {
        headers,
        body: { membership_ids: idsOf(admin) },
      });
      expect(codeOf(put)).toEqual({ status: 403, code: 'grant_exceeds_own' });
    } finally {
      await hosted.close();
    }
    expect((await setMembers(admin.browser, team, idsOf(admin))).status).toBe(200);
  });
});

describe('concurrent changes', () => {
  let crowd: TestMember[];

  beforeAll(async () => {
    await newOrganization();
    crowd = [];
    for (let n = 0; n < 6; n += 1) crowd.push(await newMember());
  });

  test('of archiving and changing members apply in one order, and an archived team stays unchanged', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await createTeam(app, organization.id);
      const [archived, changed] = await Promise.all([
        archive(id),
        setMembers(owner.http, id, idsOf(...crowd)),
      ]);
      expect(archived.status).toBe(204);
      expect([200, 409]).toContain(changed.status);
      expect(await roster(owner, id)).toEqual(changed.status === 200 ? idsOf(...crowd).sort() : []);
      const types = (await teamEvents(app, id)).map((event) => event.event_type);
      expect(types).toEqual(
        changed.status === 200 ? ['team.members_changed', 'team.archived'] : ['team.archived'],
      );
    }
  });

  test('of two member lists leave one of them, never a mixture, and the audit events add up to it', async () => {
    const id = await createTeam(app, organization.id);
    const rosters = [idsOf(...crowd.slice(0, 4)), idsOf(...crowd.slice(2))];
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(rosters.map((each) => setMembers(owner.http, id, each)));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
      expect(rosters.map((each) => [...each].sort())).toContainEqual(await roster(owner, id));
      await setMembers(owner.http, id, round % 2 === 0 ? [] : idsOf(...crowd.slice(1, 3)));
    }
    const present = new Set<string>();
    for (const { data } of await teamEvents(app, id)) {
      const { added, removed } = data as { added: string[]; removed: string[] };
      for (const each of removed) expect(present.delete(each)).toBe(true);
      for (const each of added) {
        expect(present.has(each)).toBe(false);
        present.add(each);
      }
    }
    expect([...present].sort()).toEqual(await roster(owner, id));
  });

  test('of losing a grant and passing it on never pass on a lost grant', async () => {
    const agentRead = [{ scope_kind: 'organization', permissions: ['agent.read'] }] as const;
    for (let round = 0; round < ROUNDS; round += 1) {
      const [source, target] = [
        await createTeam(app, organization.id, { policies: agentRead }),
        await createTeam(app, organization.id, { policies: agentRead }),
      ];
      const lead = await newMember({
        scope_kind: 'team',
        resource_ids: [target],
        permissions: ['team.member.write'],
      });
      await setMembers(owner.http, source, idsOf(lead));
      const losing = round % 2 === 0 ? archive(source) : setMembers(owner.http, source, []);
      const [passed] = await Promise.all([setMembers(lead.http, target, idsOf(lead)), losing]);
      expect([200, 403]).toContain(passed.status);
      expect(await roster(owner, target)).toEqual(passed.status === 200 ? idsOf(lead) : []);
      const order = await app
        .db('audit_events')
        .whereIn('subject_id', [source, target])
        .orderBy('sequence')
        .select<{ subject_id: string }[]>('subject_id');
      const subjects = order.map((event) => event.subject_id);
      expect(subjects).toEqual(passed.status === 200 ? [source, target, source] : [source, source]);
    }
  });

  test('that archive twice both succeed, with one audit event', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await createTeam(app, organization.id);
      const answers = await Promise.all([archive(id), archive(id)]);
      expect(answers.map((answer) => answer.status)).toEqual([204, 204]);
      expect(await teamEvents(app, id)).toHaveLength(1);
    }
  });
});
