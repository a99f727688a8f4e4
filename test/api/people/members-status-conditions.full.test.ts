/** When members may be suspended, removed and reactivated, and who may do it. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile, everywhere } from '../../support/scene.ts';
import {
  activatePath,
  activatePolicy,
  createMember,
  createOrganization,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import {
  memberEvents,
  memberPath,
  OWNER_POLICY,
  reactivate,
  remove,
  statusOf,
  suspend,
} from '../../support/scene/members.ts';
import type { HttpClient } from '../../support/http.ts';
import { outcome } from '../../support/refusals.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const member = (options: Parameters<typeof createMember>[2] = {}) =>
  createMember(app, organization.id, options);
const manager = () => member({ policies: [everywhere('membership.write', 'membership.read')] });

/** The owner with a key in place of the browser session, for the verbs of members. */
const byKey = (http: HttpClient): TestMember => ({ ...owner, membershipId: '', browser: http });

const URGENT = { type: 'urgency', urgency: 'interrupt' };

/** A level that asks the member. */
const levelOf = ({ membershipId }: TestMember) => ({
  id: randomUUID(),
  type: 'level',
  targets: [{ type: 'user', id: membershipId }],
  escalate_after: '15m',
});

/** Makes an active path ask the member by name. Returns its key. */
async function askByName(member: TestMember): Promise<string> {
  const path_key = `path-${randomUUID().slice(0, 8)}`;
  await activatePath(owner, { path_key, name: 'Night shift', nodes: [levelOf(member)] });
  return path_key;
}

describe.each([
  ['suspending', suspend],
  ['removing', remove],
] as const)('%s', (_, change) => {
  test('oneself is refused, even for an owner', async () => {
    expect(outcome(await change(owner, owner))).toBe('403 self_change');
    const inCapitals = { ...owner, membershipId: owner.membershipId.toUpperCase() };
    expect(outcome(await change(owner, inCapitals))).toBe('403 self_change');
    expect(await statusOf(app, owner)).toBe('active');
  });

  test('an owner needs an owner', async () => {
    const second = await member({ policies: [OWNER_POLICY] });
    expect(outcome(await change(await manager(), second))).toBe('403 owner_required');
    expect((await change(owner, second)).status).toBeLessThan(300);
    expect(await statusOf(app, second)).not.toBe('active');
  });

  test('a manager is possible by key, and an owner only by session', async () => {
    const scoped = await member({ policies: [OWNER_POLICY] });
    await app
      .db('api_keys')
      .where({ membership_id: scoped.membershipId })
      .update({ permissions: ['membership.write'] });
    const second = await member({ policies: [OWNER_POLICY] });
    for (const { http } of [owner, scoped]) {
      expect(outcome(await change(byKey(http), second))).toBe('403 session_required');
      expect(await statusOf(app, second)).toBe('active');
    }
    expect((await change(byKey((await manager()).http), await member())).status).toBeLessThan(300);
  });

  test('an owner needs recent authentication, with a second factor when the organization requires it', async () => {
    const second = await member({ policies: [OWNER_POLICY] });
    const session = () => app.db('sessions').where({ membership_id: owner.membershipId });
    await session().update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect(outcome(await change(owner, second))).toBe('403 reauthentication_required');
    expect((await change(owner, await member())).status).toBeLessThan(300);
    await session().update({ authenticated_at: new Date() });
    await app.db('organizations').where({ id: organization.id }).update({ require_mfa: true });
    expect(outcome(await change(owner, second))).toBe('403 mfa_required');
    expect(await statusOf(app, second)).toBe('active');
    await session().update({ assurance: 'strong' });
    expect((await change(owner, second)).status).toBeLessThan(300);
  });

  test('a directory-managed member is refused', async () => {
    const ada = await member();
    await app.db('memberships').where({ id: ada.membershipId }).update({ directory_managed: true });
    expect(outcome(await change(owner, ada))).toBe('409 directory_managed');
    expect(await statusOf(app, ada)).toBe('active');
  });

  test('a member in an active escalation path is refused with the paths, and force records what was left behind', async () => {
    const ada = await member();
    const path_key = await askByName(ada);
    const uses = {
      escalation_paths: [{ path_key, name: 'Night shift', revision: 1 }],
      team_escalation_policies: [],
    };
    const refused = await change(owner, ada);
    expect(outcome(refused)).toBe('409 membership_in_escalation_path');
    expect(refused.body['error']?.['details']).toEqual(uses);
    expect(await statusOf(app, ada)).toBe('active');
    expect((await owner.http.get(`${memberPath(ada)}/uses`)).body).toEqual({
      ...uses,
      live_api_key_count: 1,
    });
    expect((await change(owner, ada, true)).status).toBeLessThan(300);
    expect((await memberEvents(app, ada)).at(-1)?.data).toMatchObject({ left_behind: uses });
  });

  test('a member in active team escalation policies is refused with the teams, and force records what was left behind', async () => {
    const ada = await member();
    const [night, day] = [
      await createTeam(app, organization.id, { name: `Night ${randomUUID()}`, members: [ada] }),
      await createTeam(app, organization.id, { name: `Day ${randomUUID()}`, members: [ada] }),
    ];
    const level = levelOf(ada);
    for (const id of [night, day]) await activatePolicy(owner, id, { nodes: [level] });
    await activatePolicy(owner, night, {
      nodes: [{ id: randomUUID(), type: 'if_else', conditions: [URGENT], then: [level] }],
    });
    const named = (team_id: string, revision: number) => ({
      team_id,
      team_name: expect.any(String),
      revision,
    });
    const uses = {
      escalation_paths: [],
      team_escalation_policies: [named(day, 1), named(night, 2)],
    };
    const refused = await change(owner, ada);
    expect(outcome(refused)).toBe('409 membership_in_escalation_path');
    expect(refused.body['error']?.['details']).toEqual(uses);
    expect(await statusOf(app, ada)).toBe('active');
    expect((await change(owner, ada, true)).status).toBeLessThan(300);
    expect((await memberEvents(app, ada)).at(-1)?.data).toMatchObject({ left_behind: uses });
  });

  test('a member in a deactivated escalation policy is possible', async () => {
    const ada = await member();
    const id = await createTeam(app, organization.id, { members: [ada] });
    const level = levelOf(ada);
    await activatePolicy(owner, id, { nodes: [level] });
    await owner.http.call('DELETE', `/api/v1/teams/${id}/escalation-policy/active`, {
      headers: { 'if-match': '"1"' },
    });
    expect((await change(owner, ada)).status).toBeLessThan(300);
  });

  test('a member in an archived escalation path is possible', async () => {
    const ada = await member();
    const path_key = await askByName(ada);
    await owner.http.delete(`/api/v1/escalation-paths/${path_key}`, {
      headers: { 'if-match': '"1"' },
    });
    expect((await change(owner, ada)).status).toBeLessThan(300);
  });

  test('a member of another organization answers 404', async () => {
    const stranger = (await createOrganization(app)).owner;
    expect(outcome(await change(owner, stranger))).toBe('404 not_found');
    expect(await statusOf(app, stranger)).toBe('active');
  });
});

test('reactivating an owner needs recent authentication of an owner', async () => {
  const second = await member({ policies: [OWNER_POLICY], status: 'suspended' });
  expect(outcome(await reactivate(byKey(owner.http), second))).toBe('403 session_required');
  await app
    .db('sessions')
    .where({ membership_id: owner.membershipId })
    .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
  expect(outcome(await reactivate(owner, second))).toBe('403 reauthentication_required');
  expect(await statusOf(app, second)).toBe('suspended');
});
