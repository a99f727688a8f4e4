/** A provider that is away, or answers nonsense: failed sign-ins, and a service that goes on. */
import { afterAll, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import {
  reachCallback,
  signInThrough,
  startIdentityProvider,
  type IdentityProvider,
} from '../../support/servers/identity-provider.ts';
import { count, newPerson } from './oidc-accounts.ts';
import { scene } from '../../support/scene.ts';

const METADATA = '/.well-known/openid-configuration';

const sceneWith = ({ environment }: IdentityProvider) =>
  scene({
    app: { environment: { ...environment, COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com' } },
  });

const provider = await startIdentityProvider();
const { app } = await sceneWith(provider);
/** Cannot be reached when its service first asks. */
const away = await startIdentityProvider();
const { app: waiting } = await sceneWith(away);
await provider.register(app.url);

afterAll(async () => {
  await Promise.all([provider.close(), away.close()]);
});

async function login() {
  const { status, body, headers } = await waiting.http.get('/auth/oidc/login');
  return {
    status,
    code: body?.['error']?.['code'],
    cookie: headers['set-cookie'],
  };
}

const metadata = () => ({
  issuer: away.issuer,
  authorization_endpoint: `${away.issuer}/auth`,
  token_endpoint: `${away.issuer}/token`,
  jwks_uri: `${away.issuer}/jwks`,
});

test.each<[string, number, () => unknown]>([
  ['fails', 500, () => 'oops'],
  ['answers no JSON', 200, () => '<html>'],
  ['answers half of it', 200, () => '{"issuer":'],
  ['answers a list', 200, () => []],
  ['answers nothing of use', 200, () => ({ issuer: away.issuer })],
  ['names another issuer', 200, () => ({ ...metadata(), issuer: 'https://evil.example' })],
  [
    'has an endpoint that is no URL',
    200,
    () => ({ ...metadata(), authorization_endpoint: 'nonsense' }),
  ],
  ['sends elsewhere', 302, () => ''],
])('an unreachable provider that %s is a 504 with a clear error', async (_what, status, body) => {
  away.override(METADATA, status, body());
  expect(await login()).toMatchObject({
    status: 504,
    code: 'identity_provider_failed',
    cookie: undefined,
  });
});

test.each(['', '/'])(
  'a provider whose name differs from the setting by a slash is named in the error: %j',
  async (slash) => {
    const setting = `${away.issuer}/realm${slash}`;
    const named = `${away.issuer}/realm${slash === '' ? '/' : ''}`;
    const environment = { ...away.environment, COUNTERSIGN_OIDC_ISSUER: setting };
    const other = await startApp({ environment });
    try {
      away.override(`/realm${METADATA}`, 200, { ...metadata(), issuer: named });
      const { status, body } = await other.http.get('/auth/oidc/login');
      expect([status, body['error']?.['code']]).toEqual([504, 'identity_provider_failed']);
      for (const text of [String(body['error']?.['message']), other.log.join('')]) {
        expect(text).toContain(`The identity provider names itself ${named}, and`);
        expect(text).toContain(`COUNTERSIGN_OIDC_ISSUER is ${setting}: they differ by a slash`);
      }
    } finally {
      await other.close();
    }
  },
);

test('a provider that does not answer is a 504 for all callers at once, and a failed sign-in for the browser that returns', async () => {
  const sessions = await count(app, 'sessions');
  const browser = new Browser();
  provider.person = newPerson();
  const { location } = await reachCallback(app.url, browser);
  provider.overrides.set('/token', () => undefined);
  away.overrides.set(METADATA, () => undefined);
  // Neither endpoint ever answers, so both wait as long as the service lets them.
  const [page, ...answers] = await Promise.all([
    browser.open(location ?? ''),
    login(),
    login(),
    login(),
  ]);
  expect([page.status, page.location?.href]).toEqual([302, `${app.url}/login?error=sso_failed`]);
  expect(browser.cookie(app.url, 'service_session')).toBeUndefined();
  expect(await count(app, 'sessions')).toBe(sessions);
  expect(app.log.join('')).not.toMatch(/"level":"error"/);
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 504, code: 'identity_provider_failed' });
});

test('an unreachable provider does not affect the rest of the service and is tried again on the next sign-in', async () => {
  away.override(METADATA, 503, '');
  expect((await login()).status).toBe(504);
  expect((await waiting.http.get('/auth/options')).body['sso']).toEqual({
    name: 'Single sign-on',
  });
  away.overrides.clear();
  await away.register(waiting.url);
  away.person = newPerson();
  expect((await signInThrough(waiting.url)).location?.href).toBe(`${waiting.url}/`);
  away.override(METADATA, 500, '');
  expect((await login()).status).toBe(302);
});

test('a provider that is gone at the return is a failed sign-in, not a server error', async () => {
  const browser = new Browser();
  away.person = newPerson();
  const { location } = await reachCallback(waiting.url, browser);
  await away.close();
  const page = await browser.open(location ?? '');
  expect([page.status, page.location?.href]).toEqual([
    302,
    `${waiting.url}/login?error=sso_failed`,
  ]);
});
