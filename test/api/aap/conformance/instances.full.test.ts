/** Lines 33 to 45: credentials, instances, errors. Lines from 46 are about delivery. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { ApiResponse, Json } from '../../../support/http.ts';
import {
  ask,
  CALL,
  codeOf,
  describeLines,
  idOf,
  type BrokenReplies,
  type Line,
  type Provider,
} from './provider.ts';

type Spoil = BrokenReplies['spoil'];
const when = (method: string, spoil: Spoil): Line['broken'] => ({ method, spoil });

interface Made {
  readonly answer: ApiResponse;
  readonly id: string;
  readonly token: string;
  readonly key: string;
}

const instanceOf = ({ body }: ApiResponse) =>
  (body['instance'] ?? body['agent_instance']) as unknown as Json;
const at = (id: string) => `/v1/instances/${id}`;

async function make({ call }: Provider, name?: string, key: string = randomUUID()): Promise<Made> {
  const answer = await call('POST', '/v1/instances', { key, body: { instance_name: name } });
  const token = String(answer.body['credential']?.['token']);
  return { answer, id: String(instanceOf(answer)?.['id']), token, key };
}

const rename = async ({ call }: Provider, id: string, [name, key = randomUUID()]: string[]) =>
  await call('PATCH', at(id), { key, body: { instance_name: name } });

await describeLines([
  {
    line: 33,
    must: 'a credential that is missing or unknown is 401',
    check: async (provider) => {
      const id = randomUUID();
      for (const as of [null, { token: 'whc_unknown' }]) {
        expect((await provider.call('GET', `/v1/requests/${id}`, { as })).status).toBe(401);
        expect((await provider.call('GET', at(id), { as })).status).toBe(401);
      }
    },
    broken: when('GET', (reply) => (reply.status = 404)),
  },
  {
    line: 34,
    must: 'a provisioner token makes no approval request',
    check: async (provider) => {
      const { status } = await provider.call('POST', '/v1/requests', {
        as: 'provisioner',
        key: randomUUID(),
        body: CALL,
      });
      expect(status).toBe(403);
    },
    broken: when('POST', (reply) => (reply.status = 201)),
  },
  {
    line: 35,
    must: 'an instance credential manages no instance',
    check: async ({ call }) => {
      const body = { instance_name: randomUUID() };
      const options = { as: 'instance', key: randomUUID() } as const;
      for (const [method, path] of [
        ['POST', '/v1/instances'],
        ['PATCH', at(randomUUID())],
        ['GET', at(randomUUID())],
        ['DELETE', at(randomUUID())],
      ] as const)
        expect(
          (await call(method, path, { ...options, ...(/^P/.test(method) && { body }) })).status,
        ).toBe(403);
    },
    broken: when('PATCH', (reply) => (reply.status = 404)),
  },
  {
    line: 36,
    must: 'a new instance is 201 with its identity and a credential bound to it',
    check: async (provider) => {
      const name = randomUUID();
      const made = await make(provider, name);
      expect([made.answer.status, instanceOf(made.answer)['name']]).toEqual([201, name]);
      const asked = await ask(provider, { as: { token: made.token } });
      expect(asked.status).toBe(201);
      const foreign = await provider.call('GET', `/v1/requests/${idOf(asked)}`);
      expect(foreign.status).toBe(404);
    },
    broken: when('POST', (reply) => delete reply.body['credential']),
  },
  {
    line: 37,
    must: 'the same key and input return the same instance and credential with 200',
    check: async (provider) => {
      const one = await make(provider);
      const two = await make(provider, undefined, one.key);
      expect([two.answer.status, two.answer.body]).toEqual([200, one.answer.body]);
    },
    broken: when('POST', (reply) => (reply.body['credential'] = { token: randomUUID() })),
  },
  {
    line: 38,
    must: 'the same key with other input is 409 idempotency_conflict',
    check: async (provider) => {
      const { key } = await make(provider);
      const other = await make(provider, randomUUID(), key);
      expect(codeOf(other.answer)).toEqual([409, 'idempotency_conflict']);
    },
    broken: when('POST', (reply) => (reply.status = 200)),
  },
  {
    line: 39,
    must: 'a key and a body are required, and unknown fields refused',
    only: '/aap',
    check: async ({ call }) => {
      const key = randomUUID();
      expect((await call('POST', '/v1/instances', { body: {} })).status).toBe(400);
      expect((await call('POST', '/v1/instances', { key })).status).toBe(400);
      expect((await call('POST', '/v1/instances', { key, body: { metadata: {} } })).status).toBe(
        400,
      );
      const empty = { key, body: {} };
      expect((await call('PATCH', at(randomUUID()), empty)).status).toBe(400);
      const made = await call('POST', '/v1/instances', empty);
      expect(Object.keys(made.body).sort()).toEqual(['credential', 'instance']);
      expect(Object.keys(made.body['instance'] ?? {}).sort()).toEqual(['id', 'name']);
    },
    broken: when('POST', (reply) => (reply.body['agent'] = 'bot')),
  },
  {
    line: 40,
    must: 'a read returns the instance, and no credential',
    check: async (provider) => {
      const made = await make(provider);
      const read = await provider.call('GET', at(made.id));
      expect([read.status, read.body]).toEqual([200, instanceOf(made.answer)]);
      expect(read.text).not.toContain(made.token);
    },
    broken: when('GET', (reply) => (reply.body['credential'] = {})),
  },
  {
    line: 41,
    must: 'a replayed update returns its first response, and does not overwrite a later one',
    check: async (provider) => {
      const { id } = await make(provider);
      const [one, two, key] = [randomUUID(), randomUUID(), randomUUID()];
      const first = await rename(provider, id, [one, key]);
      expect([first.status, first.body['name']]).toEqual([200, one]);
      await rename(provider, id, [two]);
      expect((await rename(provider, id, [one, key])).body).toEqual(first.body);
      expect((await provider.call('GET', at(id))).body['name']).toBe(two);
      expect(codeOf(await rename(provider, id, [two, key]))).toEqual([409, 'idempotency_conflict']);
    },
    broken: when('PATCH', (reply) => (reply.body['name'] = randomUUID())),
  },
  {
    line: 42,
    must: 'deleting ends credentials and pending requests, and keeps outcomes',
    check: async (provider) => {
      const { id, token } = await make(provider);
      const open = await ask(provider, { as: { token } });
      const waiting = provider.call('GET', `/v1/requests/${idOf(open)}?wait=30s`, {
        as: { token },
      });
      expect((await provider.call('DELETE', at(id))).status).toBe(204);
      // The credential of the wait has ended, too.
      expect([200, 401]).toContain((await waiting).status);
      const read = await provider.call('GET', `/v1/requests/${idOf(open)}`, { as: { token } });
      expect(read.status).toBe(401);
      expect((await ask(provider, { as: { token } })).status).toBe(401);
    },
    broken: when('DELETE', (reply) => (reply.status = 200)),
  },
  {
    line: 43,
    must: 'deleting is repeated with 204, and nothing brings the instance back',
    check: async (provider) => {
      const { id, key } = await make(provider);
      const update = [randomUUID(), randomUUID()];
      await rename(provider, id, update);
      for (let repeat = 0; repeat < 2; repeat += 1)
        expect((await provider.call('DELETE', at(id))).status).toBe(204);
      expect((await provider.call('GET', at(id))).status).toBe(404);
      expect((await rename(provider, id, update)).status).toBe(404);
      const replay = await make(provider, undefined, key);
      expect(codeOf(replay.answer)).toEqual([409, 'instance_deleted']);
      expect((await provider.call('DELETE', at(randomUUID()))).status).toBe(404);
    },
    broken: when('PATCH', (reply) => (reply.status = 200)),
  },
  {
    line: 44,
    must: 'an error has exactly the members of the contract, and a type that fits its status',
    only: '/aap',
    check: async (provider) => {
      const types: Readonly<Record<number, string>> = {
        400: 'invalid_request',
        401: 'authentication',
        403: 'authorization',
        404: 'not_found',
        409: 'conflict',
      };
      const key = randomUUID();
      await ask(provider, { key });
      for (const answer of [
        await ask(provider, { body: { ...CALL, timeout: 'soon' } }),
        await ask(provider, { body: '{' }),
        await ask(provider, { body: { ...CALL, arguments: { x: 'x'.repeat(1_048_576) } } }),
        await ask(provider, { key, body: { ...CALL, tool: 'other' } }),
        await provider.call('GET', at(randomUUID()), { as: null }),
        await provider.call('GET', at(randomUUID()), { as: 'instance' }),
        await provider.call('GET', at(randomUUID())),
        await provider.call('PUT', '/v1/requests'),
        await provider.call('GET', '/v1/nothing'),
      ]) {
        const {
          code,
          message,
          param,
          request_id: id,
          type,
          ...others
        } = answer.body['error'] as unknown as Json;
        expect([types[answer.status], others]).toEqual([type, {}]);
        expect(code).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
        expect(message).toMatch(/\S/);
        expect(param ?? 'absent').toMatch(/\S/);
        expect(id).toBe(answer.headers['x-request-id']);
      }
    },
    broken: when('POST', (reply) => {
      if (reply.status >= 400) (reply.body['error'] as Record<string, unknown>)['details'] = {};
    }),
  },
  {
    line: 45,
    must: 'every response has a UUID as X-Request-ID',
    only: '/aap',
    check: async (provider) => {
      const { id } = await make(provider);
      for (const answer of [
        await ask(provider),
        await provider.call('GET', at(id), { requestId: 'mine' }),
        await provider.call('DELETE', at(id)),
        await provider.call('GET', '/v1/nothing'),
      ])
        expect(answer.headers['x-request-id']).toMatch(
          /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
        );
    },
    broken: when('DELETE', (reply) => delete reply.headers['x-request-id']),
  },
]);
