/** Sign-in with a second factor: what the password alone gives, what ends a challenge, and which session remains. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../../../src/platform/crypto/tokens.ts';
import { type TestMember } from '../../../support/scene/factories.ts';
import {
  challengeOf,
  cheapHashOf,
  codeOf,
  cookieOf,
  createPerson,
  enroll,
  deleteAttempts,
  login,
  type Authenticator,
} from '../../../support/scene/sign-in.ts';
import { idOf, secretOf, tokenParts } from '../../../support/tokens.ts';
import { ROUNDS } from '../../../support/rounds.ts';
import { mfaScene, REFUSED, REVIEWER } from './mfa-scene.ts';

const { app, complete, eventsOf, me, organization } = await mfaScene();
let member: TestMember;
let authenticator: Authenticator;

beforeEach(async () => {
  await deleteAttempts(app);
  member = await createPerson(app, organization.id, { policies: REVIEWER });
  authenticator = await enroll(app, member);
});

describe('the right password of a person with an authenticator app', () => {
  test('does not sign in; the answer says what is required and until when', async () => {
    const answer = await login(app, member);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([202, undefined]);
    expect(answer.body).toEqual({
      mfa: {
        token: expect.stringMatching(/^whm_[0-9a-f-]{36}_[A-Za-z0-9]{49}$/),
        methods: ['totp', 'recovery_code'],
        expires_at: expect.any(String),
      },
    });
    const left = Date.parse(String(answer.body['mfa']?.['expires_at'])) - Date.now();
    expect(left).toBeGreaterThan(240_000);
    expect(left).toBeLessThanOrEqual(300_000);
  });

  test('gives a token that opens nothing on its own', async () => {
    const token = await challengeOf(app, member);
    expect(
      (await app.http.get('/api/v1/me', { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(401);
    expect((await me(`service_session=${token}`)).status).toBe(401);
  });

  test('does not end the session whose cookie was sent, since the sign-in is not complete', async () => {
    expect((await login(app, member, authenticator.cookie)).status).toBe(202);
    expect((await me(authenticator.cookie)).status).toBe(200);
  });

  test('of a suspended member reports the suspension and no second factor', async () => {
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'suspended' });
    expect(codeOf(await login(app, member))).toEqual([403, 'membership_inactive']);
  });

  test('signs in at once while the app is not confirmed', async () => {
    const other = await createPerson(app, organization.id);
    expect((await other.browser.post('/api/v1/me/mfa/totp')).status).toBe(201);
    expect((await login(app, other)).status).toBe(200);
  });
});

test('a wrong password gets the same answer with and without a second factor', async () => {
  const without = await createPerson(app, organization.id);
  const wrong = async (email: string) => {
    const { status, headers, body } = await app.http.post('/auth/login', {
      email,
      password: 'not the password',
    });
    const { request_id: _, ...error } = body['error'] as unknown as Record<string, unknown>;
    return { status, error, headers: Object.keys(headers).sort() };
  };
  const [first, second, third] = [
    await wrong(member.email),
    await wrong(without.email),
    await wrong('unknown@example.com'),
  ];
  expect(first).toMatchObject({ status: 401, error: { code: 'invalid_credentials' } });
  expect([second, third]).toEqual([first, first]);
});

describe('a challenge', () => {
  test('works once', async () => {
    const token = await challengeOf(app, member);
    expect((await complete(token, await authenticator.freshCode())).status).toBe(200);
    expect(codeOf(await complete(token, await authenticator.freshCode()))).toEqual(REFUSED);
    expect(codeOf(await complete(token, authenticator.recoveryCodes[0] ?? ''))).toEqual(REFUSED);
  });

  test('with different correct codes at once signs in once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts(app);
      await app.db('recovery_codes').where({ user_id: member.userId }).update({ used_at: null });
      const token = await challengeOf(app, member);
      const answers = await Promise.all(
        authenticator.recoveryCodes.slice(0, 4).map((code) => complete(token, code)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
      const used = await app
        .db('recovery_codes')
        .where({ user_id: member.userId })
        .whereNotNull('used_at');
      expect(used).toHaveLength(1);
    }
  });

  test('expires after five minutes', async () => {
    const token = await challengeOf(app, member);
    const endIn = (interval: string) =>
      app.db.raw(
        'update mfa_challenges set expires_at = clock_timestamp() + cast(:interval as interval)',
        { interval },
      );
    await endIn('0 seconds');
    expect(codeOf(await complete(token, await authenticator.freshCode()))).toEqual(REFUSED);
    await endIn('4 minutes');
    expect((await complete(token, await authenticator.freshCode())).status).toBe(200);
  });

  test('ends after the fifth wrong code, even if they arrive at once', async () => {
    const survivor = await challengeOf(app, member);
    for (let round = 0; round < 4; round += 1)
      await complete(survivor, await authenticator.wrongCode());
    expect((await complete(survivor, await authenticator.freshCode())).status).toBe(200);
    await deleteAttempts(app);
    const victim = await challengeOf(app, member);
    const wrong = await authenticator.wrongCode();
    await Promise.all(Array.from({ length: 5 }, () => complete(victim, wrong)));
    expect(codeOf(await complete(victim, await authenticator.freshCode()))).toEqual(REFUSED);
    expect(codeOf(await complete(victim, authenticator.recoveryCodes[0] ?? ''))).toEqual(REFUSED);
  });

  test('that was invented or changed is refused and does not affect the real one', async () => {
    const token = await challengeOf(app, member);
    const other = await challengeOf(app, member);
    const { id, secret } = tokenParts(token);
    const flipped = secret.startsWith('A') ? `B${secret.slice(1)}` : `A${secret.slice(1)}`;
    const bad = [
      'garbage',
      issueToken('whm').token,
      `whm_${id}_${flipped}`,
      `whm_${id}_${secretOf(other)}`,
      `whs_${id}_${secret}`,
      `${token}x`,
      token.toUpperCase(),
      member.apiKey,
      member.cookie.replace('service_session=', ''),
    ];
    const code = await authenticator.freshCode();
    for (const value of bad)
      expect([value, codeOf(await complete(value, code))]).toEqual([value, REFUSED]);
    expect((await complete(token, code)).status).toBe(200);
  });

  test('ends when the password changes', async () => {
    const token = await challengeOf(app, member);
    const password_hash = await cheapHashOf('another password of mine');
    await app.db('users').where({ id: member.userId }).update({ password_hash });
    expect(codeOf(await complete(token, await authenticator.freshCode()))).toEqual(REFUSED);
  });

  test('ends when its second factor is removed', async () => {
    const token = await challengeOf(app, member);
    const [recoveryCode = ''] = authenticator.recoveryCodes;
    expect((await authenticator.browser.delete('/api/v1/me/mfa/totp')).status).toBe(204);
    expect(codeOf(await complete(token, await authenticator.code()))).toEqual(REFUSED);
    expect(codeOf(await complete(token, recoveryCode))).toEqual(REFUSED);
  });

  test('of a member suspended meanwhile opens nothing and uses no code', async () => {
    const token = await challengeOf(app, member);
    const code = await authenticator.freshCode();
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'suspended' });
    expect(codeOf(await complete(token, code))).toEqual([403, 'membership_inactive']);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    expect((await complete(token, code)).status).toBe(200);
  });

  test('is stored as a hash and purged after it expires', async () => {
    const token = await challengeOf(app, member);
    expect(JSON.stringify(await app.db('mfa_challenges'))).not.toContain(secretOf(token));
    // A sign-in deletes ten at most.
    for (let count = 0; count < 11; count += 1) {
      await deleteAttempts(app);
      await challengeOf(app, member);
    }
    await app.db('mfa_challenges').update({ expires_at: new Date(0) });
    const before = (await app.db('mfa_challenges')).length;
    await challengeOf(app, member);
    expect((await app.db('mfa_challenges')).length).toBe(before - 10 + 1);
  });
});

describe('a session', () => {
  test('ends when the code arrives with its cookie, and the new session replaces it', async () => {
    const stranger = await createPerson(app, organization.id);
    for (const cookie of [authenticator.cookie, stranger.cookie]) {
      expect((await me(cookie)).status).toBe(200);
      const answer = await complete(
        await challengeOf(app, member),
        await authenticator.freshCode(),
        cookie,
      );
      expect([(await me(cookie)).status, (await me(cookieOf(answer))).status]).toEqual([401, 200]);
    }
    const [ended] = await eventsOf('session.revoked', idOf(stranger.cookie));
    expect([ended?.actor_id, JSON.parse(ended?.data ?? '{}')]).toEqual([
      stranger.membershipId,
      { reason: 'superseded' },
    ]);
  });

  test('planted by an attacker is not reused by a sign-in', async () => {
    const planted = `service_session=${issueToken('whs').token}`;
    const answer = await complete(
      await challengeOf(app, member),
      await authenticator.freshCode(),
      planted,
    );
    expect(answer.status).toBe(200);
    expect([cookieOf(answer) === planted, (await me(planted)).status]).toEqual([false, 401]);
  });

  test('remains when the code is wrong', async () => {
    await complete(
      await challengeOf(app, member),
      await authenticator.wrongCode(),
      authenticator.cookie,
    );
    expect((await me(authenticator.cookie)).status).toBe(200);
  });
});
