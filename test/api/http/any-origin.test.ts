/** Pages of other sites may use what clients of OAuth need, without who their visitor is, and nothing else. */
import { describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import type { ApiResponse } from '../../support/http.ts';
import { appForFile } from '../../support/scene.ts';
import { createMember, createOrganization } from '../../support/scene/factories.ts';
import { newVerifier, oauthOf, REDIRECT, VERIFY } from '../oauth/oauth-scene.ts';

const app = await appForFile();
const { asking, approve, withToken } = oauthOf(app);

const ORIGIN = 'https://inspector.example';
const PAGE = { origin: ORIGIN, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
const open = endpoints.filter(({ anyOrigin }) => anyOrigin);

const corsOf = ({ headers }: ApiResponse) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('access-control-')),
  );
const READABLE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-ID',
};

test('these are the metadata, tokens, registration and revocation, and need no credential', () => {
  expect(open.map(({ path }) => path).sort()).toEqual([
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
    '/oauth/register',
    '/oauth/revoke',
    '/oauth/token',
  ]);
  expect(new Set(open.map(({ auth }) => auth))).toEqual(new Set(['none']));
});

describe.each(open)('a page of another site at $method $path', ({ method, path }) => {
  test('may ask before it calls', async () => {
    const answer = await app.http.call('OPTIONS', path, {
      headers: {
        ...PAGE,
        'access-control-request-method': method.toUpperCase(),
        'access-control-request-headers': 'content-type, mcp-protocol-version',
      },
    });
    expect([answer.status, corsOf(answer)]).toEqual([
      204,
      {
        ...READABLE,
        'access-control-allow-methods': method.toUpperCase(),
        'access-control-allow-headers': '*',
        'access-control-max-age': '3600',
      },
    ]);
  });

  test('reads the response, also of an error, and gets no cookie', async () => {
    const answer = await app.http.call(method.toUpperCase(), path, {
      headers: { ...PAGE, cookie: 'service_session=anything' },
    });
    expect(answer.status).toBe(method === 'get' ? 200 : 415);
    expect(corsOf(answer)).toEqual(READABLE);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(JSON.stringify(answer.headers)).not.toContain('allow-credentials');
  });

  test('is not answered with its methods when it does not ask as browsers do', async () => {
    expect((await app.http.call('OPTIONS', path, { headers: PAGE })).status).toBe(405);
  });
});

test.each(['/oauth/authorize', '/api/v1/me', '/api/v1/oauth_authorizations', '/auth/login', '/'])(
  'a page of another site reads nothing at %s',
  async (path) => {
    for (const method of ['GET', 'OPTIONS']) {
      const headers = { ...PAGE, 'access-control-request-method': 'POST' };
      expect(corsOf(await app.http.call(method, path, { headers }))).toEqual({});
    }
  },
);

test('a client that runs in a page registers, exchanges, refreshes and revokes', async () => {
  await app.db('sign_in_attempts').delete();
  const { id } = await createOrganization(app);
  const permissions = ['api_key.issue', 'request.read'];
  const ada = await createMember(app, id, {
    policies: [{ scope_kind: 'organization', permissions }],
  });
  const registered = await app.http.post(
    '/oauth/register',
    { redirect_uris: [REDIRECT] },
    { headers: PAGE },
  );
  const client = String(registered.body['client_id']);
  const verifier = newVerifier();
  const back = await approve(ada, asking(client, verifier));
  const form = async (path: string, fields: Readonly<Record<string, string>>) => {
    const response = await fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { ...PAGE, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: client, ...fields }).toString(),
    });
    const text = await response.text();
    return text === '' ? {} : (JSON.parse(text) as Record<string, string>);
  };
  const first = await form('/oauth/token', {
    grant_type: 'authorization_code',
    code: back.searchParams.get('code') ?? '',
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  });
  const second = await form('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: first['refresh_token'] ?? '',
  });
  const http = withToken(second['access_token'] ?? '');
  expect((await http.get(VERIFY)).status).toBe(200);
  await form('/oauth/revoke', { token: second['refresh_token'] ?? '' });
  expect((await http.get(VERIFY)).status).toBe(401);
});
