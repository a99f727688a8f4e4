/**
 * Faults and attacks during sign-in by a provider, a person or a third party: no one gets in and
 * nothing breaks. A provider that is away: oidc-unreachable.full.test.ts.
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { openOidcClient } from '../../../src/platform/oidc.ts';
import { Browser, type Page } from '../../support/browser.ts';
import { scene } from '../../support/scene.ts';
import {
  newSigningKey,
  reachCallback,
  identityProviderForFile,
} from '../../support/servers/identity-provider.ts';
import { newPerson, pendingCookie } from './oidc-accounts.ts';

const provider = await identityProviderForFile();
const { app } = await scene({
  app: { environment: { ...provider.environment, COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com' } },
});
await provider.register(app.url);

beforeEach(() => {
  provider.person = newPerson();
  app.log.length = 0;
});

const SETTINGS = {
  issuer: 'https://issuer.example',
  clientId: 'countersign',
  clientSecret: 'x',
  name: 'x',
  emailDomains: [],
  trustEmail: 'verified',
} as const;

const loginUrl = (code: string) => `${app.url}/login?error=${code}`;

/** The sign-in page with only the code, and without a session. */
async function expectFailure(page: Page, browser: Browser, code: string): Promise<void> {
  expect([page.status, page.location?.href]).toEqual([302, loginUrl(code)]);
  // Only the cookie of this very sign-in is used up.
  const cleared = /^service_sso_[\w-]{16}=; Path=\/auth\/oidc; Max-Age=0; HttpOnly; SameSite=Lax$/;
  expect(page.setCookies.filter((cookie) => !cleared.test(cookie))).toEqual([]);
  expect(page.setCookies.length).toBeLessThanOrEqual(1);
  expect(browser.cookie(app.url, 'service_session')).toBeUndefined();
  expect(await sessionsOf(provider.person.subject)).toBe(0);
  expect(app.log.join('')).not.toMatch(/"level":"error"/);
}

async function sessionsOf(subject: string): Promise<number> {
  const [row] = (await app
    .db('sessions as s')
    .join('memberships as m', 'm.id', 's.membership_id')
    .join('user_identities as i', 'i.user_id', 'm.user_id')
    .where('i.subject', subject)
    .count({ rows: '*' })) as { rows: number }[];
  return Number(row?.rows);
}

/** A browser that the provider has just redirected, and the target. */
async function returned(query = ''): Promise<{ browser: Browser; callback: URL }> {
  const browser = new Browser();
  const { location } = await reachCallback(app.url, browser, query);
  if (!location) throw new Error('the provider sent the browser nowhere');
  return { browser, callback: location };
}

function changed(url: URL, parameters: Readonly<Record<string, string | undefined>>): URL {
  const copy = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) copy.searchParams.delete(name);
    else copy.searchParams.set(name, value);
  }
  return copy;
}

type Pending = Readonly<Record<'state' | 'nonce' | 'codeVerifier' | 'returnTo', string>> & {
  readonly beganAt: number;
};

function pendingOf(browser: Browser): Pending {
  return JSON.parse(
    app.context.oidc?.open(pendingCookie(browser, app.url).value) ?? '{}',
  ) as Pending;
}

/** `name` of the cookie that the callback looks for. */
function present(browser: Browser, { name, value }: { name: string; value: string }): void {
  browser.setCookie(app.url, name, { value, path: '/auth/oidc' });
}

test('the sign-in that these tests attack succeeds without an attack', async () => {
  const { browser, callback } = await returned();
  expect((await browser.open(callback)).location?.href).toBe(`${app.url}/`);
  expect(await sessionsOf(provider.person.subject)).toBe(1);
});

