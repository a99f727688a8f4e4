/** What depends on the address that people use: the session cookie, https for a year, host names, metrics. */
import { describe, expect, test } from '@jest/globals';
import { appForFile, scene } from '../../support/scene.ts';
import { cheapHashOf, PASSWORD } from '../../support/scene/sign-in.ts';

const { app: local, owner } = await scene();
await local
  .db('users')
  .where({ id: owner.userId })
  .update({ password_hash: await cheapHashOf(PASSWORD) });
const METRICS = 'a-token-for-the-metrics';
const open = await appForFile({
  databaseUrl: local.databaseUrl,
  environment: {
    COUNTERSIGN_PUBLIC_URL: 'https://approvals.example',
    COUNTERSIGN_METRICS_TOKEN: METRICS,
  },
});
const closed = await appForFile({
  databaseUrl: local.databaseUrl,
  environment: { COUNTERSIGN_PUBLIC_URL: 'http://approvals.example' },
});

const tokenOf = (cookie: string) => cookie.replace('service_session=', '');
const me = async (app: typeof local, cookie: string, host?: string) =>
  (await app.http.get('/api/v1/me', { headers: { cookie, ...(host && { host }) } })).status;

describe('where the public URL is https', () => {
  test('signing in sets a cookie of this host alone and clears the one of the name before', async () => {
    const { headers } = await open.http.post('/auth/login', {
      email: owner.email,
      password: PASSWORD,
    });
    const cookies = headers['set-cookie'] ?? '';
    expect(cookies).toMatch(
      /__Host-service_session=whs_[^;]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure/,
    );
    expect(cookies).not.toContain('Domain');
    expect(cookies).toMatch(/(?<!-)service_session=; Path=\/; Max-Age=0; /);
    const [, token = ''] = /__Host-service_session=([^;]+)/.exec(cookies) ?? [];
    expect(await me(open, `service_session=whs_of_another; __Host-service_session=${token}`)).toBe(
      200,
    );
    const left = await open.http.post('/auth/logout');
    expect(left.headers['set-cookie']).toContain('__Host-service_session=; Path=/; Max-Age=0');
  });

  test('a session from before the prefix goes on', async () => {
    expect(await me(open, owner.cookie)).toBe(200);
    expect(await me(open, `__Host-service_session=${tokenOf(owner.cookie)}`)).toBe(200);
  });

  test('browsers are told to use https for a year, and over http they are not', async () => {
    for (const path of ['/', '/api/nowhere', '/health/live', '/nowhere']) {
      const sent = async ({ http }: typeof local) =>
        (await http.get(path)).headers['strict-transport-security'];
      expect([path, await sent(open)]).toEqual([path, 'max-age=31536000']);
      expect([path, await sent(local)]).toEqual([path, undefined]);
      expect([path, await sent(closed)]).toEqual([path, undefined]);
    }
  });
});

describe('without a public URL', () => {
  test.each(['127.0.0.1', 'localhost:8080', '127.9.8.7', '[::1]:80', 'app.localhost'])(
    'the service is there at %s',
    async (host) => {
      expect(await me(local, owner.cookie, host)).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'evil.example:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '10.0.0.8',
    '[::2]',
    'a b',
  ])('nothing is at %s but what probes read', async (host) => {
    for (const path of ['/', '/login', '/api/v1/me', '/auth/options', '/nowhere']) {
      const headers = { host, cookie: owner.cookie };
      const { status, body } = await local.http.get(path, { headers });
      expect([path, status, body['error']?.['code']]).toEqual([path, 421, 'host_not_served']);
    }
    expect((await local.http.get('/health/live', { headers: { host } })).status).toBe(200);
    // A page of that name cannot know a token.
    const authorization = 'Bearer whk_unknown';
    const asked = await local.http.get('/api/v1/me', { headers: { host, authorization } });
    expect(asked.status).toBe(401);
  });

  test('and with one, every name is served: the proxy decides', async () => {
    expect(await me(open, owner.cookie, 'approvals.example')).toBe(200);
    expect(await me(open, owner.cookie, 'api:8080')).toBe(200);
  });
});

describe('metrics', () => {
  const read = async ({ http }: typeof local, authorization?: string) =>
    await http.get('/metrics', { headers: authorization === undefined ? {} : { authorization } });

  test('are there on one machine, and at a public address only with their token', async () => {
    expect((await read(local)).text).toContain('countersign_parked_waits');
    expect((await read(closed)).status).toBe(404);
    expect((await read(open, `Bearer ${METRICS}`)).text).toContain('countersign_parked_waits');
    for (const wrong of [undefined, 'Bearer', `Bearer ${METRICS}x`, `Basic ${METRICS}`, METRICS]) {
      const { status, headers, text } = await read(open, wrong);
      expect([wrong, status]).toEqual([wrong, 401]);
      expect(headers['www-authenticate']).toMatch(/^Bearer/);
      expect(text).not.toContain('countersign_parked_waits');
    }
  });
});
