/**
 * Runs everything that issues or accepts a secret, once correctly and once wrongly, with the most
 * detailed log. Then looks for every secret, in every spelling, in all logs, answers, mails and
 * tables.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BOOTSTRAP_SECRET, startApp, type TestApp } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { HttpClient, type Answer, type CallOptions } from '../../support/http.ts';
import {
  signInThrough,
  startIdentityProvider,
  type IdentityProvider,
} from '../../support/servers/identity-provider.ts';
import { startMailServer, type MailServer } from '../../support/servers/mail-server.ts';
import { LOOPBACK_ALLOWED } from '../../support/servers/webhook-receiver.ts';
import {
  everyColumn,
  foundIn,
  hashSpellings,
  randomPart,
  spellings,
  type Column,
  type KnownSecret,
} from '../../support/secrets.ts';
import { codesOf, cookieOf, deleteAttempts } from '../../support/scene/sign-in.ts';

const SECRETS_KEY = randomBytes(32).toString('base64');
const SMTP_PASSWORD = 'smtp-4f1c9a7e2b6d8035';
const OWNER = { email: 'ada@example.com', password: 'seven bright ravens on a wire' };

let app: TestApp;
let mail: MailServer;
let provider: IdentityProvider;
/** A copy of every table, taken before each deletion and at the end. */
const columns: Column[] = [];
const answers: { readonly what: string; readonly text: string }[] = [];
const secrets: KnownSecret[] = [];
/** Secrets whose SHA-256 is stored on purpose. The search must find their hashes only there. */
const hashed: string[] = [];

/** Calls, and keeps every answer with its headers. */
class Recorder {
  constructor(private readonly defaults: Readonly<Record<string, string>> = {}) {}

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const answer = await new HttpClient(app.url, this.defaults).call(method, path, options);
    answers.push({
      what: `${method} ${path}: ${answer.status}`,
      text: `${JSON.stringify(answer.headers)}\n${answer.text}`,
    });
    return answer;
  }
  post(
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.call('POST', path, { body, headers });
  }
}

const bearer = (token: string) => new Recorder({ authorization: `Bearer ${token}` });
const browser = (cookie: string) =>
  new Recorder({ cookie, origin: app.url, 'sec-fetch-site': 'same-origin' });

/** A secret that no answer may contain. */
function hide(name: string, text: string): string {
  secrets.push({ name, text });
  return text;
}

/** A secret that the last answer contains and no other may. */
function shown(name: string, text: string): string {
  if (text.length < 6) throw new Error(`${name} was not shown: ${answers.at(-1)?.what ?? ''}`);
  secrets.push({ name, text, shownIn: answers.length - 1 });
  return text;
}

/** The same for a secret that is stored as a hash. */
function shownToken(name: string, text: string): string {
  hashed.push(text);
  return shown(name, text);
}

/**
 * Each authentication gives the session another token, and only the hash of the newest is stored.
 */
function session(name: string, answer: Answer): string {
  const cookie = cookieOf(answer);
  shown(name, cookie.split('=')[1] ?? '');
  return cookie;
}

const linkIn = (text: string) => /https?:\/\/\S+/.exec(text)?.[0].split('/').at(-1) ?? '';

beforeAll(async () => {
  mail = await startMailServer({ credentials: { user: 'countersign', password: SMTP_PASSWORD } });
  provider = await startIdentityProvider();
  app = await startApp({
    environment: {
      LOG_LEVEL: 'trace',
      COUNTERSIGN_EDITION: 'hosted',
      COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
      ...LOOPBACK_ALLOWED,
      SMTP_URL: mail.url,
      COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com',
      ...provider.environment,
    },
  });
  await provider.register(app.url);
  for (const [name, text] of [
    ['secrets key', SECRETS_KEY],
    ['SMTP password', SMTP_PASSWORD],
    ['client secret', provider.environment['COUNTERSIGN_OIDC_CLIENT_SECRET'] ?? ''],
    ['bootstrap secret', BOOTSTRAP_SECRET],
    ['password', OWNER.password],
  ] as const) {
    hide(name, text);
  }
  const owner = await enterAndProve();
  await secondFactor(owner);
  await keysAndCredentials();
  await enrollments();
  await webhookEndpoints();
  await invitationsAndResets();
  await singleSignOn();
  await nonsense();
  columns.push(...(await everyColumn(app.db)));
});

