/**
 * Permission policies of members, teams and organization keys: listed, created, changed, deleted.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { permissions } from '../../../src/domain/people/permissions.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  grant,
} from '../../support/scene/factories.ts';
import type { Policy, TestMember, TestOrganization } from '../../support/scene/factories.ts';
import type { Answer, HttpClient } from '../../support/http.ts';
import { idOf } from '../../support/tokens.ts';

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
});

afterAll(async () => {
  await app.close();
});

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const granted = (...keys: string[]): Policy => ({ scope_kind: 'organization', permissions: keys });
const terms = (...keys: string[]) => ({
  scope_kind: 'organization',
  resource_ids: [],
  permissions: keys,
});
const onAgents = (resource_ids: string[], ...keys: string[]) => ({
  scope_kind: 'agent',
  resource_ids,
  permissions: keys,
});
const OWNERSHIP = { scope_kind: 'organization', resource_ids: [], permissions: [], is_owner: true };
const member = (...policies: Policy[]) => createMember(app, organization.id, { policies });
/** A member who manages policies and also holds these permissions. */
const manager = (...keys: string[]) =>
  member(granted('permission_policy.read', 'permission_policy.write', ...keys));

const ofMember = ({ membershipId }: TestMember) =>
  `/api/v1/members/${membershipId}/permission_policies`;
const ofTeam = (id: string) => `/api/v1/teams/${id}/permission_policies`;
const ofKey = (id: string) => `/api/v1/api_keys/${id}/permission_policies`;

const post = (http: HttpClient, path: string, body: unknown, key: string = randomUUID()) =>
  http.post(path, body, { headers: { 'idempotency-key': key } });
const put = (http: HttpClient, path: string, body: unknown) => http.call('PUT', path, { body });
const outcome = ({ status, body }: Answer) =>
  status < 400 ? status : `${status} ${String(body['error']?.['code'])}`;
const pointers = ({ body }: Answer) =>
  (body['error']?.['details']?.['issues'] as unknown as { pointer: string }[]).map(
    ({ pointer }) => pointer,
  );

type Shown = Record<string, unknown> & { id: string };
const policiesOf = async (path: string, http: HttpClient = owner.browser) =>
  (await http.get(path)).body['policies'] as unknown as readonly Shown[];

/** A policy that the owner creates. */
async function granting(path: string, body: unknown): Promise<Shown> {
  const answer = await post(owner.browser, path, body);
  expect(answer.status).toBe(201);
  return answer.body as unknown as Shown;
}

async function events(subjectId: string) {
  const rows = (await app
    .db('audit_events')
    .where({ subject_id: subjectId })
    .orderBy('sequence')
    .select('event_type', 'data')) as {
    event_type: string;
    data: string;
  }[];
  return rows.map(({ event_type, data }) => [event_type, JSON.parse(data) as unknown] as const);
}

async function makeStale({ membershipId }: TestMember) {
  await app
    .db('sessions')
    .where({ membership_id: membershipId })
    .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
}

describe('the vocabulary', () => {
  test('is listed completely to callers who may read or write policies, and refused to others', async () => {
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
    const refused = await (
      await member(granted('membership.read'))
    ).http.get('/api/v1/permissions');
    expect(outcome(refused)).toBe('403 permission_denied');
    expect(refused.body['error']?.['details']).toEqual({
      permission: 'permission_policy.read',
      scope_kind: 'organization',
      reason: 'missing_permission',
    });
  });
});

