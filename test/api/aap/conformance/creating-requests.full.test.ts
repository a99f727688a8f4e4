/** Lines 1 to 16: creating a request. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import {
  ask,
  CALL,
  codeOf,
  decisionOf,
  describeLines,
  idOf,
  timeOf,
  type BrokenReplies,
  type Line,
} from './provider.ts';

const post = (spoil: BrokenReplies['spoil']): Line['broken'] => ({ method: 'POST', spoil });
const accepted = post((reply) => {
  if (reply.status >= 400) reply.status = 201;
});

const refused =
  (...bodies: readonly unknown[]): Line['check'] =>
  async (provider) => {
    for (const body of bodies) expect((await ask(provider, { body })).status).toBe(400);
  };

await describeLines([
  {
    line: 1,
    must: 'a new request is 201 with the submitted call, pending',
    check: async (provider) => {
      const { status, body } = await ask(provider);
      expect(status).toBe(201);
      expect(body).toMatchObject({ ...CALL, status: 'pending' });
      expect(body['decision']).toBeUndefined();
    },
    broken: post((reply) => (reply.body['tool'] = 'other')),
  },
  {
    line: 2,
    must: 'an Idempotency-Key is required',
    check: async ({ call }) => {
      expect((await call('POST', '/v1/requests', { body: CALL })).status).toBe(400);
      expect((await call('POST', '/v1/requests', { body: CALL, key: '' })).status).toBe(400);
    },
    broken: accepted,
  },
  {
    line: 3,
    must: 'the same key and fields return the existing request with 200',
    check: async (provider) => {
      const key = randomUUID();
      const [first, again] = [await ask(provider, { key }), await ask(provider, { key })];
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body).toEqual(first.body);
    },
    broken: post((reply) => (reply.body['id'] = randomUUID())),
  },
  {
    line: 4,
    must: 'white space and key order do not change the request',
    check: async (provider) => {
      const key = randomUUID();
      await ask(provider, { key });
      const body = '{ "timeout":"1h",  "arguments":{"amount":4900}, "tool":"issue_refund" }';
      expect((await ask(provider, { key, body })).status).toBe(200);
    },
    broken: post((reply) => {
      if (reply.status === 200) reply.status = 409;
    }),
  },
  {
    line: 5,
    must: 'the same key with other fields is 409 idempotency_conflict, and changes nothing',
    check: async (provider) => {
      const key = randomUUID();
      const first = await ask(provider, { key });
      const other = await ask(provider, { key, body: { ...CALL, tool: 'other' } });
      expect(codeOf(other)).toEqual([409, 'idempotency_conflict']);
      const read = await provider.call('GET', `/v1/requests/${idOf(first)}`);
      expect(read.body).toEqual(first.body);
    },
    broken: post((reply) => {
      if (reply.status === 409) reply.body = { error: { code: 'conflict' } };
    }),
  },
  {
    line: 6,
    must: 'keys belong to the instance',
    check: async (provider) => {
      const key = randomUUID();
      const [mine, theirs] = [
        await ask(provider, { key }),
        await ask(provider, { key, as: 'other' }),
      ];
      expect(theirs.status).toBe(201);
      expect(idOf(theirs)).not.toBe(idOf(mine));
    },
    broken: post((reply) => (reply.body['id'] = 'one')),
  },
  {
    line: 7,
    must: 'unknown fields are refused',
    check: refused(
      { ...CALL, surprise: 1 },
      { ...CALL, delivery: {} },
      { ...CALL, instance_id: 'x' },
    ),
    broken: accepted,
  },
  {
    line: 8,
    must: 'tool, arguments and timeout are required',
    check: refused(
      { ...CALL, tool: undefined },
      { ...CALL, arguments: undefined },
      { ...CALL, timeout: undefined },
    ),
    broken: accepted,
  },
  {
    line: 9,
    must: 'fields have the types of the contract',
    check: refused(
      { ...CALL, tool: '' },
      { ...CALL, arguments: [] },
      { ...CALL, agent_reasoning: {} },
      { ...CALL, context: 'x' },
      { ...CALL, context: null },
    ),
    broken: accepted,
  },
  {
    line: 10,
    must: 'a duration is a positive whole number of s, m or h',
    check: refused(
      ...['0s', '1.5h', '-1m', '1d', '01m', 'PT1H', '1h30m', ' 1h', 30].map((timeout) => ({
        ...CALL,
        timeout,
      })),
    ),
    broken: accepted,
  },
  {
    line: 11,
    must: 'arguments and context keep their spelling and types',
    check: async (provider) => {
      const context = { SessionId: 'a', nested: { 'x-Y': [1, null, true] } };
      const body = { ...CALL, arguments: { camelCase: 1, snake_case: '1', deep: [{}] }, context };
      expect((await ask(provider, { body })).body).toMatchObject(body);
    },
    broken: post((reply) => (reply.body['arguments'] = { camel_case: 1 })),
  },
  {
    line: 12,
    must: 'timeout is returned as sent, and the deadline is not later',
    check: async (provider) => {
      const { body } = await ask(provider, { body: { ...CALL, timeout: '90m' } });
      expect(body['timeout']).toBe('90m');
      const window = timeOf(body['deadline_at']) - timeOf(body['created_at']);
      expect(window).toBeGreaterThan(0);
      expect(window).toBeLessThanOrEqual(90 * 60_000);
    },
    broken: post((reply) => (reply.body['deadline_at'] = '2999-01-01T00:00:00Z')),
  },
  {
    line: 13,
    must: 'a window beyond the limits of the provider is shortened',
    only: '/aap',
    check: async (provider) => {
      const { status, body } = await ask(provider, { body: { ...CALL, timeout: '5000h' } });
      expect([status, body['timeout']]).toEqual([201, '5000h']);
    },
    broken: post((reply) => (reply.body['timeout'] = '168h')),
  },
  {
    line: 14,
    must: 'a response has no field that the contract does not name',
    check: async (provider) => {
      const names = ['id', 'tool', 'arguments', 'timeout', 'agent_reasoning', 'context'];
      const all = [...names, 'status', 'created_at', 'deadline_at', 'decision'];
      const { body } = await ask(provider);
      expect(Object.keys(body).filter((name) => !all.includes(name))).toEqual([]);
    },
    broken: post((reply) => (reply.body['server'] = null)),
  },
  {
    line: 15,
    must: 'ids are UUIDs and times UTC',
    check: async (provider) => {
      const { body } = await ask(provider);
      expect(body['id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      for (const name of ['created_at', 'deadline_at'])
        expect(body[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    },
    broken: post((reply) => (reply.body['created_at'] = '2026-11-26T06:00:00+01:00')),
  },
  {
    line: 16,
    must: 'a decision at creation is in the response, with its status',
    check: async (provider) => {
      const made = await ask(provider, { as: 'free' });
      expect([made.status, made.body['status']]).toEqual([201, 'approved']);
      const { status, decided_at: at, expires_at: until } = decisionOf(made);
      expect(status).toBe('approved');
      expect(timeOf(until)).toBeGreaterThan(timeOf(at));
    },
    broken: post((reply) => delete reply.body['decision']),
  },
]);
