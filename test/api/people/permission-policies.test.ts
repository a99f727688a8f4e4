/** Creating, changing and deleting permission policies of members, teams and organization keys, and what they grant. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
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
  ofKey,
  ofMember,
  ofTeam,
  onAgents,
  outcome,
  pointers,
  policiesOf,
  post,
  put,
  terms,
  type Shown,
} from '../../support/scene/permission-policies.ts';
import { ROUNDS } from '../../support/rounds.ts';

let organization: TestOrganization;
let owner: TestMember;

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });

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
    expect(await shown(path)).toEqual([created]);
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
    expect(await shown(path)).toEqual([changed.body]);
    expect((await owner.browser.delete(`${path}/${created.id}`)).status).toBe(204);
    expect(await shown(path)).toEqual([]);
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
    expect(await shown(path)).toEqual([]);
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
    expect(await shown(path, ada.http)).toMatchObject([
      { id, can_edit: false, read_only_reason: 'exceeds_own' },
    ]);
  });

  test('that is dangerous needs recent authentication to create, change and delete', async () => {
    const dangerous = terms('agent.credential.issue');
    expect(outcome(await post(owner.http, path, dangerous))).toBe('403 session_required');
    const { id } = await granting(path, dangerous);
    expect(await shown(path, owner.http)).toMatchObject([
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
    expect(await shown(path)).toMatchObject([{ id, can_edit: true }]);
    expect((await post(owner.browser, path, terms('agent.read'))).status).toBe(201);
  });

  test('changes only at its current revision: one of two concurrent changes succeeds', async () => {
    const { id } = await granting(path, terms('agent.read'));
    for (let revision = 1; revision <= ROUNDS; revision += 1) {
      const keys = revision % 2 === 1 ? ['pipeline.read'] : ['agent.read'];
      const changes = [keys, [...keys, 'webhook.read']].map((to) =>
        put(owner.browser, `${path}/${id}`, { ...terms(...to), revision }),
      );
      const outcomes = (await Promise.all(changes)).map(outcome).sort();
      expect(outcomes).toEqual([200, '409 policy_changed']);
    }
    const late = await put(owner.browser, `${path}/${id}`, { ...terms('agent.read'), revision: 1 });
    expect(late.body['error']?.['details']).toEqual({ revision: ROUNDS + 1 });
  });

  test('keeps its revision when nothing changes, without an audit event', async () => {
    const { id } = await granting(path, terms('agent.read'));
    const same = await put(owner.browser, `${path}/${id}`, { ...terms('agent.read'), revision: 1 });
    expect(same.body).toMatchObject({ id, revision: 1 });
    expect(await events(id)).toHaveLength(1);
  });

  test('is created once for an idempotency key, also with concurrent calls', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => post(owner.browser, path, terms('agent.read'), key)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(4).fill(200),
      201,
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const [only] = await shown(path);
    expect(await shown(path)).toHaveLength(1);
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
    expect(await shown(path)).toMatchObject([{ id, revision: 1 }]);
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

  test('cannot be passed on by a member who just lost permission_policy.write', async () => {
    const target = await member();
    for (let round = 0; round < ROUNDS; round += 1) {
      const ada = await manager('agent.read');
      const [policy] = await shown(ofMember(ada));
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
