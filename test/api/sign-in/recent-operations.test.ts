/** Operations that give someone or something the power to act: an old session may not, a key keeps its own rules. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ApiResponse, HttpClient } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { createMember, createTeam } from '../../support/scene/factories.ts';
import { ageSession, newEmail } from '../../support/scene/invitations.ts';
import { post } from '../../support/scene/permission-policies.ts';
import { BASE as PIPELINES } from '../../support/scene/request-approval-pipelines.ts';
import { LOOPBACK_ALLOWED } from '../../support/servers/webhook-receiver.ts';

const { app, organization, owner } = await scene({
  app: {
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  },
  pipelines: { bot: {} },
});
const REAUTHENTICATE = [403, 'reauthentication_required'];
const outcomeOf = ({ status, body }: ApiResponse): unknown => [status, body?.['error']?.['code']];
const unique = (): string => `x${randomUUID().slice(0, 8)}`;
const DECIDE = { scope_kind: 'organization', resource_ids: [], permissions: ['request.decide'] };
const READ = { ...DECIDE, permissions: ['request.read'] };

const ENDPOINTS = '/api/v1/webhook_endpoints';

async function activate(http: HttpClient, path: string, document: unknown): Promise<ApiResponse> {
  const created = await owner.http.post(`${path}/revisions`, document);
  expect(created.status).toBe(201);
  const headers = { 'if-match': created.headers['etag'] ?? '' };
  const revision = String(created.body['revision']);
  return await http.post(`${path}/revisions/${revision}/activate`, undefined, { headers });
}

const endpoint = () => ({ name: unique(), url: `https://127.0.0.1/${unique()}` });
const activateEndpoint = (http: HttpClient, key: string) =>
  activate(http, `${ENDPOINTS}/${key}`, endpoint());

/** A pipeline of the agent asks it. */
async function createEndpointInUse(): Promise<string> {
  const key = unique();
  expect((await activateEndpoint(owner.http, key)).status).toBe(200);
  const blocks = [
    { id: 'ask', name: 'Ask', type: 'webhook', config: { endpoint_key: key, reason: 'Asked.' } },
  ];
  expect((await activate(owner.http, `${PIPELINES}/agents/bot`, { blocks })).status).toBe(200);
  return key;
}

async function enroll(http: HttpClient, target: object): Promise<ApiResponse> {
  const begun = await app.http.post('/auth/agent_enrollments', {
    runtime: 'test',
    instance_name: unique(),
  });
  const code = String(begun.body['user_code']);
  return await http.post(`/api/v1/agent_enrollments/${code}/authorize`, target);
}

const joinDeciders = async (http: HttpClient): Promise<ApiResponse> => {
  const policies = [{ scope_kind: 'organization' as const, permissions: ['request.decide'] }];
  const team = await createTeam(app, organization.id, { policies });
  const body = { membership_ids: [(await createMember(app, organization.id)).membershipId] };
  return await http.call('PUT', `/api/v1/teams/${team}/members`, { body });
};

const grantTo = async (http: HttpClient, body: object): Promise<ApiResponse> => {
  const { membershipId } = await createMember(app, organization.id);
  return await post(http, `/api/v1/members/${membershipId}/permission_policies`, body);
};

const OPERATIONS: readonly (readonly [string, (http: HttpClient) => Promise<ApiResponse>])[] = [
  [
    'activating rules of the organization',
    (http) => activate(http, `${PIPELINES}/organization`, { blocks: [] }),
  ],
  [
    'activating rules of an agent',
    (http) => activate(http, `${PIPELINES}/agents/bot`, { blocks: [] }),
  ],
  [
    'changing the URL of an endpoint in use',
    async (http) => activateEndpoint(http, await createEndpointInUse()),
  ],
  [
    'rotating the secret of an endpoint in use',
    async (http) => http.post(`${ENDPOINTS}/${await createEndpointInUse()}/rotate_secret`),
  ],
  ['granting the right to decide to a member', (http) => grantTo(http, DECIDE)],
  [
    'granting the right to decide to a team',
    async (http) => {
      const team = await createTeam(app, organization.id);
      return await post(http, `/api/v1/teams/${team}/permission_policies`, DECIDE);
    },
  ],
  ['taking someone into a team that decides', joinDeciders],
  ['issuing a credential', (http) => http.post('/api/v1/agents/bot/instances', { name: unique() })],
  ['issuing a provisioner token', (http) => http.post('/api/v1/agents/bot/provisioners')],
];

