/** The pages of permission policies: what they show and offer, ownership, and holders that accept no change. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { permissions } from '../../../src/domain/people/permissions.ts';
import type { HttpClient } from '../../support/http.ts';
import { appForFile, scene } from '../../support/scene.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  grant,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import {
  granted,
  ofKey,
  ofMember,
  ofTeam,
  onAgents,
  outcome,
  OWNERSHIP,
  pointers,
  policiesOf,
  post,
  put,
  terms,
  type Shown,
} from '../../support/scene/permission-policies.ts';
import { idOf } from '../../support/tokens.ts';
import { ROUNDS } from '../../support/rounds.ts';

let organization: TestOrganization;
let owner: TestMember;

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
const open = await scene();

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const member = (...policies: Policy[]) => createMember(app, organization.id, { policies });
/** A member who manages policies and also holds these permissions. */
const manager = (...keys: string[]) =>
  member(granted('permission_policy.read', 'permission_policy.write', ...keys));
const shown = (path: string, http = owner.browser) => policiesOf(path, http);

/** A policy that the owner creates. */
async function granting(path: string, body: unknown): Promise<Shown> {
  const answer = await post(owner.browser, path, body);
  expect(answer.status).toBe(201);
  return answer.body as unknown as Shown;
}

async function makeStale({ membershipId }: TestMember) {
  await app
    .db('sessions')
    .where({ membership_id: membershipId })
    .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
}

describe('the vocabulary', () => {
  test('is listed completely to callers who may read or write policies', async () => {
    for (const key of ['permission_policy.read', 'permission_policy.write']) {
      const answer = await (await member(granted(key))).http.get('/api/v1/permissions');
      expect(answer.body['permissions']).toEqual(
        permissions.map(({ key, area, description, holders, resource, dangerous, scopes }) => ({
          key,
          area,
          description,
          holders,
          resource,
          dangerous,
          scopes,
        })),
      );
    }
  });
});

describe('the policies of a holder', () => {
  test('are at most fifty, also with concurrent calls', async () => {
    const ada = await createMember(app, organization.id);
    for (let index = 0; index < 48; index += 1) {
      await grant(app.db, organization.id, {
        membershipId: ada.membershipId,
        policy: granted('agent.read'),
      });
    }
    const page = `/api/v1/members/${ada.membershipId}/permission_policies`;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => post(owner.browser, page, terms('agent.read'))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body['error']).toMatchObject({
      code: 'policy_limit_reached',
      details: { limit: 50 },
    });
    expect(await shown(page)).toHaveLength(50);
  });

  test('are listed on a page that offers the first five hundred teams by name and says when there are more', async () => {
    const { id, owner: reader } = await createOrganization(app);
    const page = `/api/v1/members/${reader.membershipId}/permission_policies`;
    const create = (from: number, to: number) =>
      app.db.raw(
        `insert into teams (id, organization_id, name, created_at)
         select gen_random_uuid(), :id, 'Team ' || lpad(cast(n as text), 4, '0'), clock_timestamp()
           from generate_series(cast(:from as integer), cast(:to as integer)) as n`,
        { id, from, to },
      );
    const listed = async () => {
      const { resources, resources_truncated } = (await reader.http.get(page)).body as unknown as {
        resources: { name: string }[];
        resources_truncated: boolean;
      };
      return [resources.length, resources.at(-1)?.name, resources_truncated];
    };
    await create(1, 500);
    expect(await listed()).toEqual([500, 'Team 0500', false]);
    await create(501, 502);
    expect(await listed()).toEqual([500, 'Team 0500', true]);
  });
});