afterAll(async () => {
  await app.close();
  await Promise.all([mail.close(), provider.close()]);
});

/** Without this, so many attempts would be slowed down. */
async function resetAttempts(): Promise<void> {
  columns.push(...(await everyColumn(app.db)));
  await deleteAttempts(app);
}

const anonymous = new Recorder();
/** The owner's cookie, replaced after each further authentication. */
let cookie = '';

async function enterAndProve(): Promise<string> {
  const bootstrap = { organization_name: 'Example Works', display_name: 'Ada Marsh', ...OWNER };
  await anonymous.post('/auth/bootstrap', {
    ...bootstrap,
    secret: hide('wrong bootstrap secret', 'not-the-secret-of-this-deployment'),
  });
  cookie = session(
    'bootstrap session',
    await anonymous.post('/auth/bootstrap', { ...bootstrap, secret: BOOTSTRAP_SECRET }),
  );
  await anonymous.post('/auth/bootstrap', { ...bootstrap, secret: BOOTSTRAP_SECRET });
  await anonymous.post('/auth/login', {
    email: OWNER.email,
    password: hide('wrong password', 'nine dull ravens on a wire'),
  });
  await anonymous.post('/auth/login', {
    email: 'unknown@example.com',
    password: hide('password of an unknown person', 'ten mute swans on a wire'),
  });
  cookie = session('session', await anonymous.post('/auth/login', OWNER));
  await browser(cookie).post('/auth/reauthenticate', {
    password: hide('wrong password in a session', 'six dull ravens on a wire'),
  });
  cookie = session(
    'proven session',
    await browser(cookie).post('/auth/reauthenticate', { password: OWNER.password }),
  );
  const changed = hide('new password', 'eleven loud herons in the reeds');
  const change = { current_password: OWNER.password, new_password: changed };
  await browser(cookie).call('PUT', '/api/v1/me/password', {
    body: { ...change, current_password: hide('not the current one', 'wrong wrong wrong ravens') },
  });
  await browser(cookie).call('PUT', '/api/v1/me/password', {
    body: { ...change, new_password: hide('refused password', 'Passwort12345!!') },
  });
  cookie = session(
    'session after the change',
    await browser(cookie).call('PUT', '/api/v1/me/password', { body: change }),
  );
  return changed;
}

async function secondFactor(password: string): Promise<void> {
  const begun = await browser(cookie).post('/api/v1/me/mfa/totp');
  const seed = shown('seed', String(begun.body['secret']));
  const codes = codesOf(app, seed);
  await browser(cookie).post('/api/v1/me/mfa/totp/confirm', {
    code: hide('wrong code', await codes.wrongCode()),
  });
  const code = hide('confirming code', await codes.code());
  const confirmed = await browser(cookie).post('/api/v1/me/mfa/totp/confirm', { code });
  const recovery = confirmed.body['recovery_codes'] as unknown as string[];
  for (const [index, each] of recovery.entries()) shown(`recovery code ${index}`, each);
  cookie = session('strong session', confirmed);
  const challenge = async () => {
    const { body } = await anonymous.post('/auth/login', { email: OWNER.email, password });
    return shownToken('challenge', String(body['mfa']?.['token']));
  };
  await resetAttempts();
  const [first, second] = [await challenge(), await challenge()];
  await anonymous.post('/auth/mfa', { token: first, code: await codes.wrongCode() });
  await anonymous.post('/auth/mfa', { token: first, code });
  await anonymous.post('/auth/mfa', {
    token: first,
    code: hide('wrong recovery code', 'ZZZZ-ZZZZ-ZZZZ-ZZZZ'),
  });
  await resetAttempts();
  session(
    'session by a recovery code',
    await anonymous.post('/auth/mfa', { token: first, code: recovery[0] }),
  );
  await app.db('totp_factors').update({ last_used_step: null });
  cookie = session(
    'session by a code',
    await anonymous.post('/auth/mfa', { token: second, code: hide('code', await codes.code()) }),
  );
  hashed.push(cookie.split('=')[1] ?? '');
  await anonymous.post('/auth/mfa', { token: second, code: recovery[1] });
  const renewed = await browser(cookie).post('/api/v1/me/mfa/recovery_codes');
  for (const each of renewed.body['recovery_codes'] as unknown as string[])
    shown('renewed recovery code', each);
  await browser(cookie).call('GET', '/api/v1/me/mfa');
  await browser(cookie).call('GET', '/api/v1/me/sessions');
  await browser(cookie).call('GET', '/api/v1/me');
}

