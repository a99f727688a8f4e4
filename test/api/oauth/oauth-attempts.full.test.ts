/** How many calls of OAuth that fail one network may make, before anything is looked up for them. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
} from '../../support/scene/factories.ts';
import { PASSWORD } from '../../support/scene/sign-in.ts';
import type { ApiResponse } from '../../support/http.ts';
import { newVerifier, oauthOf, refusalOf } from './oauth-scene.ts';

const app = await appForFile();
const { register, asking, exchange, refresh, codeFor, letIn, post } = oauthOf(app);

let ada: TestMember;
let client: string;

beforeEach(async () => {
  await app.db('sign_in_attempts').delete();
  const { id } = await createOrganization(app);
  const permissions = ['api_key.issue', 'request.read'];
  ada = await createMember(app, id, { policies: [{ scope_kind: 'organization', permissions }] });
  client = await register();
  // Registering counts by itself.
  await app.db('sign_in_attempts').delete();
});

const UNKNOWN = '0199a3f7-51d2-7c44-9a8b-2d1e0f3c4b5a';
const authorize = async (clientId: string, headers = {}) =>
  await app.http.get(
    `/oauth/authorize?${new URLSearchParams(asking(clientId, newVerifier())).toString()}`,
    { headers },
  );

const failing: readonly (readonly [string, () => Promise<ApiResponse>, readonly unknown[]])[] = [
  ['an unknown code', () => exchange(client, 'wha_x', newVerifier()), [400, 'invalid_grant']],
  ['an unknown refresh token', () => refresh(client, 'whf_x'), [400, 'invalid_grant']],
  ['an unknown client', () => refresh(UNKNOWN, 'whf_x'), [401, 'invalid_client']],
  ['no form', () => post('/oauth/token', {}), [400, 'invalid_request']],
  [
    'the revocation of an unknown token',
    () => post('/oauth/revoke', { token: 'whk_x', client_id: client }),
    [200, undefined],
  ],
  ['a request of an unknown client', () => authorize(UNKNOWN), [404, 'invalid_request']],
  ['the page of one', () => authorize(UNKNOWN, { accept: 'text/html' }), [302, undefined]],
];
const counted = async () => await app.db('sign_in_attempts').pluck<number[]>('attempts');
const useUp = async () => {
  await app.db('sign_in_attempts').update({ attempts: 300 });
};

test.each(failing)(
  '%s counts, and is refused after 300 in a minute',
  async (_what, call, usual) => {
    expect(refusalOf(await call())).toEqual(usual);
    expect(await counted()).toEqual([1]);
    await useUp();
    const refused = await call();
    expect(refusalOf(refused)).toEqual([429, 'temporarily_unavailable']);
    expect(refused.headers['retry-after']).toMatch(/^([1-9]|[1-5][0-9]|60)$/);
  },
);

test('calls that succeed do not count, so that many people can share a network', async () => {
  expect((await authorize(client)).status).toBe(302);
  const { refresh: next } = await letIn(ada, client);
  expect((await refresh(client, next)).status).toBe(200);
  expect((await post('/oauth/revoke', { token: next, client_id: client })).status).toBe(200);
  expect((await counted()).filter((attempts) => attempts > 0)).toEqual([]);
});

test('a code that comes while its network must wait is not used up', async () => {
  const { code, verifier } = await codeFor(ada, client);
  await exchange(client, 'wha_x', verifier);
  await useUp();
  expect((await exchange(client, code, verifier)).status).toBe(429);
  await app.db('sign_in_attempts').delete();
  expect((await exchange(client, code, verifier)).status).toBe(200);
});

test('wrong calls of OAuth leave the people of the network their sign-ins', async () => {
  await refresh(client, 'whf_x');
  await useUp();
  const signIn = { email: 'nobody@example.com', password: PASSWORD };
  expect((await app.http.post('/auth/login', signIn)).status).toBe(401);
});

describe('pages of other sites', () => {
  const EVIL = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const OTHER = { ...EVIL, origin: 'https://mcp.example' };
  /** What a browser sends with a picture, and with a link that a person follows. */
  const IMAGE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' };
  const LINK = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' };
  const OPENED = { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' };
  const wrong = async (headers = {}) => await post('/oauth/token', {}, headers);
  const body = { redirect_uris: ['http://127.0.0.1/callback'] };
  const make = async (headers = {}) => await app.http.post('/oauth/register', body, { headers });
  const documentOf = async (headers = {}) =>
    await authorize('https://none.invalid/client.json', headers);
  const limit = async (attempts: number) => {
    await app.db('sign_in_attempts').update({ attempts });
  };
  const statuses = async (calls: readonly Promise<ApiResponse>[]) =>
    (await Promise.all(calls)).map(({ status }) => status);

  test('spend no calls of the programs of their visitor, of pages of others, or of people who follow links', async () => {
    await wrong(EVIL);
    await authorize(UNKNOWN, IMAGE);
    await limit(300);
    expect(await statuses([wrong(EVIL), authorize(UNKNOWN, IMAGE)])).toEqual([429, 429]);
    expect(await statuses([wrong(), wrong(OTHER), wrong({ origin: app.url })])).toEqual([
      400, 400, 400,
    ]);
    expect(await statuses([authorize(UNKNOWN, LINK), authorize(UNKNOWN, OPENED)])).toEqual([
      404, 404,
    ]);
  });

  test('spend no registrations, and no metadata documents', async () => {
    await make(EVIL);
    await documentOf(IMAGE);
    await limit(20);
    expect(await statuses([make(EVIL), documentOf(IMAGE)])).toEqual([429, 429]);
    expect(await statuses([make(), make(OTHER), documentOf(), documentOf(LINK)])).toEqual([
      201, 201, 400, 400,
    ]);
  });

  test('do not count when their calls succeed', async () => {
    const { refresh: next } = await letIn(ada, client);
    const form = { grant_type: 'refresh_token', client_id: client, refresh_token: next };
    expect((await post('/oauth/token', form, EVIL)).status).toBe(200);
    expect((await counted()).filter((attempts) => attempts > 0)).toEqual([]);
  });

  test('share a limit of their network, because a program can invent origins', async () => {
    await make(EVIL);
    await wrong(EVIL);
    // Five times as many as of one page.
    await limit(1_500);
    expect(await statuses([wrong(OTHER), make(OTHER)])).toEqual([429, 429]);
    expect(await statuses([wrong(), make()])).toEqual([400, 201]);
  });
});
