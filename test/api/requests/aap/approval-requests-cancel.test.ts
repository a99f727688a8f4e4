/** Cancelling a request: first and repeated calls, early and late ones. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorOf, requestOf, type Adapter } from '../../../support/adapter.ts';
import { startProvider, type Provider } from './provider.ts';
import { submission } from './submissions.ts';

let provider: Provider;
let adapter: Adapter;

beforeAll(async () => {
  provider = await startProvider();
  ({ adapter } = await provider.instance());
});
afterAll(async () => {
  await provider.stop();
});

describe('cancelling a request', () => {
  test('answers 200 with the cancelled request, and again with the same body', async () => {
    const { id } = requestOf(await adapter.create(submission()));
    const first = await adapter.cancel(id);
    expect(requestOf(first).status).toBe('cancelled');
    const again = await Promise.all([adapter.cancel(id), adapter.cancel(id), adapter.get(id)]);
    expect(again.map(({ status, text }) => [status, text])).toEqual(
      again.map(() => [200, first.text]),
    );
  });

  test('answers every one of twenty simultaneous cancels with the same body', async () => {
    const { id } = requestOf(await adapter.create(submission()));
    const answers = await Promise.all(Array.from({ length: 20 }, () => adapter.cancel(id)));
    expect(new Set(answers.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
  });

  test('shows reviewers a decision by the adapter', async () => {
    const { id } = requestOf(await adapter.create(submission()));
    await adapter.cancel(id);
    const shown = await provider.review(id);
    expect(shown).toMatchObject({
      status: 'cancelled',
      decision: {
        status: 'cancelled',
        channel: 'aap',
        idempotency_key: `aap:${id}`,
        authentication: { method: 'agent_credential', assurance: 'single_factor' },
      },
    });
    expect(shown['decision']).not.toHaveProperty('membership_id');
    expect((await provider.decide(id, 'approved')).status).toBe(409);
  });

  test.each(['approved', 'denied'] as const)(
    'is refused once a person has %s, and changes nothing',
    async (status) => {
      const { id } = requestOf(await adapter.create(submission()));
      await provider.decide(id, status);
      const before = await adapter.get(id);
      const refused = errorOf(await adapter.cancel(id));
      expect([refused.status, refused.error.type, refused.error.code]).toEqual([
        409,
        'conflict',
        'already_terminal',
      ]);
      expect((await adapter.get(id)).text).toBe(before.text);
    },
  );

  test('is refused once the request has expired, and changes nothing', async () => {
    const { id } = requestOf(await adapter.create(submission({ timeout: '"1s"' })));
    const before = await adapter.get(id, { wait: '10s' });
    expect(requestOf(before).status).toBe('expired');
    expect(errorOf(await adapter.cancel(id)).error.code).toBe('already_terminal');
    expect((await adapter.get(id)).text).toBe(before.text);
  });

  test('gives the same answer for a foreign, an unknown and a malformed id', async () => {
    const other = await provider.instance();
    const { id } = requestOf(await other.adapter.create(submission()));
    const answers = await Promise.all(
      [id, randomUUID(), 'nonsense', '%00'].map((each) => adapter.cancel(each)),
    );
    const shown = answers
      .map(errorOf)
      .map(({ status, error }) => [status, error.type, error.code, error.message, error.details]);
    expect(new Set(shown.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(shown[0]?.[0]).toBe(404);
    expect(requestOf(await other.adapter.get(id)).status).toBe('pending');
  });

  test('needs no body, ignores one, and takes no idempotency key', async () => {
    const { id } = requestOf(await adapter.create(submission()));
    const path = `/api/aap/v1/requests/${id}`;
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'anything' };
    expect(
      (await adapter.raw('DELETE', path, { headers, body: '{"reason":"bored"}' })).status,
    ).toBe(200);
    expect(requestOf(await adapter.get(id)).status).toBe('cancelled');
  });
});
