/** Organization keys as credentials: when a `who_` token is refused, and what it does on the product API. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { permissions } from '../../../src/domain/people/permissions.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { startApp } from '../../support/app.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { appForFile } from '../../support/scene.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  grant,
  type Policy,
  type TestAgent,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { idOf, secretOf } from '../../support/tokens.ts';

let organization: TestOrganization;
let key: Awaited<ReturnType<typeof createOrganizationKey>>;

const app = await appForFile({
  environment: {
    COUNTERSIGN_EDITION: 'hosted',
    // Without it, operations about webhook endpoints are 501.
    COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
  },
});

const AGENTS = '/api/v1/agents';
const codeOf = ({ status, body }: ApiResponse) => [status, body?.['error']?.['code']];
const reader: Policy = { scope_kind: 'organization', permissions: ['agent.read'] };

const as = (token: string) =>
  app.http.get(AGENTS, { headers: { authorization: `Bearer ${token}` } });

describe('an organization key as a credential', () => {
  beforeEach(async () => {
    organization = await createOrganization(app);
    key = await createOrganizationKey(app, organization, [reader]);
  });

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

  test('loses its access in every process at the next call after a revocation or a change of grants', async () => {
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

const PIPELINES = '/api/v1/request-approval-pipelines';
const PATHS = '/api/v1/escalation-paths';
const bearable = permissions
  .filter(({ holders }) => holders.includes('organization_api_key'))
  .map(({ key }) => key);

const eventsBy = async (id: string) => {
  const rows = await app
    .db('audit_events')
    .where({ organization_id: organization.id, actor_id: id })
    .orderBy('sequence');
  return (rows as { event_type: string; actor_type: string; actor_display_name: string }[]).map(
    (row) => [row.event_type, row.actor_type, row.actor_display_name],
  );
};

describe('an organization key on the product API', () => {
  let agent: TestAgent;

  beforeAll(async () => {
    organization = await createOrganization(app);
    agent = await createAgent(app, organization);
    key = await createOrganizationKey(app, organization, [
      { scope_kind: 'organization', permissions: bearable },
    ]);
  });

  test('creates agents, credentials, pipelines and paths, each attributed to the key', async () => {
    const { http } = key;
    const created = await http.post('/api/v1/agents', { slug: 'by-key', name: 'By key' });
    expect([created.status, created.body['created_by_actor_id']]).toEqual([201, key.id]);
    expect((await http.get('/api/v1/agents/by-key')).status).toBe(200);
    const issued = await http.post('/api/v1/agents/by-key/instances', { name: 'one' });
    expect(issued.status).toBe(201);
    expect(
      (await http.delete(`/api/v1/agent-credentials/${String(issued.body['credential']?.['id'])}`))
        .status,
    ).toBe(204);

    const level = {
      id: randomUUID(),
      type: 'level',
      targets: [{ type: 'broadcast' }],
      escalate_after: '15m',
    };
    const path = await http.post(PATHS, { path_key: 'by-key', name: 'By key', nodes: [level] });
    expect([path.status, path.body['created_by_actor_id']]).toEqual([201, key.id]);
    const first = { headers: { 'if-match': '"0"' } };
    expect((await http.post(`${PATHS}/by-key/revisions/1/activate`, undefined, first)).status).toBe(
      200,
    );
    expect((await http.get(`${PATHS}/by-key/revisions`)).status).toBe(200);

    const pipeline = await http.post(`${PIPELINES}/agents/by-key/revisions`, {
      default_escalation_path: 'by-key',
      blocks: [],
    });
    expect([pipeline.status, pipeline.body['created_by_actor_id']]).toEqual([201, key.id]);
    const headers = { 'if-match': pipeline.headers['etag'] ?? '' };
    const activate = `${PIPELINES}/agents/by-key/revisions/${String(pipeline.body['revision'])}/activate`;
    expect((await http.post(activate, undefined, { headers })).status).toBe(200);
    const { id } = key;
    const byKey = { id, kind: 'api_key', display_name: 'test integration' };
    expect((await http.get(`${PIPELINES}/agents/by-key`)).body).toMatchObject({
      created_by: byKey,
      activated_by: byKey,
    });

    const events = await eventsBy(key.id);
    expect(events.map(([type]) => type)).toEqual([
      'agent.created',
      'agent_instance.created',
      'agent_credential.issued',
      'agent_credential.revoked',
      'escalation_path.created',
      'escalation_path.revision_activated',
      'request_approval_pipeline.revision_created',
      'request_approval_pipeline.revision_activated',
    ]);
    for (const [type, actor, name] of events)
      expect([type, actor, name]).toEqual([type, 'api_key', 'test integration']);
  });

  test('reads and waits for requests within its grants, and has no queue of its own', async () => {
    const id = await ask(app, agent);
    const { http } = key;
    const list = await http.get('/api/v1/requests');
    expect(list.status).toBe(200);
    expect(
      (list.body['requests'] as unknown as { id: string }[]).map((request) => request.id),
    ).toEqual([id]);
    for (const part of ['', '/routing', '/timeline']) {
      expect([part, (await http.get(`/api/v1/requests/${id}${part}`)).status]).toEqual([part, 200]);
    }
    const elsewhere = await createOrganizationKey(app, organization, [
      {
        scope_kind: 'agent',
        resource_ids: ['other'],
        permissions: ['request.read', 'request.read.unrouted'],
      },
    ]);
    expect((await elsewhere.http.get('/api/v1/requests')).body['requests']).toEqual([]);
    expect((await elsewhere.http.get(`/api/v1/requests/${id}`)).status).toBe(403);
    const waiting = http.get(`/api/v1/requests/${id}?wait=20s`);
    expect((await decide(organization.owner.http, id)).status).toBe(200);
    expect((await waiting).body).toMatchObject({ status: 'approved' });
  });

  test('never decides, whatever a stored policy says', async () => {
    const rogue = await createOrganizationKey(app, organization, [
      {
        scope_kind: 'organization',
        permissions: [
          'request.decide',
          'request.decide.unrouted',
          'request.claim',
          'membership.write',
        ],
      },
    ]);
    const id = await ask(app, agent);
    const refused = await decide(rogue.http, id);
    expect([
      refused.status,
      refused.body['error']?.['code'],
      refused.body['error']?.['details'],
    ]).toEqual([
      403,
      'permission_denied',
      { permission: 'request.decide', scope_kind: 'organization', reason: 'credential_kind' },
    ]);
    expect((await organization.owner.http.get(`/api/v1/requests/${id}`)).body).toMatchObject({
      status: 'pending',
    });
    expect((await rogue.http.get('/api/v1/api_keys/verify')).body).toMatchObject({
      permissions: [],
      effective_grants: [],
    });
  });

  test('is refused at endpoints for people or agents only, and served at all others', async () => {
    const member = await createMember(app, organization.id);
    const team = await createTeam(app, organization.id);
    const requestId = await ask(app, agent);
    const values: Readonly<Record<string, string>> = {
      slug: agent.slug,
      agent_slug: agent.slug,
      path_key: 'by-key',
      revision: '1',
    };
    const idFor = (path: string) =>
      path.includes('/teams/')
        ? team
        : path.includes('/requests/')
          ? requestId
          : member.membershipId;
    for (const endpoint of endpoints.filter(
      ({ auth, method }) => auth !== 'none' && method !== 'delete',
    )) {
      const path = endpoint.path.replaceAll(
        /\{(\w+)\}/g,
        (_, name: string) => values[name] ?? idFor(endpoint.path),
      );
      const { status, body } = await key.http.call(endpoint.method.toUpperCase(), path, {
        ...(endpoint.body && { body: endpoint.requestExample }),
        headers: { 'idempotency-key': randomUUID(), 'if-match': '"1"' },
      });
      const code = String(body?.['error']?.['code'] ?? 'none');
      const said = `${endpoint.operationId} ${status} ${code}`;
      if (endpoint.auth === 'product') {
        expect([said, status < 500 && ![401, 403].includes(status)]).toEqual([said, true]);
      } else {
        expect([said, ['permission_denied', 'session_required'].includes(code)]).toEqual([
          said,
          true,
        ]);
      }
    }
  });

  test('has its own rate limit', async () => {
    const limited = await startApp({
      databaseUrl: app.databaseUrl,
      environment: { COUNTERSIGN_EDITION: 'hosted', COUNTERSIGN_RATE_LIMIT: '3' },
    });
    const other = await createOrganizationKey(app, organization, [
      { scope_kind: 'organization', permissions: ['agent.read'] },
    ]);
    const statuses = async (token: string, count: number) => {
      const client = new HttpClient(limited.url, { authorization: `Bearer ${token}` });
      const seen: number[] = [];
      for (let call = 0; call < count; call += 1)
        seen.push((await client.get('/api/v1/agents')).status);
      return seen;
    };
    try {
      expect(await statuses(key.token, 4)).toEqual([200, 200, 200, 429]);
      expect(await statuses(other.token, 1)).toEqual([200]);
    } finally {
      await limited.close();
    }
  });
});