async function keysAndCredentials(): Promise<void> {
  const owner = browser(cookie);
  const personal = shownToken(
    'personal key',
    String((await owner.post('/api/v1/me/api_keys', { name: 'script' })).body['token']),
  );
  const scoped = await owner.post('/api/v1/me/api_keys', {
    name: 'scoped',
    permissions: ['agent.read'],
  });
  shownToken('scoped key', String(scoped.body['token']));
  const grants = [
    {
      scope_kind: 'organization',
      resource_ids: [],
      permissions: ['agent.read', 'organization.read'],
    },
  ];
  const issued = await owner.post(
    '/api/v1/api_keys',
    { name: 'integration', permission_policies: grants },
    { 'idempotency-key': 'a' },
  );
  const integration = shownToken('organization key', String(issued.body['token']));
  await owner.post('/api/v1/agents', { slug: 'deploy-bot', name: 'Deploy bot' });
  const instance = await owner.post('/api/v1/agents/deploy-bot/instances', { name: 'one' });
  const credential = shownToken('agent credential', String(instance.body['credential']?.['token']));
  await bearer(credential).post(
    '/api/aap/v1/requests',
    { tool: 'deploy', arguments: {}, timeout: '1h' },
    { 'idempotency-key': 'b' },
  );
  const provisioner = await owner.post('/api/v1/agents/deploy-bot/provisioners');
  const fleet = shownToken('provisioner token', String(provisioner.body['token']));
  const key = { 'idempotency-key': 'c' };
  const replica = await bearer(fleet).post('/api/aap/v1/instances', {}, key);
  shownToken("replica's credential", String(replica.body['credential']?.['token']));
  for (const token of [personal, integration, credential, fleet]) {
    for (const path of [
      '/api/v1/me',
      '/api/v1/organization',
      '/api/v1/api_keys/verify',
      '/api/v1/agents',
      '/api/v1/me/api_keys',
    ]) {
      await bearer(token).call('GET', path);
    }
    await bearer(`${token}x`).call('GET', '/api/v1/me');
    await bearer(token).call('GET', `/api/v1/agents?token=${token}`);
    await bearer(token).call('GET', `/${token}`);
  }
  await owner.call('GET', '/api/v1/me/api_keys');
  await owner.call('GET', '/api/v1/api_keys');
}

async function enrollments(): Promise<void> {
  const owner = browser(cookie);
  const started = await anonymous.post('/auth/agent_enrollments', {
    runtime: 'test',
    instance_name: 'enrolled',
  });
  const code = shownToken('enrollment code', String(started.body['enrollment_code']));
  const userCode = shown('user code', String(started.body['user_code']));
  await anonymous.post('/auth/agent_enrollments/token', { enrollment_code: code });
  await anonymous.post('/auth/agent_enrollments/token', { enrollment_code: `${code}x` });
  await owner.call('GET', `/api/v1/agent_enrollments/${userCode}`);
  await owner.call('GET', `/api/v1/agent_enrollments/${userCode}x`);
  await owner.post(`/api/v1/agent_enrollments/${userCode}/authorize`, {});
  await owner.post(`/api/v1/agent_enrollments/${userCode}/authorize`, { agent_slug: 'deploy-bot' });
  const enrolled = await anonymous.post('/auth/agent_enrollments/token', { enrollment_code: code });
  shownToken('enrolled credential', String(enrolled.body['credential']?.['token']));
  await anonymous.post('/auth/agent_enrollments/token', { enrollment_code: code });
}

