/** What members may do in the end and where it comes from, and what a change of access would do before it is saved. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { heldBy } from '../../support/held-by.ts';
import type { HttpClient } from '../../support/http.ts';
import { appForFile } from '../../support/scene.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import {
  granted,
  ofMember,
  ofTeam,
  onAgents,
  outcome,
  OWNERSHIP,
  pointers,
  policiesOf,
  post,
  terms,
  type Shown,
} from '../../support/scene/permission-policies.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });

let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
  await app
    .db('users')
    .whereIn('id', app.db('memberships').where({ id: owner.membershipId }).select('user_id'))
    .update({ display_name: 'Olivia' });
});

const member = (displayName: string, ...policies: Policy[]) =>
  createMember(app, organization.id, { displayName, policies });
const accessOf = ({ membershipId }: TestMember, http: HttpClient = owner.http) =>
  http.get(`/api/v1/members/${membershipId}/access`);
const preview = (body: unknown, http: HttpClient = owner.http) =>
  http.post('/api/v1/permission_policies/preview', body);

const decide = (...slugs: string[]) => onAgents(slugs, 'request.decide');

interface Right {
  readonly permissions: readonly string[];
  readonly sources: readonly { readonly team_name?: string; readonly is_owner: boolean }[];
}
const rightsOf = async (of: TestMember) =>
  (await accessOf(of)).body['rights'] as unknown as readonly Right[];

describe('what a member may do', () => {
  test('names every policy from which each right comes, and leaves out what a wider right includes', async () => {
    const bots = [await createAgent(app, organization), await createAgent(app, organization)];
    const [one = '', other = ''] = bots.map(({ slug }) => slug);
    const grace = await member('Grace', granted('request.read'), decide(one) as Policy);
    await createTeam(app, organization.id, {
      name: 'Refund desk',
      members: [grace],
      policies: [onAgents([one, other], 'request.read', 'request.decide') as Policy],
    });
    const policies = await policiesOf(ofMember(grace), owner.http);
    const idOf = (is: (policy: Shown) => boolean) => ({ policy_id: policies.find(is)?.id });
    const wide = idOf((policy) => policy['scope_kind'] === 'organization');
    const own = idOf((policy) => isDeepStrictEqual(policy['permissions'], ['request.decide']));
    const team = idOf((policy) => policy['via_team_name'] === 'Refund desk');
    expect((await accessOf(grace)).body).toMatchObject({
      name: 'Grace',
      active: true,
      rights: [
        {
          scope_kind: 'organization',
          resource_ids: [],
          permissions: ['request.read'],
          sources: [wide],
        },
        {
          scope_kind: 'agent',
          resource_ids: [one],
          permissions: ['request.decide'],
          sources: [own, { ...team, team_name: 'Refund desk' }],
        },
        { scope_kind: 'agent', resource_ids: [other], sources: [team] },
      ],
      resources: [
        { id: one, name: `Agent ${one}`, kind: 'agent' },
        { id: other, name: `Agent ${other}`, kind: 'agent' },
      ],
    });
  });

  test('begins with ownership, and says that a suspended member can use nothing', async () => {
    expect(await rightsOf(owner)).toMatchObject([
      { permissions: [], sources: [{ is_owner: true }] },
    ]);
    const ada = await member('Ada', granted('agent.read'));
    await owner.http.call('PATCH', `/api/v1/members/${ada.membershipId}`, {
      body: { status: 'suspended' },
    });
    expect((await accessOf(ada)).body).toMatchObject({
      active: false,
      rights: [{ permissions: ['agent.read'] }],
    });
  });
});

describe('the preview of a change', () => {
  test('of a policy of a team says who gains and loses what, and who may decide afterwards', async () => {
    const bot = await createAgent(app, organization, 'support-bot');
    const grace = await member('Grace', decide(bot.slug) as Policy);
    const mia = await member('Mia');
    const team = await createTeam(app, organization.id, { members: [grace, mia] });
    const holder = { kind: 'team', id: team };
    const policy = onAgents([bot.slug], 'request.decide', 'request.read');
    const created = await preview({ change: 'create_policy', holder, policy });
    expect(created.body).toMatchObject({
      holders: [
        { name: 'Grace', gains: [{ permissions: ['request.read'] }], losses: [] },
        { name: 'Mia', gains: [{ permissions: ['request.decide', 'request.read'] }] },
      ],
      holder_count: 2,
      agents: [
        {
          agent_slug: 'support-bot',
          deciders_before: 2,
          deciders_after: 3,
          owners_after: 1,
          deciders: [
            { display_name: 'Grace' },
            { display_name: 'Mia' },
            { display_name: 'Olivia', is_owner: true },
          ],
        },
      ],
      agent_count: 1,
    });
    expect(await policiesOf(ofTeam(team), owner.http)).toEqual([]);

    const { id } = (await post(owner.browser, ofTeam(team), policy)).body as unknown as {
      id: string;
    };
    const wider = await preview({
      change: 'replace_policy',
      holder,
      policy_id: id,
      policy: terms('request.read'),
    });
    expect(wider.body['holders']).toMatchObject([
      { name: 'Grace', gains: [{ scope_kind: 'organization', permissions: ['request.read'] }] },
      {
        name: 'Mia',
        gains: [{ scope_kind: 'organization', permissions: ['request.read'] }],
        losses: [{ scope_kind: 'agent', permissions: ['request.decide'] }],
      },
    ]);
    const deleted = await preview({ change: 'delete_policy', holder, policy_id: id });
    expect(deleted.body['agents']).toMatchObject([{ deciders_before: 3, deciders_after: 2 }]);
    const archived = await preview({ change: 'archive_team', team_id: team });
    expect(archived.body).toEqual(deleted.body);
    const without = await preview({
      change: 'set_team_members',
      team_id: team,
      membership_ids: [grace.membershipId, owner.membershipId],
    });
    expect(without.body['holders']).toMatchObject([{ name: 'Mia', gains: [] }]);
  });

  test('shows a zero where no one is left, and people who keep a part of what they lose', async () => {
    const [bot, other] = [
      await createAgent(app, organization, 'a-bot'),
      await createAgent(app, organization, 'b-bot'),
    ];
    const [ownership] = await policiesOf(ofMember(owner), owner.http);
    await post(owner.browser, ofMember(owner), decide(other.slug));
    const body = {
      change: 'replace_policy',
      holder: { kind: 'member', id: owner.membershipId },
      policy_id: ownership?.id,
      policy: terms('agent.read'),
    };
    expect((await preview(body)).body).toMatchObject({
      holders: [
        {
          gains: [],
          losses: [{ is_owner: true, permissions: [] }],
          keeps: [
            { scope_kind: 'organization', permissions: ['agent.read'] },
            { scope_kind: 'agent', resource_ids: [other.slug] },
          ],
        },
      ],
      agents: [{ agent_slug: bot.slug, deciders_before: 1, deciders_after: 0, deciders: [] }],
    });
  });

  test('of suspending, reactivating and ownership counts only active people', async () => {
    const bot = await createAgent(app, organization);
    const ada = await member('Ada', decide(bot.slug) as Policy);
    const holder = { kind: 'member', id: ada.membershipId };
    const suspending = await preview({ change: 'suspend_member', membership_id: holder.id });
    expect(suspending.body).toMatchObject({
      holders: [{ losses: [{ resource_ids: [bot.slug] }] }],
      agents: [{ deciders_after: 1, owners_after: 1 }],
    });
    await owner.http.call('PATCH', `/api/v1/members/${holder.id}`, {
      body: { status: 'suspended' },
    });
    const nothing = { holders: [], holder_count: 0, agents: [], agent_count: 0, resources: [] };
    const policy = terms('request.decide');
    expect((await preview({ change: 'create_policy', holder, policy })).body).toEqual(nothing);
    const back = await preview({ change: 'reactivate_member', membership_id: holder.id });
    expect(back.body).toMatchObject({ agents: [{ deciders_before: 1, deciders_after: 2 }] });
    const mia = await member('Mia');
    const owning = { change: 'create_policy', holder: { kind: 'member', id: mia.membershipId } };
    expect((await preview({ ...owning, policy: OWNERSHIP })).body['holders']).toMatchObject([
      { gains: [{ is_owner: true, permissions: [] }], losses: [], keeps: [] },
    ]);
  });

  test('of a policy of an organization key concerns the key alone', async () => {
    const key = await createOrganizationKey(app, organization, [granted('agent.read')]);
    const holder = { kind: 'api_key', id: key.id };
    const created = await preview({ change: 'create_policy', holder, policy: terms('team.read') });
    expect(created.body).toMatchObject({
      holders: [
        { kind: 'api_key', name: 'test integration', gains: [{ permissions: ['team.read'] }] },
      ],
      agents: [],
    });
    const refused = await preview({
      change: 'create_policy',
      holder,
      policy: terms('request.decide'),
    });
    expect([outcome(refused), pointers(refused)]).toEqual([
      '400 validation_failed',
      ['/policy/permissions/0'],
    ]);
  });

  test('refuses what could not be saved, and tells others nothing', async () => {
    const ada = await member('Ada', granted('team.read'));
    const holder = { kind: 'member', id: ada.membershipId };
    const create = { change: 'create_policy', holder, policy: decide('no-agent') };
    expect(pointers(await preview(create))).toEqual(['/policy/resource_ids/0']);
    const gone = { change: 'delete_policy', holder, policy_id: randomUUID() };
    expect(outcome(await preview(gone))).toBe('404 not_found');
    const team = await createTeam(app, organization.id, {
      members: [ada],
      policies: [granted('agent.read')],
    });
    const inherited = (await policiesOf(ofMember(ada), owner.http))[1]?.id;
    expect(outcome(await preview({ ...gone, policy_id: inherited }))).toBe('409 read_only_policy');
    const stranger = (await createOrganization(app)).owner;
    for (const body of [
      create,
      { change: 'archive_team', team_id: team },
      { change: 'suspend_member', membership_id: ada.membershipId },
    ]) {
      expect(outcome(await preview(body, stranger.http))).toBe('404 not_found');
      const refused = await preview(body, ada.http);
      expect(outcome(refused)).toBe('403 permission_denied');
      expect(refused.body['error']?.['details']).toEqual({
        permission: 'permission_policy.read',
        scope_kind: 'organization',
        reason: 'missing_permission',
      });
    }
  });
});

interface Listed {
  readonly key: string;
  readonly scopes: readonly string[];
  readonly holders: readonly string[];
}

test('a preview for many people at many agents leaves the event loop to others', async () => {
  const slugs = Array.from({ length: 100 }, (_, index) => `many-${index}`);
  const now = new Date();
  await app.db('agents').insert(
    slugs.map((slug) => ({
      ...{ organization_id: organization.id, slug, name: slug, status: 'active' },
      ...{ created_by_actor_id: owner.membershipId, created_at: now, updated_at: now },
    })),
  );
  const members: TestMember[] = [];
  for (let index = 0; index < 120; index += 1) members.push(await member(`Member ${index}`));
  const id = await createTeam(app, organization.id, { members });
  const { body: vocabulary } = await owner.http.get('/api/v1/permissions');
  const keys = (vocabulary['permissions'] as unknown as Listed[])
    .filter(({ scopes, holders }) => scopes.includes('agent') && holders.includes('human'))
    .map(({ key }) => key);
  const change = {
    change: 'create_policy',
    holder: { kind: 'team', id },
    policy: onAgents(slugs, ...keys),
  };
  const held = await heldBy(async () => {
    expect((await preview(change)).body).toMatchObject({ holder_count: 120, agent_count: 100 });
  });
  expect(held).toBeLessThan(100);
});
