/**
 * Malformed HTTP and closing connections: always an envelope with a request id, no 5xx and no
 * hanging wait.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect } from 'node:net';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import { createAgent, createOrganization } from '../../support/scene/factories.ts';
import { HttpClient } from '../../support/http.ts';
import { until } from '../../support/waiting.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.close();
});

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
  const adapter = new HttpClient(ending.url, { authorization: `Bearer ${agent.credential}` });
  const wait = adapter.get(`/api/aap/v1/requests/${id}?wait=30s`);
  await until('the wait is parked', () => ending.context.changes.waitedFor().length > 0);
  await ending.close();
  expect(await wait).toMatchObject({ status: 200, body: { id, status: 'pending' } });
});
