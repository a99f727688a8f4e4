/** Guessing passwords: it is slow, reveals nothing, and locks no one out. */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import {
  codeOf,
  createPerson,
  enroll,
  deleteAttempts,
  PASSWORD,
  SECRETS_KEY,
} from '../../support/scene/sign-in.ts';
import { until } from '../../support/waiting.ts';

let app: TestApp;
let organization: TestOrganization;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } });
  organization = await createOrganization(app);
});

afterAll(() => app.close());

/** The status of a sign-in from this address. */
function loginFrom(localAddress: string, email: string): Promise<number> {
  const body = JSON.stringify({ email, password: PASSWORD });
  const options = {
    method: 'POST',
    localAddress,
    agent: false,
    headers: { 'content-type': 'application/json' },
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${app.url}/auth/login`, options, (answer) => {
      answer.resume().on('end', () => {
        resolve(answer.statusCode ?? 0);
      });
    });
    sent.on('error', reject).end(body);
  });
}

describe('a thousand wrong passwords', () => {
  let owner: TestMember;
  let statuses: readonly number[];

  beforeAll(async () => {
    owner = await createPerson(app, organization.id, {
      policies: [{ scope_kind: 'organization', is_owner: true }],
    });
    const other = await startApp({ databaseUrl: app.databaseUrl });
    const guess = async (index: number) => {
      const { http } = index % 2 ? app : other;
      const email = index % 3 ? owner.email : owner.email.toUpperCase();
      return (await http.post('/auth/login', { email, password: `guess number ${index}` })).status;
    };
    const first = await guess(0);
    // All are sent within one window, even on a slow machine.
    await app.db('sign_in_attempts').update({ window_ends_at: new Date(Date.now() + 600_000) });
    const rest: number[] = [];
    for (let from = 1; from < 1_000; from += 37) {
      const batch = Array.from({ length: Math.min(37, 1_000 - from) }, (_, index) =>
        guess(from + index),
      );
      rest.push(...(await Promise.all(batch)));
    }
    statuses = [first, ...rest];
    await other.close();
  });

  test('sent to two processes of one deployment are verified only ten times in total', () => {
    const looked = statuses.filter((status) => status === 401);
    const refused = statuses.filter((status) => status === 429);
    expect([looked.length, refused.length]).toEqual([10, 990]);
  });

  test('leave ten events', async () => {
    const events = () =>
      app
        .db('audit_events')
        .where({ event_type: 'session.sign_in_failed', subject_id: owner.membershipId });
    await until('ten failures are on record', async () => (await events()).length >= 10);
    expect(await events()).toHaveLength(10);
  });

  test('do not lock the owner out at another address, or at the same one after the window', async () => {
    expect([
      await loginFrom('127.0.0.1', owner.email),
      await loginFrom('127.0.0.2', owner.email),
    ]).toEqual([429, 200]);
    await app.db('sign_in_attempts').update({ window_ends_at: new Date(Date.now() - 1) });
    expect(await loginFrom('127.0.0.1', owner.email)).toBe(200);
  });

  test('do not end the existing sessions of the owner', async () => {
    expect((await owner.browser.get('/api/v1/me')).status).toBe(200);
  });
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
  for (let round = 0; round < 20; round += 1) {
    await deleteAttempts(app);
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