describe("a member's page", () => {
  test("shows own policies and those of live teams, which change only on the team's page", async () => {
    const ada = await createMember(app, organization.id, {
      displayName: 'Ada',
      policies: [granted('agent.read')],
    });
    const team = await createTeam(app, organization.id, {
      name: 'On call',
      members: [ada],
      policies: [granted('request.decide')],
    });
    const page = (await owner.browser.get(ofMember(ada))).body;
    expect(page).toMatchObject({ name: 'Ada', can_create: true, is_owner: false });
    expect(page['policies']).toMatchObject([
      { permissions: ['agent.read'], can_edit: true },
      {
        permissions: ['request.decide'],
        via_team_id: team,
        via_team_name: 'On call',
        can_edit: false,
        read_only_reason: 'inherited',
      },
    ]);
    const inherited = `${ofMember(ada)}/${String(page['policies']?.[1]?.['id'])}`;
    const refused = await owner.browser.delete(inherited);
    expect(outcome(refused)).toBe('409 read_only_policy');
    expect(refused.body['error']?.['details']).toEqual({ read_only_reason: 'inherited' });
  });

  test('offers the permissions that people can hold, and the agents and teams for which the caller can grant something', async () => {
    const [a, b] = [await createAgent(app, organization), await createAgent(app, organization)];
    const team = await createTeam(app, organization.id, { name: 'On call' });
    const ada = await member({
      scope_kind: 'agent',
      resource_ids: [b.slug],
      permissions: ['request.read'],
    });
    const page = async (http: HttpClient) => (await http.get(ofMember(ada))).body;
    const ids = async (http: HttpClient) =>
      ((await page(http))['resources'] as unknown as { id: string }[]).map(({ id }) => id);
    expect((await ids(owner.browser)).sort()).toEqual([a.slug, b.slug, team].sort());
    const narrow = await member(
      granted('permission_policy.read', 'permission_policy.write'),
      onAgents([a.slug], 'agent.read') as Policy,
    );
    expect((await ids(narrow.http)).sort()).toEqual([a.slug, b.slug].sort());
    const keys = ((await page(owner.browser))['permissions'] as unknown as { key: string }[]).map(
      ({ key }) => key,
    );
    expect(keys).toEqual(
      permissions.filter(({ holders }) => holders.includes('human')).map(({ key }) => key),
    );
  });

  test('shows policies of the directory, which only the directory changes', async () => {
    const ada = await member(granted('agent.read'));
    await app
      .db('permission_policies')
      .where({ membership_id: ada.membershipId })
      .update({ source: 'directory' });
    const [policy] = await shown(ofMember(ada));
    expect(policy).toMatchObject({
      source: 'directory',
      can_edit: false,
      read_only_reason: 'directory_managed',
    });
    const path = `${ofMember(ada)}/${String(policy?.id)}`;
    expect(outcome(await owner.browser.delete(path))).toBe('409 read_only_policy');
    expect(outcome(await put(owner.browser, path, { ...terms('agent.read'), revision: 1 }))).toBe(
      '409 read_only_policy',
    );
  });

  test('of a removed member accepts no change', async () => {
    const ada = await createMember(app, organization.id, {
      status: 'deprovisioned',
      policies: [granted('agent.read')],
    });
    const page = (await owner.browser.get(ofMember(ada))).body;
    expect(page).toMatchObject({ can_create: false, read_only_reason: 'membership_removed' });
    expect(page['policies']).toMatchObject([
      { can_edit: false, read_only_reason: 'membership_removed' },
    ]);
    expect(outcome(await post(owner.browser, ofMember(ada), terms('agent.read')))).toBe(
      '409 membership_removed',
    );
    expect(
      outcome(
        await owner.browser.delete(`${ofMember(ada)}/${String(page['policies']?.[0]?.['id'])}`),
      ),
    ).toBe('409 membership_removed');
  });
});

describe("a team's page", () => {
  test('of an archived team accepts no change', async () => {
    const team = await createTeam(app, organization.id, {
      name: 'Gone',
      policies: [granted('agent.read')],
    });
    await app.db('teams').where({ id: team }).update({ archived_at: new Date() });
    const page = (await owner.browser.get(ofTeam(team))).body;
    expect(page).toMatchObject({
      name: 'Gone',
      can_create: false,
      read_only_reason: 'team_archived',
    });
    expect(outcome(await post(owner.browser, ofTeam(team), terms('agent.read')))).toBe(
      '409 team_archived',
    );
    expect(
      outcome(
        await owner.browser.delete(`${ofTeam(team)}/${String(page['policies']?.[0]?.['id'])}`),
      ),
    ).toBe('409 team_archived');
  });
});

describe("an organization key's page", () => {
  test('offers what such a key can hold', async () => {
    const { id } = await createOrganizationKey(app, organization);
    const keys = (
      (await owner.browser.get(ofKey(id))).body['permissions'] as unknown as { key: string }[]
    ).map(({ key }) => key);
    expect(keys).toEqual(
      permissions
        .filter(({ holders }) => holders.includes('organization_api_key'))
        .map(({ key }) => key),
    );
    expect(pointers(await post(owner.browser, ofKey(id), terms('request.decide')))).toEqual([
      '/permissions/0',
    ]);
  });

  test('of a revoked or expired key accepts no change', async () => {
    for (const end of [
      { revoked_at: new Date(), revocation_reason: 'manual' },
      { expires_at: new Date(Date.now() - 1_000) },
    ]) {
      const { id } = await createOrganizationKey(app, organization);
      await app.db('api_keys').where({ id }).update(end);
      expect((await owner.browser.get(ofKey(id))).body).toMatchObject({
        can_create: false,
        read_only_reason: 'api_key_inactive',
      });
      expect(outcome(await post(owner.browser, ofKey(id), terms('agent.read')))).toBe(
        '409 read_only_policy',
      );
    }
  });

  test('does not exist for a personal key', async () => {
    const id = idOf(owner.apiKey);
    expect(outcome(await owner.browser.get(ofKey(id)))).toBe('404 not_found');
    await grant(app.db, organization.id, { apiKeyId: id, policy: granted('agent.read') });
    expect(outcome(await post(owner.browser, ofKey(id), terms('agent.read')))).toBe(
      '404 not_found',
    );
  });
});

