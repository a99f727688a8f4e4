/**
 * Malformed HTTP, limits of bodies and closing connections: always an envelope with a request id, no
 * 5xx and no hanging wait.
 */
import { describe, expect, test } from '@jest/globals';
import { connect } from 'node:net';
import { endpoints } from '../../../api/endpoints.ts';
import { BODY_BYTES } from '../../../api/http/endpoint.ts';
import { asAppError, problemFrom } from '../../../api/http/problems/problem.ts';
import { Overloaded } from '../../../src/platform/bulkhead.ts';
import { startApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import { adapterOf, ask } from '../../support/scene/approval-requests.ts';
import { createAgent, createOrganization } from '../../support/scene/factories.ts';
import { HttpClient } from '../../support/http.ts';
import { until } from '../../support/waiting.ts';

const app = await appForFile();
const adapter = adapterOf(app, await createAgent(app, await createOrganization(app)));
/** Sends the bytes and reads until the server closes. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('close', () => {
      resolve(answer);
    });
    socket.on('error', reject);
  });
}

test.each([
  [
    'a target that is not a URL',
    'GET http://[::bad/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    400,
  ],
  [
    'a target that is half a URL',
    'GET http://[/health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    400,
  ],
  [
    'two Host headers',
    'GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
    400,
  ],
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match'].map(
    (name): [string, string, number] => [
      `two ${name} headers`,
      `GET /health/live HTTP/1.1\r\nHost: a\r\n${name}: a\r\n${name}: b\r\nConnection: close\r\n\r\n`,
      400,
    ],
  ),
  ['no Host header', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['CONNECT', 'CONNECT example.com:80 HTTP/1.1\r\nHost: example.com\r\n\r\n', 400],
  [
    'a header of 20 KB',
    `GET /health/live HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
])('%s is refused with the envelope and a request id', async (_what, text, status) => {
  const answer = await raw(text);
  expect(answer.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
  if (status === 431) expect(answer).toContain('"code":"headers_too_large"');
  const requestId = /^X-Request-ID: (.+)\r$/im.exec(answer)?.[1];
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as {
    error: { type: string; request_id: string };
  };
  expect(body.error.type).toBe('invalid_request');
  expect(body.error.request_id).toBe(requestId);
});

test('an operation without a body accepts no body or an empty object', async () => {
  const { owner } = await createOrganization(app);
  const call = (body?: string, headers: Readonly<Record<string, string>> = {}) =>
    owner.http.post('/api/v1/requests/00000000-0000-7000-8000-000000000000/claim', body, {
      headers,
    });
  for (const body of [undefined, '', '{}', ' \n{ }\n'])
    expect(await call(body)).toMatchObject({ status: 404 });
  expect(await call('', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject({
    status: 404,
  });
  const issuesOf = async (body: string, headers?: Readonly<Record<string, string>>) => {
    const { status, body: answer } = await call(body, headers);
    expect(status).toBe(400);
    return answer['error']?.['details']?.['issues'] as unknown;
  };
  const known = (...pointers: string[]) =>
    pointers.map((pointer) => ({
      pointer,
      code: 'unknown_field',
      message: 'is not a known field',
    }));
  expect(await issuesOf('{"x": 1, "a/b": {"y": 2}}')).toEqual(known('/x', '/a~1b'));
  const unexpected = [
    { pointer: '', code: 'unexpected_body', message: 'must be empty: the operation takes no body' },
  ];
  for (const body of [
    'null',
    '[]',
    '[{"x": 1}]',
    '17',
    '""',
    'x=1',
    '{"x": 1',
    '{}{}',
    '\0',
    'x'.repeat(2_000_000),
    `{"x": "${'y'.repeat(100_000)}"}`,
  ]) {
    expect(await issuesOf(body)).toEqual(unexpected);
  }
  expect(await issuesOf('x=1', { 'content-type': 'application/x-www-form-urlencoded' })).toEqual(
    unexpected,
  );
});

test('a process that shuts down answers its parked waits with the current request', async () => {
  const ending = await startApp({ databaseUrl: app.databaseUrl });
  const organization = await createOrganization(app);
  const agent = await createAgent(app, organization);
  const id = await ask(app, agent);
  const there = new HttpClient(ending.url, { authorization: `Bearer ${agent.credential}` });
  const wait = there.get(`/api/aap/v1/requests/${id}?wait=30s`);
  await until('the wait is parked', () => ending.context.changes.waitedFor().length > 0);
  await ending.close();
  expect(await wait).toMatchObject({ status: 200, body: { id, status: 'pending' } });
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
  )(
    'of %s, which needs no credential, is at most 16 KiB, and 2 where it is kept',
    (path, endpoint) => {
      expect(endpoint.bodyLimit).toBe((path === '/oauth/register' ? 2 : 16) * 1024);
    },
  );

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
