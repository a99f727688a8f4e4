import { beforeEach, describe, expect, test } from '@jest/globals';
import { permissions } from '../../../src/domain/people/permissions.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  grant,
  type Policy,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { secretOf } from '../../support/tokens.ts';

const KEYS = '/api/v1/me/api_keys';
const VERIFY = '/api/v1/api_keys/verify';
const ABSENT_ID = '0199a3f4-2b7e-7c3d-8e6f-4a5b6c7d8e9f';
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const codeOf = ({ status, body }: ApiResponse) => [status, body?.['error']?.['code']];
const pointersOf = ({ body }: ApiResponse) =>
  [...(body['error']?.['details']?.['issues'] ?? [])].map((issue) => issue['pointer']);
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

const app = await appForFile();
let organization: TestOrganization;
let member: TestMember;

const issuer: Policy = {
  scope_kind: 'organization',
  permissions: ['api_key.issue', 'request.read'],
};

async function createKey(
  by: TestMember,
  body: unknown = { name: 'script' },
): Promise<{ id: string; token: string; as: HttpClient }> {
  const answer = await by.browser.post(KEYS, body);
  if (answer.status !== 201) throw new Error(`not created: ${answer.text}`);
  const { key, token } = answer.body as unknown as { key: { id: string }; token: string };
  return { id: key.id, token, as: new HttpClient(app.url, { authorization: `Bearer ${token}` }) };
}

async function listed(
  by: TestMember,
  query = '',
): Promise<{ ids: string[]; next: string | undefined }> {
  const { body } = await by.browser.get(`${KEYS}${query}`);
  const { keys, next_cursor } = body as unknown as { keys: { id: string }[]; next_cursor?: string };
  return { ids: keys.map(({ id }) => id), next: next_cursor };
}

const signedInAgo = (by: TestMember, seconds: number) =>
  app.db.raw(
    `update sessions set authenticated_at = clock_timestamp() - make_interval(secs => :seconds) where membership_id = :id`,
    {
      seconds,
      id: by.membershipId,
    },
  );

beforeEach(async () => {
  organization = await createOrganization(app);
  member = await createMember(app, organization.id, { policies: [issuer] });
  // So that only the test's own keys are listed.
  await app.db('api_keys').where({ organization_id: organization.id }).delete();
});

