/** What an adapter does while a rule is broken. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { errorOf, requestOf, type Adapter } from '../adapter.ts';
import type { BrokenServer } from '../servers/broken-server.ts';

export type Scenario = (adapter: Adapter, server: BrokenServer) => Promise<void>;

const ARGUMENTS = String.raw`{ "z": 9007199254740993, "a": [1.0, 1e400, -0, {"__proto__": "\u0000"}], "amount": 1.50 }`;
const REASONING = String.raw`"charged \u0074wice\u0000"`;
export const full = (args = ARGUMENTS): string =>
  `{"tool":"hold","server":"payments","arguments":${args},"timeout":"30m","agent_reasoning":${REASONING},"context":{"call":7.0}}`;
export const plain = (tool: string): string => `{"tool":"${tool}","arguments":{},"timeout":"1h"}`;

/** Everything that an adapter may meet in the life of its requests. */
export const tour: Scenario = async (adapter, server) => {
  const [idempotencyKey, otherKey] = [randomUUID(), randomUUID()];
  const { id } = requestOf(await adapter.create(full(), { idempotencyKey, requestId: 'trace 1' }));
  requestOf(await adapter.get(id));
  requestOf(await adapter.create(full(ARGUMENTS.replace('1.50', '15e-1')), { idempotencyKey }));
  expect(errorOf(await adapter.create(full('{}'), { idempotencyKey })).error.code).toBe(
    'idempotency_conflict',
  );
  const [held] = await Promise.all([adapter.get(id, { wait: '20s' }), adapter.cancel(id)]);
  expect(requestOf(held).status).toBe('cancelled');
  requestOf(await adapter.cancel(id));
  requestOf(await adapter.get(id));
  requestOf(await adapter.create(full(), { idempotencyKey }));

  const approved = requestOf(await adapter.create(plain('approve'), { idempotencyKey: otherKey }));
  requestOf(await adapter.get(approved.id));
  expect(errorOf(await adapter.cancel(approved.id)).error.code).toBe('already_terminal');
  requestOf(await adapter.create(plain('deny')));
  requestOf(await adapter.get(requestOf(await adapter.create(plain('expire'))).id));

  const decided = requestOf(await adapter.create(plain('hold')));
  const decide = async (): Promise<void> => {
    await adapter.get(decided.id);
    server.decide(decided.id, 'approved');
  };
  const [waited] = await Promise.all([adapter.get(decided.id, { wait: '20s' }), decide()]);
  expect(requestOf(waited).status).toBe('approved');

  expect(errorOf(await adapter.get(randomUUID())).status).toBe(404);
  expect(errorOf(await adapter.raw('GET', '/nowhere')).status).toBe(404);
  expect(errorOf(await adapter.create('{"a":1,"a":2}')).status).toBe(400);
  expect(errorOf(await adapter.create(plain(''))).error.details).toHaveProperty('issues');
  expect(errorOf(await adapter.create(plain('quota'))).headers['retry-after']).toBe('30');
  expect(errorOf(await adapter.create(plain('away'))).status).toBe(503);
};

export const wait: Scenario = async (adapter) => {
  const { id } = requestOf(await adapter.create(plain('hold')));
  expect(requestOf(await adapter.get(id, { wait: '1s' })).status).toBe('pending');
};
