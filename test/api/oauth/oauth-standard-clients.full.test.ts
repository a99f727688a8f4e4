/** Clients that others wrote go the whole way, with nothing of ours but the person's approval. */
import {
  auth,
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import * as openid from 'openid-client';
import { beforeEach, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
} from '../../support/scene/factories.ts';
import { AUTHORIZATIONS, oauthOf, VERIFY } from './oauth-scene.ts';

const REDIRECT = 'http://localhost:51004/callback';

const app = await appForFile();
const { withToken } = oauthOf(app);
let ada: TestMember;

beforeEach(async () => {
  const organization = await createOrganization(app);
  const policies = [
    { scope_kind: 'organization' as const, permissions: ['api_key.issue', 'request.read'] },
  ];
  ada = await createMember(app, organization.id, { policies });
});

/** The browser of a person who approves whatever page a client sends them to. */
async function approveAt(url: URL): Promise<URL> {
  const sent = await fetch(url, { redirect: 'manual' });
  expect(sent.status).toBe(302);
  const page = new URL(sent.headers.get('location') ?? '');
  expect(page.pathname).toBe('/oauth/consent');
  const body = { ...Object.fromEntries(page.searchParams), approve: true };
  const answer = await ada.browser.post(AUTHORIZATIONS, body);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return new URL(String(answer.body['redirect_url']));
}

test('openid-client discovers, registers, exchanges, refreshes and revokes', async () => {
  const insecure = { execute: [openid.allowInsecureRequests] };
  const config = await openid.dynamicClientRegistration(
    new URL(app.url),
    { redirect_uris: [REDIRECT], client_name: 'Stock client' },
    openid.None(),
    { algorithm: 'oauth2', ...insecure },
  );
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const resource = `${app.url}/api/v1`;
  const to = openid.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    scope: 'request.read',
    state,
    resource,
  });
  const back = await approveAt(to);
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  const first = await openid.authorizationCodeGrant(config, back, checks, { resource });
  expect(first.expires_in).toBe(3600);
  expect((await withToken(first.access_token).get('/api/v1/me')).status).toBe(200);
  const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '', { resource });
  expect((await withToken(second.access_token).get(VERIFY)).status).toBe(200);
  await openid.tokenRevocation(config, second.access_token);
  expect((await withToken(second.access_token).get(VERIFY)).status).toBe(401);
  await expect(openid.refreshTokenGrant(config, second.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
});

test('an MCP client that knows the address alone gets from a 401 to tokens, calls tools, and refreshes', async () => {
  const kept: Record<string, unknown> = {};
  let sentTo: URL | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: { redirect_uris: [REDIRECT], client_name: 'MCP client' },
    clientInformation: () => kept['client'] as never,
    saveClientInformation: (information) => {
      kept['client'] = information;
    },
    tokens: () => kept['tokens'] as never,
    saveTokens: (tokens) => {
      kept['tokens'] = tokens;
    },
    redirectToAuthorization: (url) => {
      sentTo = url;
    },
    saveCodeVerifier: (verifier) => {
      kept['verifier'] = verifier;
    },
    codeVerifier: () => String(kept['verifier']),
    saveDiscoveryState: (state) => {
      kept['discovery'] = state;
    },
    discoveryState: () => kept['discovery'] as never,
  };
  const serverUrl = `${app.url}/mcp`;
  const newClient = () => new Client({ name: 'test', version: '1.0.0' });
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider });
  const first = transport();
  await expect(newClient().connect(first)).rejects.toThrow('Unauthorized');
  expect(sentTo?.searchParams.get('resource')).toBe(serverUrl);
  const back = await approveAt(sentTo ?? new URL(app.url));
  await first.finishAuth(back.searchParams);
  const tokenNow = () => (kept['tokens'] as { access_token: string }).access_token;
  const token = tokenNow();
  expect((await withToken(token).get(VERIFY)).status).toBe(200);
  expect((await withToken(token).get('/api/v1/me')).status).toBe(401);

  const client = newClient();
  await client.connect(transport());
  const listed = (await client.listTools()).tools.map(({ name }) => name);
  expect(listed).toContain('list_requests');
  // The open edition has no audit log to search.
  expect(listed).not.toContain('search_audit');
  const { content } = await client.callTool({ name: 'list_requests', arguments: {} });
  expect(content[1]).toMatchObject({ type: 'text', text: '{"requests":[]}' });

  expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED');
  expect(tokenNow()).not.toBe(token);
  expect((await withToken(token).get(VERIFY)).status).toBe(401);
  await client.callTool({ name: 'list_requests', arguments: {} });
  await client.close();
});
