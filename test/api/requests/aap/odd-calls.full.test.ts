/** Odd calls: ids, queries, methods, paths, HTTP and ids of calls that no adapter sends. Temporal is away. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Adapter, errorOf, requestOf, type AdapterResponse } from '../../../support/adapter.ts';
import { scene } from '../../../support/scene.ts';
import { sendBytes } from './raw-socket.ts';
import { submission, submissionOfSize } from './submissions.ts';

const { app, owner, agents, agent } = await scene({ pipelines: { bot: {} } });
const { adapter } = agents.bot;
const anonymous = new Adapter({ baseUrl: `${app.url}/api/aap` });
const { id } = requestOf(await adapter.create(submission()));

const pointersOf = (answer: AdapterResponse): string[] => {
  const { status, error } = errorOf(answer);
  expect([status, error.type]).toEqual([400, 'invalid_request']);
  return (error.details?.['issues'] as { pointer: string }[]).map(({ pointer }) => pointer);
};

describe('an id in the path', () => {
  const missing = { type: 'not_found', code: 'not_found' };
  const ids = [
    '0',
    'null',
    'undefined',
    '%00',
    '%ff',
    '%',
    '%2',
    '%zz',
    '%2e%2e',
    '%2f',
    '..',
    '.',
    "'%20or%201=1--",
    '{}',
    '$1',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '12345678-1234-1234-1234-123456789abg',
    '{12345678-1234-4234-9234-123456789abc}',
    'urn:uuid:12345678-1234-4234-9234-123456789abc',
    '12345678123442349234123456789abc',
    '12345678-1234-4234-9234-123456789abc%00',
    '12345678-1234-4234-9234-123456789abc/',
    '12345678-1234-4234-9234-123456789abc/decision',
    '%F0%9F%98%80',
    '%ED%A0%80',
    'a'.repeat(10_000),
    '__proto__',
    'constructor',
  ];

  test.each(ids)('that is unknown or malformed gets the same 404: %.60s', async (odd) => {
    expect(errorOf(await adapter.get(odd)).error).toMatchObject(missing);
  });

  test.each(['null', '%ff', '..', '00000000-0000-0000-0000-000000000000'])(
    'gets the same 404 for a wait and a cancel: %s',
    async (odd) => {
      const waited = await adapter.get(odd, { wait: '30s' });
      expect(errorOf(waited).error).toMatchObject(missing);
      expect(errorOf(await adapter.cancel(odd)).error).toMatchObject(missing);
    },
  );

  test('is not looked up when the credential is missing', async () => {
    for (const odd of ['%00', '%ff', 'x', randomUUID()])
      expect([401, 404]).toContain((await anonymous.get(odd)).status);
  });
});

describe('the wait parameter', () => {
  test.each([
    '',
    '0s',
    '30',
    's',
    '1.5s',
    '-1s',
    '+1s',
    '1s1s',
    '1d',
    '1S',
    ' 1s',
    '1s ',
    '500ms',
    '\0',
    '1s\0',
    '１s',
    'true',
  ])('is refused as %j', async (wait) => {
    expect(pointersOf(await adapter.get(id, { wait }))).toEqual(['/query/wait']);
  });

  test.each([
    'wait=1s&wait=1s',
    'wait=%00',
    'wait=%ff',
    'wait=%',
    'wait',
    'wait[]=1s',
    '__proto__=1',
    '%00=1',
    '&&&=',
    `x=${'y'.repeat(8_000)}`,
  ])('never breaks the call: ?%.60s', async (query) => {
    const answer = await adapter.raw('GET', `/api/aap/v1/requests/${id}?${query}`);
    expect([200, 400]).toContain(answer.status);
  });
});

describe('an unusual call', () => {
  test.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH'])(
    'with the method %s is refused',
    async (method) => {
      for (const path of ['/api/aap/v1/requests', `/api/aap/v1/requests/${id}`]) {
        const answer = errorOf(await adapter.raw(method, path));
        expect(answer.status).toBe(405);
        expect(answer.headers.allow).toMatch(path.endsWith('requests') ? /POST/ : /DELETE.*GET/);
      }
    },
  );

  test('with the wrong method for the path is 405', async () => {
    expect(errorOf(await adapter.raw('PATCH', '/api/aap/v1/requests')).status).toBe(405);
    expect(errorOf(await adapter.raw('PUT', '/api/aap/v1/requests')).status).toBe(405);
    expect(errorOf(await adapter.raw('POST', `/api/aap/v1/requests/${randomUUID()}`)).status).toBe(
      405,
    );
  });

  test.each([
    '/api/nowhere',
    '/api',
    '/api/aap',
    '/api/aap/v1',
    '/api/aap/v1/',
    '/api/aap/v2/requests',
    '/api/AAP/V1/REQUESTS',
    '/api/aap/v1/requests/',
    '/api/aap//v1/requests',
    '/api/aap/v1/%72equests/x/y',
    '/api/%',
    '/api/%ff',
    '/api/%00',
    '/api/../api/etc/passwd',
    '/api/?%ff',
    `/api/${'a/'.repeat(4_000)}`,
  ])('at the path %.60s is 404', async (path) => {
    expect(errorOf(await adapter.raw('GET', path)).error.code).toBe('not_found');
  });

  test.each([
    ['no HTTP', 'garbage\r\n\r\n'],
    ['an unknown method', 'FOO /api/aap/v1/requests HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an endless line', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['huge headers', `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['no Host', 'GET /health/live HTTP/1.1\r\n\r\n'],
    [
      'an unknown Expect',
      'POST /nowhere HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 0\r\n\r\n',
    ],
    [
      'a bad length',
      'POST /api/aap/v1/requests HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n',
    ],
    [
      'two lengths',
      'POST /api/aap/v1/requests HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a broken chunk',
      'POST /api/aap/v1/requests HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n'],
  ])('that is malformed HTTP gets the envelope: %s', async (_name, call) => {
    const answer = await sendBytes(app.url, call);
    expect(answer).toMatch(/^HTTP\/1\.1 4[0-9][0-9] /);
    const requestId = /\r\nx-request-id: ([^\r]+)/i.exec(answer)?.[1];
    expect(requestId).toBeDefined();
    const envelope = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as {
      error: Record<string, unknown>;
    };
    expect(envelope.error).toMatchObject({ request_id: requestId });
    expect(envelope.error['type']).toBe(
      answer.startsWith('HTTP/1.1 404') ? 'not_found' : 'invalid_request',
    );
  });
});

/** The header, if the call has one. */
const sent = (requestId?: string) => (requestId === undefined ? {} : { requestId });

