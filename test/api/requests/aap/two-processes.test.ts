/** Two processes of one deployment act as one. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { requestOf, type Adapter } from '../../../support/adapter.ts';
import { startProvider, type Provider } from './provider.ts';
import { submission } from './submissions.ts';

let provider: Provider;
let here: Adapter;
let there: Adapter;

beforeAll(async () => {
  provider = await startProvider();
  const instance = await provider.instance();
  here = instance.adapter;
  there = provider.adapter(instance.credential, {
    origin: await provider.peer(),
    ledger: instance.ledger,
  });
});
afterAll(async () => {
  await provider.stop();
});

describe('two processes of one deployment', () => {
  test('make one request of fifty creates under one key', async () => {
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? here : there).create(submission(), { idempotencyKey }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('answer a wait parked in one as soon as the other has the answer', async () => {
    const { id } = requestOf(await here.create(submission()));
    const [waited] = await Promise.all([
      there.get(id, { wait: '30s' }),
      there.get(id).then(() => provider.decide(id, 'approved')),
    ]);
    expect(requestOf(waited).status).toBe('approved');
    expect(waited.elapsedMs).toBeLessThan(25_000);
  });

  test('answer every wait when twenty requests are cancelled in the other process', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { id } = requestOf(await here.create(submission()));
        const [waited, cancelled] = await Promise.all([
          here.get(id, { wait: '30s' }),
          there.cancel(id),
        ]);
        return waited.text === cancelled.text && waited.elapsedMs < 25_000;
      }),
    );
    expect(outcomes).toEqual(outcomes.map(() => true));
  });

  test('give one outcome when one cancels while the other decides', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { id } = requestOf(await here.create(submission()));
        const [decided, cancelled] = await Promise.all([
          provider.decide(id, 'denied'),
          there.cancel(id),
        ]);
        expect([decided.status, cancelled.status].sort()).toEqual([200, 409]);
        const [one, other] = await Promise.all([here.get(id), there.get(id)]);
        expect(one.text).toBe(other.text);
        expect(requestOf(one).status).toBe(decided.status === 200 ? 'denied' : 'cancelled');
      }),
    );
  });
});
