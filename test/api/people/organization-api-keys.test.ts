/** Every key of the organization, of both kinds, for administrators. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import { everywhere } from '../../support/scene/cast.ts';
import {
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
} from '../../support/scene/factories.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';
import type { ApiResponse } from '../../support/http.ts';
import { idOf } from '../../support/tokens.ts';
import { ROUNDS } from '../../support/rounds.ts';

const KEYS = '/api/v1/api_keys';
const ABSENT_ID = '0199a3f4-2b7e-7c3d-8e6f-4a5b6c7d8e9f';
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const codeOf = ({ status, body }: ApiResponse) => [status, body?.['error']?.['code']];
interface ShownKey {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

async function listed(
  query = '',
  by = owner,
): Promise<{ keys: ShownKey[]; next: string | undefined }> {
  const answer = await by.browser.get(`${KEYS}${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  const { keys, next_cursor } = answer.body as unknown as {
    keys: ShownKey[];
    next_cursor?: string;
  };
  return { keys, next: next_cursor };
}

const named = async (query: string) => (await listed(query)).keys.map(({ name }) => name);
const rename = (token: string, change: object) =>
  app
    .db('api_keys')
    .where({ id: idOf(token) })
    .update(change);

describe('the keys of an organization', () => {
  test('are shown newest first with their creators, in every kind and state, page by page', async () => {
    const members = await Promise.all([1, 2, 3].map(() => createMember(app, organization.id)));
    const key = await createOrganizationKey(app, organization, [everywhere('agent.read')]);
    await app
      .db('api_keys')
      .where({ organization_id: organization.id })
      .update({ created_at: new Date(0) });
    const expected = [...members.map(({ apiKey }) => idOf(apiKey)), idOf(owner.apiKey), key.id]
      .sort()
      .reverse();
    const pages: string[][] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const page: { keys: ShownKey[]; next: string | undefined } = await listed(
        `?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      pages.push(page.keys.map(({ id }) => id));
      cursor = page.next;
    }
    expect(pages).toEqual([expected.slice(0, 2), expected.slice(2, 4), expected.slice(4)]);
    const { keys } = await listed();
    expect(keys.find(({ id }) => id === key.id)).toEqual({
      id: key.id,
      prefix: `who_${key.id}`,
      kind: 'organization',
      created_by: {
        membership_id: owner.membershipId,
        display_name: owner.displayName,
        email: owner.email,
      },
      name: 'test integration',
      permissions: null,
      assurance_at_issue: 'single_factor',
      status: 'active',
      created_at: INSTANT,
      expires_at: null,
      usable: true,
      grants: [{ permission: 'agent.read', scope_kind: 'organization' }],
    });
    const [first] = members;
    expect(keys.find(({ id }) => id === idOf(first?.apiKey ?? ''))).toMatchObject({
      prefix: expect.stringMatching(/^whk_/),
      kind: 'personal',
      membership_id: first?.membershipId,
      created_by: { membership_id: first?.membershipId, email: first?.email },
      grants: [],
    });
  });

  test('are filtered by kind, state and text, and a cursor belongs to its filters', async () => {
    const member = await createMember(app, organization.id, { displayName: 'Grace Hopper' });
    const key = await createOrganizationKey(app, organization);
    await rename(owner.apiKey, {
      name: 'Nightly 100% export',
      revoked_at: new Date(),
      revocation_reason: 'manual',
    });
    await rename(member.apiKey, { name: 'grace script', expires_at: new Date() });
    await rename(key.token, { name: 'inventory_sync' });
    expect(await named('?kind=organization')).toEqual(['inventory_sync']);
    expect((await named('?kind=personal')).sort()).toEqual(['Nightly 100% export', 'grace script']);
    expect(await named('?status=active')).toEqual(['inventory_sync']);
    expect(await named('?status=expired')).toEqual(['grace script']);
    expect(await named('?status=revoked')).toEqual(['Nightly 100% export']);
    expect(await named('?kind=organization&status=expired')).toEqual([]);
    expect(await named('?q=HOPPER')).toEqual(['grace script']);
    expect(
      await named(`?q=${encodeURIComponent(member.email.slice(0, -4).toUpperCase())}`),
    ).toEqual(['grace script']);
    expect(await named('?q=100%25%20e')).toEqual(['Nightly 100% export']);
    expect(await named('?q=%25sync')).toEqual([]);
    expect(await named('?q=y_s')).toEqual(['inventory_sync']);
    expect(await named(`?created_by=${member.membershipId}`)).toEqual(['grace script']);
    expect(await named(`?created_by=${ABSENT_ID}`)).toEqual([]);
    const { next } = await listed('?kind=personal&limit=1');
    expect((await listed(`?kind=personal&limit=1&cursor=${next ?? ''}`)).keys).toHaveLength(1);
    for (const query of [
      `limit=1&cursor=${next ?? ''}`,
      'kind=other',
      'status=dead',
      'q=',
      'limit=0',
      'limit=501',
      'cursor=x',
      'owner=1',
      'created_by=x',
      'ends_soon=soon',
    ]) {
      expect([query, (await owner.browser.get(`${KEYS}?${query}`)).status]).toEqual([query, 400]);
    }
  });

  test('are found when they work and end soon, not when they ended, and not when they end later', async () => {
    const within = async (days: number) => {
      const { token } = await createOrganizationKey(app, organization);
      const expires_at = new Date(Date.now() + days * 86_400_000);
      await rename(token, { name: `${days} days`, expires_at, created_at: new Date(days) });
      return token;
    };
    for (const days of [-1, 1, 13, 15]) await within(days);
    const revoked = await within(2);
    await rename(revoked, { revoked_at: new Date(), revocation_reason: 'manual' });
    expect(await named('?ends_soon=true')).toEqual(['13 days', '1 days']);
    expect(await named('?ends_soon=false&kind=organization')).toHaveLength(5);
    const { next } = await listed('?ends_soon=true&limit=1');
    const cursor = next ?? '';
    expect(await named(`?ends_soon=true&limit=1&cursor=${cursor}`)).toEqual(['1 days']);
    const other = await owner.browser.get(`${KEYS}?limit=1&cursor=${cursor}`);
    expect(other.status).toBe(400);
  });

  test('show that they do not work while the member is suspended or keys are not allowed', async () => {
    const member = await createMember(app, organization.id, { status: 'suspended' });
    const of = async (token: string) =>
      (await owner.browser.get(`${KEYS}/${idOf(token)}`)).body['key'];
    expect(await of(member.apiKey)).toMatchObject({ status: 'active', usable: false });
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    expect(await of(member.apiKey)).toMatchObject({ usable: true });
    const key = await createOrganizationKey(app, organization);
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ personal_api_keys_allowed: false });
    expect(await of(member.apiKey)).toMatchObject({
      status: 'active',
      usable: false,
      blocked_reason: 'api_keys_disabled',
    });
    expect(await of(key.token)).toMatchObject({ usable: true });
    await rename(member.apiKey, { expires_at: new Date() });
    expect(await of(member.apiKey)).not.toHaveProperty('blocked_reason');
  });

  test("are shown with their effective grants: own ones, or the member's after scoping and through teams", async () => {
    const policies = [everywhere('request.read', 'api_key.issue')];
    const member = await createMember(app, organization.id, { policies });
    await createTeam(app, organization.id, {
      members: [member],
      policies: [everywhere('agent.read', 'agent.write')],
    });
    const carried = async (id: string) =>
      (await owner.browser.get(`${KEYS}/${id}`)).body['key']?.['effective_grants'];
    const organizationWide = (...keys: string[]) =>
      keys.map((permission) => ({ permission, scope_kind: 'organization' }));
    expect(await carried(idOf(member.apiKey))).toEqual(
      organizationWide('agent.read', 'agent.write', 'request.read'),
    );
    await rename(member.apiKey, { permissions: ['agent.read', 'webhook.read'] });
    expect(await carried(idOf(member.apiKey))).toEqual(organizationWide('agent.read'));
    const key = await createOrganizationKey(app, organization, [
      { scope_kind: 'agent', resource_ids: ['a', 'b'], permissions: ['agent.read'] },
    ]);
    expect(await carried(key.id)).toEqual(
      ['a', 'b'].map((scope_id) => ({ permission: 'agent.read', scope_kind: 'agent', scope_id })),
    );
  });

  test('carry nothing once they are revoked or expired', async () => {
    const policies = [everywhere('request.read', 'agent.read')];
    const member = await createMember(app, organization.id, { policies });
    const key = await createOrganizationKey(app, organization, policies);
    const carried = async (id: string) =>
      (await owner.browser.get(`${KEYS}/${id}`)).body['key']?.['effective_grants'];
    for (const id of [idOf(member.apiKey), key.id]) expect(await carried(id)).toHaveLength(2);
    await owner.browser.delete(`${KEYS}/${idOf(member.apiKey)}`);
    const long = { created_at: new Date(0), expires_at: new Date(1_000) };
    await app.db('api_keys').where({ id: key.id }).update(long);
    for (const id of [idOf(member.apiKey), key.id]) expect(await carried(id)).toEqual([]);
  });

  test('are revoked permanently, with one audit event, and a repeat succeeds', async () => {
    const member = await createMember(app, organization.id);
    const key = await createOrganizationKey(app, organization, [everywhere('agent.read')]);
    for (const [token, client, path] of [
      [member.apiKey, member.http, '/api/v1/me'],
      [key.token, key.http, '/api/v1/agents'],
    ] as const) {
      expect((await client.get(path)).status).toBe(200);
      for (let round = 0; round < 2; round += 1)
        expect((await owner.browser.delete(`${KEYS}/${idOf(token)}`)).status).toBe(204);
      expect((await client.get(path)).status).toBe(401);
      const { body: shown } = await owner.browser.get(`${KEYS}/${idOf(token)}`);
      expect(shown['key']).toMatchObject({
        status: 'revoked',
        revocation_reason: 'manual',
        revoked_at: INSTANT,
        usable: false,
      });
      expect(await eventsAbout(idOf(token))).toEqual([
        {
          event_type: 'api_key.revoked',
          actor_type: 'human',
          actor_id: owner.membershipId,
          data: '{"reason":"manual"}',
        },
      ]);
    }
  });

  test('have one audit event after concurrent revocations', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = await createOrganizationKey(app, organization);
      const answers = await Promise.all(
        [1, 2, 3].map(() => owner.browser.delete(`${KEYS}/${key.id}`)),
      );
      expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
      expect(await eventsAbout(key.id)).toHaveLength(1);
    }
  });

  test('are hidden from other organizations, and an id that is unknown or none is not found', async () => {
    const stranger = (await createOrganization(app)).owner;
    const one = `${KEYS}/${idOf(owner.apiKey)}`;
    expect(codeOf(await stranger.browser.get(one))).toEqual([404, 'not_found']);
    expect(codeOf(await stranger.browser.delete(one))).toEqual([404, 'not_found']);
    expect((await listed('', stranger)).keys.map(({ id }) => id)).toEqual([idOf(stranger.apiKey)]);
    for (const id of [ABSENT_ID, 'not-an-id', '%00']) {
      expect([id, codeOf(await owner.browser.get(`${KEYS}/${id}`))]).toEqual([
        id,
        [404, 'not_found'],
      ]);
    }
    expect((await owner.http.get(`${KEYS}/verify`)).status).toBe(200);
    expect(codeOf(await owner.browser.get(`${KEYS}/verify`))).toEqual([400, 'api_key_required']);
  });
});

async function eventsAbout(id: string): Promise<unknown[]> {
  return await app
    .db('audit_events')
    .where({ subject_id: id, subject_type: 'api_key' })
    .select('event_type', 'actor_type', 'actor_id', 'data');
}
