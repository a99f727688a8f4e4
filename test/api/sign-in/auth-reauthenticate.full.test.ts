/** Re-authentication: a recent session, its assurance, and the end of the old cookie. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { ApiResponse, HttpClient } from '../../support/http.ts';
import {
  browserWith,
  codeOf,
  cookieOf,
  createPerson,
  enroll,
  deleteAttempts,
  login,
  PASSWORD,
  SECRETS_KEY,
} from '../../support/scene/sign-in.ts';
import { idOf } from '../../support/tokens.ts';
import { ROUNDS } from '../../support/rounds.ts';

const REFUSED = [401, 'invalid_credentials'];

const app = await appForFile({ environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } });
let organization: TestOrganization;
let member: TestMember;

const prove = (browser: HttpClient, body: unknown): Promise<ApiResponse> =>
  browser.post('/auth/reauthenticate', body);
const me = async (cookie: string) => await app.http.get('/api/v1/me', { headers: { cookie } });
const change = (membershipId: string, columns: Readonly<Record<string, unknown>>) =>
  app.db('sessions').where({ membership_id: membershipId }).update(columns);

beforeAll(async () => {
  organization = await createOrganization(app);
});

beforeEach(async () => {
  await deleteAttempts(app);
  member = await createPerson(app, organization.id);
});

describe('the password', () => {
  test('makes the session recent, under the same id and with a new cookie', async () => {
    const longAgo = new Date(Date.now() - 3_600_000);
    await change(member.membershipId, { authenticated_at: longAgo });
    expect(codeOf(await member.browser.post('/api/v1/me/mfa/totp'))).toEqual([
      403,
      'reauthentication_required',
    ]);
    const answer = await prove(member.browser, { password: PASSWORD });
    const auth = {
      method: 'local_password',
      assurance: 'single_factor',
      session_id: idOf(member.cookie),
    };
    expect([answer.status, answer.body['auth']]).toMatchObject([200, auth]);
    expect(Date.now() - Date.parse(String(answer.body['auth']?.['authenticated_at']))).toBeLessThan(
      60_000,
    );
    const renewed = cookieOf(answer);
    expect([renewed === member.cookie, (await me(member.cookie)).status]).toEqual([false, 401]);
    expect((await me(renewed)).body['principal']?.['auth']).toEqual(answer.body['auth']);
    expect((await browserWith(app, renewed).post('/api/v1/me/mfa/totp')).status).toBe(201);
  });

  test('keeps a strong session strong, and keeps its sign-in method', async () => {
    for (const method of ['local_password_totp', 'sso']) {
      const person = await createPerson(app, organization.id);
      await change(person.membershipId, { method, assurance: 'strong' });
      expect((await prove(person.browser, { password: PASSWORD })).body['auth']).toMatchObject({
        method,
        assurance: 'strong',
      });
    }
  });

  test('is not enough for a session without the second factor of its person', async () => {
    const authenticator = await enroll(app, member);
    for (const method of ['local_password', 'sso']) {
      const authenticated_at = new Date(Date.now() - 3_600_000);
      const weak = await createMember(app, organization.id);
      await change(weak.membershipId, {
        method,
        assurance: 'single_factor',
        authenticated_at,
        membership_id: member.membershipId,
      });
      expect(codeOf(await prove(weak.browser, { password: PASSWORD }))).toEqual([
        403,
        'mfa_required',
      ]);
      expect(codeOf(await weak.browser.delete('/api/v1/me/mfa/totp'))).toEqual([
        403,
        'mfa_required',
      ]);
      const answer = await prove(weak.browser, {
        password: PASSWORD,
        code: await authenticator.freshCode(),
      });
      expect([method, answer.status, answer.body['auth']]).toMatchObject([
        method,
        200,
        { assurance: 'strong' },
      ]);
    }
  });

  test('is enough while an app is not confirmed', async () => {
    await member.browser.post('/api/v1/me/mfa/totp');
    expect((await prove(member.browser, { password: PASSWORD })).status).toBe(200);
  });

  test('cannot be changed in a session without the second factor of its person', async () => {
    const { browser } = await enroll(app, member);
    const body = { current_password: PASSWORD, new_password: 'nine quiet herons by the weir' };
    await change(member.membershipId, { assurance: 'single_factor' });
    expect(codeOf(await browser.call('PUT', '/api/v1/me/password', { body }))).toEqual([
      403,
      'mfa_required',
    ]);
    await change(member.membershipId, { assurance: 'strong' });
    expect((await browser.call('PUT', '/api/v1/me/password', { body })).status).toBe(204);
  });

  test('that is wrong changes nothing, even with a correct code', async () => {
    const authenticator = await enroll(app, member);
    expect(codeOf(await prove(authenticator.browser, { password: 'not the password' }))).toEqual(
      REFUSED,
    );
    const code = await authenticator.freshCode();
    expect(
      codeOf(await prove(authenticator.browser, { password: 'not the password', code })),
    ).toEqual(REFUSED);
    expect((await me(authenticator.cookie)).status).toBe(200);
    expect((await prove(authenticator.browser, { password: PASSWORD, code })).status).toBe(200);
  });

  test('is always wrong for an account without one', async () => {
    const passwordless = await createMember(app, organization.id);
    expect(codeOf(await prove(passwordless.browser, { password: PASSWORD }))).toEqual(REFUSED);
  });
});

describe('a code', () => {
  test('of an app or of recovery makes the session strong, but not a session of an identity provider', async () => {
    const authenticator = await enroll(app, member);
    for (const [method, expected] of [
      ['local_password', 'local_password_totp'],
      ['local_password_totp', 'local_password_totp'],
      ['sso', 'sso'],
    ] as const) {
      for (const code of [
        await authenticator.freshCode(),
        authenticator.recoveryCodes[
          ['local_password', 'local_password_totp', 'sso'].indexOf(method)
        ],
      ]) {
        const weak = await createMember(app, organization.id);
        await change(weak.membershipId, {
          method,
          assurance: 'single_factor',
          membership_id: member.membershipId,
        });
        const answer = await prove(weak.browser, { code });
        expect([method, answer.status, answer.body['auth']]).toMatchObject([
          method,
          200,
          { method: expected, assurance: 'strong' },
        ]);
      }
    }
  });

  test('is sufficient for an account without a password', async () => {
    const passwordless = await createMember(app, organization.id);
    const authenticator = await enroll(app, passwordless);
    const answer = await prove(authenticator.browser, { code: await authenticator.freshCode() });
    expect([answer.status, answer.body['auth']]).toMatchObject([200, { assurance: 'strong' }]);
  });

  test('that is wrong, used or unknown changes nothing, even with the correct password', async () => {
    expect(codeOf(await prove(member.browser, { code: '123456' }))).toEqual(REFUSED);
    const authenticator = await enroll(app, member);
    const wrong = [
      await authenticator.wrongCode(),
      authenticator.confirmedBy,
      'AAAA-BBBB-CCCC-DDDD',
    ];
    for (const code of wrong) {
      expect([
        code,
        codeOf(await prove(authenticator.browser, { password: PASSWORD, code })),
      ]).toEqual([code, REFUSED]);
    }
    expect((await me(authenticator.cookie)).body['principal']?.['auth']).toMatchObject({
      assurance: 'strong',
    });
  });

  test('sent many times at once works once, and the session has one cookie', async () => {
    const authenticator = await enroll(app, member);
    const other = cookieOf(
      await app.http.post('/auth/login', {
        email: (await createPerson(app, organization.id)).email,
        password: PASSWORD,
      }),
    );
    await app
      .db('sessions')
      .where({ id: idOf(other) })
      .update({ membership_id: member.membershipId });
    let browsers = [authenticator.browser, browserWith(app, other)];
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts(app);
      const code = await authenticator.freshCode();
      const answers = await Promise.all(
        [0, 1, 0, 1].map((index) => prove(browsers[index] as HttpClient, { code })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
      browsers = browsers.map((browser, index) => {
        const renewed = [answers[index], answers[index + 2]].find(
          (answer) => answer?.status === 200,
        );
        return renewed ? browserWith(app, cookieOf(renewed)) : browser;
      });
      for (const browser of browsers) expect((await browser.get('/api/v1/me')).status).toBe(200);
    }
  });
});

describe('the old cookie', () => {
  test('cannot renew a session that was renewed meanwhile', async () => {
    let browser = member.browser;
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts(app);
      const answers = await Promise.all(
        [1, 2, 3].map(() => prove(browser, { password: PASSWORD })),
      );
      const renewed = answers.filter(({ status }) => status === 200);
      expect(renewed).toHaveLength(1);
      for (const refused of answers.filter(({ status }) => status !== 200))
        expect(codeOf(refused)).toEqual([401, 'authentication_required']);
      browser = browserWith(app, cookieOf(renewed[0] as ApiResponse));
    }
    expect((await browser.get('/api/v1/me')).status).toBe(200);
  });

  test('is the only one that stops working: other sessions continue', async () => {
    const other = cookieOf(await login(app, member));
    expect((await prove(member.browser, { password: PASSWORD })).status).toBe(200);
    expect((await me(other)).status).toBe(200);
  });

  test('is replaced without a longer lifetime of the session', async () => {
    const expires_at = new Date(Date.now() + 60_000);
    await change(member.membershipId, { expires_at });
    await prove(member.browser, { password: PASSWORD });
    expect(
      await app.db('sessions').where({ membership_id: member.membershipId }).select('expires_at'),
    ).toEqual([{ expires_at }]);
  });
});

describe('re-authentication', () => {
  test('takes only a password or a code', async () => {
    const bad: unknown[] = [
      {},
      { password: '' },
      { code: '' },
      { password: 7 },
      { password: PASSWORD, remember: true },
      [],
    ];
    for (const body of bad)
      expect(codeOf(await prove(member.browser, body))).toEqual([400, 'validation_failed']);
    expect((await prove(member.browser, {})).body['error']?.['details']?.['issues']).toMatchObject([
      { pointer: '', code: 'required' },
    ]);
  });

  test('needs a browser with a session', async () => {
    expect(codeOf(await prove(member.http, { password: PASSWORD }))).toEqual([
      403,
      'session_required',
    ]);
    expect(codeOf(await prove(app.http, { password: PASSWORD }))).toEqual([
      401,
      'authentication_required',
    ]);
    const foreign = { headers: { cookie: member.cookie, origin: 'https://evil.example' } };
    expect(
      codeOf(await app.http.post('/auth/reauthenticate', { password: PASSWORD }, foreign)),
    ).toEqual([403, 'cross_site_request']);
  });

  test('counts failures for this session only, up to ten a minute', async () => {
    const other = browserWith(app, cookieOf(await login(app, member)));
    const answers: ApiResponse[] = [];
    for (let round = 0; round < 11; round += 1)
      answers.push(await prove(member.browser, { password: 'not the password' }));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10).fill(401), 429]);
    expect(codeOf(await prove(member.browser, { password: PASSWORD }))).toEqual([
      429,
      'rate_limited',
    ]);
    expect((await prove(other, { password: PASSWORD })).status).toBe(200);
    expect((await login(app, member)).status).toBe(200);
  });

  test('cannot be blocked by sign-ins with the same email from the same network', async () => {
    for (let round = 0; round < 11; round += 1)
      await app.http.post('/auth/login', { email: member.email, password: 'a guess' });
    expect(codeOf(await login(app, member))).toEqual([429, 'rate_limited']);
    expect((await prove(member.browser, { password: PASSWORD })).status).toBe(200);
  });

  test('does not count successes', async () => {
    let { browser } = member;
    for (let round = 0; round < 11; round += 1) {
      const answer = await prove(browser, { password: PASSWORD });
      expect([round, answer.status]).toEqual([round, 200]);
      browser = browserWith(app, cookieOf(answer));
    }
  });

  test('leaves an event with the method and without secrets', async () => {
    const authenticator = await enroll(app, member);
    await prove(authenticator.browser, {
      password: PASSWORD,
      code: await authenticator.freshCode(),
    });
    const id = idOf(authenticator.cookie);
    const events = (await app
      .db('audit_events')
      .where({ event_type: 'session.reauthenticated', subject_id: id })) as {
      actor_id: string;
      data: string;
    }[];
    const how = { method: 'local_password_totp', assurance: 'strong', second_factor: 'totp' };
    expect(events.map(({ actor_id, data }) => [actor_id, JSON.parse(data)])).toEqual([
      [member.membershipId, how],
      [member.membershipId, how],
    ]);
    expect(app.log.join('')).not.toContain(PASSWORD);
  });
});
