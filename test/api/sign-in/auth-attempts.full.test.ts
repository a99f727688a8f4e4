/** Guessing passwords and floods of sign-ins: slow for their senders, reveal nothing, and lock no one else out. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { verifyPassword } from '../../../src/platform/crypto/passwords.ts';
import { startApp } from '../../support/app.ts';
import { scene } from '../../support/scene.ts';
import { type TestMember } from '../../support/scene/factories.ts';
import type { ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import {
  codeOf,
  cookieOf,
  createPerson,
  enroll,
  deleteAttempts,
  PASSWORD,
  SECRETS_KEY,
} from '../../support/scene/sign-in.ts';
import { idOf } from '../../support/tokens.ts';
import { until } from '../../support/waiting.ts';

const environment = {
  COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
  COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.0/8',
};

const { app, organization } = await scene({ app: { environment } });
const victim = await createPerson(app, organization.id);

beforeEach(() => deleteAttempts(app));

let invented = 0;

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const guess = (address: string): Promise<ApiResponse> =>
  app.http.post(
    '/auth/login',
    { email: `invented-${++invented}@example.com`, password: 'a guess' },
    from(address),
  );
const signIn = (address: string, { email } = victim): Promise<ApiResponse> =>
  app.http.post('/auth/login', { email, password: PASSWORD }, from(address));

/** Later attempts fall into the same window, even on a slow machine. */
const stretchWindows = () =>
  app.db('sign_in_attempts').update({ window_ends_at: new Date(Date.now() + 600_000) });

/** Keeps the hashing and its queue full while `run` runs: each call of these networks starts the next. */
async function whileHashing<T>(networks: readonly string[], run: () => Promise<T>): Promise<T> {
  let over = false;
  const calls = networks.map(async (network) => {
    while (!over) {
      const started = verifyPassword('a guess', undefined, network);
      // Another call took its place in the queue for a moment.
      await started.catch(() => new Promise((resolve) => setImmediate(resolve)));
    }
  });
  try {
    return await run();
  } finally {
    over = true;
    await Promise.all(calls);
  }
}

const RUNNING = 2;
const SHARE = 12;
const QUEUE = 50;

describe('many sign-ins with invented emails', () => {
  test('from one address do not keep people at other addresses out', async () => {
    const guesses: Promise<ApiResponse>[] = [];
    const entered: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Without waiting for earlier answers.
      guesses.push(...Array.from({ length: RUNNING + SHARE + 2 }, () => guess('203.0.113.66')));
      entered.push((await signIn('198.51.100.7')).status);
    }
    expect(entered).toEqual(Array<number>(ROUNDS).fill(200));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => ![401, 429].includes(status))).toEqual([]);
  });

  test('are counted by network, regardless of the email, and the answer says how long to wait', async () => {
    expect((await guess('2001:db8:6:6::1')).status).toBe(401);
    await stretchWindows();
    await app.db('sign_in_attempts').where({ attempts: 1 }).update({ attempts: 57 });
    for (let attempt = 58; attempt <= 60; attempt += 1)
      expect([attempt, (await guess(`2001:db8:6:6::${attempt}`)).status]).toEqual([attempt, 401]);
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
    const network = '203.0.113.66';
    await whileHashing(Array<string>(RUNNING + SHARE).fill(network), async () => {
      const refused = await guess(network);
      const entered = await signIn('198.51.100.7');
      expect([codeOf(refused), entered.status]).toEqual([[429, 'rate_limited'], 200]);
      expect(refused.headers['retry-after']).toMatch(/^[1-9]\d?$/);
    });
    expect((await guess(network)).status).toBe(401);
  });

  test('at once from many networks overload the process, and the answer blames no network', async () => {
    const networks = Array.from({ length: RUNNING + QUEUE }, (_, index) => `network ${index}`);
    await whileHashing(networks, async () => {
      const refused = await guess('203.0.113.66');
      expect(codeOf(refused)).toEqual([503, 'dependency_unavailable']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    });
    expect((await guess('203.0.113.66')).status).toBe(401);
  });
});

test('successful sign-ins do not count against the person or their network', async () => {
  for (let round = 0; round < 11; round += 1)
    expect([round, (await signIn('198.51.100.7')).status]).toEqual([round, 200]);
  expect(await app.db('sign_in_attempts').where('attempts', '>', 0)).toEqual([]);
});

