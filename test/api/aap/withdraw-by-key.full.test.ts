/** A client that does not know the id withdraws by its key, and no request stays open. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { purgeBatch } from '../../../src/services/retention.ts';
import { beforeTransaction, through } from '../../support/gates.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { scene, REVIEWER } from '../../support/scene.ts';
import { createInstance } from '../../support/scene/factories.ts';

const {
  app,
  organization,
  agents,
  people,
  decide,
  ask: askAndRun,
} = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
});
const { bot } = agents;
const as = (token: string) => new HttpClient(app.url, { authorization: `Bearer ${token}` });
const client = as(bot.credential);

const CALL = { tool: 'issue_refund', arguments: { amount: 1 }, timeout: '1h' };
const ask = async (key: string, { mount = '/api/aap', as: caller = client } = {}) =>
  await caller.post(`${mount}/v1/requests`, CALL, { headers: { 'idempotency-key': key } });
const withdraw = async (key: string, caller = client) =>
  await caller.delete(`/api/aap/v1/requests?idempotency_key=${encodeURIComponent(key)}`);
const outcome = ({ status, body }: ApiResponse) => [
  status,
  body['error']?.['code'] ?? body['status'],
];
const rowsOf = async (key: string) =>
  await app.db('approval_requests').where({ idempotency_key: key }).pluck<string[]>('state');

describe('withdrawing by key', () => {
  test('cancels the request of the key, and again', async () => {
    const key = randomUUID();
    const made = await ask(key);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const { status, body } = await withdraw(key);
      expect([status, body['id'], body['status']]).toEqual([200, made.body['id'], 'cancelled']);
    }
  });

  test('makes sure that there is none where there was none, at both mounts and again', async () => {
    const key = randomUUID();
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const { status, body } = await withdraw(key);
      expect([status, body]).toEqual([200, { idempotency_key: key, status: 'cancelled' }]);
    }
    for (const mount of ['/api/aap', '/aap'])
      expect(outcome(await ask(key, { mount }))).toEqual([409, 'request_withdrawn']);
    expect(await rowsOf(key)).toEqual([]);
    expect((await ask(randomUUID())).status).toBe(201);
  });

  test('leaves a decided request as it is', async () => {
    const key = randomUUID();
    const id = await askAndRun({ key });
    expect((await decide(people.ada, id, { status: 'denied' })).status).toBe(200);
    expect(outcome(await withdraw(key))).toEqual([409, 'already_terminal']);
  });

  test("never touches another instance's request of that key", async () => {
    const key = randomUUID();
    const other = as((await createInstance(app, organization, bot.slug)).credential);
    const made = await ask(key);
    expect((await withdraw(key, other)).body).toEqual({
      idempotency_key: key,
      status: 'cancelled',
    });
    expect(
      (await client.get(`/api/aap/v1/requests/${String(made.body['id'])}`)).body,
    ).toMatchObject({ status: 'pending' });
  });

  test('ends after a day, and is purged', async () => {
    const [key, purged] = [randomUUID(), randomUUID()];
    await withdraw(key);
    await withdraw(purged);
    const age = async (hours: number) => {
      const withdrawn_at = new Date(Date.now() - hours * 3_600_000);
      await app
        .db('withdrawn_keys')
        .whereIn('idempotency_key', [key, purged])
        .update({ withdrawn_at });
    };
    await age(23);
    await purgeBatch(app.context, new AbortController().signal);
    expect((await ask(key)).status).toBe(409);
    await age(25);
    expect((await ask(key)).status).toBe(201);
    await purgeBatch(app.context, new AbortController().signal);
    expect(await app.db('withdrawn_keys').whereIn('idempotency_key', [key, purged])).toEqual([]);
  });

  test('takes a key as its header had it', async () => {
    const bytes = Buffer.from('clé 1/2').toString('latin1');
    await ask(bytes);
    expect((await withdraw('clé 1/2')).body['tool']).toBe(CALL.tool);
    expect((await withdraw('déjà vu')).body['idempotency_key']).toBe('déjà vu');
    await ask('spaced ');
    expect((await withdraw(' spaced\t')).body['tool']).toBe(CALL.tool);
  });

  test.each([
    ['none', ''],
    ['an empty one', '?idempotency_key='],
    ['a long one', `?idempotency_key=${'x'.repeat(1_025)}`],
    ['one of white space', '?idempotency_key=%20%09'],
    ['one that no header can carry', '?idempotency_key=a%0Ab'],
    ['another parameter', '?key=a'],
  ])('is refused with %s for a key', async (_what, query) => {
    expect((await client.delete(`/api/aap/v1/requests${query}`)).status).toBe(400);
  });

  test('is an addition of ours: AAP 1.0.0 has no such operation', async () => {
    const { status } = await client.delete(`/aap/v1/requests?idempotency_key=${randomUUID()}`);
    expect(status).toBe(404);
  });
});

describe('what is kept of keys without a request', () => {
  const windows = () => app.db('sign_in_attempts');
  const useUp = async () => {
    await windows().delete();
    await withdraw(randomUUID());
    await windows().update({ attempts: 600 });
  };

  test('is at most 600 keys a minute and instance: the next is refused, and nothing is kept of it', async () => {
    await useUp();
    const key = randomUUID();
    const refused = await withdraw(key);
    expect(outcome(refused)).toEqual([429, 'rate_limited']);
    expect(refused.headers['retry-after']).toMatch(/^([1-9]|[1-5][0-9]|60)$/);
    expect(await app.db('withdrawn_keys').where({ idempotency_key: key })).toEqual([]);
    // It was not withdrawn, so a request can be made.
    expect((await ask(key)).status).toBe(201);
    const other = as((await createInstance(app, organization, bot.slug)).credential);
    expect((await withdraw(randomUUID(), other)).status).toBe(200);
    await windows().delete();
    expect((await withdraw(randomUUID())).status).toBe(200);
  });

  test('says nothing of withdrawals that cancel a request: they have no limit', async () => {
    const keys = [randomUUID(), randomUUID()];
    for (const key of keys) await ask(key);
    await useUp();
    for (const key of [...keys, ...keys]) {
      const { status, body } = await withdraw(key);
      expect([status, body['status']]).toEqual([200, 'cancelled']);
    }
  });

  test('counts a key each time that it is withdrawn', async () => {
    await windows().delete();
    const key = randomUUID();
    for (let repeat = 0; repeat < 3; repeat += 1) expect((await withdraw(key)).status).toBe(200);
    expect(await windows().pluck('attempts')).toEqual([3]);
  });
});

describe('a create and a withdrawal at once', () => {
  const open = (states: readonly string[]) =>
    states.filter((state) => state === 'evaluating' || state === 'pending');

  test.each(['create first', 'withdrawal first'])('leave nothing open, %s', async (order) => {
    for (let round = 0; round < Math.max(ROUNDS, 20); round += 1) {
      const key = randomUUID();
      const [asked, withdrawn] =
        order === 'create first'
          ? await Promise.all([ask(key), withdraw(key)])
          : (await Promise.all([withdraw(key), ask(key)])).toReversed();
      expect(withdrawn?.status).toBe(200);
      expect([201, 409]).toContain(asked?.status);
      const states = await rowsOf(key);
      expect(open(states)).toEqual([]);
      // Either it was made and cancelled, or it was never made.
      expect(states).toEqual('id' in (withdrawn?.body ?? {}) ? ['cancelled'] : []);
      expect((await ask(key)).body['error']?.['code']).toBe(
        states.length === 0 ? 'request_withdrawn' : undefined,
      );
    }
  });

  test('a create that has begun before does not miss the withdrawal', async () => {
    const key = randomUUID();
    const asked = await through(
      app,
      { of: 'from agents a', at: 'within', happens: () => withdraw(key) },
      () => ask(key),
    );
    expect(outcome(asked)).toEqual([409, 'request_withdrawn']);
    expect(await rowsOf(key)).toEqual([]);
  });

  test('a withdrawal of another key does not refuse a create', async () => {
    const asked = await through(
      app,
      { of: 'from agents a', at: 'within', happens: () => withdraw(randomUUID()) },
      () => ask(randomUUID()),
    );
    expect(asked.status).toBe(201);
  });

  test('withdrawals of other keys, however many, do not refuse creates', async () => {
    let isOver = false;
    const others = Array.from({ length: 6 }, async () => {
      while (!isOver) expect([200, 429]).toContain((await withdraw(randomUUID())).status);
    });
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const answers: number[] = [];
        for (let each = 0; each < 10; each += 1) answers.push((await ask(randomUUID())).status);
        return answers;
      }),
    );
    isOver = true;
    await Promise.all(others);
    expect(new Set(statuses.flat())).toEqual(new Set([201]));
  });

  test('a withdrawal that saw no request yet finds the one that was made meanwhile', async () => {
    const key = randomUUID();
    const withdrawn = await beforeTransaction(
      app,
      () => ask(key),
      () => withdraw(key),
    );
    expect(outcome(withdrawn)).toEqual([200, 'cancelled']);
    expect(await rowsOf(key)).toEqual(['cancelled']);
  });
});
