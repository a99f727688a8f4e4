/** Escalation policies of teams: their revisions, their documents, who may read and change them, and teams that are archived or lose members. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  activatePolicy,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { type HttpClient } from '../../support/http.ts';
import { codeOf, idsOf, TEAMS, setMembers } from '../../support/scene/teams.ts';
import { user } from '../../support/scene/nodes.ts';
import {
  NODE,
  level,
  asks,
  createPolicyTeam,
  policyCalls,
  DECIDES,
  EVERYONE,
} from './team-policy-scene.ts';
import { issuesOf } from '../../support/refusals.ts';
import { ROUNDS } from '../../support/rounds.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
let organization: TestOrganization;
let owner: TestMember;
let ada: TestMember;
let bob: TestMember;
let teamId: string;

beforeEach(async () => {
  ({ organization, owner, ada, bob, teamId } = await createPolicyTeam(app));
});

const { at, read, create, activate, deactivate, shown, events } = policyCalls(app, () => ({
  organization,
  owner,
  teamId,
}));

describe("a team's policy", () => {
  test('starts with its first revision, inactive, and the team names its latest and active revision', async () => {
    expect(codeOf(await read())).toEqual({ status: 404, code: 'not_found' });
    expect((await owner.http.get(`${at()}/revisions`)).body).toEqual({
      revisions: [],
      total_count: 0,
    });
    expect((await activate(1, '"0"')).status).toBe(404);
    expect((await deactivate('"0"')).status).toBe(404);
    expect(await shown()).toEqual({ active_revision: null, latest_revision: null });
    const working_hours = [
      {
        id: 'nights',
        name: 'Nights',
        timezone: 'Asia/Kolkata',
        intervals: [{ weekdays: ['mon'], start: '22:00', end: '06:00' }],
      },
    ];
    const nodes = [
      { id: NODE, type: 'defer', working_hours_id: 'nights', standard_only: true },
      level([user(ada), user(bob)]),
      level(),
    ];
    const created = await create({ working_hours, nodes, repeat: { times: 1, after: '2m' } });
    expect(created.status).toBe(201);
    expect(created.headers['etag']).toBe('"0"');
    expect(created.body).toEqual({
      id: expect.any(String),
      team_id: teamId,
      revision: 1,
      is_active: false,
      created_by_actor_id: owner.membershipId,
      created_by: { id: owner.membershipId, kind: 'member', display_name: owner.displayName },
      created_at: expect.any(String),
      working_hours,
      nodes: nodes.map((node) =>
        node.type === 'level' ? { ...node, raise_urgency: false } : node,
      ),
      repeat: { times: 1, after: '2m' },
      document_version: 1,
      warnings: [],
    });
    expect(await shown()).toEqual({ active_revision: null, latest_revision: 1 });
    expect((await read()).status).toBe(404);
    const named = app
      .db('team_escalation_policy_targets')
      .where({ team_escalation_policy_revision_id: String(created.body['id']) });
    expect((await named.pluck<string[]>('membership_id')).sort()).toEqual(idsOf(ada, bob).sort());
    const activated = await activate(1, '"0"');
    expect(activated.headers['etag']).toBe('"1"');
    expect(activated.body).toEqual({
      ...created.body,
      is_active: true,
      activated_by: created.body['created_by'],
      activated_at: expect.any(String),
    });
    expect((await read()).body).toEqual(activated.body);
    expect((await read()).headers['etag']).toBe('"1"');
    expect((await owner.http.get(`${at()}/revisions/1`)).body).toEqual(activated.body);
    expect(await shown()).toEqual({ active_revision: 1, latest_revision: 1 });
    const { body: list } = await owner.http.get(TEAMS);
    expect(list['teams']).toMatchObject([
      { id: teamId, escalation_policy: { active_revision: 1, latest_revision: 1 } },
    ]);
  });

  test('activates revisions one at a time, by If-Match, and audits each change once', async () => {
    await create(asks(ada));
    await activate(1, '"0"');
    expect((await create(asks(bob))).body).toMatchObject({ revision: 2, is_active: false });
    expect((await create({ nodes: [level()] })).headers['etag']).toBe('"1"');
    expect((await owner.http.post(`${at()}/revisions/2/activate`, undefined)).status).toBe(428);
    expect((await activate(2, '"0"')).body['error']).toMatchObject({
      code: 'revision_conflict',
      details: { active_revision: 1 },
    });
    const answers = await Promise.all([activate(2, '"1"'), activate(3, '"1"')]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412]);
    const winner = Number(answers.find((answer) => answer.status === 200)?.body['revision']);
    expect((await activate(winner, `"${winner}"`)).status).toBe(200);
    expect(await shown()).toEqual({ active_revision: winner, latest_revision: 3 });
    const first = await owner.http.get(`${at()}/revisions?limit=2`);
    expect(first.body).toMatchObject({
      revisions: [{ revision: 3 }, { revision: 2 }],
      total_count: 3,
    });
    const rest = await owner.http.get(
      `${at()}/revisions?limit=2&cursor=${String(first.body['next_cursor'])}`,
    );
    expect(rest.body).toMatchObject({ revisions: [{ revision: 1 }] });
    expect(await events()).toEqual([
      ['team_escalation_policy.revision_created', { revision: 1 }],
      ['team_escalation_policy.revision_activated', { revision: 1 }],
      ['team_escalation_policy.revision_created', { revision: 2 }],
      ['team_escalation_policy.revision_created', { revision: 3 }],
      ['team_escalation_policy.revision_activated', { revision: winner, previous_revision: 1 }],
    ]);
  });

  test('numbers ten concurrent first revisions from 1 to 10', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(asks(ada))));
    expect(answers.map((answer) => answer.status)).toEqual(Array<number>(10).fill(201));
    const numbers = answers.map((answer) => Number(answer.body['revision'])).sort((a, b) => a - b);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('is deactivated by If-Match, audited once, and can be activated again', async () => {
    await activatePolicy(owner, teamId, asks(ada));
    expect((await owner.http.delete(`${at()}/active`)).status).toBe(428);
    expect((await deactivate('"7"')).body['error']).toMatchObject({
      code: 'revision_conflict',
      details: { active_revision: 1 },
    });
    expect((await deactivate('"1"')).status).toBe(204);
    expect((await deactivate('"1"')).body['error']).toMatchObject({
      code: 'revision_conflict',
      details: { active_revision: 0 },
    });
    expect((await deactivate('"0"')).status).toBe(204);
    expect((await read()).status).toBe(404);
    expect(await shown()).toEqual({ active_revision: null, latest_revision: 1 });
    expect((await owner.http.get(`${at()}/revisions/1`)).body).toMatchObject({ is_active: false });
    expect((await events()).slice(2)).toEqual([
      ['team_escalation_policy.revision_deactivated', { previous_revision: 1 }],
    ]);
    expect((await activate(1, '"0"')).status).toBe(200);
    expect(await shown()).toEqual({ active_revision: 1, latest_revision: 1 });
  });
});

describe('who may', () => {
  test('reading, writing and activating are different permissions, each also for this team alone', async () => {
    await activatePolicy(owner, teamId, asks(ada));
    const other = await createTeam(app, organization.id);
    const statuses = async (
      permission: string,
      scope: 'organization' | 'team',
      resource = teamId,
    ) => {
      const policies: Policy[] = [
        {
          scope_kind: scope,
          resource_ids: scope === 'team' ? [resource] : [],
          permissions: [permission],
        },
      ];
      const { http } = await createMember(app, organization.id, { policies });
      const { http: key } = await createOrganizationKey(app, organization, policies);
      const answers = async (client: HttpClient) => [
        (await read(client)).status,
        (await client.get(`${at()}/revisions/1`)).status,
        (await create(asks(ada), client)).status,
        (await activate(1, '"9"', client)).status,
        (await deactivate('"9"', client)).status,
      ];
      const [byMember, byKey] = [await answers(http), await answers(key)];
      expect(byKey).toEqual(byMember);
      return byMember;
    };
    for (const scope of ['organization', 'team'] as const) {
      expect(await statuses('team.read', scope)).toEqual([200, 200, 403, 403, 403]);
      expect(await statuses('team.escalation.write', scope)).toEqual([403, 403, 201, 403, 403]);
      expect(await statuses('team.escalation.activate', scope)).toEqual([403, 403, 403, 412, 412]);
    }
    for (const permission of ['team.read', 'team.escalation.write', 'team.escalation.activate']) {
      expect(await statuses(permission, 'team', other)).toEqual([403, 403, 403, 403, 403]);
    }
  });

  test("another organization's team is not found, nor one that never was", async () => {
    await activatePolicy(owner, teamId, asks(ada));
    const { owner: stranger } = await createOrganization(app);
    const attempts = [
      [stranger, teamId],
      [owner, randomUUID()],
    ] as const;
    for (const [{ http }, id] of attempts) {
      const headers = { 'if-match': '"1"' };
      expect((await http.get(at(id))).status).toBe(404);
      expect((await http.get(`${at(id)}/revisions`)).status).toBe(404);
      expect((await http.get(`${at(id)}/revisions/1`)).status).toBe(404);
      expect((await http.post(`${at(id)}/revisions`, { nodes: [level()] })).status).toBe(404);
      expect(
        (await http.post(`${at(id)}/revisions/1/activate`, undefined, { headers })).status,
      ).toBe(404);
      expect((await http.call('DELETE', `${at(id)}/active`, { headers })).status).toBe(404);
    }
    expect(await shown()).toEqual({ active_revision: 1, latest_revision: 1 });
  });
});

describe('a policy document', () => {
  test.each<[object | [], string, string]>([
    [[], '', 'invalid_type'],
    [{}, '/nodes', 'required'],
    [{ nodes: [] }, '/nodes', 'invalid_value'],
    [{ name: 'Platform', nodes: [level()] }, '/name', 'unknown_field'],
    [{ nodes: [{ ...level(), type: 'loop' }] }, '/nodes/0/type', 'unknown_node_type'],
    [
      { nodes: [level([{ type: 'team', id: NODE }])] },
      '/nodes/0/targets/0/type',
      'unknown_target_type',
    ],
    [
      { nodes: [{ id: NODE, type: 'defer', working_hours_id: 'x' }] },
      '/nodes/0/working_hours_id',
      'unknown_working_hours',
    ],
    [{ nodes: [level([{ type: 'user', id: NODE }])] }, '/nodes/0/targets/0/id', 'unknown_target'],
  ])('like %j is refused with a pointer, and creates nothing', async (document, pointer, code) => {
    const answer = await create(document);
    expect(answer.status).toBe(400);
    expect(issuesOf(answer)).toEqual([expect.objectContaining({ pointer, code })]);
    expect(await shown()).toEqual({ active_revision: null, latest_revision: null });
  });

  test('accepts only members of the team, and no removed ones', async () => {
    const gone = await createMember(app, organization.id, { status: 'deprovisioned' });
    const suspended = await createMember(app, organization.id, { status: 'suspended' });
    teamId = await createTeam(app, organization.id, { members: [ada, gone, suspended] });
    const branch = {
      id: NODE,
      type: 'if_else',
      conditions: [{ type: 'urgency', urgency: 'standard' }],
      then: [level([user(gone), user(ada)])],
    };
    const refused = await create({
      nodes: [level([user(ada), user(bob), user(suspended)]), branch, level([user(owner)])],
    });
    expect(issuesOf(refused)).toMatchObject([
      { pointer: '/nodes/0/targets/1/id', code: 'unknown_target' },
      { pointer: '/nodes/1/then/0/targets/0/id', code: 'unknown_target' },
      { pointer: '/nodes/2/targets/0/id', code: 'unknown_target' },
    ]);
  });

  test('has warnings when created and activated, never when read', async () => {
    const cannot = await createMember(app, organization.id, { displayName: 'Zoe' });
    const suspended = await createMember(app, organization.id, {
      displayName: 'Yan',
      status: 'suspended',
      policies: [DECIDES],
    });
    teamId = await createTeam(app, organization.id, {
      name: 'Mixed',
      members: [ada, cannot, suspended],
    });
    const warnings = [
      { code: 'user_cannot_decide', membership_id: suspended.membershipId, display_name: 'Yan' },
      { code: 'user_cannot_decide', membership_id: cannot.membershipId, display_name: 'Zoe' },
    ];
    expect((await create(asks(ada, cannot, suspended))).body['warnings']).toEqual(warnings);
    expect((await activate(1, '"0"')).body['warnings']).toEqual(warnings);
    expect((await read()).body['warnings']).toEqual([]);
    expect((await create({ nodes: [level()] })).body['warnings']).toEqual([
      {
        code: 'team_members_cannot_decide',
        team_id: teamId,
        team_name: 'Mixed',
        count: 2,
        member_count: 3,
      },
    ]);
  });
});

describe('a team that is archived or loses members', () => {
  test('when archived has no active policy, audits that, and refuses further revisions', async () => {
    await activatePolicy(owner, teamId, asks(ada));
    expect((await owner.http.delete(`${TEAMS}/${teamId}`)).status).toBe(204);
    expect(await shown()).toEqual({ active_revision: null, latest_revision: 1 });
    expect((await events()).at(-1)).toEqual([
      'team_escalation_policy.revision_deactivated',
      { previous_revision: 1 },
    ]);
    expect((await owner.http.get(`${at()}/revisions`)).body).toMatchObject({
      revisions: [{ revision: 1, is_active: false }],
    });
    const archived = { status: 409, code: 'team_archived' };
    expect(codeOf(await create({ nodes: [level()] }))).toEqual(archived);
    expect(codeOf(await activate(1, '"0"'))).toEqual(archived);
    expect(codeOf(await deactivate('"0"'))).toEqual(archived);
  });

  test('keeps members that its active policy names, unless forced; forced, the audit log names them', async () => {
    await activatePolicy(owner, teamId, { nodes: [level([user(ada)]), level([EVERYONE])] });
    const put = (ids: readonly string[], force?: boolean) =>
      owner.http.call('PUT', `${TEAMS}/${teamId}/members`, {
        body: { membership_ids: ids, ...(force !== undefined && { force }) },
      });
    const refused = await put([], false);
    expect(codeOf(refused)).toEqual({ status: 409, code: 'team_member_in_escalation_policy' });
    const uses = { team_id: teamId, revision: 1, membership_ids: idsOf(ada) };
    expect(refused.body['error']?.['details']).toEqual(uses);
    expect((await owner.http.get(`${TEAMS}/${teamId}`)).body['members']).toHaveLength(2);
    expect((await put(idsOf(ada))).body['members']).toMatchObject([
      { membership_id: ada.membershipId },
    ]);
    expect((await put([], true)).body).toEqual({ members: [] });
    expect(await events('team')).toEqual([
      ['team.members_changed', { added: [], removed: idsOf(bob) }],
      ['team.members_changed', { added: [], removed: idsOf(ada), left_behind: uses }],
    ]);
  });

  test('loses members that only an inactive revision names, or that the directory keeps in the team', async () => {
    await activatePolicy(owner, teamId, asks(ada));
    await app.db('team_members').insert({
      team_id: teamId,
      membership_id: ada.membershipId,
      source: 'directory',
      created_at: new Date(),
    });
    expect((await setMembers(owner.http, teamId, [])).status).toBe(200);
    await app
      .db('team_members')
      .where({ team_id: teamId, source: 'directory' })
      .update({ source: 'manual' });
    await activatePolicy(owner, teamId, { nodes: [level()] });
    expect((await setMembers(owner.http, teamId, [])).status).toBe(200);
  });

  test('cannot activate a revision that names someone who left', async () => {
    await create(asks(ada, bob));
    await setMembers(owner.http, teamId, idsOf(ada));
    const refused = await activate(1, '"0"');
    expect(codeOf(refused)).toEqual({ status: 409, code: 'escalation_target_missing' });
    expect(refused.body['error']?.['details']).toEqual({
      membership_ids: idsOf(bob),
      team_ids: [],
    });
    expect(await shown()).toEqual({ active_revision: null, latest_revision: 1 });
  });
});

describe('concurrently, in each round', () => {
  test('activating a policy and removing its member from the team never both succeed', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      teamId = await createTeam(app, organization.id, { members: [ada] });
      await create(asks(ada));
      const calls = [activate(1, '"0"'), setMembers(owner.http, teamId, [])];
      const [activated, taken] = await Promise.all(round % 2 ? calls : calls.reverse()).then(
        (both) => (round % 2 ? both : both.reverse()),
      );
      outcomes.add(`${activated?.status} ${taken?.status}`);
    }
    expect([...outcomes].filter((outcome) => !['200 409', '409 200'].includes(outcome))).toEqual(
      [],
    );
  });

  test('activating a policy and removing its member from the organization never both succeed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const member = await createMember(app, organization.id);
      teamId = await createTeam(app, organization.id, { members: [member] });
      await create(asks(member));
      const [activated, removed] = await Promise.all([
        activate(1, '"0"'),
        owner.http.delete(`/api/v1/members/${member.membershipId}`),
      ]);
      expect([
        [200, 409],
        [409, 204],
      ]).toContainEqual([activated.status, removed.status]);
    }
  });

  test('activating a policy and archiving its team leave no active policy', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      teamId = await createTeam(app, organization.id, { members: [ada] });
      await create(asks(ada));
      const [activated, archived] = await Promise.all([
        activate(1, '"0"'),
        owner.http.delete(`${TEAMS}/${teamId}`),
      ]);
      expect(archived.status).toBe(204);
      expect([200, 409]).toContain(activated.status);
      expect(await shown()).toEqual({ active_revision: null, latest_revision: 1 });
    }
  });
});