describe('the answer of the provider', () => {
  test('may be a refusal: the sign-in page gets only a code, without words or emails of the provider', async () => {
    provider.reply = { denies: true };
    const { browser, callback } = await returned();
    expect(callback.searchParams.get('error_description')).toContain('someone@example.com');
    await expectFailure(await browser.open(callback), browser, 'sso_denied');
    expect(app.log.join('')).toContain('"code":"sso_denied"');
    expect(app.log.join('')).not.toContain('someone@');
  });

  test.each([
    ['another error', { error: 'server_error', code: undefined }],
    ['no code', { code: undefined }],
    ['an invented code', { code: 'guess' }],
    ['an empty code', { code: '' }],
    ['the name of another provider', { iss: 'https://evil.example' }],
    ['no name, though the provider gives it', { iss: undefined }],
    ['an id token in the address', { id_token: 'a.b.c', code: undefined }],
  ])('with %s is refused', async (_what, parameters) => {
    const { browser, callback } = await returned();
    await expectFailure(await browser.open(changed(callback, parameters)), browser, 'sso_failed');
  });

  test.each([
    ['no state', { state: undefined }],
    ['a foreign state', { state: 'x'.repeat(43) }],
    ['a denial of another sign-in', { error: 'access_denied', code: undefined, state: 'x' }],
  ])('with %s is refused, and the sign-in can still be finished', async (_what, parameters) => {
    const { browser, callback } = await returned();
    await expectFailure(await browser.open(changed(callback, parameters)), browser, 'sso_expired');
    expect((await browser.open(callback)).location?.href).toBe(`${app.url}/`);
  });

  test('may have unknown parameters', async () => {
    const { browser, callback } = await returned();
    const page = await browser.open(
      changed(callback, { session_state: 'a', hd: 'example.com', authuser: '0' }),
    );
    expect(page.location?.href).toBe(`${app.url}/`);
  });

  test('works once, with and without the cookie', async () => {
    const { browser, callback } = await returned();
    const cookie = pendingCookie(browser, app.url);
    await browser.open(callback);
    const replay = await browser.open(callback);
    expect([replay.location?.href, replay.setCookies.length]).toEqual([loginUrl('sso_expired'), 0]);
    const thief = new Browser();
    present(thief, cookie);
    // The provider is not asked again: the sign-in itself is used up.
    expect((await thief.open(callback)).location?.href).toBe(loginUrl('sso_expired'));
    expect(thief.cookie(app.url, 'service_session')).toBeUndefined();
    expect(await sessionsOf(provider.person.subject)).toBe(1);
  });
});

describe('the browser', () => {
  test('cannot finish a sign-in that another browser started', async () => {
    const { callback } = await returned();
    const victim = new Browser();
    await expectFailure(await victim.open(callback), victim, 'sso_expired');
  });

  test('cannot finish a sign-in with the answer of another one', async () => {
    const [mine, theirs] = [await returned(), await returned()];
    await expectFailure(await theirs.browser.open(mine.callback), theirs.browser, 'sso_expired');
    const again = await returned();
    const mixed = changed(mine.callback, { state: again.callback.searchParams.get('state') ?? '' });
    await expectFailure(await again.browser.open(mixed), again.browser, 'sso_failed');
  });

  test('must start again after ten minutes', async () => {
    const { browser, callback } = await returned();
    const late = { ...pendingOf(browser), beganAt: Date.now() - 601_000 };
    const { name } = pendingCookie(browser, app.url);
    present(browser, { name, value: app.context.oidc?.seal(JSON.stringify(late)) ?? '' });
    await expectFailure(await browser.open(callback), browser, 'sso_expired');
    const next = await returned();
    const early = { ...pendingOf(next.browser), beganAt: Date.now() - 590_000 };
    present(next.browser, {
      name: pendingCookie(next.browser, app.url).name,
      value: app.context.oidc?.seal(JSON.stringify(early)) ?? '',
    });
    expect((await next.browser.open(next.callback)).location?.href).toBe(`${app.url}/`);
  });

  test('cannot change its cookie in any character or use one made elsewhere', async () => {
    const { browser, callback } = await returned();
    const { name, value: cookie } = pendingCookie(browser, app.url);
    const flipped = (at: number) =>
      `${cookie.slice(0, at)}${cookie[at] === 'A' ? 'B' : 'A'}${cookie.slice(at + 1)}`;
    const plain = Buffer.from(JSON.stringify(pendingOf(browser))).toString('base64url');
    const elsewhere = openOidcClient(SETTINGS, 'another secret').seal(
      JSON.stringify(pendingOf(browser)),
    );
    const spots = [0, 20, 40, Math.floor(cookie.length / 2), cookie.length - 4];
    for (const value of [
      ...spots.map(flipped),
      plain,
      elsewhere,
      cookie.slice(0, -4),
      cookie.slice(4),
      'x',
      '',
      '%00',
      '"',
    ]) {
      present(browser, { name, value });
      const page = await browser.open(callback);
      expect([value, page.location?.href]).toEqual([value, loginUrl('sso_expired')]);
      expect(browser.cookie(app.url, 'service_session')).toBeUndefined();
    }
    present(browser, { name, value: cookie });
    expect((await browser.open(callback)).location?.href).toBe(`${app.url}/`);
  });
});

