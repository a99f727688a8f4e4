/**
 * An organization key on every operation of the product API, and how its changes are attributed.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { permissions } from '../../../src/domain/people/permissions.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
} from '../../support/scene/factories.ts';
import type { TestAgent, TestOrganization } from '../../support/scene/factories.ts';
import { HttpClient } from '../../support/http.ts';

const PIPELINES = '/api/v1/request-approval-pipelines';
const PATHS = '/api/v1/escalation-paths';
const bearable = permissions
  .filter(({ holders }) => holders.includes('organization_api_key'))
  .map(({ key }) => key);

let app: TestApp;
let organization: TestOrganization;
let agent: TestAgent;
let key: Awaited<ReturnType<typeof createOrganizationKey>>;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
  key = await createOrganizationKey(app, organization, [
    { scope_kind: 'organization', permissions: bearable },
  ]);
});

afterAll(() => app.close());

const eventsBy = async (id: string) => {
  const rows = await app
    .db('audit_events')
    .where({ organization_id: organization.id, actor_id: id })
    .orderBy('sequence');
  return (rows as { event_type: string; actor_type: string; actor_display_name: string }[]).map(
    (row) => [row.event_type, row.actor_type, row.actor_display_name],
  );
};

describe('an organization key', () => {
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
    expect((await http.get(`${PIPELINES}/agents/by-key`)).status).toBe(200);

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
