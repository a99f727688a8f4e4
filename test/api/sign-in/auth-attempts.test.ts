/** Guessing and floods of sign-ins: slow for their senders, reveal nothing, and lock no one else out. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { verifyPassword } from '../../../src/platform/crypto/passwords.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { accept, invited } from '../../support/scene/invitations.ts';
import type { Answer } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import {
  challengeOf,
  codeOf,
  cookieOf,
  createPerson,
  enroll,
  deleteAttempts,
  login,
  PASSWORD,
  SECRETS_KEY,
  type Authenticator,
} from '../../support/scene/sign-in.ts';
import { idOf } from '../../support/tokens.ts';
import { until } from '../../support/waiting.ts';

let app: TestApp;
let organization: TestOrganization;
let victim: TestMember;

const environment = {
  COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
  COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.0/8',
};

beforeAll(async () => {
  app = await startApp({ environment });
  organization = await createOrganization(app);
  victim = await createPerson(app, organization.id);
});

beforeEach(() => deleteAttempts(app));

afterAll(() => app.close());

let invented = 0;
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const guess = (address: string): Promise<Answer> =>
  app.http.post(
    '/auth/login',
    { email: `invented-${++invented}@example.com`, password: 'a guess' },
    from(address),
  );
const signIn = (address: string, { email } = victim): Promise<Answer> =>
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

const REFUSED = [401, 'invalid_credentials'];
const RUNNING = 2;
const SHARE = 12;
const QUEUE = 50;

describe('many sign-ins with invented emails', () => {
  test('from one address do not keep people at other addresses out', async () => {
    const guesses: Promise<Answer>[] = [];
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
  let answers: readonly Answer[];

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

describe('in the audit log', () => {
  let member: TestMember;

  beforeEach(async () => {
    member = await createPerson(app, organization.id);
  });

  interface FailureEvent {
    readonly event_type: string;
    readonly subject_id: string;
    readonly actor_type: string;
    readonly actor_id: string | null;
    readonly data: Readonly<Record<string, unknown>>;
  }

  /** The failures in the audit log of the organization, once there are `count` of this type. */
  async function failures(
    organizationId: string,
    eventType: string,
    count: number,
  ): Promise<FailureEvent[]> {
    const stored = app
      .db('audit_events')
      .where({ organization_id: organizationId, event_type: eventType })
      .orderBy('sequence')
      .select('event_type', 'subject_id', 'actor_type', 'actor_id', 'data');
    let found: (Omit<FailureEvent, 'data'> & { readonly data: string })[] = [];
    await until(`${count} events ${eventType}`, async () => {
      found = (await stored.clone()) as typeof found;
      return found.length >= count;
    });
    return found.map((event) => ({
      ...event,
      data: JSON.parse(event.data) as Record<string, unknown>,
    }));
  }

  const sentBy = { client_address: expect.any(String), user_agent: expect.any(String) };

  test('failed re-authentication by password and by code is recorded', async () => {
    const authenticator = await enroll(app, member);
    const prove = async (body: unknown) =>
      codeOf(await authenticator.browser.post('/auth/reauthenticate', body));
    expect(await prove({ password: 'not the password' })).toEqual(REFUSED);
    expect(await prove({ password: PASSWORD, code: await authenticator.wrongCode() })).toEqual(
      REFUSED,
    );
    const event = (reason: string) => ({
      event_type: 'session.reauthentication_failed',
      subject_id: idOf(authenticator.cookie),
      actor_type: 'human',
      actor_id: member.membershipId,
      data: { membership_id: member.membershipId, reason, ...sentBy },
    });
    const recorded = await failures(organization.id, 'session.reauthentication_failed', 2);
    expect(recorded).toHaveLength(2);
    expect(recorded).toEqual(
      expect.arrayContaining([event('wrong_password'), event('wrong_code')]),
    );
  });

  test('a password change with a wrong current password is recorded', async () => {
    const body = {
      current_password: 'not the password',
      new_password: 'nine quiet herons by the weir',
    };
    expect(codeOf(await member.browser.call('PUT', '/api/v1/me/password', { body }))).toEqual(
      REFUSED,
    );
    expect(await failures(organization.id, 'membership.password_change_failed', 1)).toEqual([
      {
        event_type: 'membership.password_change_failed',
        subject_id: member.membershipId,
        actor_type: 'human',
        actor_id: member.membershipId,
        data: { membership_id: member.membershipId, reason: 'wrong_password', ...sentBy },
      },
    ]);
  });

  test('accepting an invitation with a wrong password or code is recorded in the inviting organization', async () => {
    const inviting = await createOrganization(app);
    const authenticator = await enroll(app, member);
    const { id, token } = await invited(inviting.owner, { email: member.email });
    expect(
      codeOf(await accept(app, token, { password: 'not the password', code: '123456' })),
    ).toEqual(REFUSED);
    expect(
      codeOf(
        await accept(app, token, { password: PASSWORD, code: await authenticator.wrongCode() }),
      ),
    ).toEqual(REFUSED);
    const event = (reason: string) => ({
      event_type: 'invitation.acceptance_failed',
      subject_id: id,
      actor_type: 'system',
      actor_id: null,
      data: { reason, ...sentBy },
    });
    const recorded = await failures(inviting.id, 'invitation.acceptance_failed', 2);
    expect(recorded).toHaveLength(2);
    expect(recorded).toEqual(
      expect.arrayContaining([event('wrong_password'), event('wrong_code')]),
    );
  });

  test('no event contains what was typed', async () => {
    const authenticator = await enroll(app, member);
    await authenticator.browser.post('/auth/reauthenticate', { password: 'an unlikely guess' });
    await authenticator.browser.post('/auth/reauthenticate', { code: 'ABCD-EFGH-JKMN-PQRS' });
    const recorded = await failures(organization.id, 'session.reauthentication_failed', 2);
    expect(JSON.stringify(recorded)).not.toMatch(/an unlikely guess|ABCD-?EFGH/);
  });
});