async function webhookEndpoints(): Promise<void> {
  const owner = browser(cookie);
  const path = '/api/v1/webhook_endpoints/refund-rules';
  // Nothing listens on port 1, so a test fails.
  const document = { name: 'Refund rules', url: 'https://127.0.0.1:1/' };
  const created = await owner.post(`${path}/revisions`, document);
  shown('signing secret', String(created.body['signing_secret']).replace('whsec_', ''));
  await owner.post(`${path}/revisions`, document);
  await owner.post(`${path}/revisions/1/activate`, undefined, { 'if-match': '"0"' });
  await owner.post(`${path}/revisions/1/test`);
  const rotated = await owner.post(`${path}/rotate_secret`);
  shown('next signing secret', String(rotated.body['signing_secret']).replace('whsec_', ''));
  await owner.post(`${path}/revisions/1/test`);
  for (const part of ['', '/revisions', '/revisions/1', '/uses', '/deliveries'])
    await owner.call('GET', `${path}${part}`);
  await owner.call('GET', '/api/v1/webhook_endpoints');
}

async function invitationsAndResets(): Promise<void> {
  const owner = browser(cookie);
  const invited = await owner.post('/api/v1/invitations', {
    email: 'grace@example.com',
    permission_policies: [],
  });
  const first = hide('first invitation', linkIn((await mail.mailTo('grace@example.com')).text));
  await owner.post(`/api/v1/invitations/${String(invited.body['invitation']?.['id'])}/resend`);
  const link = hide('invitation', linkIn((await mail.mailTo('grace@example.com', 2)).text));
  hashed.push(link);
  const details = {
    display_name: 'Grace Hollow',
    password: hide('password of the invited person', 'four grey owls upon a barn'),
  };
  await anonymous.call('GET', `/auth/invitations/${link}`);
  await anonymous.call('GET', `/invitations/${link}`);
  await anonymous.post(`/auth/invitations/${first}/accept`, details);
  session(
    'session of the invited person',
    await anonymous.post(`/auth/invitations/${link}/accept`, details),
  );
  await anonymous.post(`/auth/invitations/${link}/accept`, details);
  await owner.call('GET', '/api/v1/invitations');
  await owner.call('GET', '/api/v1/members');

  await anonymous.post('/auth/password/forgot', { email: 'grace@example.com' });
  const reset = hide('reset link', linkIn((await mail.mailTo('grace@example.com', 3)).text));
  hashed.push(reset);
  await anonymous.call('GET', `/auth/password/reset/${reset}`);
  await anonymous.post('/auth/password/reset', {
    token: reset,
    password: hide('refused new password', 'password1234'),
  });
  await anonymous.post('/auth/password/reset', {
    token: reset,
    password: hide('reset password', 'three brown wrens beneath a bridge'),
  });
  await anonymous.post('/auth/password/reset', {
    token: reset,
    password: 'three brown wrens beneath a bridge',
  });
}

async function singleSignOn(): Promise<void> {
  provider.person = {
    subject: 'hopper',
    email: 'hopper@example.com',
    email_verified: true,
    name: 'Hopper',
  };
  const visitor = new Browser();
  const page = await signInThrough(app.url, visitor);
  const code = page.url.searchParams.get('code') ?? '';
  const state = page.url.searchParams.get('state') ?? '';
  answers.push({
    what: 'the callback',
    text: JSON.stringify({ ...page.headers, 'set-cookie': '' }),
  });
  hide('authorization code', code);
  hide('state', state);
  const signedIn = hide(
    'session by the provider',
    visitor.cookie(app.url, 'service_session') ?? '',
  );
  hashed.push(signedIn);
  await browser(`service_session=${signedIn}`).call('GET', '/api/v1/me');
  await anonymous.call('GET', `/auth/oidc/callback?code=${code}&state=${state}`);
}