describe('an id token', () => {
  const stranger = newSigningKey();

  /** Finishes a sign-in with a token that has these claims in addition to the correct ones. */
  async function presentToken(make: (right: Readonly<Record<string, unknown>>) => string) {
    const { browser, callback } = await returned();
    const { subject, email } = { email: 'unknown', ...provider.person };
    provider.forgeToken(
      make({ sub: subject, email, email_verified: true, nonce: pendingOf(browser).nonce }),
    );
    return { browser, page: await browser.open(callback) };
  }

  test('with correct claims and a correct signature opens a session', async () => {
    expect((await presentToken((right) => provider.idToken(right))).page.location?.href).toBe(
      `${app.url}/`,
    );
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['for another audience', { aud: 'another' }],
    ['for many audiences and another party', { aud: ['countersign', 'another'], azp: 'another' }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['with another nonce', { nonce: 'x'.repeat(43) }],
    ['without a nonce', { nonce: undefined }],
    ['that has ended', { exp: Math.floor(Date.now() / 1_000) - 3_600 }],
    ['without an end', { exp: undefined }],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1_000) + 3_600 }],
    ['without a subject', { sub: undefined }],
    ['with a subject that is none', { sub: { toString: 'x' } }],
    ['with an invalid authentication time', { auth_time: 'yesterday' }],
  ])('%s is refused', async (_what, claims) => {
    const { page, browser } = await presentToken((right) =>
      provider.idToken({ ...right, ...claims }),
    );
    await expectFailure(page, browser, 'sso_failed');
  });

  test.each<[string, (right: Readonly<Record<string, unknown>>) => string]>([
    ['signed by a stranger', (right) => provider.idToken(right, stranger)],
    ['without a signature', (right) => provider.idToken(right).replace(/[^.]+$/, '')],
    [
      'that claims to need none',
      (right) => {
        const [, body] = provider.idToken(right).split('.');
        return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body ?? ''}.`;
      },
    ],
    [
      'whose claims were changed',
      (right) =>
        provider
          .idToken(right)
          .replace(
            /\.[^.]+\./,
            `.${provider.idToken({ ...right, sub: 'boss' }).split('.')[1] ?? ''}.`,
          ),
    ],
    ['that is garbage', () => 'garbage'],
    ['that is empty', () => ''],
  ])('%s is refused', async (_what, make) => {
    const { page, browser } = await presentToken(make);
    await expectFailure(page, browser, 'sso_failed');
  });

  test.each([
    ['a subject of control characters', { sub: 'a\u0000b' }],
    ['a subject without end', { sub: 'a'.repeat(10_000) }],
  ])('with %s admits no one and breaks nothing', async (_what, claims) => {
    const { page, browser } = await presentToken((right) =>
      provider.idToken({ ...right, ...claims }),
    );
    await expectFailure(page, browser, 'sign_in_not_admitted');
  });

  test.each([
    ['a name no database stores', { name: 'Eve\u0000\ud800' }],
    ['a name that is none', { name: { first: 'Eve' } }],
    ['a name without end', { name: 'e'.repeat(5_000) }],
    ['methods that are none', { amr: 'mfa' }],
    ['strange methods', { amr: [1, null, 'pwd'] }],
  ])('with %s counts only for what it confirms', async (_what, claims) => {
    const { page, browser } = await presentToken((right) =>
      provider.idToken({ ...right, ...claims }),
    );
    expect(page.location?.href).toBe(`${app.url}/`);
    const me = JSON.parse((await browser.open(`${app.url}/api/v1/me`)).text) as {
      principal: { auth: unknown };
    };
    expect(me.principal.auth).toMatchObject({ assurance: 'single_factor' });
  });
});

describe('the token endpoint', () => {
  test.each([
    [
      'a refusal',
      400,
      { error: 'invalid_grant', error_description: 'code secret-code of someone@example.com' },
    ],
    ['a failure', 500, 'oops'],
    ['no JSON', 200, '{"access_token":'],
    ['something else', 200, '[]'],
    ['nothing', 204, ''],
    ['no id token', 200, { access_token: 'secret-token', token_type: 'bearer' }],
  ])(
    'that answers %s leads to the sign-in page, and no token or code is logged',
    async (_what, status, body) => {
      const { browser, callback } = await returned();
      provider.override('/token', status, body);
      await expectFailure(await browser.open(callback), browser, 'sso_failed');
      const log = app.log.join('');
      expect(log).toContain('a sign-in through the identity provider failed');
      for (const secret of [
        'secret-',
        'someone@',
        callback.searchParams.get('code') ?? '?',
        callback.searchParams.get('state') ?? '?',
      ]) {
        expect(log).not.toContain(secret);
      }
    },
  );

  test('that redirects is not followed', async () => {
    const { browser, callback } = await returned();
    let followed = false;
    provider.overrides.set('/token', (_request, response) =>
      response.writeHead(307, { location: '/elsewhere' }).end(),
    );
    provider.overrides.set('/elsewhere', (_request, response) => {
      followed = true;
      response.end();
    });
    await expectFailure(await browser.open(callback), browser, 'sso_failed');
    expect(followed).toBe(false);
  });

  test('may leave the email to another endpoint, which cannot describe another person', async () => {
    const { browser, callback } = await returned();
    provider.override('/me', 200, {
      sub: 'another person',
      email: 'boss@example.com',
      email_verified: true,
    });
    await expectFailure(await browser.open(callback), browser, 'sso_failed');
  });
});

describe('the page to return to', () => {
  test('cannot be an address elsewhere, in any spelling', async () => {
    // The grammar of a path knows all spellings (domain/sign-in/oidc.test.ts).
    const paths = [
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/%2f%2fevil.example',
      '/x\r\nSet-Cookie: service_session=evil',
      '',
    ];
    for (const path of paths) {
      const page = await new Browser().open(
        `${app.url}/auth/oidc/login?return_to=${encodeURIComponent(path)}`,
      );
      const body = JSON.parse(page.text) as {
        error: { code: string; details: { issues: { pointer: string }[] } };
      };
      expect([path, page.status, body.error.code]).toEqual([path, 400, 'validation_failed']);
      expect(body.error.details.issues.map(({ pointer }) => pointer)).toEqual(['/query/return_to']);
      expect([page.setCookies, page.location]).toEqual([[], undefined]);
    }
  });

  test.each([
    'prompt=none',
    'prompt=',
    'prompt=login&prompt=login',
    'max_age=1',
    'redirect_uri=https://evil.example',
  ])('cannot be sent along with %s', async (query) => {
    expect((await app.http.get(`/auth/oidc/login?${query}`)).status).toBe(400);
  });

  test('never follows a forged Host header', async () => {
    const browser = new Browser();
    const { location } = await reachCallback(app.url, browser);
    const page = await browser.open(location ?? '', {
      host: 'evil.localhost',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    });
    expect(page.location?.href).toBe(`${app.url}/`);
    const failed = await new Browser().open(`${app.url}/auth/oidc/callback`, {
      host: 'evil.localhost',
    });
    expect(failed.location?.href).toBe(loginUrl('sso_expired'));
  });
});
