/** Changing a password: what it needs, and which sessions and links it ends. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  createMember,
  createOrganization,
  type TestMember,
} from '../../../support/scene/factories.ts';
import { pointersOf } from '../auth-scene.ts';
import { codeOf, cookieOf, deleteAttempts } from '../../../support/scene/sign-in.ts';
import { change, NEW, OLD, passwordScene } from './password-scene.ts';
import { ROUNDS } from '../../../support/rounds.ts';

const { alsoIn, app, eventsOf, me, memberWithPassword, organization, requestLink, reset, signIn } =
  await passwordScene();
let member: TestMember;

beforeEach(async () => {
  await deleteAttempts(app);
  member = await memberWithPassword();
});

describe('changing a password', () => {
  const right = { current_password: OLD, new_password: NEW };

  test('needs the current one, ends every other session, and makes this one recent with a new cookie', async () => {
    const elsewhere = await createOrganization(app);
    const there = await alsoIn(elsewhere.id, member);
    const another = cookieOf(await signIn(member.email, OLD));
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect([(await me(another)).status, (await me(there.cookie)).status]).toEqual([200, 200]);
    const changed = await change(member, right);
    expect([changed.status, changed.text]).toEqual([204, '']);
    const renewed = cookieOf(changed);
    const account = await me(renewed);
    expect(account.status).toBe(200);
    const provenAt = Date.parse(String(account.body['principal']?.['auth']?.['authenticated_at']));
    expect(Date.now() - provenAt).toBeLessThan(60_000);
    for (const cookie of [member.cookie, another, there.cookie])
      expect((await me(cookie)).status).toBe(401);
    expect(codeOf(await signIn(member.email, OLD))).toEqual([401, 'invalid_credentials']);
    expect((await signIn(member.email, NEW)).status).toBe(200);
    expect([await eventsOf(member), await eventsOf(there)]).toEqual([
      ['membership.password_changed'],
      ['membership.password_changed'],
    ]);
  });

  test('ends the links that were sent before', async () => {
    const token = await requestLink(member);
    expect((await change(member, right)).status).toBe(204);
    expect(codeOf(await reset(token, 'another one of twelve'))).toEqual([404, 'not_found']);
  });

  test('with a wrong current one changes nothing, up to ten tries a minute', async () => {
    const wrong = { ...right, current_password: 'not the password' };
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(codeOf(await change(member, wrong))).toEqual([401, 'invalid_credentials']);
    expect(codeOf(await change(member, right))).toEqual([429, 'rate_limited']);
    expect((await me(member.cookie)).status).toBe(200);
    expect(await eventsOf(member)).toEqual([]);
    await deleteAttempts(app);
    expect((await signIn(member.email, OLD)).status).toBe(200);
  });

  test.each([
    ['is short', 'short'],
    ['is common', 'qwertyuiop123456'],
    ['is a name', 'ada marsh ada marsh'],
    ['is the current one', OLD],
  ])('is refused and names the field when the new one %s', async (_what, password) => {
    const refused = await change(member, { ...right, new_password: password });
    expect([refused.status, pointersOf(refused)]).toEqual([400, ['/new_password']]);
    expect((await me(member.cookie)).status).toBe(200);
  });

  test('is 409 for an account of an identity provider, and refused for keys and other sites', async () => {
    const origin = 'https://countersign.example';
    const without = await createMember(app, organization.id);
    const answer = await app.http.call('PUT', '/api/v1/me/password', {
      body: right,
      headers: { cookie: without.cookie, origin },
    });
    expect(codeOf(answer)).toEqual([409, 'no_password']);
    expect(codeOf(await member.http.call('PUT', '/api/v1/me/password', { body: right }))).toEqual([
      403,
      'session_required',
    ]);
    const foreign = { cookie: member.cookie, origin: 'https://evil.example' };
    const forged = await app.http.call('PUT', '/api/v1/me/password', {
      body: right,
      headers: foreign,
    });
    expect(codeOf(forged)).toEqual([403, 'cross_site_request']);
  });

  test('from two sessions at once works in one of them, and ends the other', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts(app);
      const person = await memberWithPassword();
      const second = await signIn(person.email, OLD);
      const cookies = [person.cookie, cookieOf(second)];
      const origin = 'https://countersign.example';
      const passwords = ['nine quiet herons 1', 'nine quiet herons 2'];
      const answers = await Promise.all(
        cookies.map((cookie, index) =>
          app.http.call('PUT', '/api/v1/me/password', {
            body: { current_password: OLD, new_password: passwords[index] },
            headers: { cookie, origin },
          }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
      const winner = answers.findIndex(({ status }) => status === 204);
      expect((await signIn(person.email, passwords[winner] ?? '')).status).toBe(200);
      expect(await eventsOf(person)).toEqual(['membership.password_changed']);
    }
  });
});
