/** Sign-in with a second factor: which codes complete it, each only once, and what happens without the secrets key. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ask, decide } from '../../../support/scene/approval-requests.ts';
import { createAgent, type TestMember } from '../../../support/scene/factories.ts';
import {
  browserWith,
  challengeOf,
  codeOf,
  cookieOf,
  createPerson,
  enroll,
  deleteAttempts,
  SECRETS_KEY,
  type Authenticator,
} from '../../../support/scene/sign-in.ts';
import { idOf } from '../../../support/tokens.ts';
import { ROUNDS } from '../../../support/rounds.ts';
import { mfaScene, REFUSED, REVIEWER } from './mfa-scene.ts';

const { app, complete, eventsOf, me, organization, startOther } = await mfaScene();
let member: TestMember;
let authenticator: Authenticator;

beforeEach(async () => {
  await deleteAttempts(app);
  member = await createPerson(app, organization.id, { policies: REVIEWER });
  authenticator = await enroll(app, member);
});

describe('the code', () => {
  test('of the app opens a strong session, as every answer and decision shows', async () => {
    const agent = await createAgent(app, organization);
    const answer = await complete(await challengeOf(app, member), await authenticator.freshCode());
    expect([answer.status, answer.headers['set-cookie']?.replace(/=whs_[^;]+/, '=…')]).toEqual([
      200,
      'service_session=…; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax',
    ]);
    const cookie = cookieOf(answer);
    const auth = {
      method: 'local_password_totp',
      assurance: 'strong',
      session_id: idOf(cookie),
    };
    expect(answer.body['principal']?.['auth']).toMatchObject(auth);
    expect((await me(cookie)).body).toEqual(answer.body);
    const decided = await decide(browserWith(app, cookie), await ask(app, agent), {
      status: 'approved',
    });
    expect(decided.body['decision']?.['authentication']).toMatchObject(auth);
  });

  test('may be a recovery code, in any spelling', async () => {
    const [first = '', second = ''] = authenticator.recoveryCodes;
    for (const code of [first, second.toLowerCase().replaceAll('-', ' ')]) {
      const answer = await complete(await challengeOf(app, member), code);
      expect([answer.status, answer.body['principal']?.['auth']]).toMatchObject([
        200,
        { method: 'local_password_totp', assurance: 'strong' },
      ]);
    }
  });

  test('leaves an event that names the factor but not the code', async () => {
    const [recoveryCode = ''] = authenticator.recoveryCodes;
    const totp = await authenticator.freshCode();
    const sessions = [
      idOf(cookieOf(await complete(await challengeOf(app, member), totp))),
      idOf(cookieOf(await complete(await challengeOf(app, member), recoveryCode))),
    ];
    const events = [
      await eventsOf('session.created', sessions[0] ?? ''),
      await eventsOf('session.created', sessions[1] ?? ''),
    ].flat();
    expect(events.map(({ data }) => JSON.parse(data) as object)).toEqual([
      { method: 'local_password_totp', assurance: 'strong', second_factor: 'totp' },
      { method: 'local_password_totp', assurance: 'strong', second_factor: 'recovery_code' },
    ]);
    const everything = JSON.stringify(await app.db('audit_events')) + app.log.join('');
    for (const secret of [totp, recoveryCode, recoveryCode.replaceAll('-', '')])
      expect(everything).not.toContain(`"${secret}"`);
  });

  test('may be one step away from the clock, but not more', async () => {
    for (const [steps, expected] of [
      [-3, 401],
      [3, 401],
      [1, 200],
    ] as const) {
      await app
        .db('totp_factors')
        .where({ user_id: member.userId })
        .update({ last_used_step: null });
      const answer = await complete(
        await challengeOf(app, member),
        await authenticator.code(steps),
      );
      expect([steps, answer.status]).toEqual([steps, expected]);
    }
  });

  test('never works twice, and earlier codes stop working', async () => {
    const [now, before] = [await authenticator.freshCode(), await authenticator.code(-1)];
    expect((await complete(await challengeOf(app, member), now)).status).toBe(200);
    for (const used of [now, before])
      expect(codeOf(await complete(await challengeOf(app, member), used))).toEqual(REFUSED);
  });

  test('that confirmed the app does not sign in', async () => {
    expect(
      codeOf(await complete(await challengeOf(app, member), authenticator.confirmedBy)),
    ).toEqual(REFUSED);
  });

  test('sent many times at once signs in once', async () => {
    const rivals = await startOther({ COUNTERSIGN_SECRETS_KEY: SECRETS_KEY });
    const winners: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts(app);
      const tokens = await Promise.all(Array.from({ length: 4 }, () => challengeOf(app, member)));
      const code = await authenticator.freshCode();
      const tries = tokens.map((token, index) =>
        (index % 2 ? app : rivals).http.post('/auth/mfa', { token, code }),
      );
      winners.push((await Promise.all(tries)).filter(({ status }) => status === 200).length);
    }
    expect(winners).toEqual(Array<number>(ROUNDS).fill(1));
  });

  test('of recovery works once, even when sent many times at once', async () => {
    for (const code of authenticator.recoveryCodes.slice(0, 3)) {
      await deleteAttempts(app);
      const tokens = await Promise.all(Array.from({ length: 4 }, () => challengeOf(app, member)));
      const answers = await Promise.all(tokens.map((token) => complete(token, code)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    }
    await deleteAttempts(app);
    expect(
      codeOf(await complete(await challengeOf(app, member), authenticator.recoveryCodes[0] ?? '')),
    ).toEqual(REFUSED);
  });

  test('of another person is refused', async () => {
    const other = await createPerson(app, organization.id);
    const theirs = await enroll(app, other);
    const token = await challengeOf(app, member);
    expect(codeOf(await complete(token, theirs.recoveryCodes[0] ?? ''))).toEqual(REFUSED);
    expect(codeOf(await complete(token, await theirs.freshCode()))).toEqual(REFUSED);
  });

  test('takes only a token and a code', async () => {
    const token = await challengeOf(app, member);
    const bad: unknown[] = [
      { token },
      { code: '123456' },
      { token, code: 123456 },
      { token, code: '' },
      { token, code: '1'.repeat(65) },
    ];
    for (const body of [...bad, { token, code: '123456', remember: true }]) {
      expect(codeOf(await app.http.post('/auth/mfa', body))).toEqual([400, 'validation_failed']);
    }
  });
});

test('without the secrets key an app cannot be checked, but a recovery code still signs in', async () => {
  for (const environment of [
    {},
    { COUNTERSIGN_SECRETS_KEY: Buffer.alloc(32, 9).toString('base64') },
  ]) {
    const keyless = await startOther(environment);
    if (!('COUNTERSIGN_SECRETS_KEY' in environment))
      expect(keyless.context.secrets).toBeUndefined();
    const token = await challengeOf(keyless, member);
    const code = await authenticator.freshCode();
    expect(codeOf(await keyless.http.post('/auth/mfa', { token, code }))).toEqual([
      501,
      'secrets_key_missing',
    ]);
    const index = 'COUNTERSIGN_SECRETS_KEY' in environment ? 1 : 0;
    expect(
      (await keyless.http.post('/auth/mfa', { token, code: authenticator.recoveryCodes[index] }))
        .status,
    ).toBe(200);
  }
});

test('a damaged or foreign seed is not mistaken for a missing key', async () => {
  const other = await createPerson(app, organization.id);
  const { sealed, keyId } =
    app.context.secrets?.seal(Buffer.alloc(20), `totp:${other.userId}`) ?? {};
  await app
    .db('totp_factors')
    .where({ user_id: member.userId })
    .update({ secret: sealed, secret_key_id: keyId });
  const token = await challengeOf(app, member);
  expect(codeOf(await app.http.post('/auth/mfa', { token, code: '123456' }))).toEqual([
    500,
    'internal_error',
  ]);
  expect(app.log.filter((line) => line.includes(String(keyId)))).not.toEqual([]);
  expect(
    (await app.http.post('/auth/mfa', { token, code: authenticator.recoveryCodes[2] })).status,
  ).toBe(200);
});
