/**
 * Signing in through a real OpenID provider: where it begins, where it ends, and how its sessions are
 * authenticated. Who is admitted: oidc-people.full.test.ts. Attacks: oidc-attacks.full.test.ts.
 */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { Browser, type Page } from '../../support/browser.ts';
import { appForFile, scene } from '../../support/scene.ts';
import { createMember } from '../../support/scene/factories.ts';
import {
  reachCallback,
  signInThrough,
  identityProviderForFile,
} from '../../support/servers/identity-provider.ts';
import { idOf } from '../../support/tokens.ts';
import {
  account,
  errorOf,
  events,
  newPerson,
  pendingCookie,
  pendingCookies,
} from './oidc-accounts.ts';

const provider = await identityProviderForFile();
const environment = { ...provider.environment, COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com' };
const { app, organization } = await scene({
  app: { environment: { ...environment, COUNTERSIGN_OIDC_NAME: 'Acme' } },
});
/** Gives the provider no name. */
const unnamed = await appForFile({ environment });
await provider.register(app.url);

describe('the ways in', () => {
  test('name the provider and report that without a mail server no password can be reset', async () => {
    expect((await app.http.get('/auth/options')).body).toEqual({
      password: true,
      password_reset: false,
      sso: { name: 'Acme' },
      bootstrap_required: false,
      edition: 'open',
    });
    expect((await unnamed.http.get('/auth/options')).body['sso']).toEqual({
      name: 'Single sign-on',
    });
  });

  test('lack the provider when none is configured, and its endpoints say so', async () => {
    const environment = { SMTP_URL: 'smtp://127.0.0.1:9', COUNTERSIGN_EDITION: 'hosted' };
    const plain = await startApp({ environment });
    try {
      expect((await plain.http.get('/auth/options')).body).toEqual({
        password: true,
        password_reset: true,
        bootstrap_required: true,
        edition: 'hosted',
      });
      for (const path of ['/auth/oidc/login', '/auth/oidc/callback?code=a&state=b']) {
        const { status, body } = await plain.http.get(path);
        expect([status, body['error']?.['code']]).toEqual([501, 'sso_not_configured']);
      }
    } finally {
      await plain.close();
    }
  });
});

describe('a sign-in', () => {
  test('starts at the provider with its own code, PKCE, state and nonce, bound to the browser', async () => {
    const [first, second] = [
      await new Browser().open(`${app.url}/auth/oidc/login`),
      await new Browser().open(`${app.url}/auth/oidc/login`),
    ];
    expect(first.status).toBe(302);
    expect(first.location?.origin).toBe(provider.issuer);
    const parameters = Object.fromEntries(first.location?.searchParams ?? []);
    expect(parameters).toMatchObject({
      response_type: 'code',
      client_id: 'countersign',
      scope: 'openid email profile',
      redirect_uri: `${app.url}/auth/oidc/callback`,
      code_challenge_method: 'S256',
    });
    expect(parameters).not.toHaveProperty('prompt');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(parameters[name]).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(second.location?.searchParams.get(name)).not.toBe(parameters[name]);
    }
    expect(first.setCookies).toEqual([
      expect.stringMatching(
        /^service_sso_[\w-]{16}=[A-Za-z0-9_-]+; Path=\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(first.setCookies[0]).not.toContain(parameters['state']);
  });

  test('is built from the public URL, regardless of the Host header, and requires https there', async () => {
    const environment = {
      ...provider.environment,
      COUNTERSIGN_PUBLIC_URL: 'https://approvals.example',
    };
    const remote = await startApp({ environment });
    try {
      const page = await new Browser().open(`${remote.url}/auth/oidc/login`, {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
      });
      expect(page.location?.searchParams.get('redirect_uri')).toBe(
        'https://approvals.example/auth/oidc/callback',
      );
      expect(page.setCookies[0]).toMatch(
        /; Path=\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      );
      const back = await new Browser().open(`${remote.url}/auth/oidc/callback?code=a`, {
        host: 'evil.example',
      });
      expect(back.location?.href).toBe('https://approvals.example/login?error=sso_expired');
    } finally {
      await remote.close();
    }
  });

  test('ends signed in at the requested page, with nothing of the sign-in left in the browser', async () => {
    provider.person = newPerson();
    const browser = new Browser();
    const page = await signInThrough(app.url, browser, '?return_to=/requests/7%3Ftab%3Dtimeline');
    expect([page.status, page.location?.href]).toEqual([302, `${app.url}/requests/7?tab=timeline`]);
    expect(page.setCookies).toEqual([
      expect.stringMatching(
        /^service_sso_[\w-]{16}=; Path=\/auth\/oidc; Max-Age=0; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^service_session=whs_[^;]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(pendingCookies(browser, app.url)).toEqual([]);
    expect((await account(app, browser))?.user['email']).toBe(provider.person.email);
  });

  test.each([
    ['?return_to=/requests/7%3Ftab%3Dtimeline', '&return_to=%2Frequests%2F7%3Ftab%3Dtimeline'],
    ['?return_to=/', ''],
    ['', ''],
  ])('that is refused keeps the page of %p for the next attempt', async (query, kept) => {
    const browser = new Browser();
    const begun = await browser.open(`${app.url}/auth/oidc/login${query}`);
    const state = begun.location?.searchParams.get('state') ?? '';
    const answer = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer });
    const page = await browser.open(`${app.url}/auth/oidc/callback?${answer.toString()}`);
    expect(page.location?.href).toBe(`${app.url}/login?error=sso_denied${kept}`);
  });

  test('ends the previous session of the browser', async () => {
    provider.person = newPerson();
    const browser = new Browser();
    await signInThrough(app.url, browser);
    const old = browser.cookie(app.url, 'service_session') ?? '';
    provider.person = newPerson();
    const other = new Browser();
    other.setCookie(app.url, 'service_session', { value: old, path: '/' });
    await signInThrough(app.url, other);
    expect((await account(app, other))?.user['email']).toBe(provider.person.email);
    expect(
      (await app.http.get('/api/v1/me', { headers: { cookie: `service_session=${old}` } })).status,
    ).toBe(401);
    expect(await events(app, idOf(old))).toMatchObject([
      { type: 'session.created' },
      { type: 'session.revoked', data: { reason: 'superseded' } },
    ]);
  });
});

describe('several tabs of one browser', () => {
  test('sign in without disturbing each other, in any order', async () => {
    provider.person = newPerson();
    const browser = new Browser();
    const pages = ['/requests', '/agents', '/audit'];
    const callbacks: (URL | undefined)[] = [];
    for (const page of pages)
      callbacks.push((await reachCallback(app.url, browser, `?return_to=${page}`)).location);
    expect(pendingCookies(browser, app.url)).toHaveLength(3);
    for (const [index, page] of [...pages.entries()].reverse()) {
      const { location } = await browser.open(callbacks[index] ?? '');
      expect(location?.href).toBe(`${app.url}${page}`);
      expect(pendingCookies(browser, app.url)).toHaveLength(index);
    }
  });

  test('keep theirs when a foreign answer, a forged one or none arrives', async () => {
    provider.person = newPerson();
    const browser = new Browser();
    const { location } = await reachCallback(app.url, browser);
    const foreign = await reachCallback(app.url, new Browser());
    for (const url of [
      foreign.location?.href ?? '',
      `${app.url}/auth/oidc/callback?error=access_denied&state=${'x'.repeat(43)}`,
      `${app.url}/auth/oidc/callback`,
    ]) {
      const page = await browser.open(url);
      expect([errorOf(page), page.setCookies]).toEqual(['sso_expired', []]);
    }
    expect((await browser.open(location ?? '')).location?.href).toBe(`${app.url}/`);
  });

  test('are at most six: beginning another one ends the oldest, and what no one can finish', async () => {
    provider.person = newPerson();
    const browser = new Browser();
    browser.setCookie(app.url, 'service_sso_of-another-key', { value: 'x', path: '/auth/oidc' });
    const callbacks: (URL | undefined)[] = [];
    for (let tab = 0; tab < 8; tab += 1) {
      callbacks.push((await reachCallback(app.url, browser)).location);
      expect(pendingCookies(browser, app.url).length).toBeLessThanOrEqual(6);
    }
    expect(browser.cookie(app.url, 'service_sso_of-another-key')).toBeUndefined();
    const ends: (string | null | undefined)[] = [];
    for (const callback of callbacks) ends.push(errorOf(await browser.open(callback ?? '')));
    expect(ends).toEqual(['sso_expired', 'sso_expired', null, null, null, null, null, null]);
  });
});

describe('a session from the provider', () => {
  test.each([
    [undefined, 'single_factor'],
    [['pwd'], 'single_factor'],
    [['pwd', 'mfa'], 'strong'],
  ])('for the methods %j is %s', async (amr, assurance) => {
    provider.person = newPerson();
    provider.reply = amr ? { amr } : {};
    const browser = new Browser();
    await signInThrough(app.url, browser);
    const session = (await account(app, browser))?.principal.auth;
    expect(session).toMatchObject({ method: 'sso', assurance });
    expect(await events(app, session?.['session_id'] ?? '')).toMatchObject([
      { type: 'session.created', data: { method: 'sso' } },
    ]);
  });

  test('needs no authenticator app enrolled here: the provider decides about factors', async () => {
    const member = await createMember(app, organization.id);
    await app.db('totp_factors').insert({
      user_id: member.userId,
      secret: randomBytes(32),
      secret_key_id: 'some key',
      created_at: new Date(),
      confirmed_at: new Date(),
    });
    provider.person = newPerson(member.email);
    const browser = new Browser();
    await signInThrough(app.url, browser);
    expect((await account(app, browser))?.principal).toMatchObject({
      membership_id: member.membershipId,
      auth: { method: 'sso', assurance: 'single_factor' },
    });
  });

  /** A token with this authentication time, in seconds from now. */
  async function signInProvenAt(
    seconds: number | undefined,
    query = '',
  ): Promise<{ page: Page; browser: Browser; authTime: number }> {
    const browser = new Browser();
    const { email, name, ...person } = newPerson();
    provider.person = { ...person, email, name };
    const callback = await reachCallback(app.url, browser, query);
    const authTime = Math.floor(Date.now() / 1_000) + (seconds ?? 0);
    const claims = {
      sub: person.subject,
      email,
      email_verified: true,
      nonce: nonceOf(app, browser),
    };
    provider.forgeToken(
      provider.idToken({ ...claims, ...(seconds !== undefined && { auth_time: authTime }) }),
    );
    return { page: await browser.open(callback.location ?? ''), browser, authTime };
  }

  function nonceOf(at: TestApp, browser: Browser): string {
    const pending = at.context.oidc?.open(pendingCookie(browser, at.url).value);
    return (JSON.parse(pending ?? '{}') as { nonce: string }).nonce;
  }

  const authenticatedAt = async (browser: Browser) =>
    new Date((await account(app, browser))?.principal.auth['authenticated_at'] ?? '').getTime() /
    1_000;

  test('is as recent as the authentication at the provider', async () => {
    const { browser, authTime } = await signInProvenAt(-3_600);
    expect(await authenticatedAt(browser)).toBe(authTime);
  });

  test('is never newer than now, even if the clock of the provider is ahead', async () => {
    const { browser } = await signInProvenAt(600);
    expect(await authenticatedAt(browser)).toBeLessThanOrEqual(Date.now() / 1_000 + 1);
  });

  test('is not recent when the provider does not report the time, for any window', async () => {
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ reauthentication_window_seconds: 86_400 });
    const { browser } = await signInProvenAt(undefined);
    expect((await authenticatedAt(browser)) - Date.now() / 1_000).toBeLessThanOrEqual(-86_400);
    const cookie = `service_session=${browser.cookie(app.url, 'service_session') ?? ''}`;
    const refused = await app.http.post('/api/v1/me/mfa/totp', undefined, {
      headers: { cookie, origin: app.url },
    });
    expect([refused.status, refused.body['error']?.['code']]).toEqual([
      403,
      'reauthentication_required',
    ]);
    provider.overrides.clear();
    await signInThrough(app.url, browser, '?prompt=login');
    expect(Math.abs((await authenticatedAt(browser)) - Date.now() / 1_000)).toBeLessThan(60);
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ reauthentication_window_seconds: 900 });
  });

  test('always requests the authentication time, as the standard defines it', async () => {
    const begun = await new Browser().open(`${app.url}/auth/oidc/login`);
    expect(begun.location?.searchParams.get('max_age')).toBe('604800');
    expect(begun.location?.searchParams.has('prompt')).toBe(false);
  });

  test.each([-3_600, -120, undefined])(
    'for a re-authentication refuses an authentication at %p s',
    async (seconds) => {
      const { page, browser } = await signInProvenAt(seconds, '?prompt=login');
      expect(errorOf(page)).toBe('sso_failed');
      expect(await account(app, browser)).toBeUndefined();
    },
  );

  test('for a re-authentication makes the provider ask, even if it remembers the person', async () => {
    provider.person = newPerson();
    const browser = new Browser();
    await signInThrough(app.url, browser);
    const asked = provider.asked;
    await signInThrough(app.url, browser);
    expect(provider.asked).toBe(asked);
    const begun = await browser.open(`${app.url}/auth/oidc/login?prompt=login`);
    expect(Object.fromEntries(begun.location?.searchParams ?? [])).toMatchObject({
      prompt: 'login',
      max_age: '0',
    });
    const page = await signInThrough(app.url, browser, '?prompt=login&return_to=/account');
    expect([page.location?.pathname, provider.asked]).toEqual(['/account', asked + 1]);
    expect(Math.abs((await authenticatedAt(browser)) - Date.now() / 1_000)).toBeLessThan(60);
  });
});
