/** Documents of teams' escalation policies: what is refused, and what has warnings. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { issuesOf } from '../../support/refusals.ts';
import { user } from '../../support/scene/nodes.ts';
import { NODE, DECIDES, level, asks, createPolicyTeam, policyCalls } from './team-policy-scene.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
let organization: TestOrganization;
let owner: TestMember;
let ada: TestMember;
let bob: TestMember;
let teamId: string;

beforeEach(async () => {
  ({ organization, owner, ada, bob, teamId } = await createPolicyTeam(app));
});

const { read, create, activate, shown } = policyCalls(app, () => ({
  organization,
  owner,
  teamId,
}));

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