/**
 * One call for each outcome. The strict adapter compares the id sent, the id received and
 * error.request_id.
 */
const calls: readonly [
  string,
  number,
  (requestId?: string) => Promise<{ status: number; requestId: string }>,
][] = [
  ['a create', 201, (requestId) => adapter.create(submission(), sent(requestId))],
  ['a read', 200, (requestId) => adapter.get(id, sent(requestId))],
  ['a bad body', 400, (requestId) => adapter.create('{', sent(requestId))],
  [
    'a missing key',
    400,
    (requestId) => adapter.create('{}', { idempotencyKey: null, ...sent(requestId) }),
  ],
  ['a bad wait', 400, (requestId) => adapter.get(id, { wait: 'x', ...sent(requestId) })],
  ['no credential', 401, (requestId) => anonymous.get(id, sent(requestId))],
  ['an unknown request', 404, (requestId) => adapter.get(randomUUID(), sent(requestId))],
  ['a malformed id', 404, (requestId) => adapter.cancel('%ff', sent(requestId))],
  ['an unknown route', 404, (requestId) => adapter.raw('GET', '/api/nowhere', sent(requestId))],
  ['an undecodable route', 404, (requestId) => adapter.raw('GET', '/api/%ff/%', sent(requestId))],
  [
    'a wrong method',
    405,
    (requestId) => adapter.raw('PUT', '/api/aap/v1/requests', sent(requestId)),
  ],
  [
    'a body too large',
    413,
    (requestId) =>
      adapter.create(submissionOfSize(1024 * 1024 + 1), {
        ...sent(requestId),
      }),
  ],
  [
    'a wrong type',
    415,
    (requestId) =>
      adapter.create(submission(), {
        headers: { 'Content-Type': 'text/plain' },
        ...sent(requestId),
      }),
  ],
  ['a health check', 200, (requestId) => adapter.raw('GET', '/health/live', sent(requestId))],
];

describe('X-Request-ID', () => {
  test.each(calls)('is a new UUID on %s (%i) without one', async (_name, status, call) => {
    const [one, two] = [await call(), await call()];
    expect([one.status, two.status]).toEqual([status, status]);
    expect(one.requestId).not.toBe(two.requestId);
  });

  test.each(calls)('is adopted on %s (%i)', async (_name, status, call) => {
    const answer = await call('trace 17/u');
    expect([answer.status, answer.requestId]).toEqual([status, 'trace 17/u']);
  });

  test.each(['a', '~!@#$%^&*()_+{}|:"<>?', 'x'.repeat(128)])(
    'is adopted as %.40s',
    async (requestId) => {
      expect((await adapter.get(id, { requestId })).requestId).toBe(requestId);
    },
  );

  test.each(calls)(
    'is replaced by a UUID on %s (%i) when it is unusable',
    async (_name, status, call) => {
      expect((await call('x'.repeat(129))).status).toBe(status);
    },
  );

  test.each(['', 'tr\u00e4ce', 'a\tb'])(
    'is replaced by a UUID in place of %j',
    async (requestId) => {
      expect((await adapter.get(id, { requestId })).status).toBe(200);
    },
  );

  test('is on an answer without a body', async () => {
    const ended = await agent();
    const path = `/api/v1/agent-credentials/${ended.credentialId}`;
    const answer = await owner.http.delete(path, {
      headers: { 'X-Request-ID': 'no body' },
    });
    expect([answer.status, answer.headers['x-request-id']]).toEqual([204, 'no body']);
    expect((await owner.http.delete(path)).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});
