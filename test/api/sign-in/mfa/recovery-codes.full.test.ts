/** Recovery codes: their use, their replacement, and who gets them. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createMember, type TestMember } from '../../../support/scene/factories.ts';
import type { HttpClient } from '../../../support/http.ts';
import {
  challengeOf,
  codeOf,
  createPerson,
  enroll,
  deleteAttempts,
} from '../../../support/scene/sign-in.ts';
import { mfaScene } from './mfa-scene.ts';

const { app, makeStale, organization, state } = await mfaScene();
let member: TestMember;

beforeEach(async () => {
  await deleteAttempts(app);
  member = await createPerson(app, organization.id);
});

describe('recovery codes', () => {
  const replace = (browser: HttpClient) => browser.post('/api/v1/me/mfa/recovery_codes');

  test('are counted down when used, and replaced as a set', async () => {
    const { browser, recoveryCodes } = await enroll(app, member);
    const [used = '', unused = ''] = recoveryCodes;
    expect(
      (await app.http.post('/auth/mfa', { token: await challengeOf(app, member), code: used }))
        .status,
    ).toBe(200);
    expect((await state(browser))['recovery_codes_left']).toBe(9);
    const answer = await replace(browser);
    const codes = answer.body['recovery_codes'] as unknown as string[];
    expect([answer.status, new Set([...codes, ...recoveryCodes]).size]).toEqual([201, 20]);
    expect((await state(browser))['recovery_codes_left']).toBe(10);
    const token = await challengeOf(app, member);
    for (const dead of [used, unused]) {
      expect(codeOf(await app.http.post('/auth/mfa', { token, code: dead }))).toEqual([
        401,
        'invalid_credentials',
      ]);
    }
    expect((await app.http.post('/auth/mfa', { token, code: codes[0] })).status).toBe(200);
  });

  test('replaced many times at once are the ten of a single answer', async () => {
    const { browser } = await enroll(app, member);
    const answers = await Promise.all([1, 2, 3, 4].map(() => replace(browser)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await app.db('recovery_codes').where({ user_id: member.userId })).toHaveLength(10);
    const results: number[] = [];
    for (const { body } of answers) {
      await deleteAttempts(app);
      const code = (body['recovery_codes'] as unknown as string[])[0];
      results.push(
        (await app.http.post('/auth/mfa', { token: await challengeOf(app, member), code })).status,
      );
    }
    expect(results.sort()).toEqual([200, 401, 401, 401]);
  });

  test('are given only to a recent and strong session with an app', async () => {
    expect(codeOf(await replace(member.browser))).toEqual([403, 'mfa_required']);
    const { browser } = await enroll(app, member);
    await makeStale(member.membershipId);
    expect(codeOf(await replace(browser))).toEqual([403, 'reauthentication_required']);
    const other = await createMember(app, organization.id);
    await app
      .db('sessions')
      .where({ membership_id: other.membershipId })
      .update({ assurance: 'strong' });
    expect(codeOf(await replace(other.browser))).toEqual([404, 'not_found']);
  });
});
