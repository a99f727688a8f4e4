/** What differs at `/aap/v1`: its bodies, its errors and its request ids. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HttpClient } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { createInstance, createProvisioner } from '../../support/scene/factories.ts';

const { app, organization, owner, agents } = await scene({ pipelines: { bot: {} } });
const bot = new HttpClient(app.url, { authorization: `Bearer ${agents.bot.credential}` });
const { token } = await createProvisioner(app, organization, agents.bot.slug);
const fleet = new HttpClient(app.url, { authorization: `Bearer ${token}` });

const ask = { tool: 'issue_refund', arguments: { amount: 4900 }, timeout: '1h' };
const key = () => ({ headers: { 'idempotency-key': randomUUID() } });
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('an approval request', () => {
  test('has no server, in or out', async () => {
    const refused = await bot.post('/aap/v1/requests', { ...ask, server: 'billing' }, key());
    expect([refused.status, refused.body['error']]).toEqual([
      400,
      {
        type: 'invalid_request',
        code: 'validation_failed',
        message: 'server: is not a known field.',
        param: 'server',
        request_id: refused.headers['x-request-id'],
      },
    ]);
    const { body } = await bot.post('/api/aap/v1/requests', { ...ask, server: 'billing' }, key());
    const read = await bot.get(`/aap/v1/requests/${String(body['id'])}`);
    expect(Object.keys(read.body)).toEqual([
      'id',
      'tool',
      'arguments',
      'timeout',
      'status',
      'created_at',
      'deadline_at',
    ]);
  });

  test('is the same on both mounts', async () => {
    const headers = key();
    const made = await bot.post('/aap/v1/requests', ask, headers);
    const again = await bot.post('/api/aap/v1/requests', ask, headers);
    expect([made.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(made.body);
    const gone = await bot.delete(`/aap/v1/requests/${String(made.body['id'])}`);
    expect([gone.status, gone.body['status']]).toEqual([200, 'cancelled']);
  });

  test('is that of its instance alone, also where the agent lets its instances share', async () => {
    const { credential } = await createInstance(app, organization, agents.bot.slug);
    const replica = new HttpClient(app.url, { authorization: `Bearer ${credential}` });
    const { body } = await bot.post('/aap/v1/requests', ask, key());
    const at = (mount: string) => `${mount}/v1/requests/${String(body['id'])}`;
    await owner.http.call('PATCH', `/api/v1/agents/${agents.bot.slug}`, {
      body: { resume: 'agent' },
    });
    expect((await replica.get(at('/api/aap'))).status).toBe(200);
    expect((await replica.get(at('/aap'))).status).toBe(404);
    expect((await replica.get(`${at('/aap')}?wait=1s`)).status).toBe(404);
    expect((await replica.delete(at('/aap'))).status).toBe(404);
    expect((await bot.get(at('/aap'))).body['status']).toBe('pending');
    expect((await replica.delete(at('/api/aap'))).status).toBe(200);
  });

  test.each(['169h', '200h', '999999999999999999999999h'])(
    'with the timeout %s keeps that text and waits 168 hours',
    async (timeout) => {
      const made = await bot.post('/aap/v1/requests', { ...ask, timeout }, key());
      expect([made.status, made.body['timeout']]).toEqual([201, timeout]);
      const [from, to] = [made.body['created_at'], made.body['deadline_at']].map((at) =>
        Date.parse(String(at)),
      );
      expect(Number(to) - Number(from)).toBe(168 * 3_600_000);
      const ours = await bot.get(`/api/aap/v1/requests/${String(made.body['id'])}`);
      expect(ours.body['timeout']).toBe(timeout);
      const refused = await bot.post('/api/aap/v1/requests', { ...ask, timeout }, key());
      expect(refused.status).toBe(400);
    },
  );
});

describe('an instance', () => {
  test('is answered with its name and its token, again under the same key', async () => {
    const headers = key();
    const made = await fleet.post('/aap/v1/instances', { instance_name: 'one' }, headers);
    expect([made.status, made.body]).toEqual([
      201,
      {
        instance: { id: expect.stringMatching(UUID), name: 'one' },
        credential: {
          token: expect.stringMatching(/^whc_/),
          expires_at: expect.stringMatching(/Z$/),
        },
      },
    ]);
    const again = await fleet.post('/aap/v1/instances', { instance_name: 'one' }, headers);
    expect([again.status, again.body]).toEqual([200, made.body]);
  });

  test.each([
    ['no key', {}, undefined, 'Idempotency-Key'],
    ['an empty key', {}, { headers: { 'idempotency-key': '' } }, 'Idempotency-Key'],
    ['no body', undefined, key(), undefined],
    ['metadata', { instance_metadata: {} }, key(), 'instance_metadata'],
    ['an empty name', { instance_name: '' }, key(), 'instance_name'],
    ['null for a name', { instance_name: null }, key(), 'instance_name'],
    ['a list', [], key(), undefined],
  ])('is refused with %s', async (_what, body, headers, param) => {
    const { status, body: answer } = await fleet.post('/aap/v1/instances', body, headers);
    expect([status, answer['error']?.['type'], answer['error']?.['param']]).toEqual([
      400,
      'invalid_request',
      param,
    ]);
  });
});

describe('an error', () => {
  test.each([
    ['GET', '/aap/v1/nothing'],
    ['GET', '/aap'],
    ['PUT', '/aap/v1/requests'],
    ['OPTIONS', '/aap/v1/instances'],
    ['GET', '/aap/v1/requests/no-id'],
  ])('of %s %s is a 404 in its envelope', async (method, path) => {
    const answer = await bot.call(method, path);
    expect([answer.status, answer.headers['content-type']]).toEqual([
      404,
      'application/json; charset=utf-8',
    ]);
    expect(answer.body['error']).toEqual({
      type: 'not_found',
      code: expect.stringMatching(/^(not_found|method_not_allowed)$/),
      message: expect.any(String),
      request_id: answer.headers['x-request-id'],
    });
  });

  test('of a body that is too large, or no JSON, is a 400', async () => {
    const large = { ...ask, arguments: { text: 'x'.repeat(1024 * 1024) } };
    const tooLarge = await bot.post('/aap/v1/requests', large, key());
    expect([tooLarge.status, tooLarge.body['error']?.['code']]).toEqual([400, 'payload_too_large']);
    const form = await bot.post('/aap/v1/requests', ask, {
      headers: { ...key().headers, 'content-type': 'text/plain' },
    });
    expect([form.status, form.body['error']?.['code']]).toEqual([400, 'unsupported_media_type']);
  });

  test.each([
    ['authorization', 'Basic eA=='],
    ['idempotency-key', ['a', 'b']],
  ])('before the endpoint, of the header %s, has no details', async (name, value) => {
    const answer = await bot.post('/aap/v1/requests', ask, {
      headers: { [name]: value as string },
    });
    expect(Object.keys(answer.body['error'] as unknown as object)).not.toContain('details');
    expect(answer.headers['x-request-id']).toMatch(UUID);
  });
});

describe('a request id', () => {
  test.each(['2f0a6b1c-1111-4222-8333-444455556666', '2F0A6B1C-1111-4222-8333-444455556666'])(
    '%s is adopted',
    async (id) => {
      for (const path of ['/aap/v1/requests/x', '/aap/v1/nothing'])
        expect(
          (await bot.get(path, { headers: { 'x-request-id': id } })).headers['x-request-id'],
        ).toBe(id);
    },
  );

  test.each(['mine', '{2f0a6b1c-1111-4222-8333-444455556666}', ''])(
    '%s is replaced by a UUID',
    async (id) => {
      for (const path of ['/aap/v1/requests/x', '/aap/v1/nothing', '/aap']) {
        const answer = await bot.get(path, { headers: { 'x-request-id': id } });
        expect(answer.headers['x-request-id']).toMatch(UUID);
        expect(answer.headers['x-request-id']).not.toBe(id);
      }
    },
  );
});
