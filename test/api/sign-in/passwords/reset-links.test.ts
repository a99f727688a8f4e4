/** Resetting a forgotten password by the link in the email, once, and which sessions end with it. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../../../src/platform/crypto/tokens.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
} from '../../../support/scene/factories.ts';
import type { ApiResponse } from '../../../support/http.ts';
import { pointersOf } from '../auth-scene.ts';
import { codeOf, deleteAttempts } from '../../../support/scene/sign-in.ts';
import { change, NEW, OLD, passwordScene } from './password-scene.ts';
import { untilBlocked } from '../../../support/waiting.ts';
import { secretOf } from '../../../support/tokens.ts';
import { ROUNDS } from '../../../support/rounds.ts';

const {
  alsoIn,
  app,
  eventsOf,
  mail,
  me,
  memberWithPassword,
  organization,
  requestLink,
  reset,
  resetsOf,
  signIn,
} = await passwordScene();
let member: TestMember;

beforeEach(async () => {
  await deleteAttempts(app);
  member = await memberWithPassword();
});

describe('a forgotten password', () => {
  test('is reset by the link in the email, and only by a link with a whr_ token', async () => {
    const token = await requestLink(member);
    expect(token).toMatch(/^whr_/);
    const found = await mail.mailTo(member.email);
    expect([found.to, found.subject]).toEqual([[member.email], 'Reset your Countersign password']);
    const link = await app.http.get(`/auth/password/reset/${token}`);
    expect(link.status).toBe(200);
    const left = Date.parse(String(link.body['expires_at'])) - Date.now();
    expect(left).toBeGreaterThan(59 * 60_000);
    expect(left).toBeLessThanOrEqual(60 * 60_000);
    const done = await reset(token);
    expect([done.status, done.text, done.headers['set-cookie']]).toEqual([204, '', undefined]);
    expect(codeOf(await signIn(member.email, OLD))).toEqual([401, 'invalid_credentials']);
    expect((await signIn(member.email, NEW)).status).toBe(200);
    expect(await eventsOf(member)).toEqual([
      'membership.password_reset_requested',
      'membership.password_reset',
    ]);
    expect(app.log.join('')).not.toContain(token);
    const audited = (await app.db('audit_events').select('data')) as { data: string }[];
    expect(JSON.stringify(audited)).not.toContain(secretOf(token));
  });

  test('ends the sessions of the person in every organization, and no others', async () => {
    const elsewhere = await createOrganization(app);
    const there = await alsoIn(elsewhere.id, member);
    const stranger = await memberWithPassword();
    const token = await requestLink(member);
    expect([(await me(member.cookie)).status, (await me(there.cookie)).status]).toEqual([200, 200]);
    expect((await reset(token)).status).toBe(204);
    expect([(await me(member.cookie)).status, (await me(there.cookie)).status]).toEqual([401, 401]);
    expect((await me(stranger.cookie)).status).toBe(200);
    expect(await eventsOf(there)).toEqual([
      'membership.password_reset_requested',
      'membership.password_reset',
    ]);
  });

  test('also ends the sessions in an organization the person joins at that moment', async () => {
    const token = await requestLink(member);
    const changer = await memberWithPassword();
    const replacements: [TestMember, () => Promise<ApiResponse>][] = [
      [member, () => reset(token)],
      [changer, () => change(changer, { current_password: OLD, new_password: NEW })],
    ];
    for (const [person, replace] of replacements) {
      const elsewhere = await createOrganization(app);
      const there = await createMember(app, elsewhere.id);
      const { answer } = await app.db.transaction(async (gate) => {
        await gate('users').where({ id: person.userId }).forUpdate().first('id');
        const started = replace();
        await untilBlocked(gate);
        await gate('memberships')
          .where({ id: there.membershipId })
          .update({ user_id: person.userId });
        return { answer: started };
      });
      expect((await answer).status).toBe(204);
      expect((await me(there.cookie)).status).toBe(401);
    }
  });

  test('can be reset once by one link, and then by none of the others', async () => {
    const first = await requestLink(member);
    const second = await requestLink(member, 2);
    expect((await app.http.get(`/auth/password/reset/${first}`)).status).toBe(200);
    expect((await reset(first)).status).toBe(204);
    for (const token of [first, second]) {
      expect(codeOf(await reset(token, 'another one of twelve'))).toEqual([404, 'not_found']);
      expect(codeOf(await app.http.get(`/auth/password/reset/${token}`))).toEqual([
        404,
        'not_found',
      ]);
    }
    expect((await signIn(member.email, NEW)).status).toBe(200);
  });

  test('is reset by only one of several links used at the same moment', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts(app);
      const person = await memberWithPassword();
      const tokens = Array.from({ length: 2 }, () => issueToken('whr'));
      const times = { created_at: new Date(), expires_at: new Date(Date.now() + 60_000) };
      const rows = tokens.map(({ id, hash }) => ({
        id,
        user_id: person.userId,
        token_hash: hash,
        ...times,
      }));
      await app.db('password_resets').insert(rows);
      const passwords = ['nine quiet herons 1', 'nine quiet herons 2', 'nine quiet herons 3'];
      const answers = await Promise.all(
        passwords.map((password, index) => reset(tokens[index % 2]?.token ?? '', password)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
      const winner = passwords[answers.findIndex(({ status }) => status === 204)] ?? '';
      expect((await signIn(person.email, winner)).status).toBe(200);
      expect(await eventsOf(person)).toEqual(['membership.password_reset']);
    }
  });

  test('is not reset by a link that is expired, changed or of another kind', async () => {
    const token = await requestLink(member);
    const [prefix, id, secret = ''] = token.split(/_(?=[0-9a-f]{8}-)|(?<=-[0-9a-f]{12})_/);
    const forged = [
      `${prefix}_${id}_${'A'.repeat(secret.length)}`,
      `whi_${id}_${secret}`,
      `${prefix}_${randomUUID()}_${secret}`,
      'whr_nonsense',
      member.apiKey,
    ];
    for (const text of forged) {
      expect(codeOf(await reset(text))).toEqual([404, 'not_found']);
      expect(codeOf(await app.http.get(`/auth/password/reset/${text}`))).toEqual([
        404,
        'not_found',
      ]);
    }
    await resetsOf(member).update({
      expires_at: app.db.raw("clock_timestamp() - interval '1 millisecond'"),
    });
    expect(codeOf(await reset(token))).toEqual([404, 'not_found']);
    expect((await signIn(member.email, OLD)).status).toBe(200);
  });

  test('remains when the new one is refused, and the link still works', async () => {
    const token = await requestLink(member);
    for (const password of [
      'short',
      'Password1234567',
      `${member.email}`,
      'AdaMarsh 1815',
      organization.slug.repeat(2),
    ]) {
      const refused = await reset(token, password);
      expect([refused.status, pointersOf(refused)]).toEqual([400, ['/password']]);
    }
    expect((await reset(token)).status).toBe(204);
  });

  test('gives no access to inactive memberships or accounts without a password', async () => {
    const token = await requestLink(member);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'suspended' });
    expect(codeOf(await reset(token))).toEqual([404, 'not_found']);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    await app.db('users').where({ id: member.userId }).update({ password_hash: null });
    expect(codeOf(await reset(token))).toEqual([404, 'not_found']);
  });
});

test.each([
  ['before', 'after'],
  ['after', 'before'],
])(
  'a sign-in with the old password that waits %s its replacement leaves no session',
  async (place) => {
    const { token, id, hash } = issueToken('whr');
    const times = { created_at: new Date(), expires_at: new Date(Date.now() + 60_000) };
    await app
      .db('password_resets')
      .insert({ id, user_id: member.userId, token_hash: hash, ...times });
    const both = [() => signIn(member.email, OLD), () => reset(token)];
    const { answers } = await app.db.transaction(async (gate) => {
      // Both have read the password or the link, and now wait for a lock.
      await gate('users').where({ id: member.userId }).forUpdate().first('id');
      const started = [];
      for (const [index, start] of (place === 'before' ? both : both.reverse()).entries()) {
        started.push(start());
        await untilBlocked(gate, index + 1);
      }
      return { answers: Promise.all(started) };
    });
    const statuses = (await answers).map(({ status }) => status);
    expect(statuses).toEqual(place === 'before' ? [200, 204] : [204, 401]);
    expect(
      await app
        .db('sessions')
        .where({ membership_id: member.membershipId })
        .whereNull('revoked_at'),
    ).toEqual([]);
  },
);