/** Secrets in the wrong place: a refusal must not repeat the value. */
async function nonsense(): Promise<void> {
  await resetAttempts();
  const password = hide('misplaced password', 'a password in the wrong place entirely');
  await anonymous.post('/auth/login', { email: password, password: { text: password } });
  await anonymous.post('/auth/login', `{"email": "ada@example.com", "password": "${password}`);
  await anonymous.post('/auth/login', { email: OWNER.email, password: password.repeat(50) });
  await anonymous.post('/auth/mfa', { token: password, code: password });
  await anonymous.post('/auth/bootstrap', { secret: password });
  await anonymous.call('GET', `/api/v1/me?password=${encodeURIComponent(password)}`);
  await browser(`service_session=${encodeURIComponent(password)}`).call('GET', '/api/v1/me');
  await browser(cookie).post('/api/v1/me/api_keys', { name: 1, password });
  await browser(cookie).post('/auth/logout');
}

/** Where each secret occurs in these texts, in any spelling. */
function leaks(
  texts: readonly { readonly where: string; readonly text: string }[],
  of: (secret: KnownSecret) => readonly string[],
): string[] {
  return secrets.flatMap((secret) => {
    const candidates = of(secret);
    return texts.flatMap(({ where, text }) =>
      foundIn(text, candidates) === undefined ? [] : [`${secret.name} in ${where}`],
    );
  });
}

const itself = ({ text }: KnownSecret) => spellings(text);
const itsHash = ({ text }: KnownSecret) => hashSpellings(text);

describe('after everything that issues or takes a secret', () => {
  test('each issuing answer contained its secret, and each stored secret has its hash: the search can fail', () => {
    for (const { name, text, shownIn } of secrets.filter(
      (secret) => secret.shownIn !== undefined,
    )) {
      expect({
        name,
        shown: foundIn(answers[shownIn ?? 0]?.text ?? '', spellings(text)) !== undefined,
      }).toEqual({ name, shown: true });
    }
    const kept = columns.filter(({ forHashes }) => forHashes).map(({ text }) => text);
    for (const text of hashed)
      expect([text, foundIn(kept.join('\n'), hashSpellings(text)) !== undefined]).toEqual([
        text,
        true,
      ]);
    expect(new Set(secrets.map(({ text }) => randomPart(text))).size).toBeGreaterThan(40);
    expect(app.log.length).toBeGreaterThan(80);
  });

  test('no log line contains one, or its hash', () => {
    const lines = app.log.map((line) => ({ where: `the log: ${line.slice(0, 200)}`, text: line }));
    expect(leaks(lines, itself)).toEqual([]);
    expect(leaks(lines, itsHash)).toEqual([]);
  });

  test('only the issuing answer contains one, and no answer contains a hash', () => {
    const places = answers.map(({ what, text }, index) => ({ where: what, text, index }));
    const elsewhere = secrets.flatMap((secret) =>
      places
        .filter(
          ({ index, text }) =>
            index !== secret.shownIn && foundIn(text, itself(secret)) !== undefined,
        )
        .map(({ where }) => `${secret.name} in ${where}`),
    );
    expect(elsewhere).toEqual([]);
    expect(leaks(places, itsHash)).toEqual([]);
  });

  test('no column of any table contains one', () => {
    expect(columns.length).toBeGreaterThan(100);
    expect(
      leaks(
        columns.map(({ name, text }) => ({ where: name, text })),
        itself,
      ),
    ).toEqual([]);
  });

  test('hashes are only in columns for hashes', () => {
    const others = columns
      .filter(({ forHashes }) => !forHashes)
      .map(({ name, text }) => ({ where: name, text }));
    expect(leaks(others, itsHash)).toEqual([]);
    expect(others.filter(({ text }) => text.includes('$argon2')).map(({ where }) => where)).toEqual(
      [],
    );
  });

  test('no mail contains any except its own link', () => {
    const links = new Set(['first invitation', 'invitation', 'reset link']);
    const mails = mail.mails.map(({ subject, text, headers }) => ({
      where: subject,
      text: `${JSON.stringify(headers)}\n${text}`,
    }));
    expect(mails.length).toBeGreaterThanOrEqual(3);
    expect(leaks(mails, itself).filter((leak) => !links.has(leak.split(' in ')[0] ?? ''))).toEqual(
      [],
    );
  });
});
