/** Floods of sign-ins slow down their senders, while other people still get in. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Answer } from '../../support/http.ts';
import { codeOf, createPerson, deleteAttempts, PASSWORD } from '../../support/scene/sign-in.ts';

let app: TestApp;
let organization: TestOrganization;
let victim: TestMember;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.0/8' } });
  organization = await createOrganization(app);
});

beforeEach(async () => {
  await deleteAttempts(app);
  victim = await createPerson(app, organization.id, { costly: true });
});

afterAll(() => app.close());

let invented = 0;
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const guess = (address: string): Promise<Answer> =>
  app.http.post(
    '/auth/login',
    { email: `invented-${++invented}@example.com`, password: 'a guess' },
    from(address),
  );
const signIn = (address: string): Promise<Answer> =>
  app.http.post('/auth/login', { email: victim.email, password: PASSWORD }, from(address));

const COUNTED = 60;

async function countOf(answers: readonly Promise<Answer>[], status: number): Promise<number> {
  return (await Promise.all(answers)).filter((answer) => answer.status === status).length;
}

describe('many sign-ins with invented emails', () => {
  test('from 60 connections of one address do not keep people at other addresses out', async () => {
    const guesses: Promise<Answer>[] = [];
    const entered: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      // Without waiting for earlier answers.
      guesses.push(...Array.from({ length: 60 }, () => guess('203.0.113.66')));
      entered.push((await signIn('198.51.100.7')).status);
    }
    expect(entered.filter((status) => status === 200).length).toBeGreaterThanOrEqual(19);
    const [looked, refused] = [await countOf(guesses, 401), await countOf(guesses, 429)];
    expect(looked + refused).toBe(1_200);
  });

  test('are counted by network, regardless of the email, and the answer says how long to wait', async () => {
    const answers = [await guess('2001:db8:6:6::1')];
    // All are sent within one window, even on a slow machine.
    await app.db('sign_in_attempts').update({ window_ends_at: new Date(Date.now() + 600_000) });
    while (answers.length < COUNTED) {
      // No more at once than one network's share of the hashing, so all are verified.
      const batch = Array.from({ length: Math.min(10, COUNTED - answers.length) }, (_, index) =>
        guess(`2001:db8:6:6::${index}`),
      );
      answers.push(...(await Promise.all(batch)));
    }
    expect(answers.map(({ status }) => status)).toEqual(Array(COUNTED).fill(401));
    const refused = await guess('2001:db8:6:6:ffff::1');
    expect([...codeOf(refused), Number(refused.headers['retry-after']) > 0]).toEqual([
      429,
      'rate_limited',
      true,
    ]);
    expect((await signIn('2001:db8:6:7::1')).status).toBe(200);
    for (const [path, body] of [
      ['/auth/password/reset', { token: 'whr_none', password: 'nine quiet herons by the weir' }],
      ['/auth/login', { email: victim.email, password: PASSWORD }],
    ] as const) {
      expect([path, ...codeOf(await app.http.post(path, body, from('2001:db8:6:6::9')))]).toEqual([
        path,
        429,
        'rate_limited',
      ]);
    }
  });

  test('at once from one network use only its share of the hashing, and the answer blames that network', async () => {
    const answers = Array.from({ length: 40 }, () => guess('203.0.113.66'));
    const [entered, tooMany, looked] = [
      await signIn('198.51.100.7'),
      await countOf(answers, 429),
      await countOf(answers, 401),
    ];
    expect([entered.status, tooMany + looked]).toEqual([200, 40]);
    expect(tooMany).toBeGreaterThan(0);
  });

  test('at once from many networks overload the process, and the answer blames no network', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => guess(`203.0.113.${index}`)),
    );
    const refused = answers.filter(({ status }) => status !== 401);
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map((answer) => codeOf(answer).join(' ')))).toEqual(
      new Set(['503 dependency_unavailable']),
    );
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
  });
});

test('successful sign-ins do not count against the person or their network', async () => {
  for (let round = 0; round < 15; round += 1)
    expect([round, (await signIn('198.51.100.7')).status]).toEqual([round, 200]);
  expect(await app.db('sign_in_attempts').where('attempts', '>', 0)).toEqual([]);
});
