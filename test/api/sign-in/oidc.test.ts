/**
 * Which people a real OpenID provider signs in, as which members, and with which assurance.
 * Attacks: oidc-attacks.test.ts.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { Browser, type Page } from '../../support/browser.ts';
import {
  createMember,
  createOrganization,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import {
  reachCallback,
  signInThrough,
  startIdentityProvider,
  type IdentityProvider,
} from '../../support/servers/identity-provider.ts';
import { until } from '../../support/waiting.ts';
import { idOf } from '../../support/tokens.ts';
import { ROUNDS } from '../../support/rounds.ts';

let provider: IdentityProvider;
let app: TestApp;
/** Admits no domain. */
let closed: TestApp;
/** Three seats. */
let small: TestApp;
let organization: TestOrganization;

beforeAll(async () => {
  provider = await startIdentityProvider();
  const environment = {
    ...provider.environment,
    COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com, Works.Example',
    COUNTERSIGN_OIDC_NAME: 'Acme',
  };
  [app, closed, small] = await Promise.all([
    startApp({ environment }),
    startApp({ environment: provider.environment }),
    startApp({ environment: { ...environment, COUNTERSIGN_MAX_SEATS: '3' } }),
  ]);
  await provider.register(app.url, closed.url, small.url);
  organization = await createOrganization(app);
});

beforeEach(() => {
  provider.answer = {};
  provider.overrides.clear();
});

afterAll(async () => {
  await Promise.all([app, closed, small].map((each) => each.close()));
  await provider.close();
});

let people = 0;
function newPerson(email?: string) {
  const subject = `person-${++people}`;
  return {
    subject,
    email: email ?? `${subject}@example.com`,
    email_verified: true,
    name: `Person ${people}`,
  };
}

interface Account {
  readonly principal: {
    readonly membership_id: string;
    readonly permissions: readonly string[];
    readonly auth: Readonly<Record<string, string>>;
  };
  readonly user: Readonly<Record<string, unknown>>;
}

/** The member signed in in this browser, if any. */
async function account(browser: Browser, at = app): Promise<Account | undefined> {
  const answer = await browser.open(`${at.url}/api/v1/me`);
  return answer.status === 200 ? (JSON.parse(answer.text) as Account) : undefined;
}

async function events(at: TestApp, subjectId: string): Promise<unknown[]> {
  const rows = (await at
    .db('audit_events')
    .where({ subject_id: subjectId })
    .orderBy('sequence')
    .select('event_type', 'data', 'actor_id')) as {
    event_type: string;
    data: string;
    actor_id: string;
  }[];
  return rows.map((row) => ({
    type: row.event_type,
    data: JSON.parse(row.data) as unknown,
    actor: row.actor_id,
  }));
}

async function count(
  at: TestApp,
  table: string,
  where: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const [row] = (await at.db(table).where(where).count({ rows: '*' })) as { rows: number }[];
  return Number(row?.rows);
}

const errorOf = ({ location }: Page) => location?.searchParams.get('error');

