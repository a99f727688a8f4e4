/** Which emails of a provider identify people: what it says about them, and where it says it. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type TestApp } from '../../support/app.ts';
import { Browser, type Page } from '../../support/browser.ts';
import {
  reachCallback,
  signInThrough,
  identityProviderForFile,
} from '../../support/servers/identity-provider.ts';
import { account, count, errorOf, newPerson, pendingCookie } from './oidc-accounts.ts';
import { scene } from '../../support/scene.ts';

const provider = await identityProviderForFile();
const environment = { ...provider.environment, COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com' };
const { app } = await scene({ app: { environment } });
/** Trusts its provider's emails. */
const { app: trusting } = await scene({
  app: { environment: { ...environment, COUNTERSIGN_OIDC_TRUST_EMAIL: 'issuer' } },
});
await provider.register(app.url, trusting.url);

beforeEach(() => {
  app.log.length = 0;
});

const UNVERIFIED = [
  ['is not verified', false],
  ['is not verified, as text', 'false'],
  ['is verified by a word', 'yes'],
  ['is verified by a number', 1],
] as const;
const UNKNOWN = [
  ['nothing is known', undefined],
  ['nothing is known, as null', null],
] as const;

const TABLES = ['users', 'memberships', 'user_identities', 'sessions'];
const rows = async (at: TestApp) => await Promise.all(TABLES.map((table) => count(at, table)));

async function expectNotVerified(at: TestApp, email_verified: unknown): Promise<void> {
  const before = await rows(at);
  provider.person = { ...newPerson(), email_verified };
  const page = await signInThrough(at.url);
  expect(page.location?.href).toBe(`${at.url}/login?error=email_not_verified`);
  expect(await rows(at)).toEqual(before);
}

describe('an email of which', () => {
  test.each([...UNVERIFIED, ...UNKNOWN])('%s identifies no one', async (_what, email_verified) => {
    await expectNotVerified(app, email_verified);
    expect(app.log.join('')).toContain('not verified by the provider');
  });

  test.each(UNKNOWN)('%s identifies people where the issuer is trusted', async (_what, flag) => {
    provider.person = { ...newPerson(), email_verified: flag };
    expect(errorOf(await signInThrough(trusting.url))).toBeNull();
  });

  test.each(UNVERIFIED)(
    '%s identifies no one, also where the issuer is trusted',
    async (_w, flag) => {
      await expectNotVerified(trusting, flag);
    },
  );

  test('the provider says it is verified as text identifies people', async () => {
    provider.person = { ...newPerson(), email_verified: 'true' };
    expect(errorOf(await signInThrough(app.url))).toBeNull();
  });
});

describe('an id token with an email and nothing about it', () => {
  /** Finishes a sign-in with such a token, and with this answer of the other endpoint. */
  async function enter(userinfo: unknown, status = 200): Promise<{ page: Page; browser: Browser }> {
    const person = newPerson();
    provider.person = person;
    const browser = new Browser();
    const { location } = await reachCallback(app.url, browser);
    const { nonce } = JSON.parse(
      app.context.oidc?.open(pendingCookie(browser, app.url).value) ?? '{}',
    ) as { nonce: string };
    const { subject: sub, email } = person;
    provider.forgeToken(provider.idToken({ sub, email, nonce }));
    provider.override('/me', status, { sub, ...(userinfo as object) });
    return { page: await browser.open(location ?? ''), browser };
  }

  test.each([
    ['that it is verified', { email_verified: true }],
    ['that it is verified, as text', { email_verified: 'true' }],
  ])('identifies the person when the provider says elsewhere %s', async (_what, claims) => {
    for (const email of [{}, { email: `person` }]) {
      const own = 'email' in email ? { email: upcoming() } : {};
      const { page, browser } = await enter({ ...claims, ...own, name: 'Ada' });
      expect(errorOf(page)).toBeNull();
      expect((await account(app, browser))?.user['display_name']).toBe('Ada');
    }
  });

  test('identifies no one when the provider confirms another email, or fails to', async () => {
    for (const [claims, status] of [
      [{ email: 'boss@example.com', email_verified: true }, 200],
      [{ email_verified: false }, 200],
      [{}, 200],
      [{ email_verified: true }, 500],
    ] as const) {
      const { page } = await enter(claims, status);
      expect([claims, errorOf(page)]).toEqual([claims, 'email_not_verified']);
    }
  });

  /** The email of the next person. */
  function upcoming(): string {
    const { email } = newPerson();
    return email.replace(/\d+/, (digits) => String(Number(digits) + 1));
  }
});

test('a person known by subject enters whatever becomes of their email', async () => {
  provider.person = newPerson();
  await signInThrough(app.url);
  provider.person = { ...provider.person, email_verified: false };
  expect(errorOf(await signInThrough(app.url))).toBeNull();
});
