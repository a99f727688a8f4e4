/** Enrolling an authenticator app: what it needs, shows and ends. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { startApp } from '../../../support/app.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
} from '../../../support/scene/factories.ts';
import type { HttpClient } from '../../../support/http.ts';
import {
  browserWith,
  challengeOf,
  codeOf,
  codesOf,
  cookieOf,
  createPerson,
  enroll,
  deleteAttempts,
  login,
} from '../../../support/scene/sign-in.ts';
import { idOf } from '../../../support/tokens.ts';
import { ROUNDS } from '../../../support/rounds.ts';
import { mfaScene } from './mfa-scene.ts';

const { app, makeStale, organization, requireMfa, state } = await mfaScene();
let member: TestMember;

const begin = (browser: HttpClient) => browser.post('/api/v1/me/mfa/totp');
const confirm = (browser: HttpClient, code: string) =>
  browser.post('/api/v1/me/mfa/totp/confirm', { code });

beforeEach(async () => {
  await deleteAttempts(app);
  await requireMfa(false);
  member = await createPerson(app, organization.id);
});

describe('enrolling an authenticator app', () => {
  test('shows its secret once, needs its first code, and gives ten recovery codes', async () => {
    expect(await state(member.browser)).toEqual({
      required: false,
      totp: { enrolled: false, confirmed_at: null },
      recovery_codes_left: 0,
    });
    const begun = await begin(member.browser);
    expect([begun.status, begun.body]).toEqual([
      201,
      { secret: expect.stringMatching(/^[A-Z2-7]{32}$/), uri: expect.any(String) },
    ]);
    const secret = String(begun.body['secret']);
    const uri = new URL(String(begun.body['uri']));
    expect([
      uri.protocol,
      decodeURIComponent(uri.pathname),
      uri.searchParams.get('secret'),
    ]).toEqual(['otpauth:', expect.stringContaining(`Countersign:${member.email}`), secret]);
    expect((await state(member.browser))['totp']).toEqual({ enrolled: false, confirmed_at: null });
    const confirmed = await confirm(member.browser, await codesOf(app, secret).code());
    expect([confirmed.status, new Set(confirmed.body['recovery_codes']).size]).toEqual([200, 10]);
    expect(await state(browserWith(app, cookieOf(confirmed)))).toEqual({
      required: false,
      totp: { enrolled: true, confirmed_at: expect.any(String) },
      recovery_codes_left: 10,
    });
  });

  test('makes the session strong and recent, with a new cookie', async () => {
    const { cookie, browser } = await enroll(app, member);
    expect((await browser.get('/api/v1/me')).body['principal']?.['auth']).toMatchObject({
      method: 'local_password_totp',
      assurance: 'strong',
      session_id: idOf(member.cookie),
    });
    expect([cookie === member.cookie, (await member.browser.get('/api/v1/me')).status]).toEqual([
      false,
      401,
    ]);
  });

  test("ends the person's other sessions, in every organization, and records why", async () => {
    const elsewhere = await createOrganization(app);
    const abroad = await createMember(app, elsewhere.id);
    await app
      .db('memberships')
      .where({ id: abroad.membershipId })
      .update({ user_id: member.userId });
    const other = cookieOf(await login(app, member));
    const { browser } = await enroll(app, member);
    const others = [other, abroad.cookie];
    for (const cookie of others)
      expect((await browserWith(app, cookie).get('/api/v1/me')).status).toBe(401);
    expect((await browser.get('/api/v1/me')).status).toBe(200);
    const ids = others.map(idOf);
    const ends = (await app
      .db('audit_events')
      .where({ event_type: 'session.revoked' })
      .whereIn('subject_id', ids)) as { data: string }[];
    expect(ends.map(({ data }) => JSON.parse(data) as unknown)).toEqual([
      { reason: 'mfa_enrolled' },
      { reason: 'mfa_enrolled' },
    ]);
  });

  test('leaves no session that was opened with the password alone at that moment', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = await createPerson(app, organization.id);
      const code = await codesOf(app, String((await begin(person.browser)).body['secret'])).code();
      const [signedIn, confirmed] = await Promise.all([
        login(app, person),
        confirm(person.browser, code),
      ]);
      expect([confirmed.status, [200, 202].includes(signedIn.status)]).toEqual([200, true]);
      const live = await app
        .db('sessions')
        .where({ membership_id: person.membershipId })
        .whereNull('revoked_at')
        .pluck('assurance');
      expect(live).toEqual(['strong']);
    }
  });

  test('stores the seed sealed for its owner, and recovery codes as hashes', async () => {
    const { recoveryCodes } = await enroll(app, member);
    const [row] = (await app.db('totp_factors').where({ user_id: member.userId })) as {
      secret: Buffer;
      secret_key_id: string;
    }[];
    const value = { keyId: row?.secret_key_id ?? '', sealed: row?.secret ?? Buffer.alloc(0) };
    expect(app.context.secrets?.open(value, `totp:${member.userId}`)).toHaveLength(20);
    expect(() => app.context.secrets?.open(value, `totp:${organization.owner.userId}`)).toThrow();
    const kept = (await app.db('recovery_codes').where({ user_id: member.userId })) as {
      code_hash: Buffer;
    }[];
    expect(kept.map(({ code_hash }) => code_hash.length)).toEqual(Array<number>(10).fill(32));
    const everything = [JSON.stringify(await app.db('audit_events')), ...app.log].join('\n');
    expect(recoveryCodes.filter((code) => everything.includes(code))).toEqual([]);
  });

  test('again replaces an unconfirmed app', async () => {
    const first = codesOf(app, String((await begin(member.browser)).body['secret']));
    const second = codesOf(app, String((await begin(member.browser)).body['secret']));
    expect(codeOf(await confirm(member.browser, await first.code()))).toEqual([
      401,
      'invalid_credentials',
    ]);
    expect((await confirm(member.browser, await second.code())).status).toBe(200);
  });

  test('is refused while an app is enrolled, and that app remains', async () => {
    const { browser, freshCode } = await enroll(app, member);
    expect(codeOf(await begin(browser))).toEqual([409, 'mfa_enrolled']);
    expect(codeOf(await confirm(browser, await freshCode()))).toEqual([409, 'mfa_enrolled']);
    const answer = await app.http.post('/auth/mfa', {
      token: await challengeOf(app, member),
      code: await freshCode(),
    });
    expect(answer.status).toBe(200);
  });

  test('cannot be confirmed by a wrong code, by a recovery code or before it starts', async () => {
    expect(codeOf(await confirm(member.browser, '123456'))).toEqual([404, 'not_found']);
    const codes = codesOf(app, String((await begin(member.browser)).body['secret']));
    for (const code of [
      await codes.wrongCode(),
      await codes.code(-4),
      'AAAA-BBBB-CCCC-DDDD',
      'abc',
    ]) {
      expect([code, codeOf(await confirm(member.browser, code))]).toEqual([
        code,
        [401, 'invalid_credentials'],
      ]);
    }
    expect((await state(member.browser))['totp']).toEqual({ enrolled: false, confirmed_at: null });
    expect((await confirm(member.browser, await codes.code())).status).toBe(200);
  });

  test('in two browsers at once gives one set of recovery codes', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = await createPerson(app, organization.id);
      const browsers = [person.browser, browserWith(app, cookieOf(await login(app, person)))];
      const code = await codesOf(app, String((await begin(person.browser)).body['secret'])).code();
      const answers = await Promise.all(browsers.map((browser) => confirm(browser, code)));
      // The other call finds the app, or its session ended.
      const [first, second] = answers.map(({ status }) => status).sort();
      expect([first, [401, 409].includes(second ?? 0)]).toEqual([200, true]);
      expect(await app.db('recovery_codes').where({ user_id: person.userId })).toHaveLength(10);
    }
  });

  test('needs a recent browser session', async () => {
    expect(codeOf(await begin(member.http))).toEqual([403, 'session_required']);
    const { code } = codesOf(app, String((await begin(member.browser)).body['secret']));
    await makeStale(member.membershipId);
    expect(codeOf(await begin(member.browser))).toEqual([403, 'reauthentication_required']);
    expect(codeOf(await confirm(member.browser, await code()))).toEqual([
      403,
      'reauthentication_required',
    ]);
  });

  test('is allowed without a second factor when the organization requires one', async () => {
    await requireMfa(true);
    const signedIn = await login(app, member);
    expect([signedIn.status, signedIn.body['principal']?.['auth']]).toMatchObject([
      200,
      { assurance: 'single_factor' },
    ]);
    const browser = browserWith(app, cookieOf(signedIn));
    expect(await state(browser)).toMatchObject({ required: true, totp: { enrolled: false } });
    const authenticator = await enroll(app, { ...member, browser });
    expect(await state(authenticator.browser)).toMatchObject({
      required: true,
      totp: { enrolled: true },
    });
  });

  test('is refused with a clear error when the deployment has no secrets key', async () => {
    const keyless = await startApp({ databaseUrl: app.databaseUrl });
    const answer = await begin(browserWith(keyless, member.cookie));
    await keyless.close();
    expect([keyless.context.secrets, ...codeOf(answer)]).toEqual([
      undefined,
      501,
      'secrets_key_missing',
    ]);
    expect(await app.db('totp_factors').where({ user_id: member.userId })).toEqual([]);
  });
});