describe('the ways in', () => {
  test('name the provider and report that without a mail server no password can be reset', async () => {
    expect((await app.http.get('/auth/options')).body).toEqual({
      password: true,
      password_reset: false,
      sso: { name: 'Acme' },
    });
    expect((await closed.http.get('/auth/options')).body['sso']).toEqual({
      name: 'Single sign-on',
    });
  });

  test('lack the provider when none is configured, and its endpoints say so', async () => {
    const plain = await startApp({ environment: { SMTP_URL: 'smtp://127.0.0.1:9' } });
    try {
      expect((await plain.http.get('/auth/options')).body).toEqual({
        password: true,
        password_reset: true,
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
        /^service_sso=[A-Za-z0-9_-]+; Path=\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(first.setCookies[0]).not.toContain(parameters['state']);
  });

  test('is built from the public URL, regardless of the Host header, and requires https there', async () => {
    const environment = {
      ...provider.environment,
      COUNTERSIGN_PUBLIC_URL: 'https://approvals.example/team',
    };
    const remote = await startApp({ environment });
    try {
      const page = await new Browser().open(`${remote.url}/auth/oidc/login`, {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
      });
      expect(page.location?.searchParams.get('redirect_uri')).toBe(
        'https://approvals.example/team/auth/oidc/callback',
      );
      expect(page.setCookies[0]).toMatch(
        /; Path=\/team\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      );
      const back = await new Browser().open(`${remote.url}/auth/oidc/callback?code=a`, {
        host: 'evil.example',
      });
      expect(back.location?.href).toBe('https://approvals.example/team/login?error=sso_expired');
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
      'service_sso=; Path=/auth/oidc; Max-Age=0; HttpOnly; SameSite=Lax',
      expect.stringMatching(
        /^service_session=whs_[^;]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(browser.cookie(app.url, 'service_sso')).toBeUndefined();
    expect((await account(browser))?.user['email']).toBe(provider.person.email);
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
    expect((await account(other))?.user['email']).toBe(provider.person.email);
    expect(
      (await app.http.get('/api/v1/me', { headers: { cookie: `service_session=${old}` } })).status,
    ).toBe(401);
    expect(await events(app, idOf(old))).toMatchObject([
      { type: 'session.created' },
      { type: 'session.revoked', data: { reason: 'superseded' } },
    ]);
  });
});

describe('a session from the provider', () => {
  test.each([
    [undefined, 'single_factor'],
    [['pwd'], 'single_factor'],
    [['pwd', 'mfa'], 'strong'],
  ])('for the methods %j is %s', async (amr, assurance) => {
    provider.person = newPerson();
    provider.answer = amr ? { amr } : {};
    const browser = new Browser();
    await signInThrough(app.url, browser);
    const session = (await account(browser))?.principal.auth;
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
    expect((await account(browser))?.principal).toMatchObject({
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
    const pending = at.context.oidc?.open(browser.cookie(at.url, 'service_sso') ?? '');
    return (JSON.parse(pending ?? '{}') as { nonce: string }).nonce;
  }

  const authenticatedAt = async (browser: Browser) =>
    new Date((await account(browser))?.principal.auth['authenticated_at'] ?? '').getTime() / 1_000;

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
      expect(await account(browser)).toBeUndefined();
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

describe('an unknown person', () => {
  test('of an admitted domain becomes a member without password and permissions', async () => {
    provider.person = newPerson('Ada@EXAMPLE.com');
    const browser = new Browser();
    await signInThrough(app.url, browser);
    const me = await account(browser);
    expect(me?.user).toEqual({
      display_name: provider.person.name,
      email: 'Ada@EXAMPLE.com',
      has_password: false,
    });
    expect(me?.principal.permissions).toEqual([]);
    const id = me?.principal.membership_id ?? '';
    const membership = (await app.db('memberships').where({ id }).first()) as Record<
      string,
      unknown
    >;
    expect(membership).toMatchObject({
      organization_id: organization.id,
      status: 'active',
      admission_source: 'sso_jit',
    });
    expect(await events(app, id)).toEqual([
      { type: 'membership.created', data: { admission_source: 'sso_jit' }, actor: id },
      {
        type: 'membership.identity_linked',
        data: { issuer: provider.issuer, subject: provider.person.subject },
        actor: id,
      },
    ]);
    expect(await count(app, 'permission_policies', { membership_id: id })).toBe(0);
  });

  test('is named after the local part of the email when the provider has no name', async () => {
    const { name: _name, ...nameless } = newPerson('no.name@works.example');
    provider.person = nameless;
    const browser = new Browser();
    await signInThrough(app.url, browser);
    expect((await account(browser))?.user['display_name']).toBe('no.name');
  });

  test.each([
    ['an unverified email', { email_verified: false }],
    ['an email verified by a string', { email_verified: 'true' }],
    ['an email without a verified flag', { email_verified: undefined }],
    ['no email', { email: undefined }],
    ['a foreign domain', { email: 'eve@evil.example' }],
    ['a domain that begins like an admitted one', { email: 'eve@example.com.evil' }],
    ['a domain below an admitted one', { email: 'eve@sub.example.com' }],
    ['a domain that ends like an admitted one', { email: 'eve@evil-example.com' }],
    ['two domains', { email: 'eve@evil.example@example.com' }],
    ['a letter that looks like another', { email: 'eve@ex\u0430mple.com' }],
  ])('with %s is not admitted, and leaves nothing behind', async (_what, claims) => {
    const before = await Promise.all(
      ['users', 'memberships', 'user_identities', 'sessions'].map((table) => count(app, table)),
    );
    provider.person = { ...newPerson(), ...claims } as never;
    const browser = new Browser();
    const page = await signInThrough(app.url, browser);
    expect(page.location?.href).toBe(`${app.url}/login?error=sign_in_not_admitted`);
    expect(await account(browser)).toBeUndefined();
    expect(
      await Promise.all(
        ['users', 'memberships', 'user_identities', 'sessions'].map((table) => count(app, table)),
      ),
    ).toEqual(before);
  });

  test('is not admitted when no domain is, while members are', async () => {
    const { id } = await createOrganization(closed);
    provider.person = newPerson();
    expect(errorOf(await signInThrough(closed.url))).toBe('sign_in_not_admitted');
    const member = await createMember(closed, id);
    provider.person = newPerson(member.email);
    expect((await signInThrough(closed.url)).location?.pathname).toBe('/');
  });

  test('who signs in twice at the same moment becomes one member', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = newPerson();
      provider.person = person;
      const browsers = [new Browser(), new Browser()];
      const callbacks: Page[] = [];
      for (const browser of browsers) callbacks.push(await reachCallback(app.url, browser));
      await Promise.all(
        browsers.map((browser, index) => browser.open(callbacks[index]?.location ?? '')),
      );
      const ids = (await Promise.all(browsers.map((browser) => account(browser)))).map(
        (me) => me?.principal.membership_id,
      );
      expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(ids[1]).toBe(ids[0]);
      expect(await count(app, 'users', { email: person.email })).toBe(1);
      expect(await count(app, 'user_identities', { subject: person.subject })).toBe(1);
      expect(await events(app, ids[0] ?? '')).toHaveLength(2);
    }
  });
});

describe('seats', () => {
  const enter = async (browser = new Browser()) =>
    errorOf(await signInThrough(small.url, browser)) ?? 'entered';

  test('do not exist before the first organization or after the last', async () => {
    provider.person = newPerson();
    expect(await enter()).toBe('sign_in_not_admitted');
    const { id } = await createOrganization(small);
    expect(await enter()).toBe('entered');
    await small.db('organizations').where({ id }).update({ deleted_at: new Date() });
    expect(await enter()).toBe('sign_in_not_admitted');
    provider.person = newPerson();
    expect(await enter()).toBe('sign_in_not_admitted');
  });

  test('are never exceeded, and existing members still sign in', async () => {
    const { id: organizationId, owner } = await createOrganization(small);
    const member = await createMember(small, organizationId);
    for (let round = 0; round < 5; round += 1) {
      const browsers = [new Browser(), new Browser()];
      const callbacks: Page[] = [];
      for (const browser of browsers) {
        provider.person = newPerson();
        callbacks.push(await reachCallback(small.url, browser));
      }
      const pages = await Promise.all(
        browsers.map((browser, index) => browser.open(callbacks[index]?.location ?? '')),
      );
      expect(pages.map((page) => errorOf(page) ?? 'entered').sort()).toEqual([
        'entered',
        'seat_limit_reached',
      ]);
      expect(
        await count(small, 'memberships', { organization_id: organizationId, status: 'active' }),
      ).toBe(3);
      await small
        .db('memberships')
        .where({ organization_id: organizationId })
        .whereNotIn('id', [owner.membershipId, member.membershipId])
        .update({ status: 'deprovisioned' });
    }
    await createMember(small, organizationId);
    provider.person = newPerson(member.email);
    expect(await enter()).toBe('entered');
  });
});

describe('a known person', () => {
  test('is recognized once by the verified email, and then by the subject at the provider', async () => {
    const member = await createMember(app, organization.id);
    const person = newPerson(member.email.toUpperCase());
    provider.person = person;
    const browser = new Browser();
    await signInThrough(app.url, browser);
    expect((await account(browser))?.principal.membership_id).toBe(member.membershipId);
    const linked = {
      type: 'membership.identity_linked',
      data: { issuer: provider.issuer, subject: person.subject },
      actor: member.membershipId,
    };
    expect(await events(app, member.membershipId)).toEqual([linked]);
    provider.person = {
      subject: person.subject,
      email: 'moved@evil.example',
      email_verified: false,
    };
    const again = new Browser();
    await signInThrough(app.url, again);
    expect((await account(again))?.principal.membership_id).toBe(member.membershipId);
    expect((await account(again))?.user['email']).toBe(member.email);
    expect(await events(app, member.membershipId)).toEqual([linked]);
  });

  test('is not recognized by an unverified email', async () => {
    const member = await createMember(app, organization.id);
    provider.person = { ...newPerson(member.email), email_verified: false };
    expect(errorOf(await signInThrough(app.url))).toBe('sign_in_not_admitted');
    expect(await count(app, 'user_identities', { user_id: member.userId })).toBe(0);
  });

  test.each([
    ['suspended', 'membership_inactive'],
    ['deprovisioned', 'sign_in_not_admitted'],
  ])('who is %s stays out and unchanged, by email and by subject', async (status, code) => {
    const member = await createMember(app, organization.id, { status });
    provider.person = newPerson(member.email);
    expect(errorOf(await signInThrough(app.url))).toBe(code);
    expect(await count(app, 'user_identities', { user_id: member.userId })).toBe(0);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    expect(errorOf(await signInThrough(app.url))).toBeNull();
    await app.db('memberships').where({ id: member.membershipId }).update({ status });
    expect(errorOf(await signInThrough(app.url))).toBe(code);
    expect(await count(app, 'memberships', { user_id: member.userId, status })).toBe(1);
  });

  test('who is suspended leaves an audit event for each refusal, by email and by subject', async () => {
    const member = await createMember(app, organization.id, { status: 'suspended' });
    provider.person = newPerson(member.email);
    await signInThrough(app.url);
    const { subject } = provider.person;
    await app
      .db('user_identities')
      .insert({ issuer: provider.issuer, subject, user_id: member.userId, created_at: new Date() });
    await signInThrough(app.url);
    const refusal = {
      type: 'session.sign_in_failed',
      actor: null,
      data: { membership_id: member.membershipId, reason: 'membership_inactive' },
    };
    await until(
      'both refusals are on record',
      async () => (await events(app, member.membershipId)).length >= 2,
    );
    expect(await events(app, member.membershipId)).toMatchObject([refusal, refusal]);
  });

  test('enters by the active membership, not by an older inactive one', async () => {
    const member = await createMember(app, organization.id, { status: 'suspended' });
    const other = await createOrganization(app);
    const id = randomUUID();
    const now = new Date();
    await app.db('memberships').insert({
      id,
      organization_id: other.id,
      user_id: member.userId,
      status: 'active',
      admission_source: 'manual',
      created_at: now,
      updated_at: now,
    });
    provider.person = newPerson(member.email);
    const browser = new Browser();
    await signInThrough(app.url, browser);
    expect((await account(browser))?.principal.membership_id).toBe(id);
  });
});
