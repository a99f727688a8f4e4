/** Escalation policies of teams that are archived or lose members, also at the same moment. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ROUNDS } from '../../support/rounds.ts';
import { appForFile } from '../../support/scene.ts';
import {
  activatePolicy,
  createMember,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { codeOf, idsOf, setMembers, TEAMS } from '../../support/scene/teams.ts';
import { user } from '../../support/scene/nodes.ts';
import { EVERYONE, level, asks, createPolicyTeam, policyCalls } from './team-policy-scene.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
let organization: TestOrganization;
let owner: TestMember;
let ada: TestMember;
let bob: TestMember;
let teamId: string;

beforeEach(async () => {
  ({ organization, owner, ada, bob, teamId } = await createPolicyTeam(app));
});

const { at, create, activate, deactivate, shown, events } = policyCalls(app, () => ({
  organization,
  owner,
  teamId,
}));

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
