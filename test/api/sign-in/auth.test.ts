/** Signing in with a password, the session cookie, and signing out. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { startApp } from '../../support/app.ts';
import { scene } from '../../support/scene.ts';
import { createMember, type TestMember } from '../../support/scene/factories.ts';
import { cheapHashOf, codeOf, PASSWORD } from '../../support/scene/sign-in.ts';
import { idOf } from '../../support/tokens.ts';
import { untilBlocked } from '../../support/waiting.ts';
import { countRows, owner, pointersOf, sessionOf } from './auth-scene.ts';

const { app, organization } = await scene();

describe('signing in and out', () => {
  let member: TestMember;

  const login = (body: unknown, headers: Record<string, string> = {}) =>
    app.http.post('/auth/login', body, { headers });
  const me = (session: string) =>
    app.http.get('/api/v1/me', { headers: { cookie: `service_session=${session}` } });

  beforeEach(async () => {
    member = await createMember(app, organization.id);
    const password_hash = await cheapHashOf(PASSWORD);
    await app
      .db('users')
      .where({ id: member.userId })
      .update({ password_hash, email: member.email.replace('member', 'Member') });
  });

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
