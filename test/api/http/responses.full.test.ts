/** What every answer has, at any endpoint: declared codes, headers of refusals, log lines. */
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Server } from 'node:http';
import { z } from 'zod';
import { defineEndpoint, type Reply } from '../../../api/http/endpoint.ts';
import { createHttpServer } from '../../../api/http/server.ts';
import { AppError, type ErrorCode } from '../../../src/domain/errors.ts';
import { TOKEN_PREFIX } from '../../../src/domain/tokens.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { LongList } from '../../../src/platform/long-list.ts';
import { appForFile } from '../../support/scene.ts';
import { createMember, createOrganization } from '../../support/scene/factories.ts';
import { HttpClient } from '../../support/http.ts';
import { idOf, secretOf } from '../../support/tokens.ts';
import { until } from '../../support/waiting.ts';

const app = await appForFile({ environment: { LOG_LEVEL: 'debug' } });

/** The log lines of this call alone. */
async function linesOf(call: () => Promise<unknown>): Promise<{ level: string; msg: string }[]> {
  const before = app.log.length;
  await call();
  return app.log.slice(before).map((line) => JSON.parse(line) as { level: string; msg: string });
}

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** A server with one endpoint, which declares `claim_held` and a list of numbers. */
async function serveHandler(
  handler: () => Promise<Reply>,
  strictResponses: boolean,
): Promise<HttpClient> {
  const endpoint = defineEndpoint({
    operationId: 'tryIt',
    method: 'get',
    path: '/api/try',
    tag: 'Test',
    summary: 'Try',
    auth: 'none',
    success: {
      status: 200,
      description: 'It did.',
      body: z.strictObject({ numbers: z.array(z.number()), count: z.number() }),
    },
    errors: ['claim_held'],
    handler,
  });
  const server = createHttpServer(app.context, {
    endpoints: [endpoint],
    strictResponses,
    trustedProxies: [],
    publicUrlConfigured: false,
    probes: {},
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return new HttpClient(`http://127.0.0.1:${typeof address === 'object' && address?.port}`);
}

describe('an error code', () => {
  const serve = (code: ErrorCode, strictResponses: boolean) =>
    serveHandler(() => Promise.reject(new AppError(code)), strictResponses);

  test('that is declared, or implied by the kind of endpoint, is answered', async () => {
    for (const code of ['claim_held', 'validation_failed', 'dependency_unavailable'] as const)
      expect((await (await serve(code, true)).get('/api/try')).body['error']?.['code']).toBe(code);
  });

  test('that is not declared fails the call in tests and development', async () => {
    const client = await serve('mfa_required', true);
    expect(await client.get('/api/try')).toMatchObject({
      status: 500,
      body: { error: { code: 'internal_error' } },
    });
  });

  test('that is not declared is answered and logged in production', async () => {
    const client = await serve('mfa_required', false);
    const lines = await linesOf(async () => {
      expect((await client.get('/api/try')).status).toBe(403);
    });
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        operationId: 'tryIt',
        undeclaredError: 'mfa_required',
        msg: 'a response differs from its declaration',
      }),
    );
  });
});