describe('ownership', () => {
  const second = () => member({ scope_kind: 'organization', is_owner: true });

  test('is granted by an owner with recent authentication, and carries everything', async () => {
    const ada = await member();
    const everything = permissions
      .filter(({ holders }) => holders.includes('human'))
      .map(({ key }) => key);
    const rich = await member(granted(...everything));
    expect(outcome(await post(rich.browser, ofMember(ada), OWNERSHIP))).toBe('403 owner_required');
    expect(outcome(await post(owner.http, ofMember(ada), OWNERSHIP))).toBe('403 session_required');
    await granting(ofMember(ada), OWNERSHIP);
    expect((await ada.http.get(ofMember(ada))).body).toMatchObject({ is_owner: true });
    await makeStale(owner);
    expect(outcome(await post(owner.browser, ofMember(rich), OWNERSHIP))).toBe(
      '403 reauthentication_required',
    );
  });

  test('is removed by an owner only', async () => {
    const ada = await second();
    const rich = await manager();
    const [policy] = await shown(ofMember(ada), rich.browser);
    expect(policy).toMatchObject({
      is_owner: true,
      can_edit: false,
      read_only_reason: 'owner_required',
    });
    expect(outcome(await rich.browser.delete(`${ofMember(ada)}/${String(policy?.id)}`))).toBe(
      '403 owner_required',
    );
    expect((await owner.browser.delete(`${ofMember(ada)}/${String(policy?.id)}`)).status).toBe(204);
    expect(await shown(ofMember(ada))).toEqual([]);
  });

  test('is possible only for members and at organization scope', async () => {
    const team = await createTeam(app, organization.id);
    expect(
      pointers(
        await post(
          owner.browser,
          ofKey((await createOrganizationKey(app, organization)).id),
          OWNERSHIP,
        ),
      ),
    ).toEqual(['/is_owner']);
    expect(pointers(await post(owner.browser, ofTeam(team), OWNERSHIP))).toEqual(['/is_owner']);
    expect(
      pointers(
        await post(owner.browser, ofMember(owner), { ...OWNERSHIP, permissions: ['agent.read'] }),
      ),
    ).toEqual(['/permissions']);
  });

  test('of the last active owner cannot be removed', async () => {
    await createMember(app, organization.id, {
      status: 'suspended',
      policies: [{ scope_kind: 'organization', is_owner: true }],
    });
    const [policy] = await shown(ofMember(owner));
    expect(policy).toMatchObject({ can_edit: false, read_only_reason: 'last_owner' });
    const path = `${ofMember(owner)}/${String(policy?.id)}`;
    expect(outcome(await owner.browser.delete(path))).toBe('409 last_owner');
    expect(outcome(await put(owner.browser, path, { ...terms('agent.read'), revision: 1 }))).toBe(
      '409 last_owner',
    );
    expect(await shown(ofMember(owner))).toEqual([policy]);
  });

  test('stays with exactly one of two owners who give it up at the same moment', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const home = await createOrganization(app);
      const owners = [
        home.owner,
        await createMember(app, home.id, {
          policies: [{ scope_kind: 'organization', is_owner: true }],
        }),
      ];
      const paths = await Promise.all(
        owners.map(
          async (who) =>
            `${ofMember(who)}/${String((await shown(ofMember(who), who.browser))[0]?.id)}`,
        ),
      );
      const [first, last] = owners.map((who, index) => ({ who, path: paths[index] ?? '' }));
      const answers = await Promise.all([
        first?.who.browser.delete(first.path),
        last && put(last.who.browser, last.path, { ...terms('agent.read'), revision: 1 }),
      ]);
      const outcomes = answers.map((answer) => answer && outcome(answer));
      expect(outcomes.filter((one) => one === '409 last_owner')).toHaveLength(1);
      const left = await app
        .db('permission_policies')
        .where({ organization_id: home.id, is_owner: true });
      expect(left).toHaveLength(1);
    }
  });
});

describe('the open edition', () => {
  test('has no policies of organization keys, and neither lists nor grants permissions it does not serve', async () => {
    const home = open.organization;
    const { id } = await createOrganizationKey(open.app, home);
    expect(outcome(await home.owner.browser.get(ofKey(id)))).toBe('404 not_found');
    expect(outcome(await post(home.owner.browser, ofKey(id), terms('agent.read')))).toBe(
      '404 not_found',
    );
    const served = permissions.filter(({ edition }) => edition === 'open').map(({ key }) => key);
    const listed = (await home.owner.browser.get('/api/v1/permissions')).body[
      'permissions'
    ] as unknown as { key: string }[];
    expect(listed.map(({ key }) => key)).toEqual(served);
    const refused = await post(
      home.owner.browser,
      ofMember(await createMember(open.app, home.id)),
      terms('audit.read'),
    );
    expect(pointers(refused)).toEqual(['/permissions/0']);
  });
});
