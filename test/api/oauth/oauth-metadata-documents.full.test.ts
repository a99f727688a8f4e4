/** Clients whose id is the URL of their metadata document, which a process reads that trusts the authority of the test. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { purgeBatch } from '../../../src/services/retention.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { killServiceProcesses, startServiceProcess } from '../../support/processes/processes.ts';
import { appForFile } from '../../support/scene.ts';
import { createMember, createOrganization } from '../../support/scene/factories.ts';
import { createAuthority } from '../../support/servers/certificates.ts';
import { AUTHORIZATIONS, newVerifier, oauthOf, REDIRECT, refusalOf } from './oauth-scene.ts';

const app = await appForFile();
const authority = createAuthority('Authority of the test');
const directory = mkdtempSync(join(tmpdir(), 'countersign-authority-'));
writeFileSync(join(directory, 'authority.pem'), authority.cert);

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
const asked: string[] = [];
let handle: Handler = () => undefined;
const host = createServer(authority.issue({ names: ['localhost', '127.0.0.1'] }), (req, res) => {
  asked.push(`${req.method ?? ''} ${req.url ?? ''}`);
  handle(req, res);
});
host.on('tlsClientError', () => undefined);
let connections = 0;
host.on('connection', () => {
  connections += 1;
});
host.listen(0, '127.0.0.1');
await once(host, 'listening');
const { port } = host.address() as AddressInfo;
const origin = `https://localhost:${port}`;

/** It may call this machine. The app of this file may not. */
const trusting = await startServiceProcess({
  databaseUrl: app.databaseUrl,
  taskQueue: app.taskQueue,
  environment: {
    NODE_EXTRA_CA_CERTS: join(directory, 'authority.pem'),
    COUNTERSIGN_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
  },
});
const http = new HttpClient(trusting.url);

afterAll(async () => {
  await killServiceProcesses();
  host.closeAllConnections();
  host.close();
  rmSync(directory, { recursive: true });
});

beforeEach(async () => {
  asked.length = 0;
  connections = 0;
  await app.db('sign_in_attempts').delete();
});

const { asking } = oauthOf(app);
const authorize = async (
  clientId: string,
  { from = http, redirectUri = REDIRECT } = {},
): Promise<ApiResponse> => {
  const sent = { ...asking(clientId, newVerifier()), redirect_uri: redirectUri };
  return await from.get(`/oauth/authorize?${new URLSearchParams(sent).toString()}`);
};
const json =
  (document: unknown, headers: Readonly<Record<string, string>> = {}): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(document));
  };
const documentOf = (clientId: string, more = {}) => ({
  client_id: clientId,
  client_name: 'Editor',
  redirect_uris: ['http://127.0.0.1/callback'],
  token_endpoint_auth_method: 'none',
  ...more,
});
let clients = 0;
const newId = () => `${origin}/clients/${++clients}.json`;

describe('a metadata document', () => {
  test('is read once while it is fresh, and then again', async () => {
    const clientId = newId();
    handle = json(documentOf(clientId), { 'cache-control': 'max-age=86400000' });
    for (let call = 0; call < 3; call += 1) expect((await authorize(clientId)).status).toBe(302);
    expect(asked).toEqual([`GET ${new URL(clientId).pathname}`]);
    const of = app.db('oauth_clients').where({ metadata_url: clientId });
    const [kept] = await of.clone().select<{ fresh_until: Date }[]>('fresh_until');
    const freshFor = Number(kept?.fresh_until) - Date.now();
    expect(Math.abs(freshFor - 86_400_000)).toBeLessThan(60_000);

    await of.clone().update({ fresh_until: new Date(Date.now() - 1_000) });
    handle = json(documentOf(clientId, { redirect_uris: ['https://elsewhere.example/cb'] }));
    expect(refusalOf(await authorize(clientId))).toEqual([400, 'invalid_redirect_uri']);
    expect(asked).toHaveLength(2);
  });

  test('is read each time where its host says so', async () => {
    const clientId = newId();
    handle = json(documentOf(clientId), { 'cache-control': 'no-store' });
    await authorize(clientId);
    await authorize(clientId);
    expect(asked).toHaveLength(2);
  });

  test('lets its client get tokens, and does not have to be there then', async () => {
    const clientId = newId();
    handle = json(documentOf(clientId));
    expect((await authorize(clientId)).status).toBe(302);
    const organization = await createOrganization(app);
    const policies = [
      { scope_kind: 'organization' as const, permissions: ['api_key.issue', 'request.read'] },
    ];
    const member = await createMember(app, organization.id, { policies });
    const { codeFor, exchange, letIn } = oauthOf(app);
    const preview = await member.browser.post(
      `${AUTHORIZATIONS}/preview`,
      asking(clientId, newVerifier()),
    );
    // Its address is all that anyone has checked.
    expect(preview.body['client']).toMatchObject({ verified_host: `localhost:${port}` });
    const { code, verifier } = await codeFor(member, clientId);
    handle = (_request, response) => response.writeHead(500).end();
    expect((await exchange(clientId, code, verifier)).status).toBe(200);
    const { body } = await member.browser.get('/api/v1/me/api_keys');
    expect(JSON.stringify(body)).toContain('"oauth_client":{"id":');
    expect((await letIn(member, clientId)).access).toMatch(/^whk_/);
  });

  const bad: readonly (readonly [string, (clientId: string) => Handler])[] = [
    ['names another client', () => json(documentOf(`${origin}/other.json`))],
    ['is larger than 5 KiB', (id) => json(documentOf(id, { padding: 'a'.repeat(5_200) }))],
    ['is a redirect', () => (_r, response) => response.writeHead(302, { location: '/x' }).end()],
    ['is not found', () => (_r, response) => response.writeHead(404).end('{}')],
    [
      'is no JSON',
      () => (_r, response) => response.setHeader('content-type', 'application/json').end('{'),
    ],
    [
      'repeats a member',
      (id) => (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const twice = '"redirect_uris":["https://elsewhere.example/cb"],';
        response.end(JSON.stringify(documentOf(id)).replace('{', `{${twice}`));
      },
    ],
    ['is a page', (id) => json(documentOf(id), { 'content-type': 'text/html' })],
    ['has a secret', (id) => json(documentOf(id, { client_secret: 'x' }))],
    [
      'wants to authenticate',
      (id) => json(documentOf(id, { token_endpoint_auth_method: 'private_key_jwt' })),
    ],
    ['hangs up', () => (request) => request.socket.destroy()],
  ];
  test.each(bad)('that %s is refused', async (_name, handler) => {
    const clientId = newId();
    handle = handler(clientId);
    expect(refusalOf(await authorize(clientId))).toEqual([400, 'invalid_client_metadata']);
    expect(asked).toHaveLength(1);
    expect(await app.db('oauth_clients').where({ metadata_url: clientId })).toEqual([]);
  });
});