describe('creating a personal key', () => {
  test('shows the token once and stores only a hash', async () => {
    const { status, body } = await member.browser.post(KEYS, { name: 'release script' });
    const { key, token } = body as unknown as { key: { id: string }; token: string };
    expect(status).toBe(201);
    expect(token).toMatch(new RegExp(`^whk_${key.id}_[A-Za-z0-9]{49}$`));
    expect(key).toEqual({
      id: key.id,
      prefix: `whk_${key.id}`,
      kind: 'personal',
      membership_id: member.membershipId,
      name: 'release script',
      permissions: null,
      assurance_at_issue: 'single_factor',
      status: 'active',
      created_at: INSTANT,
      expires_at: null,
      usable: true,
      grants: [],
    });
    const rows: unknown = await app.db('api_keys').where({ id: key.id });
    const events = (await app.db('audit_events').where({ organization_id: organization.id })) as {
      event_type: string;
    }[];
    expect(events.map(({ event_type }) => event_type)).toEqual(['api_key.created']);
    const kept = [
      JSON.stringify(rows),
      JSON.stringify(events),
      (await member.browser.get(KEYS)).text,
      ...app.log,
    ].join('\n');
    expect(kept).not.toContain(secretOf(token));
  });

  test('needs a browser session: no key creates, lists or revokes keys', async () => {
    const { id, as } = await createKey(organization.owner);
    expect(codeOf(await as.post(KEYS, { name: 'child' }))).toEqual([403, 'session_required']);
    expect(codeOf(await as.get(KEYS))).toEqual([403, 'session_required']);
    expect(codeOf(await as.delete(`${KEYS}/${id}`))).toEqual([403, 'session_required']);
    expect(codeOf(await app.http.post(KEYS, { name: 'anonymous' }))).toEqual([
      401,
      'authentication_required',
    ]);
    expect((await listed(organization.owner)).ids).toEqual([id]);
  });

  test.each([
    [
      'a key that can decide requests',
      { scope_kind: 'agent', resource_ids: ['some-agent'], permissions: ['request.decide'] },
    ],
    [
      'a key with a dangerous permission',
      { scope_kind: 'organization', permissions: ['agent.credential.issue'] },
    ],
    ['an owner’s', { scope_kind: 'organization', is_owner: true }],
  ] as [string, Policy][])(
    'needs a sign-in within the last 15 minutes for %s',
    async (_, policy) => {
      await grant(app.db, organization.id, { membershipId: member.membershipId, policy });
      await signedInAgo(member, 15 * 60 + 1);
      const refused = await member.browser.post(KEYS, { name: 'k' });
      expect(codeOf(refused)).toEqual([403, 'reauthentication_required']);
      expect(refused.text).toContain('authenticate again first');
      expect((await listed(member)).ids).toEqual([]);
      await signedInAgo(member, 15 * 60 - 10);
      expect((await member.browser.post(KEYS, { name: 'k' })).status).toBe(201);
    },
  );

  test('needs no recent sign-in for a key that can only read', async () => {
    await signedInAgo(member, 6 * 24 * 3600);
    expect((await member.browser.post(KEYS, { name: 'k' })).status).toBe(201);
  });

  test('keeps the assurance of the session', async () => {
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({ assurance: 'strong' });
    const { as } = await createKey(member);
    expect((await as.get('/api/v1/me')).body['principal']?.['auth']).toMatchObject({
      method: 'api_key',
      assurance: 'strong',
    });
  });

  test('refuses every list of permissions in the open edition', async () => {
    for (const list of [[], ['request.read'], ['no.such.permission']]) {
      const refused = await member.browser.post(KEYS, { name: 'k', permissions: list });
      expect([list, codeOf(refused)]).toEqual([list, [403, 'api_key_scoping_unavailable']]);
    }
    expect((await listed(member)).ids).toEqual([]);
  });

  test('refuses an expiry that is not in the future, and names every bad field', async () => {
    const bad: [string, unknown][] = [
      ['/expires_at', inHours(-1)],
      ['/expires_at', new Date().toISOString()],
      ['/expires_at', '0001-01-01T00:00:00Z'],
      ['/expires_at', '2030-02-30T00:00:00Z'],
      ['/expires_at', '2030-01-01'],
      ['/expires_at', '2030-01-01T00:00:00'],
      ['/expires_at', 1893456000],
      ['/name', ''],
      ['/name', ' \t'],
      ['/name', 'x'.repeat(101)],
      ['/name', 7],
      ['/permissions', 'request.read'],
      ['/scopes', []],
    ];
    for (const [pointer, value] of bad) {
      const answer = await member.browser.post(KEYS, { name: 'k', [pointer.slice(1)]: value });
      expect([pointer, value, answer.status, pointersOf(answer)]).toEqual([
        pointer,
        value,
        400,
        [pointer],
      ]);
    }
    expect(pointersOf(await member.browser.post(KEYS, {}))).toEqual(['/name']);
    const far = await member.browser.post(KEYS, {
      name: 'k',
      expires_at: '9999-12-31T23:30:00-00:15',
    });
    expect([far.status, far.body['key']?.['expires_at']]).toEqual([
      201,
      '9999-12-31T23:45:00.000Z',
    ]);
  });

  test('is refused while the organization does not allow personal keys, and existing keys stop working', async () => {
    const { id, as } = await createKey(member);
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ personal_api_keys_allowed: false });
    expect(codeOf(await member.browser.post(KEYS, { name: 'k' }))).toEqual([
      403,
      'api_keys_disabled',
    ]);
    expect(codeOf(await as.get('/api/v1/me'))).toEqual([403, 'api_keys_disabled']);
    const { body } = await member.browser.get(KEYS);
    expect(body).toMatchObject({
      personal_api_keys_allowed: false,
      keys: [{ id, status: 'active', usable: false, blocked_reason: 'api_keys_disabled' }],
    });
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ personal_api_keys_allowed: true });
    expect((await as.get('/api/v1/me')).status).toBe(200);
  });
});

