/** Guessing a second factor: how many tries a sign-in and an app have, and what they leave in the audit log. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Answer } from '../../support/http.ts';
import {
  challengeOf,
  codeOf,
  createPerson,
  enroll,
  deleteAttempts,
  login,
  SECRETS_KEY,
  type Authenticator,
} from '../../support/scene/sign-in.ts';
import { until } from '../../support/waiting.ts';

const app = await appForFile({ environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } });
let organization: TestOrganization;

beforeAll(async () => {
  organization = await createOrganization(app);
});

beforeEach(() => deleteAttempts(app));

const REFUSED = [401, 'invalid_credentials'];

describe('guessing a second factor', () => {
  let member: TestMember;
  let authenticator: Authenticator;

  beforeEach(async () => {
    member = await createPerson(app, organization.id);
    authenticator = await enroll(app, member);
  });

  const complete = (token: string, code: string) => app.http.post('/auth/mfa', { token, code });

  test('counts together with sign-ins for the same email and address', async () => {
    const token = await challengeOf(app, member);
    const answers: Answer[] = [];
    for (let round = 0; round < 10; round += 1)
      answers.push(await complete(token, await authenticator.wrongCode()));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(9).fill(401), 429]);
    expect(codeOf(await login(app, member))).toEqual([429, 'rate_limited']);
  });

  test('the codes of one app is blocked for an hour after twenty tries, while recovery codes still work', async () => {
    for (let round = 0; round < 4; round += 1) {
      const token = await challengeOf(app, member);
      for (let guess = 0; guess < 5; guess += 1)
        expect(codeOf(await complete(token, await authenticator.wrongCode()))).toEqual(REFUSED);
      // From a new address each time.
      await app.db.raw(
        `delete from sign_in_attempts where window_ends_at < clock_timestamp() + interval '2 minutes'`,
      );
    }
    const token = await challengeOf(app, member);
    const stopped = await complete(token, await authenticator.freshCode());
    expect(codeOf(stopped)).toEqual([429, 'rate_limited']);
    expect(Number(stopped.headers['retry-after'])).toBeGreaterThan(3_000);
    expect(stopped.body['error']?.['message']).toContain('use a recovery code');
    expect((await complete(token, authenticator.recoveryCodes[0] ?? '')).status).toBe(200);
    await app.db('sign_in_attempts').update({ window_ends_at: new Date(Date.now() - 1) });
    expect(
      (await complete(await challengeOf(app, member), await authenticator.freshCode())).status,
    ).toBe(200);
  });

  test('stops counting after a correct code', async () => {
    for (let round = 0; round < 3; round += 1) {
      await app.db.raw(
        `delete from sign_in_attempts where window_ends_at < clock_timestamp() + interval '2 minutes'`,
      );
      const token = await challengeOf(app, member);
      for (let guess = 0; guess < 4; guess += 1)
        await complete(token, await authenticator.wrongCode());
      expect((await complete(token, await authenticator.freshCode())).status).toBe(200);
    }
    const windows = await app
      .db('sign_in_attempts')
      .where('window_ends_at', '>', new Date(Date.now() + 120_000));
    expect(windows).toEqual([]);
  });

  test('leaves an event for the known email, without an actor, with the source address', async () => {
    await complete(await challengeOf(app, member), await authenticator.wrongCode());
    await app.http.post('/auth/login', { email: member.email, password: 'not the password' });
    await app.http.post('/auth/login', {
      email: 'unknown@example.com',
      password: 'not the password',
    });
    const failed = { event_type: 'session.sign_in_failed', subject_id: member.membershipId };
    const events = () =>
      app
        .db('audit_events')
        .where(failed)
        .orderBy('sequence')
        .select<{ actor_id: string | null; data: string }[]>('actor_id', 'data');
    await until('both failures are on record', async () => (await events()).length >= 2);
    const shown = (await events()).map(({ actor_id, data }) => [
      actor_id,
      JSON.parse(data) as { client_address: string },
    ]);
    const common = {
      membership_id: member.membershipId,
      client_address: expect.stringContaining('127.0.0.1'),
    };
    expect(shown).toMatchObject([
      [null, { ...common, reason: 'wrong_code' }],
      [null, { ...common, reason: 'wrong_password' }],
    ]);
  });
});