describe.each([
  ['a member', async () => ofMember(await member())],
  ['a team', async () => ofTeam(await createTeam(app, organization.id))],
  ['an organization key', async () => ofKey((await createOrganizationKey(app, organization)).id)],
] as const)('a policy of %s', (_, createHolder) => {
  let path: string;

  beforeEach(async () => {
    path = await createHolder();
  });

  test('can be created, read, changed and deleted, with an audit event for each', async () => {
    const agent = await createAgent(app, organization);
    const created = await granting(path, onAgents([agent.slug], 'request.read'));
    expect(created).toEqual({
      id: created.id,
      scope_kind: 'agent',
      resource_ids: [agent.slug],
      permissions: ['request.read'],
      is_owner: false,
      revision: 1,
      resources: [{ id: agent.slug, name: `Agent ${agent.slug}`, kind: 'agent' }],
      source: 'manual',
      can_edit: true,
      granted_by_actor_id: owner.membershipId,
      created_at: expect.any(String),
    });
    expect(await policiesOf(path)).toEqual([created]);
    const changed = await put(owner.browser, `${path}/${created.id}`, {
      ...terms('agent.read'),
      revision: 1,
    });
    expect(changed.body).toEqual({
      ...created,
      ...terms('agent.read'),
      resources: [],
      revision: 2,
    });
    expect(await policiesOf(path)).toEqual([changed.body]);
    expect((await owner.browser.delete(`${path}/${created.id}`)).status).toBe(204);
    expect(await policiesOf(path)).toEqual([]);
    expect(outcome(await owner.browser.delete(`${path}/${created.id}`))).toBe('404 not_found');
    expect((await events(created.id)).map(([type]) => type)).toEqual([
      'permission_policy.created',
      'permission_policy.updated',
      'permission_policy.deleted',
    ]);
    expect((await events(created.id))[1]?.[1]).toMatchObject({
      permissions: ['agent.read'],
      revision: 2,
      previous: { scope_kind: 'agent', resource_ids: [agent.slug], permissions: ['request.read'] },
    });
  });

  test('names only live agents and teams of the organization', async () => {
    const [live, archived] = [
      await createAgent(app, organization),
      await createAgent(app, organization),
    ];
    await app
      .db('agents')
      .where({ slug: archived.slug })
      .update({ status: 'archived', archived_at: new Date() });
    const foreign = await createAgent(app, await createOrganization(app));
    const named = onAgents([live.slug, archived.slug, foreign.slug, 'unknown'], 'agent.read');
    expect(pointers(await post(owner.browser, path, named))).toEqual([
      '/resource_ids/1',
      '/resource_ids/2',
      '/resource_ids/3',
    ]);
    const team = await createTeam(app, organization.id);
    await app.db('teams').where({ id: team }).update({ archived_at: new Date() });
    const onTeam = { scope_kind: 'team', resource_ids: [team], permissions: ['team.read'] };
    expect(pointers(await post(owner.browser, path, onTeam))).toEqual(['/resource_ids/0']);
    expect(pointers(await post(owner.browser, path, terms('agent.fly')))).toEqual([
      '/permissions/0',
    ]);
    expect(await policiesOf(path)).toEqual([]);
  });

  test('accepts the id of a team in capitals', async () => {
    const team = await createTeam(app, organization.id);
    const granted = await post(owner.browser, path, {
      scope_kind: 'team',
      resource_ids: [team.toUpperCase()],
      permissions: ['team.read'],
    });
    expect([granted.status, granted.body['resource_ids']]).toEqual([201, [team]]);
    const twice = {
      scope_kind: 'team',
      resource_ids: [team, team.toUpperCase()],
      permissions: ['team.read'],
    };
    expect(pointers(await post(owner.browser, path, twice))).toEqual(['/resource_ids/1']);
    expect((await owner.browser.delete(`${path}/${String(granted.body['id'])}`)).status).toBe(204);
  });

  test('is one of at most fifty for each holder, also with concurrent calls', async () => {
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
    expect(await policiesOf(page)).toHaveLength(50);
  });

  test('has a page that offers the first five hundred teams by name and says when there are more', async () => {
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

  test('can be created, changed and deleted only by a caller who holds what it grants', async () => {
    const ada = await manager('agent.read');
    const beyond = await post(ada.http, path, terms('agent.read', 'pipeline.read'));
    expect(outcome(beyond)).toBe('403 grant_exceeds_own');
    expect(beyond.body['error']?.['details']).toEqual({
      grants: [{ permission: 'pipeline.read', scope_kind: 'organization' }],
    });
    const { id } = await granting(path, terms('pipeline.read'));
    expect(
      outcome(await put(ada.http, `${path}/${id}`, { ...terms('agent.read'), revision: 1 })),
    ).toBe('403 grant_exceeds_own');
    expect(outcome(await ada.http.delete(`${path}/${id}`))).toBe('403 grant_exceeds_own');
    const mine = (await post(ada.http, path, terms('agent.read'))).body as unknown as Shown;
    expect(
      outcome(
        await put(ada.http, `${path}/${mine.id}`, { ...terms('pipeline.read'), revision: 1 }),
      ),
    ).toBe('403 grant_exceeds_own');
    expect((await ada.http.delete(`${path}/${mine.id}`)).status).toBe(204);
    expect(await policiesOf(path, ada.http)).toMatchObject([
      { id, can_edit: false, read_only_reason: 'exceeds_own' },
    ]);
  });

  test('that is dangerous needs recent authentication to create, change and delete', async () => {
    const dangerous = terms('agent.credential.issue');
    expect(outcome(await post(owner.http, path, dangerous))).toBe('403 session_required');
    const { id } = await granting(path, dangerous);
    expect(await policiesOf(path, owner.http)).toMatchObject([
      { can_edit: false, read_only_reason: 'session_required' },
    ]);
    await makeStale(owner);
    expect(outcome(await post(owner.browser, path, dangerous))).toBe(
      '403 reauthentication_required',
    );
    expect(
      outcome(await put(owner.browser, `${path}/${id}`, { ...terms('agent.read'), revision: 1 })),
    ).toBe('403 reauthentication_required');
    expect(outcome(await owner.browser.delete(`${path}/${id}`))).toBe(
      '403 reauthentication_required',
    );
    expect(await policiesOf(path)).toMatchObject([{ id, can_edit: true }]);
    expect((await post(owner.browser, path, terms('agent.read'))).status).toBe(201);
  });

  test('changes only at its current revision: one of two concurrent changes succeeds, in each of 20 rounds', async () => {
    const { id } = await granting(path, terms('agent.read'));
    for (let revision = 1; revision <= 20; revision += 1) {
      const keys = revision % 2 === 1 ? ['pipeline.read'] : ['agent.read'];
      const changes = [keys, [...keys, 'webhook.read']].map((to) =>
        put(owner.browser, `${path}/${id}`, { ...terms(...to), revision }),
      );
      const outcomes = (await Promise.all(changes)).map(outcome).sort();
      expect(outcomes).toEqual([200, '409 policy_changed']);
    }
    const late = await put(owner.browser, `${path}/${id}`, { ...terms('agent.read'), revision: 1 });
    expect(late.body['error']?.['details']).toEqual({ revision: 21 });
  });

  test('keeps its revision when nothing changes, without an audit event', async () => {
    const { id } = await granting(path, terms('agent.read'));
    const same = await put(owner.browser, `${path}/${id}`, { ...terms('agent.read'), revision: 1 });
    expect(same.body).toMatchObject({ id, revision: 1 });
    expect(await events(id)).toHaveLength(1);
  });

  test('is created once for an idempotency key, also with 20 concurrent calls', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(owner.browser, path, terms('agent.read'), key)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(19).fill(200),
      201,
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const [only] = await policiesOf(path);
    expect(await policiesOf(path)).toHaveLength(1);
    expect(outcome(await post(owner.browser, path, terms('agent.write'), key))).toBe(
      '409 idempotency_conflict',
    );
    const id = String(only?.id);
    await put(owner.browser, `${path}/${id}`, { ...terms('agent.write'), revision: 1 });
    expect((await post(owner.browser, path, terms('agent.read'), key)).body).toMatchObject({
      id,
      revision: 2,
      permissions: ['agent.write'],
    });
    await owner.browser.delete(`${path}/${id}`);
    expect(outcome(await post(owner.browser, path, terms('agent.read'), key))).toBe(
      '404 not_found',
    );
    expect(outcome(await owner.browser.post(path, terms('agent.read')))).toBe(
      '400 idempotency_key_required',
    );
  });

  test('is the same in any order of its permissions and resources', async () => {
    const key = randomUUID();
    const wanted = ['agent.read', 'agent.write', 'request.read'];
    const first = await post(owner.browser, path, terms(...wanted), key);
    expect(first.status).toBe(201);
    const again = await post(owner.browser, path, terms(...wanted.toReversed()), key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    const other = await post(owner.browser, path, terms(...wanted.slice(1)), key);
    expect(outcome(other)).toBe('409 idempotency_conflict');
    const { id } = first.body as unknown as { id: string };
    const same = { ...terms(...wanted.toReversed()), revision: 1 };
    expect((await put(owner.browser, `${path}/${id}`, same)).body).toMatchObject({ revision: 1 });
  });

  test('needs permission_policy.read or permission_policy.write to read, and the latter to change', async () => {
    const reader = await member(granted('permission_policy.read'));
    const page = await reader.http.get(path);
    expect(page.body).toMatchObject({
      can_create: false,
      read_only_reason: 'permission_policy_write_missing',
    });
    expect(outcome(await post(reader.http, path, terms('agent.read')))).toBe(
      '403 permission_denied',
    );
    const writer = await member(granted('permission_policy.write', 'agent.read'));
    expect((await writer.http.get(path)).status).toBe(200);
    expect((await post(writer.http, path, terms('agent.read'))).status).toBe(201);
    const neither = await (await member(granted('agent.read'))).http.get(path);
    expect(neither.body['error']).toMatchObject({
      code: 'permission_denied',
      details: { permission: 'permission_policy.read', reason: 'missing_permission' },
    });
  });

  test('cannot be reached from another organization', async () => {
    const stranger = (await createOrganization(app)).owner.browser;
    const { id } = await granting(path, terms('agent.read'));
    const calls = [
      stranger.get(path),
      post(stranger, path, terms('agent.read')),
      put(stranger, `${path}/${id}`, { ...terms('agent.write'), revision: 1 }),
      stranger.delete(`${path}/${id}`),
    ];
    expect((await Promise.all(calls)).map(outcome)).toEqual(Array(4).fill('404 not_found'));
    expect(await policiesOf(path)).toMatchObject([{ id, revision: 1 }]);
  });

  test('of another holder answers 404', async () => {
    const { id } = await granting(await createHolder(), terms('agent.read'));
    expect(outcome(await owner.browser.delete(`${path}/${id}`))).toBe('404 not_found');
  });
});

describe('what a policy grants', () => {
  test('is available to a member from the next call until it is deleted', async () => {
    const ada = await member();
    const { id } = await granting(ofMember(ada), terms('agent.read'));
    expect((await ada.http.get('/api/v1/agents')).status).toBe(200);
    await owner.browser.delete(`${ofMember(ada)}/${id}`);
    expect(outcome(await ada.http.get('/api/v1/agents'))).toBe('403 permission_denied');
  });

  test('is available to every member of a team, and to an organization key', async () => {
    const ada = await member();
    await granting(
      ofTeam(await createTeam(app, organization.id, { members: [ada] })),
      terms('agent.read'),
    );
    expect((await ada.http.get('/api/v1/agents')).status).toBe(200);
    const key = await createOrganizationKey(app, organization);
    await granting(ofKey(key.id), terms('agent.read'));
    expect((await key.http.get('/api/v1/agents')).status).toBe(200);
  });

  test('cannot be passed on by a member who just lost permission_policy.write, in each of 20 rounds', async () => {
    const target = await member();
    for (let round = 0; round < 20; round += 1) {
      const ada = await manager('agent.read');
      const [policy] = await policiesOf(ofMember(ada));
      const taken = owner.browser.delete(`${ofMember(ada)}/${String(policy?.id)}`);
      const [, answer] = await Promise.all([
        taken,
        post(ada.http, ofMember(target), terms('agent.read')),
      ]);
      const order = (await app
        .db('audit_events')
        .whereIn('subject_id', [String(policy?.id), String(answer.body['id'])])
        .orderBy('sequence')
        .pluck('event_type')) as string[];
      expect(answer.status === 201 ? order : outcome(answer)).toEqual(
        answer.status === 201
          ? ['permission_policy.created', 'permission_policy.deleted']
          : '403 permission_denied',
      );
    }
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
    const [policy] = await policiesOf(ofMember(ada));
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
    const [policy] = await policiesOf(ofMember(ada), rich.browser);
    expect(policy).toMatchObject({
      is_owner: true,
      can_edit: false,
      read_only_reason: 'owner_required',
    });
    expect(outcome(await rich.browser.delete(`${ofMember(ada)}/${String(policy?.id)}`))).toBe(
      '403 owner_required',
    );
    expect((await owner.browser.delete(`${ofMember(ada)}/${String(policy?.id)}`)).status).toBe(204);
    expect(await policiesOf(ofMember(ada))).toEqual([]);
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
    const [policy] = await policiesOf(ofMember(owner));
    expect(policy).toMatchObject({ can_edit: false, read_only_reason: 'last_owner' });
    const path = `${ofMember(owner)}/${String(policy?.id)}`;
    expect(outcome(await owner.browser.delete(path))).toBe('409 last_owner');
    expect(outcome(await put(owner.browser, path, { ...terms('agent.read'), revision: 1 }))).toBe(
      '409 last_owner',
    );
    expect(await policiesOf(ofMember(owner))).toEqual([policy]);
  });

  test('stays with exactly one of two owners who give it up at the same moment, in each of 20 rounds', async () => {
    for (let round = 0; round < 20; round += 1) {
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
            `${ofMember(who)}/${String((await policiesOf(ofMember(who), who.browser))[0]?.id)}`,
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

describe('the open edition', () => {
  let open: TestApp;

  beforeAll(async () => {
    open = await startApp();
  });

  afterAll(async () => {
    await open.close();
  });

  test('has no policies of organization keys, and neither lists nor grants permissions it does not serve', async () => {
    const home = await createOrganization(open);
    const { id } = await createOrganizationKey(open, home);
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
      ofMember(await createMember(open, home.id)),
      terms('audit.read'),
    );
    expect(pointers(refused)).toEqual(['/permissions/0']);
  });
});
