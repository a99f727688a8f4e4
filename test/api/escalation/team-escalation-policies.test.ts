/** Escalation policies of teams: their revisions, and who may read and change them. */
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
import type { HttpClient } from '../../support/http.ts';
import { codeOf, idsOf, TEAMS } from '../../support/scene/teams.ts';
import { user } from '../../support/scene/nodes.ts';
import { NODE, level, asks, createPolicyTeam, policyCalls } from './team-policy-scene.ts';

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