describe('a list that is read while it is sent', () => {
  async function* batches(...given: (readonly unknown[] | Error)[]) {
    for (const batch of given) {
      await Promise.resolve();
      if (batch instanceof Error) throw batch;
      yield batch;
    }
  }
  const serve = (
    [first, ...rest]: readonly [readonly unknown[], ...(readonly unknown[] | Error)[]],
    strictResponses = true,
  ) => {
    const body = () => ({
      numbers: new LongList(first, rest.length === 0 ? undefined : batches(...rest)),
      count: 3,
    });
    return serveHandler(() => Promise.resolve({ body: body() }), strictResponses);
  };

  test('has all items, also where batches are empty', async () => {
    for (const given of [[[1, 2, 3]], [[], [1], [], [2, 3]], [[1], [2], [3], []]] as const) {
      const client = await serve(given);
      expect(await client.get('/api/try')).toMatchObject({
        status: 200,
        text: '{"numbers":[1,2,3],"count":3}',
      });
      expect(await client.call('HEAD', '/api/try')).toMatchObject({ status: 200, text: '' });
    }
  });

  test('names its length if it is one batch', async () => {
    const one = await (await serve([[1, 2, 3]])).get('/api/try');
    expect(one.headers['content-length']).toBe(String(one.text.length));
    const two = await (await serve([[1, 2], [3]])).get('/api/try');
    expect(two.headers['content-length']).toBeUndefined();
  });

  test('waits for its reader with fifteen others of the same caller at most', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    async function* rest() {
      await gate;
      yield [2];
    }
    const client = await serveHandler(
      () => Promise.resolve({ body: { numbers: new LongList([1], rest()), count: 2 } }),
      true,
    );
    const calls = Array.from({ length: 20 }, () => client.get('/api/try'));
    let answered = 0;
    for (const call of calls) void call.then(() => (answered += 1));
    await until('4 of 20 calls are refused', () => answered === 4);
    open();
    const answers = await Promise.all(calls);
    const [refused, complete] = [429, 200].map((status) =>
      answers.filter((answer) => answer.status === status),
    );
    expect(refused?.map(({ body }) => body['error']?.['code'])).toEqual(
      Array(4).fill('rate_limited'),
    );
    expect(complete?.map(({ text }) => text)).toEqual(
      Array(16).fill('{"numbers":[1,2],"count":2}'),
    );
    expect((await client.get('/api/try')).status).toBe(200);
  });

  test('ends without its end where a batch cannot be read, and says so in the log', async () => {
    const client = await serve([[1], [2], new Error('the database is away')]);
    const lines = await linesOf(() => expect(client.get('/api/try')).rejects.toThrow());
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'a response could not be sent' }),
    );
  });

  test('is checked: a difference ends it in tests and development', async () => {
    const client = await serve([[1], [2], ['three']]);
    await expect(client.get('/api/try')).rejects.toThrow();
  });

  test('is checked: a difference is answered and logged in production', async () => {
    const client = await serve([[1], [2], ['three']], false);
    const lines = await linesOf(async () => {
      expect((await client.get('/api/try')).body['numbers']).toEqual([1, 2, 'three']);
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'a response differs from its declaration' }),
    );
  });
});

test('a 401 names the authentication scheme of the endpoint', async () => {
  for (const path of ['/api/v1/me', '/api/aap/v1/requests/00000000-0000-7000-8000-000000000000']) {
    const answer = await app.http.get(path);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  }
  const login = await app.http.post('/auth/login', { email: 'a@example.com', password: 'wrong' });
  expect([login.status, login.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  expect((await app.http.get('/nothing')).headers['www-authenticate']).toBeUndefined();
});

test('what a deployment does not offer is answered without an error line', async () => {
  const { owner } = await createOrganization(app);
  const lines = await linesOf(async () => {
    const answer = await owner.browser.post('/api/v1/me/mfa/totp');
    expect(answer.status).toBe(501);
  });
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  expect(lines.map(({ msg }) => msg)).toContain('call');
});

test('health probes log at debug level, whether they succeed or fail', async () => {
  const lines = await linesOf(async () => {
    expect((await app.http.get('/health/live')).status).toBe(200);
    // This app has no Temporal server.
    expect((await app.http.get('/health/ready')).status).toBe(503);
  });
  const calls = lines.filter(({ msg }) => msg === 'call');
  expect(calls.map(({ level }) => level)).toEqual(['debug', 'debug']);
});

test('each call is logged without the tokens in its path, for any method and outcome', async () => {
  for (const prefix of Object.values(TOKEN_PREFIX)) {
    const { token } = issueToken(prefix);
    for (const path of [
      `/auth/invitations/${token}`,
      `/auth/password/reset/${token}`,
      `/${token}/x`,
    ]) {
      const before = app.log.length;
      await Promise.all([app.http.get(path), app.http.post(path, {}), app.http.delete(path)]);
      const lines = app.log.slice(before).filter((line) => line.includes('[secret]'));
      expect(lines).toHaveLength(3);
      expect(app.log.slice(before).join('')).not.toContain(idOf(token));
      expect(app.log.slice(before).join('')).not.toContain(secretOf(token));
    }
  }
});

describe('a path with a name in place of an id', () => {
  test.each(['options', 'verify'])('takes no other method: /api_keys/%s', async (name) => {
    const { owner } = await createOrganization(app);
    for (const method of ['DELETE', 'POST', 'PUT']) {
      const answer = await owner.browser.call(method, `/api/v1/api_keys/${name}`);
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
    }
  });

  test('leaves the ids beside it as they are', async () => {
    const { id } = await createOrganization(app);
    const member = await createMember(app, id, {
      policies: [{ scope_kind: 'organization', permissions: ['api_key.revoke'] }],
    });
    const path = `/api/v1/api_keys/${member.apiKeyId}`;
    expect((await member.browser.delete(path)).status).toBe(204);
    const patched = await member.browser.call('PATCH', path);
    expect([patched.status, patched.headers['allow']]).toEqual([405, 'DELETE, GET, HEAD']);
  });
});