describe('a personal key', () => {
  test('acts as its member with what the member holds at that moment', async () => {
    const { as } = await createKey(member);
    const permissionsOf = async () => (await as.get(VERIFY)).body['permissions'];
    expect(await permissionsOf()).toEqual(['request.read']);
    const policy: Policy = { scope_kind: 'organization', permissions: ['agent.read'] };
    await grant(app.db, organization.id, { membershipId: member.membershipId, policy });
    expect(await permissionsOf()).toEqual(['agent.read', 'request.read']);
    await app.db('permission_policies').where({ membership_id: member.membershipId }).delete();
    expect(await permissionsOf()).toEqual([]);
  });

  test("that is scoped carries only what is both in its list and in its member's grants", async () => {
    const { id, as } = await createKey(member);
    await app
      .db('api_keys')
      .where({ id })
      .update({ permissions: ['request.read', 'agent.write'] });
    const { body } = await as.get(VERIFY);
    expect(body).toMatchObject({
      key: { id, permissions: ['request.read', 'agent.write'] },
      permissions: ['request.read'],
      effective_grants: [{ permission: 'request.read', scope_kind: 'organization' }],
    });
  });

  test('grants no access when it is invented, altered, expired or revoked', async () => {
    const { id, token } = await createKey(member, { name: 'k', expires_at: inHours(1) });
    const other = await createKey(member);
    const status = async (bearer: string) =>
      (await app.http.get('/api/v1/me', { headers: { authorization: `Bearer ${bearer}` } })).status;
    const secret = secretOf(token);
    const bad = [
      issueToken('whk').token,
      `whk_${id}_${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`,
      `whk_${id}_${secretOf(other.token)}`,
      `whk_${id}`,
      `who_${id}_${secret}`,
      `whs_${id}_${secret}`,
      `whc_${id}_${secret}`,
      `${token}_`,
    ];
    for (const bearer of bad) expect([bearer, await status(bearer)]).toEqual([bearer, 401]);
    expect(await status(token)).toBe(200);
    await app.db('api_keys').where({ id }).update({ expires_at: new Date() });
    expect(await status(token)).toBe(401);
    await app
      .db('api_keys')
      .where({ id: other.id })
      .update({ revoked_at: new Date(), revocation_reason: 'manual' });
    expect(await status(other.token)).toBe(401);
  });

  test('is refused while its member is suspended', async () => {
    const { as } = await createKey(member);
    const memberships = () => app.db('memberships').where({ id: member.membershipId });
    await memberships().update({ status: 'suspended' });
    expect(codeOf(await as.get('/api/v1/me'))).toEqual([403, 'membership_inactive']);
    await memberships().update({ status: 'active' });
    expect((await as.get('/api/v1/me')).status).toBe(200);
  });

  test('is verified with its record and its permissions', async () => {
    const { id, as } = await createKey(organization.owner, { name: 'k', expires_at: inHours(2) });
    const { status, body } = await as.get(VERIFY);
    const carried = permissions
      // The open edition serves no hosted permission, so its keys cannot carry one.
      .filter(({ holders, edition }) => holders.includes('api_key') && edition === 'open')
      .map(({ key }) => key as string)
      .sort();
    expect([status, body['key']?.['id'], body['permissions']]).toEqual([200, id, carried]);
    expect(body['effective_grants']).toEqual(
      carried.map((permission) => ({ permission, scope_kind: 'organization' })),
    );
    expect(codeOf(await organization.owner.browser.get(VERIFY))).toEqual([400, 'api_key_required']);
    expect(codeOf(await app.http.get(VERIFY))).toEqual([401, 'authentication_required']);
  });

  test('records its use at most once a minute', async () => {
    const [used, unused] = [await createKey(member), await createKey(member)];
    const recently = new Date(Date.now() - 10_000);
    await app.db('api_keys').where({ id: unused.id }).update({ last_used_at: recently });
    const lastUse = async (id: string) =>
      (
        (await app.db('api_keys').where({ id }).first('last_used_at')) as {
          last_used_at: Date | null;
        }
      ).last_used_at;
    expect([await lastUse(used.id), (await unused.as.get(VERIFY)).status]).toEqual([null, 200]);
    while ((await lastUse(used.id)) === null) await used.as.get(VERIFY);
    expect((await used.as.get(VERIFY)).body['key']?.['last_used_at']).toEqual(INSTANT);
    expect(await lastUse(unused.id)).toEqual(recently);
  });
});

