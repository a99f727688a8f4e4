/** The id of a call in every answer. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { requestOf, type Adapter } from '../../../support/adapter.ts';
import { startProvider, type Instance, type Provider } from './provider.ts';
import { submission, submissionOfSize } from './submissions.ts';

let provider: Provider;
let instance: Instance;
let adapter: Adapter;
let id: string;

beforeAll(async () => {
  provider = await startProvider();
  instance = await provider.instance();
  ({ adapter } = instance);
  ({ id } = requestOf(await adapter.create(submission())));
});
afterAll(async () => {
  await provider.stop();
});

/**
 * One call for each outcome. The strict adapter compares the id sent, the id received and
 * error.request_id.
 */
const calls: readonly [
  string,
  number,
  (requestId?: string) => Promise<{ status: number; requestId: string }>,
][] = [
  [
    'a create',
    201,
    (requestId) => adapter.create(submission(), { ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'a read',
    200,
    (requestId) => adapter.get(id, { ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'a bad body',
    400,
    (requestId) => adapter.create('{', { ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'a missing key',
    400,
    (requestId) =>
      adapter.create('{}', { idempotencyKey: null, ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'a bad wait',
    400,
    (requestId) => adapter.get(id, { wait: 'x', ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'no credential',
    401,
    (requestId) =>
      provider.adapter(undefined).get(id, { ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'an unknown request',
    404,
    (requestId) => adapter.get(randomUUID(), { ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'a malformed id',
    404,
    (requestId) => adapter.cancel('%ff', { ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'an unknown route',
    404,
    (requestId) =>
      adapter.raw('GET', '/nowhere', { ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'an undecodable route',
    404,
    (requestId) => adapter.raw('GET', '/%ff/%', { ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'a wrong method',
    405,
    (requestId) =>
      adapter.raw('PUT', '/api/aap/v1/requests', { ...(requestId !== undefined && { requestId }) }),
  ],
  [
    'a body too large',
    413,
    (requestId) =>
      adapter.create(submissionOfSize(1024 * 1024 + 1), {
        ...(requestId !== undefined && { requestId }),
      }),
  ],
  [
    'a wrong type',
    415,
    (requestId) =>
      adapter.create(submission(), {
        headers: { 'Content-Type': 'text/plain' },
        ...(requestId !== undefined && { requestId }),
      }),
  ],
  [
    'a health check',
    200,
    (requestId) =>
      adapter.raw('GET', '/health/live', { ...(requestId !== undefined && { requestId }) }),
  ],
];

describe('X-Request-ID', () => {
  test.each(calls)('is a new UUID on %s (%i) without one', async (_name, status, call) => {
    const [one, two] = [await call(), await call()];
    expect([one.status, two.status]).toEqual([status, status]);
    expect(one.requestId).not.toBe(two.requestId);
  });

  test.each(calls)('is adopted on %s (%i)', async (_name, status, call) => {
    for (const requestId of [
      'a',
      'trace 17/ü'.replace('ü', 'u'),
      '~!@#$%^&*()_+{}|:"<>?',
      'x'.repeat(128),
    ]) {
      const answer = await call(requestId);
      expect([answer.status, answer.requestId]).toEqual([status, requestId]);
    }
  });

  test.each(calls)(
    'is replaced by a UUID on %s (%i) when it is unusable',
    async (_name, status, call) => {
      for (const requestId of ['', 'x'.repeat(129), 'tr\u00e4ce', 'a\tb'])
        expect((await call(requestId)).status).toBe(status);
    },
  );

  test('is on an answer without a body', async () => {
    const ended = await provider.instance();
    const path = `/api/v1/agent-credentials/${ended.credentialId}`;
    const answer = await provider.owner.http.delete(path, {
      headers: { 'X-Request-ID': 'no body' },
    });
    expect([answer.status, answer.headers['x-request-id']]).toEqual([204, 'no body']);
    expect((await provider.owner.http.delete(path)).headers['x-request-id']).toMatch(
      /^[0-9a-f-]{36}$/,
    );
  });
});
