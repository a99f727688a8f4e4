/** Escalation policies of teams that are archived or lose members, also at the same moment. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ROUNDS } from '../../support/rounds.ts';
import { appForFile } from '../../support/scene.ts';
import {
  activatePolicy,
  createMember,
  createOrganization,
  createTeam,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { HttpClient } from '../../support/http.ts';
import { codeOf, idsOf, setMembers, TEAMS } from '../../support/scene/teams.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
let organization: TestOrganization;
let owner: TestMember;
let ada: TestMember;
let bob: TestMember;
let teamId: string;

const DECIDES: Policy = { scope_kind: 'organization', permissions: ['request.decide'] };

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
  ada = await createMember(app, organization.id, { displayName: 'Ada', policies: [DECIDES] });
  bob = await createMember(app, organization.id, { displayName: 'Bob', policies: [DECIDES] });
  teamId = await createTeam(app, organization.id, { name: 'Platform', members: [ada, bob] });
});

const EVERYONE = { type: 'broadcast' };

const user = ({ membershipId }: TestMember) => ({ type: 'user', id: membershipId });
const level = (
  targets: object[] = [EVERYONE],
  id: string = randomUUID(),
  escalateAfter = '5m',
) => ({
  id,
  type: 'level',
  targets,
  escalate_after: escalateAfter,
});
const asks = (...members: TestMember[]) => ({ nodes: [level(members.map(user))] });

const at = (id = teamId) => `${TEAMS}/${id}/escalation-policy`;
const create = (document: unknown, client: HttpClient = owner.http) =>
  client.post(`${at()}/revisions`, document);
const activate = (revision: number, ifMatch: string, client: HttpClient = owner.http) =>
  client.post(`${at()}/revisions/${revision}/activate`, undefined, {
    headers: { 'if-match': ifMatch },
  });
const deactivate = (ifMatch: string, client: HttpClient = owner.http) =>
  client.call('DELETE', `${at()}/active`, { headers: { 'if-match': ifMatch } });
const shown = async () =>
  (await owner.http.get(`${TEAMS}/${teamId}`)).body['team']?.['escalation_policy'] as unknown;

/** Type and data of the team's audit events, oldest first. Each must be by the owner's key. */
async function events(subjectType = 'team_escalation_policy'): Promise<unknown[]> {
  const rows = await app
    .db('audit_events')
    .where({ organization_id: organization.id, subject_type: subjectType, subject_id: teamId })
    .orderBy('sequence')
    .select<{ event_type: string; data: string }[]>('event_type', 'data');
  return rows.map(({ event_type, data: text }) => {
    const { actor_api_key_id: key, ...data } = JSON.parse(text) as Record<string, unknown>;
    expect(key).toBe(owner.apiKeyId);
    return [event_type, data];
  });
}

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
