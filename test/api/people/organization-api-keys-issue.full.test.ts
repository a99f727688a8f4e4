/**
 * Creating organization keys: what they can be granted, by which callers, and where (hosted
 * edition).
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { permissions } from '../../../src/domain/people/permissions.ts';
import { startApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import { everywhere } from '../../support/scene/cast.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
} from '../../support/scene/factories.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { secretOf } from '../../support/tokens.ts';

const KEYS = '/api/v1/api_keys';
const OPTIONS = `${KEYS}/options`;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const codeOf = ({ status, body }: ApiResponse) => [status, body?.['error']?.['code']];
const pointersOf = ({ body }: ApiResponse) =>
  [...(body['error']?.['details']?.['issues'] ?? [])].map((issue) => issue['pointer']);
let organization: TestOrganization;
let owner: TestMember;

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

async function issued(): Promise<{ readonly id: string }[]> {
  return (await owner.browser.get(`${KEYS}?kind=organization`)).body['keys'] as unknown as {
    id: string;
  }[];
}

const body = (policy: object = {}, more: object = {}) => ({
  name: 'inventory sync',
  permission_policies: [
    { scope_kind: 'organization', resource_ids: [], permissions: ['agent.read'], ...policy },
  ],
  ...more,
});

describe('creating an organization key', () => {
  test('shows the token once and gives the key its own policies, with audit events', async () => {
    const agent = await createAgent(app, organization);
    const answer = await owner.browser.post(KEYS, {
      name: 'inventory sync',
      permission_policies: [
        {
          scope_kind: 'organization',
          resource_ids: [],
          permissions: ['pipeline.read', 'agent.read'],
        },
        {
          scope_kind: 'agent',
          resource_ids: [agent.slug],
          permissions: ['agent.write', 'agent.read'],
        },
      ],
    });
    const { key, token } = answer.body as unknown as { key: { id: string }; token: string };
    expect(answer.status).toBe(201);
    expect(token).toMatch(new RegExp(`^who_${key.id}_[A-Za-z0-9]{49}$`));
    expect(key).toEqual({
      id: key.id,
      prefix: `who_${key.id}`,
      kind: 'organization',
      created_by: {
        membership_id: owner.membershipId,
        display_name: owner.displayName,
        email: owner.email,
      },
      name: 'inventory sync',
      permissions: null,
      assurance_at_issue: 'single_factor',
      status: 'active',
      created_at: INSTANT,
      expires_at: null,
      usable: true,
      grants: [
        { permission: 'agent.read', scope_kind: 'agent', scope_id: agent.slug },
        { permission: 'agent.read', scope_kind: 'organization' },
        { permission: 'agent.write', scope_kind: 'agent', scope_id: agent.slug },
        { permission: 'pipeline.read', scope_kind: 'organization' },
      ],
    });
    const as = new HttpClient(app.url, { authorization: `Bearer ${token}` });
    expect((await as.get('/api/v1/agents')).status).toBe(200);
    expect((await as.get(`${KEYS}/verify`)).body).toMatchObject({
      key: { id: key.id, kind: 'organization' },
      permissions: ['agent.read', 'agent.write', 'pipeline.read'],
    });
    const types = (await app
      .db('audit_events')
      .where({ organization_id: organization.id })
      .orderBy('sequence')) as {
      event_type: string;
    }[];
    const tail = types.map(({ event_type }) => event_type).slice(-3);
    expect(tail).toEqual([
      'api_key.created',
      'permission_policy.created',
      'permission_policy.created',
    ]);
    expect([JSON.stringify(types), ...app.log].join('\n')).not.toContain(secretOf(token));
    expect((await issued()).some(({ id }) => id === key.id)).toBe(true);
    expect((await owner.browser.get('/api/v1/me/api_keys')).text).not.toContain(key.id);
    expect(codeOf(await owner.browser.delete(`/api/v1/me/api_keys/${key.id}`))).toEqual([
      404,
      'not_found',
    ]);
  });

  test('names every wrong field', async () => {
    const [team, foreignTeam] = [
      await createTeam(app, organization.id),
      await createTeam(app, (await createOrganization(app)).id),
    ];
    const agentPolicy = { scope_kind: 'agent', resource_ids: [], permissions: ['agent.read'] };
    const bad: [string, object][] = [
      ['/permission_policies', { name: 'k', permission_policies: [] }],
      ['/permission_policies', { name: 'k' }],
      ['/name', { ...body(), name: '' }],
      ['/permission_policies/0/permissions', body({ permissions: [] })],
      ['/permission_policies/0/permissions/0', body({ permissions: ['no.such'] })],
      [
        '/permission_policies/0/permissions/1',
        body({ permissions: ['request.read', 'request.decide'] }),
      ],
      ['/permission_policies/0/permissions/0', body({ permissions: ['membership.write'] })],
      ['/permission_policies/0/permissions/0', body({ permissions: ['api_key.issue'] })],
      ['/permission_policies/0/resource_ids', body({ scope_kind: 'agent' })],
      [
        '/permission_policies/0/resource_ids/0',
        body({ ...agentPolicy, resource_ids: ['no-such-agent'] }),
      ],
      [
        '/permission_policies/0/resource_ids/0',
        body({ scope_kind: 'team', resource_ids: [foreignTeam], permissions: ['team.read'] }),
      ],
      [
        '/permission_policies/0/permissions/0',
        body({ scope_kind: 'team', resource_ids: [team], permissions: ['agent.read'] }),
      ],
      ['/permission_policies/0/is_owner', body({ is_owner: true, permissions: [] })],
      ['/permission_policies/0/scope_kind', body({ scope_kind: 'galaxy' })],
      ['/expires_at', body({}, { expires_at: '2001-01-01T00:00:00Z' })],
      ['/kind', body({}, { kind: 'personal' })],
    ];
    for (const [pointer, wrong] of bad) {
      const answer = await owner.browser.post(KEYS, wrong);
      expect([pointer, answer.status, pointersOf(answer)]).toEqual([pointer, 400, [pointer]]);
    }
    expect(await issued()).toEqual([]);
    expect(
      (
        await owner.browser.post(
          KEYS,
          body({ scope_kind: 'team', resource_ids: [team], permissions: ['team.read'] }),
        )
      ).status,
    ).toBe(201);
  });

  test('grants only what the creator holds at the same scope or wider', async () => {
    const [mine, other] = [
      await createAgent(app, organization),
      await createAgent(app, organization),
    ];
    const issuer = await createMember(app, organization.id, {
      policies: [
        everywhere('api_key.organization.issue', 'pipeline.read'),
        { scope_kind: 'agent', resource_ids: [mine.slug], permissions: ['agent.read'] },
      ],
    });
    const issue = (policy: object) => issuer.browser.post(KEYS, body(policy));
    expect((await issue({ scope_kind: 'agent', resource_ids: [mine.slug] })).status).toBe(201);
    expect(
      (
        await issue({
          scope_kind: 'agent',
          resource_ids: [other.slug],
          permissions: ['pipeline.read'],
        })
      ).status,
    ).toBe(201);
    for (const policy of [
      {},
      { scope_kind: 'agent', resource_ids: [mine.slug, other.slug] },
      { permissions: ['pipeline.read', 'pipeline.write'] },
    ]) {
      expect(codeOf(await issue(policy))).toEqual([403, 'grant_exceeds_own']);
    }
    expect(await issued()).toHaveLength(2);
  });

  test('always needs recent authentication, and a second factor when the organization requires one', async () => {
    const session = (change: object) =>
      app.db('sessions').where({ membership_id: owner.membershipId }).update(change);
    const issue = async () => codeOf(await owner.browser.post(KEYS, body()));
    await session({ authenticated_at: new Date(Date.now() - 16 * 60_000) });
    expect(await issue()).toEqual([403, 'reauthentication_required']);
    await session({ authenticated_at: new Date() });
    await app.db('organizations').where({ id: organization.id }).update({ require_mfa: true });
    expect(await issue()).toEqual([403, 'mfa_required']);
    await session({ assurance: 'strong' });
    const answer = await owner.browser.post(KEYS, body());
    expect([answer.status, answer.body['key']?.['assurance_at_issue']]).toEqual([201, 'strong']);
  });

  test('sets an expiry when the lifetime of keys is limited', async () => {
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ max_api_key_lifetime_seconds: 3_600 });
    const answer = await owner.browser.post(KEYS, body());
    const end = new Date(String(answer.body['key']?.['expires_at'])).getTime();
    expect(Math.abs(end - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const late = new Date(Date.now() + 2 * 3_600_000).toISOString();
    expect(pointersOf(await owner.browser.post(KEYS, body({}, { expires_at: late })))).toEqual([
      '/expires_at',
    ]);
    expect((await owner.browser.get(OPTIONS)).body).toHaveProperty('max_expires_at');
  });

  test('offers the permissions that the caller can grant, at their scopes, and the agents and teams they reach', async () => {
    const [mine, archived] = [
      await createAgent(app, organization),
      await createAgent(app, organization),
      await createAgent(app, organization),
    ];
    const team = await createTeam(app, organization.id);
    await app
      .db('agents')
      .where({ slug: archived.slug, organization_id: organization.id })
      .update({ status: 'archived', archived_at: new Date() });
    const issuer = await createMember(app, organization.id, {
      policies: [
        everywhere('api_key.organization.issue', 'request.decide', 'team.read'),
        {
          scope_kind: 'agent',
          resource_ids: [mine.slug, archived.slug],
          permissions: ['agent.read'],
        },
      ],
    });
    const { status, body: offered } = await issuer.browser.get(OPTIONS);
    expect([status, offered]).toEqual([
      200,
      {
        permissions: [
          expect.objectContaining({
            key: 'agent.read',
            area: 'Agents',
            dangerous: false,
            scopes: ['organization', 'agent'],
          }),
          expect.objectContaining({
            key: 'team.read',
            area: 'Teams',
            dangerous: false,
            scopes: ['organization', 'team'],
          }),
        ],
        grants: [
          ...[archived.slug, mine.slug]
            .sort()
            .map((scope_id) => ({ permission: 'agent.read', scope_kind: 'agent', scope_id })),
          { permission: 'team.read', scope_kind: 'organization' },
        ],
        resources_truncated: false,
        resources: [
          { id: mine.slug, name: `Agent ${mine.slug}`, kind: 'agent' },
          { id: team, name: expect.any(String), kind: 'team' },
        ],
      },
    ]);
    const all = (await owner.browser.get(OPTIONS)).body as unknown as {
      permissions: { key: string }[];
      resources: { id: string }[];
    };
    const bearable = permissions
      .filter(({ holders }) => holders.includes('organization_api_key'))
      .map(({ key }) => key as string);
    expect(all.permissions.map(({ key }) => key)).toEqual(bearable.sort());
    expect(all.resources.filter(({ id }) => id !== team)).toHaveLength(2);
    expect(codeOf(await (await createMember(app, organization.id)).browser.get(OPTIONS))).toEqual([
      403,
      'permission_denied',
    ]);
  });
});

describe('the open edition', () => {
  test('has no organization keys to create, and still shows and revokes existing ones', async () => {
    const key = await createOrganizationKey(app, organization, [everywhere('agent.read')]);
    const bare = await createMember(app, organization.id);
    const open = await startApp({ databaseUrl: app.databaseUrl });
    const browser = (by: TestMember) =>
      new HttpClient(open.url, { cookie: by.cookie, origin: open.url });
    try {
      for (const by of [owner, bare]) {
        for (const wrong of [body(), {}, '{'])
          expect(codeOf(await browser(by).post(KEYS, wrong))).toEqual([404, 'not_found']);
        expect(codeOf(await browser(by).get(OPTIONS))).toEqual([404, 'not_found']);
        const script = new HttpClient(open.url, { authorization: `Bearer ${by.apiKey}` });
        expect(codeOf(await script.get(OPTIONS))).toEqual([404, 'not_found']);
      }
      expect(codeOf(await open.http.post(KEYS, body()))).toEqual([401, 'authentication_required']);
      expect(codeOf(await open.http.get(OPTIONS))).toEqual([401, 'authentication_required']);
      const { body: shown } = await browser(owner).get(`${KEYS}?kind=organization`);
      expect(shown['keys']).toMatchObject([{ id: key.id, status: 'active', usable: false }]);
      expect((await browser(owner).delete(`${KEYS}/${key.id}`)).status).toBe(204);
      expect((await browser(owner).get(`${KEYS}/${key.id}`)).body['key']).toMatchObject({
        status: 'revoked',
      });
    } finally {
      await open.close();
    }
  });
});
