import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  type Policy,
  type TestMember,
} from '../../support/scene/factories.ts';
import {
  AUTHORIZATIONS,
  newVerifier,
  oauthOf,
  REDIRECT,
  refusalOf,
  VERIFY,
} from './oauth-scene.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
const { register, asking, approve, exchange, refresh, letIn, withToken, post } = oauthOf(app);

const policy: Policy = {
  scope_kind: 'organization',
  permissions: ['api_key.issue', 'request.read', 'agent.read'],
};
let organizationId: string;
let ada: TestMember;
let client: string;

interface ListedKey {
  readonly id: string;
  readonly created_at: string;
  readonly oauth_client?: {
    readonly id: string;
    readonly token_issued_at?: string;
    readonly ends_at?: string;
  };
}

beforeEach(async () => {
  await app.db('sign_in_attempts').delete();
  organizationId = (await createOrganization(app)).id;
  ada = await createMember(app, organizationId, { policies: [policy] });
  client = await register();
});

const authorize = (parameters: Record<string, string>, headers = {}) =>
  app.http.get(`/oauth/authorize?${new URLSearchParams(parameters).toString()}`, { headers });

describe('a client finds out by itself', () => {
  test('where to ask, from the resource to the authorization server', async () => {
    const resource = await app.http.get('/.well-known/oauth-protected-resource/mcp');
    expect(resource.body).toMatchObject({
      resource: `${app.url}/mcp`,
      authorization_servers: [app.url],
    });
    const server = await app.http.get('/.well-known/oauth-authorization-server');
    expect(server.body).toMatchObject({
      issuer: app.url,
      authorization_endpoint: `${app.url}/oauth/authorize`,
      token_endpoint: `${app.url}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });
});

describe('the way to a token', () => {
  test('leads from the request over the consent page and a code to a key of the member', async () => {
    const verifier = newVerifier();
    const asked = asking(client, verifier, { state: 'st', scope: 'request.read' });
    const sent = await authorize(asked);
    expect(sent.status).toBe(302);
    const page = new URL(sent.headers['location'] ?? '');
    expect(page.pathname).toBe('/oauth/consent');
    expect(Object.fromEntries(page.searchParams)).toEqual(asked);

    const preview = await ada.browser.post(`${AUTHORIZATIONS}/preview`, asked);
    expect(preview.body['client']).toEqual({
      id: client,
      name: 'Desk assistant',
      redirect_uri: REDIRECT,
    });
    expect(preview.body).toMatchObject({
      resource: 'mcp',
      requested_permissions: [{ key: 'request.read' }],
      bearable_permissions: [{ key: 'agent.read' }, { key: 'request.read' }],
      scoping_enabled: true,
      personal_api_keys_allowed: true,
    });

    const back = await approve(ada, { ...asked, permissions: ['request.read'] });
    expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
    expect(back.searchParams.get('state')).toBe('st');
    expect(back.searchParams.get('iss')).toBe(app.url);

    const answer = await exchange(client, back.searchParams.get('code') ?? '', verifier);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^whk_/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^whf_/),
      scope: 'request.read',
    });
    const verified = await withToken(String(answer.body['access_token'])).get(VERIFY);
    expect(verified.body).toMatchObject({
      key: {
        name: 'Desk assistant',
        membership_id: ada.membershipId,
        oauth_client: { id: client, name: 'Desk assistant' },
        permissions: ['request.read'],
        status: 'active',
      },
      permissions: ['request.read'],
    });
  });

  test('is among the keys of the person: where it may go, when its token came, and when it ends', async () => {
    const day = 24 * 3_600;
    await app
      .db('organizations')
      .where({ id: organizationId })
      .update({ max_api_key_lifetime_seconds: 60 * day });
    const { refresh: refreshToken } = await letIn(ada, client, { resource: `${app.url}/api/v1` });
    const keyOf = async () => {
      const { body } = await ada.browser.get('/api/v1/me/api_keys');
      return (body as unknown as { keys: readonly ListedKey[] }).keys.find(
        ({ oauth_client: holder }) => holder?.id === client,
      );
    };
    const first = await keyOf();
    expect(first?.oauth_client).toEqual({
      id: client,
      name: 'Desk assistant',
      resource: 'api',
      token_issued_at: expect.any(String),
      ends_at: expect.any(String),
    });
    const { created_at: consented = '', oauth_client: holder } = first ?? {};
    const seconds = (at: string | undefined) =>
      Math.round((Date.parse(at ?? '') - Date.parse(consented)) / 1_000);
    expect(seconds(holder?.ends_at)).toBe(60 * day);
    // As if the hour of its token were half over.
    await app.db.raw(
      `update api_keys set token_expires_at = token_expires_at - interval '30 minutes' where id = :id`,
      { id: first?.id ?? '' },
    );
    const before = (await keyOf())?.oauth_client?.token_issued_at ?? '';
    expect((await refresh(client, refreshToken)).status).toBe(200);
    const after = (await keyOf())?.oauth_client?.token_issued_at ?? '';
    expect(Date.parse(after) - Date.parse(before)).toBeGreaterThanOrEqual(30 * 60_000);
  });

  test('ends with access_denied when the person declines', async () => {
    const asked = asking(client, newVerifier(), { state: 'st' });
    const { body } = await ada.browser.post(AUTHORIZATIONS, { ...asked, approve: false });
    const back = new URL(String(body['redirect_url']));
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'access_denied',
      state: 'st',
      iss: app.url,
    });
    expect((await ada.browser.get('/api/v1/me/api_keys')).text).not.toContain('oauth_client');
  });
});

describe('scopes that no key can hold', () => {
  test.each(['offline_access', 'openid profile', 'request.read no.such', 'api_key.issue'])(
    'are ignored: %s',
    async (scope) => {
      const asked = asking(client, newVerifier(), { scope });
      const { headers } = await authorize(asked);
      expect(headers['location']).toContain('/oauth/consent?');
      const { status, body } = await ada.browser.post(`${AUTHORIZATIONS}/preview`, asked);
      expect(status).toBe(200);
      const requested = body['requested_permissions'] as unknown as { key: string }[];
      expect(requested.map(({ key }) => key)).toEqual(
        scope.includes('request.read') ? ['request.read'] : [],
      );
    },
  );
});

describe('a request that cannot be granted, of a client that no one has let in', () => {
  const wrong = () => ({ ...asking(client, newVerifier()), response_type: 'token' });

  test('sends the browser nowhere: a person gets the page, and a program the name of the host', async () => {
    const page = await authorize(wrong(), { accept: 'text/html', 'sec-fetch-mode': 'navigate' });
    expect(page.headers['location']).toMatch(new RegExp(`^${app.url}/oauth/consent\\?`));
    const program = await authorize(wrong());
    expect(refusalOf(program)).toEqual([400, 'invalid_request']);
    expect(program.body['error_description']).toContain('not sent to 127.0.0.1:51004');
  });
});

describe('a request that cannot be granted', () => {
  test.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_target', { resource: 'https://elsewhere.example/mcp' }],
  ])('goes back to a client that someone has let in with %s: %j', async (error, wrong) => {
    await letIn(ada, client);
    const sent = await authorize({ ...asking(client, newVerifier(), { state: 'st' }), ...wrong });
    expect(sent.status).toBe(302);
    const back = new URL(sent.headers['location'] ?? '');
    expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
    expect(back.searchParams.get('error')).toBe(error);
    expect(back.searchParams.get('state')).toBe('st');
    expect(back.searchParams.get('iss')).toBe(app.url);
    const asked = { ...asking(client, newVerifier()), ...wrong };
    const preview = await ada.browser.post(`${AUTHORIZATIONS}/preview`, asked);
    expect(preview.status).toBe(400);
    const decided = await ada.browser.post(AUTHORIZATIONS, { ...asked, approve: true });
    expect(decided.status).toBe(400);
  });

  test('goes nowhere when the client or its redirect URI is unknown', async () => {
    const unknown = asking('0199a3f7-51d2-7c44-9a8b-2d1e0f3c4b5a', newVerifier());
    expect(refusalOf(await authorize(unknown))).toEqual([404, 'invalid_request']);
    const foreign = { ...asking(client, newVerifier()), redirect_uri: 'https://evil.example/cb' };
    expect(refusalOf(await authorize(foreign))).toEqual([400, 'invalid_redirect_uri']);
    for (const [asked, status, code] of [
      [unknown, 404, 'not_found'],
      [foreign, 400, 'invalid_redirect_uri'],
    ] as const) {
      for (const path of [AUTHORIZATIONS, `${AUTHORIZATIONS}/preview`]) {
        const sent = { ...asked, ...(path === AUTHORIZATIONS && { approve: true }) };
        const answer = await ada.browser.post(path, sent);
        expect([answer.status, answer.body['error']?.['code']]).toEqual([status, code]);
      }
    }
    // A person sees the page, which says so. Nothing leads to the address that the request names.
    const page = await authorize(foreign, { accept: 'text/html' });
    expect(page.status).toBe(302);
    expect(new URL(page.headers['location'] ?? '').origin).toBe(app.url);
  });
});

test('the preview says what the key would open', async () => {
  const resourceOf = async (more: object) =>
    (await ada.browser.post(`${AUTHORIZATIONS}/preview`, asking(client, newVerifier(), more))).body[
      'resource'
    ];
  expect(await resourceOf({})).toBe('mcp');
  expect(await resourceOf({ resource: `${app.url}/mcp` })).toBe('mcp');
  expect(await resourceOf({ resource: `${app.url}/api/v1` })).toBe('api');
});

describe('what a key opens', () => {
  test('the API, when the client asked for the API', async () => {
    const { access } = await letIn(ada, client, { resource: `${app.url}/api/v1` });
    expect((await withToken(access).get('/api/v1/me')).status).toBe(200);
  });

  test.each([{}, { resource: `${app.url}/mcp` }])(
    'nothing but its own verification, when it is for the MCP endpoint: %j',
    async (more) => {
      const { access } = await letIn(ada, client, more);
      const http = withToken(access);
      expect((await http.get(VERIFY)).status).toBe(200);
      for (const path of ['/api/v1/me', '/api/v1/agents', '/api/aap/v1/requests/1'])
        expect([path, (await http.get(path)).status]).toEqual([path, 401]);
      expect((await http.post('/api/v1/me/api_keys', { name: 'more' })).status).toBe(401);
    },
  );

  test('not the MCP endpoint, when it is for the API, and an address may end with a slash', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const other = await letIn(ada, client, { resource: `${app.url}/api/v1/` });
    expect((await withToken(other.access).get('/api/v1/me')).status).toBe(200);
    expect((await withToken(other.access).post('/mcp', message)).status).toBe(401);
    const { access } = await letIn(ada, client, { resource: `${app.url}/mcp/` });
    for (const path of ['/mcp', '/mcp/'])
      expect((await withToken(access).post(path, message)).status).not.toBe(401);
    const metadata = await app.http.get('/.well-known/oauth-protected-resource/mcp/');
    expect(metadata.body).toMatchObject({ resource: `${app.url}/mcp` });
  });

  test('a token is for the resource that the person saw, and no other', async () => {
    const { code, verifier } = await oauthOf(app).codeFor(ada, client);
    const more = { resource: `${app.url}/api/v1` };
    expect(refusalOf(await exchange(client, code, verifier, more))).toEqual([
      400,
      'invalid_target',
    ]);
  });
});

describe('a form', () => {
  test.each([
    [400, 'invalid_request', {}],
    [400, 'invalid_grant', { code: 'x' }],
    [400, 'invalid_request', { code: '' }],
    [400, 'unsupported_grant_type', { grant_type: 'password' }],
    [401, 'invalid_client', { client_id: 'https://no.example/client' }],
    [401, 'invalid_client', { client_id: 'nobody', client_secret: 'x' }],
  ])('that is wrong is refused with %s %s: %j', async (status, error, form) => {
    const sent = { grant_type: 'authorization_code', code: 'x', client_id: client, ...form };
    const answer = await post(
      '/oauth/token',
      Object.keys(form).length === 0 ? {} : (sent as never),
    );
    expect(refusalOf(answer)).toEqual([status, error]);
    expect(answer.body['error_description']).toEqual(expect.any(String));
  });
});