/** Only for sessions. */
const IN_SESSIONS: readonly (readonly [string, (http: HttpClient) => Promise<ApiResponse>])[] = [
  [
    'inviting someone who decides',
    (http) =>
      http.post('/api/v1/invitations', { email: newEmail(), permission_policies: [DECIDE] }),
  ],
  ['authorizing an enrollment', (http) => enroll(http, { agent_slug: 'bot' })],
  [
    'authorizing an enrollment of a new agent',
    (http) => enroll(http, { create_agent: { slug: unique(), name: unique() } }),
  ],
];

describe('a session that authenticated an hour ago', () => {
  test.each([...OPERATIONS, ...IN_SESSIONS])(
    'is refused %s, until it authenticates again',
    async (_what, act) => {
      await ageSession(app, owner, 60);
      expect(outcomeOf(await act(owner.browser))).toEqual(REAUTHENTICATE);
      await ageSession(app, owner, 0);
      expect([200, 201]).toContain((await act(owner.browser)).status);
    },
  );

  test.each(OPERATIONS)('does not concern a key %s', async (_what, act) => {
    await ageSession(app, owner, 60);
    expect([200, 201]).toContain((await act(owner.http)).status);
  });

  test.each<[string, (http: HttpClient) => Promise<ApiResponse>]>([
    ['a grant that decides nothing', (http) => grantTo(http, READ)],
    [
      'an endpoint that no active pipeline asks',
      async (http) => {
        const key = unique();
        await activateEndpoint(owner.http, key);
        return await activateEndpoint(http, key);
      },
    ],
    ['a new agent', (http) => http.post('/api/v1/agents', { slug: unique(), name: unique() })],
  ])('is enough for %s', async (_what, act) => {
    await ageSession(app, owner, 60);
    expect([200, 201]).toContain((await act(owner.browser)).status);
  });
});

describe('an endpoint that an active pipeline asks', () => {
  const holding = (...permissions: readonly string[]) =>
    createMember(app, organization.id, { policies: [{ scope_kind: 'organization', permissions }] });

  test('is changed only by who may activate that pipeline, with a session or a key', async () => {
    const key = await createEndpointInUse();
    const writer = await holding('webhook.write');
    const activator = await holding('webhook.write', 'pipeline.activate');
    for (const http of [writer.browser, writer.http]) {
      for (const answer of [
        await activateEndpoint(http, key),
        await http.post(`${ENDPOINTS}/${key}/rotate_secret`),
      ]) {
        expect(outcomeOf(answer)).toEqual([403, 'grant_exceeds_own']);
        expect(answer.body['error']?.['details']).toEqual({
          grants: [{ permission: 'pipeline.activate', scope_kind: 'agent', scope_id: 'bot' }],
        });
      }
    }
    for (const http of [activator.browser, activator.http]) {
      expect((await activateEndpoint(http, key)).status).toBe(200);
      expect((await http.post(`${ENDPOINTS}/${key}/rotate_secret`)).status).toBe(200);
    }
  });

  test('can be changed like any other once the pipeline no longer asks it', async () => {
    const key = await createEndpointInUse();
    const writer = await holding('webhook.write');
    expect((await activate(owner.http, `${PIPELINES}/agents/bot`, { blocks: [] })).status).toBe(
      200,
    );
    expect((await activateEndpoint(writer.http, key)).status).toBe(200);
  });
});