describe('forty wrong passwords', () => {
  const GUESSER = '203.0.113.9';
  let owner: TestMember;
  let answers: readonly ApiResponse[];

  beforeAll(async () => {
    await deleteAttempts(app);
    owner = await createPerson(app, organization.id, {
      policies: [{ scope_kind: 'organization', is_owner: true }],
    });
    const other = await startApp({ databaseUrl: app.databaseUrl, environment });
    const attempt = async (index: number) => {
      const { http } = index % 2 ? app : other;
      const email = index % 3 ? owner.email : owner.email.toUpperCase();
      const body = { email, password: `guess number ${index}` };
      return await http.post('/auth/login', body, from(GUESSER));
    };
    const first = await attempt(0);
    await stretchWindows();
    const rest = await Promise.all(Array.from({ length: 39 }, (_, index) => attempt(index + 1)));
    answers = [first, ...rest];
    await other.close();
  });

  test('sent to two processes of one deployment are verified only ten times in total', () => {
    const looked = answers.filter(({ status }) => status === 401);
    const refused = answers.filter(({ status }) => status === 429);
    expect([looked.length, refused.length]).toEqual([10, 30]);
    for (const answer of refused) {
      expect(codeOf(answer)).toEqual([429, 'rate_limited']);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
  });

  test('leave ten events', async () => {
    const events = () =>
      app
        .db('audit_events')
        .where({ event_type: 'session.sign_in_failed', subject_id: owner.membershipId });
    await until('ten failures are on record', async () => (await events()).length >= 10);
    expect(await events()).toHaveLength(10);
  });

  test('do not end the existing sessions of the owner', async () => {
    expect((await owner.browser.get('/api/v1/me')).status).toBe(200);
  });
});

test('ten wrong passwords do not lock the person out at another address, or at the same one after the window', async () => {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const body = { email: victim.email, password: `guess number ${attempt}` };
    const answer = await app.http.post('/auth/login', body, from('203.0.113.9'));
    expect([attempt, answer.status]).toEqual([attempt, 401]);
    await stretchWindows();
  }
  expect(codeOf(await signIn('203.0.113.9'))).toEqual([429, 'rate_limited']);
  expect((await guess('203.0.113.9')).status).toBe(401);
  expect((await signIn('203.0.113.10')).status).toBe(200);
  await app.db('sign_in_attempts').update({ window_ends_at: new Date(Date.now() - 1) });
  expect((await signIn('203.0.113.9')).status).toBe(200);
});

test('one client behind a trusted proxy cannot pose as many', async () => {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    // The attacker's own entry, followed by the one that the proxy appends.
    const body = { email: victim.email, password: 'a wrong guess' };
    const answer = await app.http.post(
      '/auth/login',
      body,
      from(`192.0.2.${attempt}, 203.0.113.1`),
    );
    expect([attempt, answer.status]).toEqual([attempt, 401]);
    await stretchWindows();
  }
  expect((await signIn('192.0.2.99, 203.0.113.1')).status).toBe(429);
  const entered = await signIn('192.0.2.1, 203.0.113.2');
  const sessions = app.db('sessions').where({ id: idOf(cookieOf(entered)) });
  expect(await sessions.pluck('client_address')).toEqual(['203.0.113.2']);
});

test('an unknown email, a wrong password and a second factor all cost the work of one hash', async () => {
  const person = () => createPerson(app, organization.id, { costly: true });
  const [plain, enrolled] = [await person(), await person()];
  await enroll(app, enrolled);
  const kinds = {
    unknown: 'unknown@example.com',
    plain: plain.email,
    enrolled: enrolled.email,
    unhashed: undefined,
  };
  const work: Record<keyof typeof kinds, number[]> = {
    unknown: [],
    plain: [],
    enrolled: [],
    unhashed: [],
  };
  // Measures the CPU time of this process with its hashing threads, not the elapsed time. The minimum of several runs has the least noise.
  for (let round = 0; round < 5; round += 1) {
    for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
      const email = kinds[kind];
      const began = process.cpuUsage();
      const answer =
        email === undefined
          ? await app.http.post('/auth/mfa', { token: 'none', code: '123456' })
          : await app.http.post('/auth/login', { email, password: 'not the password' });
      const { user, system } = process.cpuUsage(began);
      work[kind].push(user + system);
      expect(codeOf(answer)).toEqual([401, 'invalid_credentials']);
    }
  }
  const hashed = [Math.min(...work.unknown), Math.min(...work.plain), Math.min(...work.enrolled)];
  expect(Math.max(...hashed) / Math.min(...hashed)).toBeLessThan(3);
  // An answer without a hash would be far cheaper.
  expect(Math.min(...work.unhashed)).toBeLessThan(Math.min(...hashed));
});
