import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { BOOTSTRAP_SECRET, startApp, type TestApp } from '../../support/app.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Answer } from '../../support/http.ts';
import { cheapHashOf } from '../../support/scene/sign-in.ts';
import { until, untilBlocked } from '../../support/waiting.ts';
import { idOf, secretOf } from '../../support/tokens.ts';

const PASSWORD = 'seven bright ravens on a wire';

const owner = {
  secret: BOOTSTRAP_SECRET,
  organization_name: 'Ünited Examples, Inc.',
  display_name: 'Ada Marsh',
  email: 'Ada@Example.com',
  password: PASSWORD,
};

const codeOf = ({ status, body }: Answer) => [status, body['error']?.['code']];
const pointersOf = ({ body }: Answer) =>
  [...(body['error']?.['details']?.['issues'] ?? [])].map((issue) => issue['pointer']);
const sessionOf = ({ headers }: Answer) =>
  /^service_session=([^;]*)/.exec(headers['set-cookie'] ?? '')?.[1] ?? '';

async function countRows(app: TestApp, table: string): Promise<number> {
  const [row] = (await app.db(table).count({ rows: '*' })) as { rows: number }[];
  return Number(row?.rows);
}

describe('the first owner', () => {
  let app: TestApp;

  // A deployment without an owner for each test.
  beforeEach(async () => {
    app = await startApp();
  });

  afterEach(() => app.close());

  test('is created and signed in, with an organization whose pipeline is active and empty', async () => {
    const created = await app.http.post('/auth/bootstrap', owner);
    expect(created.status).toBe(201);
    const me = await app.http.get('/api/v1/me', {
      headers: { cookie: `service_session=${sessionOf(created)}` },
    });
    expect(me.status).toBe(200);
    expect(me.body).toEqual(created.body);
    expect(created.body['organization']).toEqual({
      name: 'Ünited Examples, Inc.',
      slug: 'united-examples-inc',
    });
    expect(created.body['user']).toEqual({
      display_name: 'Ada Marsh',
      email: 'Ada@Example.com',
      has_password: true,
    });
    expect(created.body['assignments']?.[0]?.['is_owner']).toBe(true);
    const pipelines = (await app
      .db('request_approval_pipelines as p')
      .join('request_approval_pipeline_revisions as r', 'r.request_approval_pipeline_id', 'p.id')
      .select('p.document_key', 'p.active_revision', 'r.revision', 'r.document')) as unknown[];
    expect(pipelines).toEqual([
      { document_key: 'organization', active_revision: 1, revision: 1, document: '{"blocks":[]}' },
    ]);
  });

  test('is created once: a second bootstrap is refused, with the right secret and with a wrong one', async () => {
    expect((await app.http.post('/auth/bootstrap', owner)).status).toBe(201);
    const second = { ...owner, organization_name: 'Another', email: 'eve@example.com' };
    expect(codeOf(await app.http.post('/auth/bootstrap', second))).toEqual([
      409,
      'already_bootstrapped',
    ]);
    expect(codeOf(await app.http.post('/auth/bootstrap', { ...second, secret: 'guess' }))).toEqual([
      409,
      'already_bootstrapped',
    ]);
    expect(await countRows(app, 'organizations')).toBe(1);
    expect(await countRows(app, 'users')).toBe(1);
  });

  test('is one of several concurrent callers, and the others leave nothing behind', async () => {
    const tries = Array.from({ length: 5 }, (_, index) => ({
      ...owner,
      organization_name: `Organization ${index}`,
      email: `owner-${index}@example.com`,
    }));
    // The lock holds until all five calls wait, for the insert or for an earlier call.
    const gate = await app.db.transaction();
    await gate.raw('lock table organizations in share row exclusive mode');
    const answers = Promise.all(tries.map((body) => app.http.post('/auth/bootstrap', body)));
    await untilBlocked(gate, tries.length);
    await gate.commit();
    expect((await answers).map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    for (const table of [
      'organizations',
      'users',
      'memberships',
      'permission_policies',
      'sessions',
      'request_approval_pipelines',
    ]) {
      expect([table, await countRows(app, table)]).toEqual([table, 1]);
    }
  });

  test('needs the secret that is in the file at that moment', async () => {
    const file = app.context.bootstrapSecretFile;
    const attempt = async (secret: string) =>
      codeOf(await app.http.post('/auth/bootstrap', { ...owner, secret }));
    const refused = [403, 'bootstrap_secret_invalid'];
    expect(await attempt('the-wrong-secret')).toEqual(refused);
    expect(await attempt(`${BOOTSTRAP_SECRET} `)).toEqual(refused);
    await rm(file);
    expect(await attempt(BOOTSTRAP_SECRET)).toEqual(refused);
    await writeFile(file, '\n');
    expect(await attempt('\n')).toEqual(refused);
    expect(await attempt('')).toEqual([400, 'validation_failed']);
    await writeFile(file, 'another-secret\n');
    expect(await attempt(BOOTSTRAP_SECRET)).toEqual(refused);
    expect(await countRows(app, 'organizations')).toBe(0);
    expect(await attempt('another-secret')).toEqual([201, undefined]);
  });

  test('gets a new secret file when it was lost, and the file is gone afterwards', async () => {
    const file = app.context.bootstrapSecretFile;
    for (const lose of [() => rm(file), () => writeFile(file, '')]) {
      await lose();
      await app.http.post('/auth/bootstrap', { ...owner, secret: 'guess' });
      expect(await readFile(file, 'utf8')).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
    }
    await rm(file);
    await app.http.post('/auth/bootstrap', { ...owner, secret: 'guess' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const secret = (await readFile(file, 'utf8')).trim();
    expect((await app.http.post('/auth/bootstrap', { ...owner, secret })).status).toBe(201);
    expect(await readdir(dirname(file))).not.toContain(basename(file));
  });

  test('leaves a record of the creation, without secrets in it, in the answers or in the log', async () => {
    const created = await app.http.post('/auth/bootstrap', owner);
    const session = sessionOf(created);
    const wrong = await app.http.post('/auth/login', {
      email: owner.email,
      password: 'a-wrong-password-of-ada',
    });
    const failures = app.db('audit_events').where({ event_type: 'session.sign_in_failed' });
    await until('the failure is on record', async () => (await failures.clone()).length > 0);
    const right = await app.http.post('/auth/login', { email: owner.email, password: PASSWORD });
    await app.http.post('/auth/logout', undefined, {
      headers: { cookie: `service_session=${session}` },
    });
    const events = (await app.db('audit_events').orderBy('sequence')) as {
      event_type: string;
      actor_id: string | null;
    }[];
    expect(events.map((event) => event.event_type)).toEqual([
      'organization.created',
      'membership.created',
      'permission_policy.created',
      'session.created',
      'session.sign_in_failed',
      'session.created',
      'session.revoked',
    ]);
    // The actor behind a wrong password is unknown.
    expect(new Set(events.map((event) => event.actor_id))).toEqual(
      new Set([created.body['principal']?.['membership_id'], null]),
    );
    const secrets = [
      BOOTSTRAP_SECRET,
      PASSWORD,
      'a-wrong-password-of-ada',
      secretOf(session),
      secretOf(sessionOf(right)),
      '$argon2id$',
    ];
    const shown = [created.text, wrong.text, right.text, JSON.stringify(events), ...app.log].join(
      '\n',
    );
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
  });

  test('must be described completely and correctly before the secret is checked', async () => {
    const withWrongSecret = { ...owner, secret: 'wrong' };
    const bad: [string, unknown][] = [
      ['/password', 'x'.repeat(11)],
      ['/password', 'x'.repeat(129)],
      ['/password', 123456789012],
      ['/email', 'ada'],
      ['/email', 'ada@example'],
      ['/email', ' ada@example.com'],
      ['/email', 'ada@example.com\n'],
      ['/email', `${'a'.repeat(250)}@example.com`],
      ['/email', null],
      ['/organization_name', '   '],
      ['/organization_name', 'x'.repeat(201)],
      ['/display_name', ''],
      ['/display_name', 'a\u0000b'],
      ['/secret', ''],
      ['/surname', 'Marsh'],
    ];
    for (const [pointer, value] of bad) {
      const answer = await app.http.post('/auth/bootstrap', {
        ...withWrongSecret,
        [pointer.slice(1)]: value,
      });
      expect([pointer, value, answer.status, pointersOf(answer)]).toEqual([
        pointer,
        value,
        400,
        [pointer],
      ]);
      const { [pointer.slice(1)]: _, ...without } = withWrongSecret as Record<string, unknown>;
      if (pointer in { '/surname': 0 }) continue;
      expect(pointersOf(await app.http.post('/auth/bootstrap', without))).toEqual([pointer]);
    }
    for (const password of ['x'.repeat(12), 'x'.repeat(128), '\u{1F426}'.repeat(12)]) {
      expect(
        (await app.http.post('/auth/bootstrap', { ...withWrongSecret, password })).status,
      ).toBe(403);
    }
    expect(
      (
        await app.http.post('/auth/bootstrap', 'secret=x', {
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(415);
  });
});

describe('signing in and out', () => {
  let app: TestApp;
  let organization: TestOrganization;
  let member: TestMember;

  const login = (body: unknown, headers: Record<string, string> = {}) =>
    app.http.post('/auth/login', body, { headers });
  const me = (session: string) =>
    app.http.get('/api/v1/me', { headers: { cookie: `service_session=${session}` } });

  beforeAll(async () => {
    app = await startApp();
    organization = await createOrganization(app);
  });

  beforeEach(async () => {
    member = await createMember(app, organization.id);
    const password_hash = await cheapHashOf(PASSWORD);
    await app
      .db('users')
      .where({ id: member.userId })
      .update({ password_hash, email: member.email.replace('member', 'Member') });
  });

  afterAll(() => app.close());

  test('opens a session for the right password, regardless of capitals in the email', async () => {
    for (const email of [member.email, member.email.toUpperCase()]) {
      const answer = await login({ email, password: PASSWORD });
      expect([answer.status, answer.body['principal']?.['membership_id']]).toEqual([
        200,
        member.membershipId,
      ]);
      expect((await me(sessionOf(answer))).body).toEqual(answer.body);
    }
  });

  test('opens nothing when the password or the membership changes during the sign-in', async () => {
    const attempts = async (
      table: 'users' | 'memberships',
      change: Readonly<Record<string, unknown>>,
    ) => {
      const gate = await app.db.transaction();
      await gate(table)
        .where({ id: table === 'users' ? member.userId : member.membershipId })
        .update(change);
      const answer = login({ email: member.email, password: PASSWORD });
      await untilBlocked(gate);
      await gate.commit();
      return codeOf(await answer);
    };
    expect(await attempts('memberships', { status: 'suspended' })).toEqual([
      403,
      'membership_inactive',
    ]);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    expect(
      await attempts('users', { password_hash: await cheapHashOf('another password of mine') }),
    ).toEqual([401, 'invalid_credentials']);
    expect(
      await app.db('sessions').where({ membership_id: member.membershipId, revoked_at: null }),
    ).toHaveLength(1);
  });

  test('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const { headers } = await login({ email: member.email, password: PASSWORD });
    expect(headers['set-cookie']?.replace(/=whs_[^;]+/, '=…')).toBe(
      'service_session=…; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax',
    );
  });

  test('marks the cookie as secure only when the service is reached over https', async () => {
    const environment = { COUNTERSIGN_PUBLIC_URL: 'https://approvals.example' };
    const secure = await startApp({ databaseUrl: app.databaseUrl, environment });
    const answer = await secure.http.post('/auth/login', {
      email: member.email,
      password: PASSWORD,
    });
    const left = await secure.http.post('/auth/logout');
    const secured = expect.stringMatching(/; Secure$/);
    expect(answer.headers['set-cookie']).toEqual(secured);
    expect(left.headers['set-cookie']).toEqual(secured);
    await secure.close();
  });

  test('answers the same for an unknown email, a wrong password and an account without a password', async () => {
    const passwordless = await createMember(app, organization.id);
    const answers = [
      await login({ email: member.email, password: 'not the password' }),
      await login({ email: 'unknown@example.com', password: PASSWORD }),
      await login({ email: passwordless.email, password: PASSWORD }),
    ];
    const shown = answers.map(({ status, body }) => [
      status,
      { ...(body['error'] as unknown as object), request_id: '' },
    ]);
    expect(shown[0]).toEqual([401, expect.objectContaining({ code: 'invalid_credentials' })]);
    expect([shown[1], shown[2]]).toEqual([shown[0], shown[0]]);
    expect(answers.map(({ headers }) => headers['set-cookie'])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('reports a suspended or removed membership only after the right password', async () => {
    for (const status of ['suspended', 'deprovisioned']) {
      await app.db('memberships').where({ id: member.membershipId }).update({ status });
      expect(codeOf(await login({ email: member.email, password: PASSWORD }))).toEqual([
        403,
        'membership_inactive',
      ]);
      expect(codeOf(await login({ email: member.email, password: 'not the password' }))).toEqual([
        401,
        'invalid_credentials',
      ]);
    }
  });

  test('always makes a new session and ends the one before, for any cookie', async () => {
    const planted = issueToken('whs').token;
    const first = sessionOf(
      await login(
        { email: member.email, password: PASSWORD },
        { cookie: `service_session=${planted}` },
      ),
    );
    const second = sessionOf(
      await login(
        { email: member.email, password: PASSWORD },
        { cookie: `service_session=${first}` },
      ),
    );
    expect(new Set([planted, first, second]).size).toBe(3);
    expect([
      (await me(planted)).status,
      (await me(first)).status,
      (await me(second)).status,
    ]).toEqual([401, 401, 200]);
  });

  test('counts and records the address of the peer, whatever X-Forwarded-For says', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const { email } = member;
    const entered = await login({ email, password: PASSWORD }, from('203.0.113.1'));
    const session = app.db('sessions').where({ id: idOf(sessionOf(entered)) });
    expect(await session.pluck('client_address')).toEqual(['127.0.0.1']);
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const guess = await login({ email, password: 'a guess' }, from(`203.0.113.${attempt}`));
      expect([attempt, guess.status]).toEqual([attempt, 401]);
      // The next one falls into the same window, even on a slow machine.
      const window_ends_at = new Date(Date.now() + 600_000);
      await app.db('sign_in_attempts').update({ window_ends_at });
    }
    expect((await login({ email, password: PASSWORD }, from('203.0.113.99'))).status).toBe(429);
    await app.db('sign_in_attempts').delete();
  });

  test('stores no email of unknown people and purges old attempts', async () => {
    await app.db('sign_in_attempts').delete();
    const stale = Array.from({ length: 30 }, (_, index) => ({
      key: Buffer.from([index]),
      attempts: 3,
      window_ends_at: new Date(0),
    }));
    await app.db('sign_in_attempts').insert(stale);
    for (let round = 0; round < 4; round += 1)
      await login({ email: 'stranger@example.com', password: PASSWORD });
    // One for the email and the network, one for the network alone.
    expect(await countRows(app, 'sign_in_attempts')).toBe(2);
    expect(JSON.stringify(await app.db('sign_in_attempts'))).not.toContain('stranger');
  });

  test('refuses calls from other sites, for signing in and signing out', async () => {
    const body = { email: member.email, password: PASSWORD };
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: `${app.url}.evil.example` },
      { origin: app.url.replace('http:', 'https:') },
    ];
    for (const headers of foreign) {
      expect([headers, codeOf(await login(body, headers))]).toEqual([
        headers,
        [403, 'cross_site_request'],
      ]);
      const out = await app.http.post('/auth/logout', undefined, {
        headers: { ...headers, cookie: member.cookie },
      });
      expect([headers, codeOf(out)]).toEqual([headers, [403, 'cross_site_request']]);
      expect(codeOf(await app.http.post('/auth/bootstrap', owner, { headers }))).toEqual([
        403,
        'cross_site_request',
      ]);
    }
    expect((await member.browser.get('/api/v1/me')).status).toBe(200);
    for (const headers of [{ origin: app.url }, { 'sec-fetch-site': 'same-origin' }])
      expect((await login(body, headers)).status).toBe(200);
  });

  test('takes only JSON with an email and a password', async () => {
    expect(pointersOf(await login({ email: 'ada', password: PASSWORD }))).toEqual(['/email']);
    expect(pointersOf(await login({ email: member.email }))).toEqual(['/password']);
    expect(pointersOf(await login({ email: member.email, password: 'x'.repeat(1025) }))).toEqual([
      '/password',
    ]);
    expect(
      pointersOf(await login({ email: member.email, password: PASSWORD, remember: true })),
    ).toEqual(['/remember']);
    const form = `email=${member.email}&password=${PASSWORD}`;
    expect(
      codeOf(await login(form, { 'content-type': 'application/x-www-form-urlencoded' })),
    ).toEqual([415, 'unsupported_media_type']);
  });

  test('ends one session permanently and can be repeated', async () => {
    const [kept, ended] = [
      sessionOf(await login({ email: member.email, password: PASSWORD })),
      sessionOf(await login({ email: member.email, password: PASSWORD })),
    ];
    const logout = (cookie?: string) =>
      app.http.post('/auth/logout', undefined, {
        headers: { origin: app.url, ...(cookie !== undefined && { cookie }) },
      });
    for (let round = 0; round < 2; round += 1) {
      const { status, headers, text } = await logout(`service_session=${ended}`);
      expect([status, text]).toEqual([204, '']);
      expect(headers['set-cookie']).toBe(
        'service_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
      );
    }
    expect([(await me(ended)).status, (await me(kept)).status]).toEqual([401, 200]);
    const anonymous = [
      undefined,
      'service_session=',
      'service_session=garbage',
      `service_session=${kept.slice(0, -1)}`,
    ];
    for (const cookie of anonymous) expect((await logout(cookie)).status).toBe(204);
    expect((await me(kept)).status).toBe(200);
    const ends = await app
      .db('audit_events')
      .where({ event_type: 'session.revoked', subject_id: idOf(ended) });
    expect(ends).toHaveLength(1);
  });

  test('signs out a suspended member, too', async () => {
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'suspended' });
    await member.browser.post('/auth/logout');
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    expect((await member.browser.get('/api/v1/me')).status).toBe(401);
  });
});
