/**
 * Scoping and lifetime of personal keys, and the authentication that creating them needs (hosted
 * edition).
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import { everywhere } from '../../support/scene/cast.ts';
import {
  createMember,
  createOrganization,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { untilBlocked } from '../../support/waiting.ts';

const KEYS = '/api/v1/me/api_keys';
const VERIFY = '/api/v1/api_keys/verify';

const codeOf = ({ status, body }: ApiResponse) => [status, body?.['error']?.['code']];
const pointersOf = ({ body }: ApiResponse) =>
  [...(body['error']?.['details']?.['issues'] ?? [])].map((issue) => issue['pointer']);
let organization: TestOrganization;
let member: TestMember;

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });

beforeEach(async () => {
  organization = await createOrganization(app);
  const policies = [
    everywhere('api_key.issue', 'request.read', 'request.decide', 'agent.read'),
    {
      scope_kind: 'agent',
      resource_ids: ['some-agent'],
      permissions: ['agent.write', 'agent.credential.issue'],
    } as const,
  ];
  member = await createMember(app, organization.id, { policies });
});

const createKey = (body: object, by = member) => by.browser.post(KEYS, { name: 'script', ...body });
const bearer = (answer: ApiResponse) =>
  new HttpClient(app.url, { authorization: `Bearer ${String(answer.body['token'])}` });
const settings = (change: object) =>
  app.db('organizations').where({ id: organization.id }).update(change);
const session = (change: object) =>
  app.db('sessions').where({ membership_id: member.membershipId }).update(change);
const longAgo = () => ({ authenticated_at: new Date(Date.now() - 3_600_000) });

describe('a scoped personal key', () => {
  test('carries only the chosen permissions, wherever its member holds them', async () => {
    const created = await createKey({ permissions: ['request.read', 'agent.write'] });
    expect([created.status, created.body['key']?.['permissions']]).toEqual([
      201,
      ['request.read', 'agent.write'],
    ]);
    const key = bearer(created);
    expect((await key.get(VERIFY)).body).toMatchObject({
      permissions: ['agent.write', 'request.read'],
      effective_grants: [
        { permission: 'agent.write', scope_kind: 'agent', scope_id: 'some-agent' },
        { permission: 'request.read', scope_kind: 'organization' },
      ],
    });
    expect((await key.get('/api/v1/requests')).status).toBe(200);
    const refused = await key.get('/api/v1/agents');
    expect(codeOf(refused)).toEqual([403, 'permission_denied']);
    expect(refused.body['error']?.['details']).toMatchObject({
      permission: 'agent.read',
      reason: 'key_narrowed',
    });
    const { body } = await member.browser.get(KEYS);
    expect(body).toMatchObject({
      scoping_enabled: true,
      keys: [{ permissions: ['request.read', 'agent.write'] }, { permissions: null }],
    });
  });

  test('can only carry permissions that the caller holds and a key can hold', async () => {
    expect(pointersOf(await createKey({ permissions: [] }))).toEqual(['/permissions']);
    const refused = await createKey({
      permissions: [
        'request.read',
        'no.such.permission',
        'api_key.issue',
        'request.create',
        'request.read',
      ],
    });
    expect([refused.status, pointersOf(refused)]).toEqual([
      400,
      [1, 2, 3, 4].map((index) => `/permissions/${index}`),
    ]);
    const both = await createKey({
      permissions: ['no.such.permission'],
      expires_at: '2001-01-01T00:00:00Z',
    });
    expect(pointersOf(both)).toEqual(['/permissions/0', '/expires_at']);
  });

  test('is refused with grant_exceeds_own for what the caller does not hold, once the input is valid', async () => {
    const refused = await createKey({ permissions: ['request.read', 'webhook.read'] });
    expect(codeOf(refused)).toEqual([403, 'grant_exceeds_own']);
    expect(refused.body['error']?.['details']).toEqual({
      grants: [{ permission: 'webhook.read', scope_kind: 'organization' }],
    });
    expect((await createKey({ permissions: ['webhook.read', 'no.such.permission'] })).status).toBe(
      400,
    );
  });

  test('takes null for permissions or expiry like an absent field', async () => {
    const created = await createKey({ permissions: null, expires_at: null });
    expect([created.status, created.body['key']]).toMatchObject([
      201,
      { permissions: null, expires_at: null },
    ]);
  });

  test('never restores what its member lost, and follows what they gain within its list', async () => {
    const reader = await createMember(app, organization.id, {
      policies: [everywhere('api_key.issue')],
    });
    const team = await createTeam(app, organization.id, {
      members: [reader],
      policies: [everywhere('agent.read', 'pipeline.read')],
    });
    const key = bearer(await createKey({ permissions: ['agent.read'] }, reader));
    const permissions = async () => (await key.get(VERIFY)).body['permissions'];
    expect(await permissions()).toEqual(['agent.read']);
    await app.db('teams').where({ id: team }).update({ archived_at: new Date() });
    expect(await permissions()).toEqual([]);
    expect((await key.get('/api/v1/agents')).body['error']?.['details']).toMatchObject({
      reason: 'missing_permission',
    });
    await app.db('teams').where({ id: team }).update({ archived_at: null });
    expect(await permissions()).toEqual(['agent.read']);
    await app.db('team_members').where({ team_id: team }).delete();
    expect(await permissions()).toEqual([]);
  });

  test('needs recent authentication only for the permissions in its list', async () => {
    await session(longAgo());
    expect((await createKey({ permissions: ['request.read', 'agent.read'] })).status).toBe(201);
    for (const sensitive of ['request.decide', 'agent.credential.issue']) {
      expect(codeOf(await createKey({ permissions: ['request.read', sensitive] }))).toEqual([
        403,
        'reauthentication_required',
      ]);
    }
    expect(codeOf(await createKey({}))).toEqual([403, 'reauthentication_required']);
    await session({ authenticated_at: new Date() });
    expect((await createKey({ permissions: ['request.decide'] })).status).toBe(201);
  });

  test('is checked against what the caller holds when the key is created, not when the call arrived', async () => {
    const gate = await app.db.transaction();
    await gate.raw('select 1 from organizations where id = :id for update', {
      id: organization.id,
    });
    const waiting = createKey({ permissions: ['agent.read'] });
    await untilBlocked(gate);
    await gate('permission_policies')
      .where({ membership_id: member.membershipId, scope_kind: 'organization' })
      .update({
        permissions: ['api_key.issue', 'request.read'],
      });
    await gate.commit();
    const refused = await waiting;
    expect(codeOf(refused)).toEqual([403, 'grant_exceeds_own']);
  });

  test('is not created when the membership ends during the call', async () => {
    const gate = await app.db.transaction();
    await gate.raw('select 1 from organizations where id = :id for update', {
      id: organization.id,
    });
    const waiting = createKey({});
    await untilBlocked(gate);
    await gate('memberships')
      .where({ id: member.membershipId })
      .update({ status: 'deprovisioned' });
    await gate.commit();
    expect(codeOf(await waiting)).toEqual([403, 'membership_inactive']);
    expect(
      await app.db('api_keys').where({ membership_id: member.membershipId, name: 'script' }),
    ).toEqual([]);
  });
});

describe('where the organization requires a second factor', () => {
  beforeEach(() => settings({ require_mfa: true }));

  test('a key that can decide or carries a dangerous permission needs a second factor', async () => {
    expect(codeOf(await createKey({}))).toEqual([403, 'mfa_required']);
    expect(codeOf(await createKey({ permissions: ['request.decide'] }))).toEqual([
      403,
      'mfa_required',
    ]);
    expect((await createKey({ permissions: ['request.read'] })).status).toBe(201);
    await session({ assurance: 'strong' });
    const created = await createKey({});
    expect([created.status, created.body['key']?.['assurance_at_issue']]).toEqual([201, 'strong']);
    await session(longAgo());
    expect(codeOf(await createKey({}))).toEqual([403, 'reauthentication_required']);
  });
});

describe('the lifetime of a key', () => {
  const endOf = (answer: ApiResponse) =>
    new Date(String(answer.body['key']?.['expires_at'])).getTime();
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

  test('is limited by the organization: by default to the limit, and never longer', async () => {
    await settings({ max_api_key_lifetime_seconds: 3_600 });
    const before = Date.now();
    const created = await createKey({});
    expect(created.status).toBe(201);
    expect(endOf(created)).toBeGreaterThanOrEqual(before + 3_600_000 - 1_000);
    expect(endOf(created)).toBeLessThanOrEqual(Date.now() + 3_600_000 + 1_000);
    expect((await createKey({ expires_at: inMs(3_500_000) })).status).toBe(201);
    const late = await createKey({ expires_at: inMs(3_700_000) });
    expect([late.status, pointersOf(late)]).toEqual([400, ['/expires_at']]);
    const { max_expires_at } = (await member.browser.get(KEYS)).body as unknown as {
      max_expires_at: string;
    };
    expect(Math.abs(new Date(max_expires_at).getTime() - Date.now() - 3_600_000)).toBeLessThan(
      60_000,
    );
  });

  test('has no limit by default, and a new limit leaves existing keys alone', async () => {
    const before = await createKey({ expires_at: inMs(10 ** 10) });
    expect([before.status, (await createKey({})).body['key']?.['expires_at']]).toEqual([201, null]);
    expect((await member.browser.get(KEYS)).body).not.toHaveProperty('max_expires_at');
    await settings({ max_api_key_lifetime_seconds: 3_600 });
    expect((await bearer(before).get(VERIFY)).body['key']).toMatchObject({
      status: 'active',
      usable: true,
    });
  });

  test('is limited by the deployment too, and the sooner expiry applies', async () => {
    const environment = { COUNTERSIGN_EDITION: 'hosted', COUNTERSIGN_MAX_API_KEY_LIFETIME: '2h' };
    const strict = await startApp({ databaseUrl: app.databaseUrl, environment });
    const there = new HttpClient(strict.url, { cookie: member.cookie, origin: strict.url });
    const life = async () =>
      Math.round((endOf(await there.post(KEYS, { name: 'k' })) - Date.now()) / 60_000);
    try {
      expect(await life()).toBe(120);
      await settings({ max_api_key_lifetime_seconds: 3_600 });
      expect(await life()).toBe(60);
      await settings({ max_api_key_lifetime_seconds: 10_800 });
      expect(await life()).toBe(120);
      expect((await there.post(KEYS, { name: 'k', expires_at: inMs(7_300_000) })).status).toBe(400);
    } finally {
      await strict.close();
    }
  });
});

describe('two processes', () => {
  test('see scoping and revocation in one of them at the next call in the other', async () => {
    const other = await startApp({
      databaseUrl: app.databaseUrl,
      environment: { COUNTERSIGN_EDITION: 'hosted' },
    });
    try {
      const created = await createKey({});
      const there = new HttpClient(other.url, {
        authorization: `Bearer ${String(created.body['token'])}`,
      });
      const id = String(created.body['key']?.['id']);
      expect((await there.get('/api/v1/agents')).status).toBe(200);
      await app
        .db('api_keys')
        .where({ id })
        .update({ permissions: ['request.read'] });
      expect((await there.get('/api/v1/agents')).body['error']?.['details']).toMatchObject({
        reason: 'key_narrowed',
      });
      expect((await there.get('/api/v1/requests')).status).toBe(200);
      expect((await member.browser.delete(`${KEYS}/${id}`)).status).toBe(204);
      expect(codeOf(await there.get('/api/v1/requests'))).toEqual([401, 'authentication_required']);
    } finally {
      await other.close();
    }
  });

  test('refuse a key after its member is removed', async () => {
    const key = bearer(await createKey({}));
    expect(
      (await organization.owner.browser.delete(`/api/v1/members/${member.membershipId}`)).status,
    ).toBe(204);
    expect(codeOf(await key.get(VERIFY))).toEqual([401, 'authentication_required']);
    const { body } = await organization.owner.browser.get(
      `/api/v1/api_keys?q=${encodeURIComponent(member.email)}`,
    );
    const { keys } = body as unknown as { keys: object[] };
    expect(keys.length).toBeGreaterThan(0);
    for (const shown of keys)
      expect(shown).toMatchObject({
        status: 'revoked',
        revocation_reason: 'membership_deprovisioned',
      });
  });
});
