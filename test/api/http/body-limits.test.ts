/** Limits on what one call sends, and on the size of its error answer. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { BODY_BYTES } from '../../../api/http/endpoint.ts';
import { asAppError, problemFrom } from '../../../api/http/problem.ts';
import { Overloaded } from '../../../src/platform/bulkhead.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { HttpClient } from '../../support/http.ts';
import { adapterOf } from '../../support/scene/approval-requests.ts';
import { createAgent, createOrganization } from '../../support/scene/factories.ts';

let app: TestApp;
let adapter: HttpClient;
beforeAll(async () => {
  app = await startApp();
  adapter = adapterOf(app, await createAgent(app, await createOrganization(app)));
});
afterAll(async () => {
  await app.close();
});

const postText = async (path: string, body: string): Promise<Response> =>
  await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
    body,
  });

const unknownKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown-${index}`, index]));

interface Refusal {
  readonly error: {
    readonly details: { readonly issues: readonly { readonly pointer: string }[] };
  };
}

describe('a body', () => {
  test.each(
    endpoints
      .filter(({ body, auth }) => body && auth === 'none')
      .map((one) => [one.path, one] as const),
  )('of %s, which needs no credential, is at most 16 KiB', (_path, endpoint) => {
    expect(endpoint.bodyLimit).toBe(16 * 1024);
  });

  test('over the limit of its endpoint is 413, and one within it is read', async () => {
    const sized = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
    expect((await postText('/auth/login', sized(BODY_BYTES.signIn))).status).toBe(400);
    const refused = await postText('/auth/login', sized(BODY_BYTES.signIn + 1));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      error: { code: 'payload_too_large', message: 'The body is larger than 16 KiB.' },
    });
  });
});

test.each([
  ['one caller has too much work under way', 'caller', 429, '1'],
  ['all callers together have', 'all', 503, '2'],
] as const)('more work for the worker pool, while %s, is refused', (_why, by, status, after) => {
  const problem = problemFrom(asAppError(new Overloaded(by)), 'id');
  expect([problem.status, problem.headers['Retry-After']]).toEqual([status, after]);
});

describe('an error answer', () => {
  test('names at most 100 unknown fields', async () => {
    const answer = await app.http.post('/auth/login', unknownKeys(700));
    expect(answer.status).toBe(400);
    const { issues } = (answer.body as unknown as Refusal).error.details;
    expect(issues).toHaveLength(100);
  });

  test('has at most 16 KiB, even if the names that it would repeat are long', async () => {
    const long = Array.from({ length: 50 }, (_, index) => [`${index}-${'k'.repeat(1_000)}`, 1]);
    for (const body of [Object.fromEntries(long) as object, { ['k'.repeat(50_000)]: 1 }]) {
      const answer = await adapter.post('/api/aap/v1/requests', body, {
        headers: { 'idempotency-key': 'k' },
      });
      expect(answer.status).toBe(400);
      expect(Buffer.byteLength(JSON.stringify(answer.body))).toBeLessThanOrEqual(16 * 1024);
      expect((answer.body as unknown as Refusal).error.details.issues.length).toBeGreaterThan(0);
    }
  });

  test.each([
    ['a long name', 'k'.repeat(50_000), `/${'k'.repeat(1_023)}…`],
    ['a long name of wide characters', '€'.repeat(20_000), `/${'€'.repeat(341)}…`],
    ['a long name of escapes', '~'.repeat(50_000), `/${'~0'.repeat(511)}…`],
  ])('names %s by its beginning', async (_what, name, pointer) => {
    const headers = { 'idempotency-key': 'k' };
    const answer = await adapter.post('/api/aap/v1/requests', { [name]: 1 }, { headers });
    const { issues } = (answer.body as unknown as Refusal).error.details;
    expect(issues.map((issue) => issue.pointer)).toContain(pointer);
  });
});

test('a sign-in or a bootstrap counts for its network before its body is read', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < 62; count += 1) {
    const path = count % 2 === 0 ? '/auth/mfa' : '/auth/bootstrap';
    statuses.push((await postText(path, '{"no JSON"')).status);
  }
  expect(new Set(statuses)).toEqual(new Set([400, 429]));
  expect(statuses.at(-1)).toBe(429);
});