describe('a client id cannot make the service call', () => {
  test.each([
    `https://localhost:${port}/client.json`,
    `https://127.0.0.1:${port}/client.json`,
    `https://[::1]:${port}/client.json`,
    `https://[::ffff:127.0.0.1]:${port}/client.json`,
    `https://2130706433:${port}/client.json`,
    `https://0:${port}/client.json`,
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/client.json',
    'https://192.168.1.1/client.json',
    'https://no-such-host.invalid/client.json',
    `http://127.0.0.1:${port}/client.json`,
    `https://user@127.0.0.1:${port}/client.json`,
    'file:///etc/passwd',
    'gopher://127.0.0.1/x',
  ])('%s', async (clientId) => {
    const answer = await authorize(clientId, { from: app.http });
    expect([400, 404]).toContain(answer.status);
    expect(connections).toBe(0);
  });

  test('and learns nothing of why it did not', async () => {
    const said = async (clientId: string) => (await authorize(clientId, { from: app.http })).text;
    const texts = await Promise.all(
      ['127.0.0.1', '10.0.0.1', '169.254.169.254', 'no-such-host.invalid', 'localhost'].map(
        async (name) => await said(`https://${name}/client.json`),
      ),
    );
    expect(new Set(texts).size).toBe(1);
  });
});

describe('clients', () => {
  test('register, or have their documents read, 20 times a minute from one network', async () => {
    const register = async () =>
      (await app.http.post('/oauth/register', { redirect_uris: [REDIRECT] })).status;
    for (let call = 0; call < 19; call += 1) expect(await register()).toBe(201);
    const clientId = newId();
    handle = json(documentOf(clientId), { 'cache-control': 'no-store' });
    expect((await authorize(clientId)).status).toBe(302);
    expect(await register()).toBe(429);
    const limited = await authorize(clientId);
    expect(refusalOf(limited)).toEqual([429, 'temporarily_unavailable']);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect(asked).toHaveLength(1);
  });

  test('that no one let in are forgotten after 12 hours, and others never', async () => {
    const { register, letIn } = oauthOf(app);
    const organization = await createOrganization(app);
    const policies = [
      { scope_kind: 'organization' as const, permissions: ['api_key.issue', 'request.read'] },
    ];
    const member = await createMember(app, organization.id, { policies });
    const [used, unused, young] = [await register(), await register(), await register()];
    await letIn(member, used);
    await app
      .db('oauth_clients')
      .whereIn('id', [used, unused])
      .update({ seen_at: new Date(Date.now() - 12.1 * 3_600_000) });
    await purgeBatch(app.context, new AbortController().signal);
    const left = await app.db('oauth_clients').pluck('id');
    expect(left).toEqual(expect.arrayContaining([used, young]));
    expect(left).not.toContain(unused);
    const answer = await member.browser.post(AUTHORIZATIONS, {
      ...asking(unused, newVerifier()),
      approve: true,
    });
    expect(answer.status).toBe(404);
  });
});
