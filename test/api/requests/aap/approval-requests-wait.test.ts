/** Waiting for the answer of a request. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitQuery } from '../../../../api/http/schema.ts';
import { errorOf, requestOf, type Adapter } from '../../../support/adapter.ts';
import { expiryLags, withinSeconds } from './expiry.ts';
import { startProvider, type Instance, type Provider } from './provider.ts';
import { submission } from './submissions.ts';

let provider: Provider;
let instance: Instance;
let adapter: Adapter;

beforeAll(async () => {
  provider = await startProvider();
  instance = await provider.instance();
  ({ adapter } = instance);
});
afterAll(async () => {
  await provider.stop();
});

/**
 * Below the thirty seconds of a wait that nothing ends, and far above a short delay on a busy
 * machine.
 */
const AT_ONCE_MS = 25_000;

const pending = async (timeout = '1h'): Promise<string> => {
  const request = requestOf(await adapter.create(submission({ timeout: `"${timeout}"` })));
  expect(request.status).toBe('pending');
  return request.id;
};

describe('waiting for an answer', () => {
  test.each(['approved', 'denied'] as const)('ends as soon as a person has %s', async (status) => {
    const id = await pending();
    const waits = Promise.all(Array.from({ length: 20 }, () => adapter.get(id, { wait: '30s' })));
    await adapter.get(id);
    expect((await provider.decide(id, status, { note: 'as you wish' })).status).toBe(200);
    const decidedAt = performance.now();
    const answers = await waits;
    expect(performance.now() - decidedAt).toBeLessThan(AT_ONCE_MS);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map((answer) => requestOf(answer).decision?.note)).toEqual(
      Array.from({ length: 20 }, () => 'as you wish'),
    );
  });

  test('ends as soon as the request is cancelled', async () => {
    const id = await pending();
    const [waited, cancelled] = await Promise.all([
      adapter.get(id, { wait: '30s' }),
      adapter.get(id).then(() => adapter.cancel(id)),
    ]);
    expect(requestOf(waited).status).toBe('cancelled');
    expect(waited.text).toBe(cancelled.text);
    expect(waited.elapsedMs).toBeLessThan(AT_ONCE_MS);
  });

  test('ends within a second of the deadline, and the expiry is recorded by then', async () => {
    await withinSeconds(() => expiryLags(adapter));
  });

  test('is not needed for expiry: a plain read expires a request past its deadline', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => pending('4s')));
    await adapter.get(ids[0] ?? '', { wait: '30s' });
    const answers = await Promise.all(ids.map((id) => adapter.get(id, { wait: '5s' })));
    expect(answers.map((answer) => requestOf(answer).status)).toEqual(ids.map(() => 'expired'));
  });

  test('times out with the request still pending', async () => {
    const id = await pending();
    const answer = await adapter.get(id, { wait: '1s' });
    expect(requestOf(answer).status).toBe('pending');
    expect(answer.elapsedMs).toBeLessThan(AT_ONCE_MS);
  });

  test('is skipped without the parameter and for a terminal request', async () => {
    const id = await pending();
    expect((await adapter.get(id)).elapsedMs).toBeLessThan(AT_ONCE_MS);
    await adapter.cancel(id);
    for (const wait of ['20s', '30s', '31s', '1h', '1000h', `${'9'.repeat(100)}h`]) {
      const answer = await adapter.get(id, { wait });
      expect([requestOf(answer).status, answer.elapsedMs < AT_ONCE_MS]).toEqual([
        'cancelled',
        true,
      ]);
    }
  });

  test('treats everything above thirty seconds as thirty', () => {
    const query = waitQuery('');
    expect(
      ['1s', '30s', '31s', '1m', '1h', `${'9'.repeat(100)}h`].map((wait) => query.parse(wait)),
    ).toEqual([1_000, 30_000, 30_000, 30_000, 30_000, 30_000]);
  });

  test('ends in 401 when the credential was revoked meanwhile', async () => {
    const revoked = await provider.instance();
    const { id } = requestOf(await revoked.adapter.create(submission()));
    const revoke = async (): Promise<void> => {
      await revoked.adapter.get(id);
      expect(await provider.revoke(revoked)).toBe(204);
      expect((await provider.decide(id, 'approved')).status).toBe(200);
    };
    const [answer] = await Promise.all([revoked.adapter.get(id, { wait: '30s' }), revoke()]);
    expect(errorOf(answer).status).toBe(401);
  });

  test('continues when other callers hang up', async () => {
    const id = await pending();
    const headers = { Authorization: `Bearer ${instance.credential}` };
    const impatient = Array.from({ length: 10 }, () =>
      fetch(`${provider.origin}/api/aap/v1/requests/${id}?wait=30s`, {
        headers,
        signal: AbortSignal.timeout(200),
      }).catch(() => 0),
    );
    const patient = adapter.get(id, { wait: '30s' });
    await Promise.all(impatient);
    const [answer] = await Promise.all([patient, provider.decide(id, 'denied')]);
    expect(requestOf(answer).status).toBe('denied');
  });
});
