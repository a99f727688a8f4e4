/** Organization keys as credentials: what a `who_` token may do, and when it is refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createOrganization,
  createOrganizationKey,
  grant,
  type Policy,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Answer } from '../../support/http.ts';
import { idOf, secretOf } from '../../support/tokens.ts';

const AGENTS = '/api/v1/agents';
const codeOf = ({ status, body }: Answer) => [status, body?.['error']?.['code']];
const reader: Policy = { scope_kind: 'organization', permissions: ['agent.read'] };

let app: TestApp;
let organization: TestOrganization;
let key: Awaited<ReturnType<typeof createOrganizationKey>>;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
});

beforeEach(async () => {
  organization = await createOrganization(app);
  key = await createOrganizationKey(app, organization, [reader]);
});

afterAll(() => app.close());

const as = (token: string) =>
  app.http.get(AGENTS, { headers: { authorization: `Bearer ${token}` } });

describe('an organization key', () => {
  test('may do what its own policies grant, at their scope, and nothing else', async () => {
    expect((await key.http.get(AGENTS)).status).toBe(200);
    const refused = await key.http.post(AGENTS, { slug: 'new-agent', name: 'New' });
    expect(codeOf(refused)).toEqual([403, 'permission_denied']);
    expect(refused.body['error']?.['details']).toMatchObject({
      permission: 'agent.write',
      reason: 'missing_permission',
    });
    const elsewhere = await createOrganizationKey(app, organization, [
      { ...reader, scope_kind: 'agent', resource_ids: ['some-agent'] },
    ]);
    expect(codeOf(await elsewhere.http.get(`${AGENTS}/some-agent`))).toEqual([404, 'not_found']);
    expect(
      (await elsewhere.http.get(`${AGENTS}/other-agent`)).body['error']?.['details'],
    ).toMatchObject({ reason: 'outside_scope' });
  });

  test('is refused when it is invented, altered, truncated or has the prefix of another kind', async () => {
    const { id, token } = key;
    const secret = secretOf(token);
    const other = await createOrganizationKey(app, organization, [reader]);
    const personal = organization.owner.apiKey;
    const bad = [
      issueToken('who').token,
      `who_${id}_${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`,
      `who_${id}_${secretOf(other.token)}`,
      `who_${other.id}_${secret}`,
      `who_${id}`,
      `who_${id}_`,
      token.slice(0, -1),
      `${token}A`,
      token.toUpperCase(),
      `whk_${id}_${secret}`,
      `whs_${id}_${secret}`,
      `whc_${id}_${secret}`,
      `who_${idOf(personal)}_${secretOf(personal)}`,
    ];
    for (const bearer of bad)
      expect([bearer, codeOf(await as(bearer))]).toEqual([
        bearer,
        [401, 'authentication_required'],
      ]);
    expect((await as(token)).status).toBe(200);
    expect(
      codeOf(await app.http.get(AGENTS, { headers: { cookie: `service_session=${token}` } })),
    ).toEqual([401, 'authentication_required']);
  });

  test.each([
    ['is revoked', 'api_keys', { revoked_at: new Date(), revocation_reason: 'manual' }],
    ['has expired', 'api_keys', { expires_at: new Date() }],
    ['belongs to a deleted organization', 'organizations', { deleted_at: new Date() }],
  ])('is refused once it %s', async (_, table, change) => {
    await app
      .db('api_keys')
      .where({ id: key.id })
      .update({ expires_at: new Date(Date.now() + 3_600_000) });
    expect((await as(key.token)).status).toBe(200);
    const id = table === 'api_keys' ? key.id : organization.id;
    await app.db(table).where({ id }).update(change);
    expect(codeOf(await as(key.token))).toEqual([401, 'authentication_required']);
  });

  test('works without its creator, and where personal keys are not allowed', async () => {
    await app
      .db('memberships')
      .where({ id: organization.owner.membershipId })
      .update({ status: 'deprovisioned' });
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ personal_api_keys_allowed: false });
    expect((await as(key.token)).status).toBe(200);
  });

  test('records its use at most once a minute', async () => {
    const unused = await createOrganizationKey(app, organization, [reader]);
    const recently = new Date(Date.now() - 10_000);
    await app.db('api_keys').where({ id: unused.id }).update({ last_used_at: recently });
    const lastUse = async (id: string) =>
      (
        (await app.db('api_keys').where({ id }).first('last_used_at')) as {
          last_used_at: Date | null;
        }
      ).last_used_at;
    expect([await lastUse(key.id), (await as(unused.token)).status]).toEqual([null, 200]);
    while ((await lastUse(key.id)) === null) await as(key.token);
    expect(await lastUse(unused.id)).toEqual(recently);
  });

  test('is refused with 401 in the open edition', async () => {
    const open = await startApp({ databaseUrl: app.databaseUrl });
    try {
      const headers = { authorization: `Bearer ${key.token}` };
      expect(codeOf(await open.http.get(AGENTS, { headers }))).toEqual([
        401,
        'authentication_required',
      ]);
      expect((await as(key.token)).status).toBe(200);
    } finally {
      await open.close();
    }
  });
});

describe('two processes', () => {
  test('see a revocation and a change of grants in one of them at the next call in the other', async () => {
    const other = await startApp({
      databaseUrl: app.databaseUrl,
      environment: { COUNTERSIGN_EDITION: 'hosted' },
    });
    const there = () =>
      other.http.get(AGENTS, { headers: { authorization: `Bearer ${key.token}` } });
    try {
      expect((await there()).status).toBe(200);
      await app
        .db('permission_policies')
        .where({ api_key_id: key.id })
        .update({ permissions: ['pipeline.read'] });
      expect(codeOf(await there())).toEqual([403, 'permission_denied']);
      await grant(app.db, organization.id, { apiKeyId: key.id, policy: reader });
      expect((await there()).status).toBe(200);
      await app
        .db('api_keys')
        .where({ id: key.id })
        .update({ revoked_at: new Date(), revocation_reason: 'manual' });
      expect((await there()).status).toBe(401);
    } finally {
      await other.close();
    }
  });
});