describe("a member's own keys", () => {
  test('are listed newest first in every state, page by page', async () => {
    const created: string[] = [];
    for (let count = 0; count < 5; count += 1) created.unshift((await createKey(member)).id);
    const [, expired = '', revoked = ''] = created;
    await app.db('api_keys').where({ id: expired }).update({ expires_at: new Date() });
    await member.browser.delete(`${KEYS}/${revoked}`);
    // Keys of the same millisecond are neither repeated nor left out.
    await app
      .db('api_keys')
      .where({ membership_id: member.membershipId })
      .update({ created_at: new Date(0) });
    const pages: string[][] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const page: { ids: string[]; next: string | undefined } = await listed(
        member,
        `?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      pages.push(page.ids);
      cursor = page.next;
    }
    expect(pages).toEqual([created.slice(0, 2), created.slice(2, 4), created.slice(4)]);
    const { body } = await member.browser.get(KEYS);
    const { keys } = body as unknown as { keys: { status: string; usable: boolean }[] };
    expect(keys.map(({ status, usable }) => [status, usable])).toEqual([
      ['active', true],
      ['expired', false],
      ['revoked', false],
      ['active', true],
      ['active', true],
    ]);
    expect(keys[2]).toMatchObject({ revoked_at: INSTANT, revocation_reason: 'manual' });
    expect(body).toMatchObject({ personal_api_keys_allowed: true, scoping_enabled: false });
    expect(body['bearable_permissions']).toEqual([
      {
        key: 'request.read',
        area: 'Approval requests',
        description: expect.any(String),
        dangerous: false,
      },
    ]);
  });

  test('are found by name and status, and a cursor belongs to its filter', async () => {
    const [one, two, gone] = [
      await createKey(member, { name: 'Nightly one' }),
      await createKey(member, { name: 'nightly two' }),
      await createKey(member, { name: 'nightly gone' }),
    ];
    await createKey(member, { name: 'other' });
    await member.browser.call('DELETE', `${KEYS}/${gone.id}`);
    const page = await listed(member, '?q=NIGHTLY&status=active&limit=1');
    expect(page.ids).toEqual([two.id]);
    const next = `&limit=1&cursor=${page.next}`;
    expect((await listed(member, `?q=NIGHTLY&status=active${next}`)).ids).toEqual([one.id]);
    expect((await listed(member, '?q=nightly&status=revoked')).ids).toEqual([gone.id]);
    // The name of their member is not theirs.
    expect((await listed(member, `?q=${member.email}`)).ids).toEqual([]);
    expect(pointersOf(await member.browser.get(`${KEYS}?status=active${next}`))).toEqual([
      '/query/cursor',
    ]);
  });

  test('answer 400 with the field for a bad limit or cursor', async () => {
    const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const bad: [string, string][] = [
      ['limit=0', '/query/limit'],
      ['limit=501', '/query/limit'],
      ['limit=1.5', '/query/limit'],
      ['limit=', '/query/limit'],
      ['cursor=', '/query/cursor'],
      ['cursor=garbage', '/query/cursor'],
      [`cursor=${cursorOf([])}`, '/query/cursor'],
      [`cursor=${cursorOf(['api_keys', 'not an id'])}`, '/query/cursor'],
      [`cursor=${cursorOf(['agents', ABSENT_ID])}`, '/query/cursor'],
      ['offset=2', '/query/offset'],
    ];
    for (const [query, pointer] of bad) {
      const answer = await member.browser.get(`${KEYS}?${query}`);
      expect([query, answer.status, pointersOf(answer)]).toEqual([query, 400, [pointer]]);
    }
    expect((await member.browser.get(`${KEYS}?limit=500`)).status).toBe(200);
  });

  test('are hidden from other members, even from an owner, who cannot revoke them here', async () => {
    const { id, as } = await createKey(member);
    const elsewhere = (await createOrganization(app)).owner;
    const cursor = Buffer.from(JSON.stringify(['api_keys', '', '', id])).toString('base64url');
    for (const stranger of [organization.owner, elsewhere]) {
      await app.db('api_keys').where({ membership_id: stranger.membershipId }).delete();
      const older = await createKey(stranger);
      await app
        .db('api_keys')
        .where({ id: older.id })
        .update({ created_at: new Date(0) });
      expect((await listed(stranger)).ids).toEqual([older.id]);
      expect((await listed(stranger, `?cursor=${cursor}`)).ids).toEqual([]);
      expect(codeOf(await stranger.browser.delete(`${KEYS}/${id}`))).toEqual([404, 'not_found']);
    }
    expect((await as.get(VERIFY)).status).toBe(200);
  });

  test('are revoked at once and permanently, and a repeat changes nothing', async () => {
    const { id, as } = await createKey(member);
    expect((await as.get(VERIFY)).status).toBe(200);
    const stamps: unknown[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { status, text } = await member.browser.delete(`${KEYS}/${id}`);
      expect([status, text]).toEqual([204, '']);
      expect((await as.get(VERIFY)).status).toBe(401);
      stamps.push(await app.db('api_keys').where({ id }).first('revoked_at'));
    }
    expect(stamps[1]).toEqual(stamps[0]);
    const events: unknown[] = await app
      .db('audit_events')
      .where({ event_type: 'api_key.revoked', subject_id: id });
    expect(events).toHaveLength(1);
    for (const absent of [ABSENT_ID, 'not-an-id', '%00']) {
      expect([absent, codeOf(await member.browser.delete(`${KEYS}/${absent}`))]).toEqual([
        absent,
        [404, 'not_found'],
      ]);
    }
  });
});
