/** One idempotency key makes one request, however often it is sent at once. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorOf, requestOf, type Adapter } from '../../../support/adapter.ts';
import { startProvider, type Provider } from './provider.ts';
import { submission } from './submissions.ts';

let provider: Provider;
let adapter: Adapter;

beforeAll(async () => {
  provider = await startProvider();
  ({ adapter } = await provider.instance());
});
afterAll(async () => {
  await provider.stop();
});

const times = <Result>(
  count: number,
  make: (index: number) => Promise<Result>,
): Promise<Result[]> => Promise.all(Array.from({ length: count }, (_, index) => make(index)));

describe('creates under one idempotency key', () => {
  test('make one request when fifty arrive at once: one 201, 49 times 200, one body', async () => {
    const idempotencyKey = randomUUID();
    const answers = await times(50, () => adapter.create(submission(), { idempotencyKey }));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('make one request when fifty arrive at once and a rule decides it', async () => {
    const ruled = await provider.instance({ outcome: 'approve', reason: 'fine' });
    const idempotencyKey = randomUUID();
    const answers = await times(50, () => ruled.adapter.create(submission(), { idempotencyKey }));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map((answer) => requestOf(answer).id)).size).toBe(1);
    const { id } = requestOf(answers[0] ?? (await ruled.adapter.get('')));
    expect(requestOf(await ruled.adapter.get(id, { wait: '10s' })).status).toBe('approved');
  });

  test('make one request when fifty with different bodies arrive at once: 200 for the same body, 409 for others', async () => {
    const idempotencyKey = randomUUID();
    const answers = await times(50, (index) =>
      adapter.create(submission({ arguments: `{"n":${String(index % 5)}}` }), { idempotencyKey }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(40);
  });

  const original = submission({
    arguments: String.raw`{"a":1,"b":[0,"A"],"c":1e400}`,
    more: '"server":"mail","agent_reasoning":"why","context":{"x":10}',
  });

  test.each([
    ['white space', original.replaceAll(',', ' ,\n').replaceAll(':', ' : ')],
    ['key order inside', original.replace('"a":1,"b":[0,"A"]', '"b":[0,"A"],"a":1')],
    [
      'key order outside',
      `{"context":{"x":10},${original.slice(1).replace(',"context":{"x":10}', '')}`,
    ],
    ['1.0 for 1', original.replace('"a":1', '"a":1.0')],
    ['1e0 for 1', original.replace('"a":1', '"a":1e0')],
    ['0.1E+1 for 1', original.replace('"a":1', '"a":0.1E+1')],
    ['-0 for 0', original.replace('[0,', '[-0,')],
    ['10e399 for 1e400', original.replace('1e400', '10e399')],
    ['an escaped letter', original.replace('"A"', String.raw`"\u0041"`)],
    ['an escaped key', original.replace('"c"', String.raw`"\u0063"`)],
    ['escaped reasoning', original.replace('"why"', String.raw`"wh\u0079"`)],
    ['another number in the context', original.replace('"x":10', '"x":1.0e1')],
  ])('are the same input despite %s', async (_name, spelled) => {
    const idempotencyKey = randomUUID();
    const first = await adapter.create(original, { idempotencyKey });
    expect(spelled).not.toBe(original);
    const second = await adapter.create(spelled, { idempotencyKey });
    expect([second.status, second.text]).toEqual([200, first.text]);
  });

  test.each([
    ['another tool', original.replace('issue_refund', 'issue_refund2')],
    ['another server', original.replace('"mail"', '"Mail"')],
    ['no server', original.replace('"server":"mail",', '')],
    ['another number', original.replace('"a":1', '"a":2')],
    ['a string for a number', original.replace('"a":1', '"a":"1"')],
    ['a boolean for a number', original.replace('"a":1', '"a":true')],
    ['one key less', original.replace('"a":1,', '')],
    ['an added null', original.replace('"a":1', '"a":1,"z":null')],
    ['another order of items', original.replace('[0,"A"]', '["A",0]')],
    ['another huge number', original.replace('1e400', '1e401')],
    ['other reasoning', original.replace('"why"', '"Why"')],
    ['no reasoning', original.replace('"agent_reasoning":"why",', '')],
    ['another context', original.replace('"x":10', '"x":11')],
    ['an empty context', original.replace('{"x":10}', '{}')],
    ['no context', original.replace(',"context":{"x":10}', '')],
    ['the same time in another spelling', original.replace('"1h"', '"60m"')],
  ])('are a conflict with %s, and change nothing', async (_name, other) => {
    const idempotencyKey = randomUUID();
    const first = await adapter.create(original, { idempotencyKey });
    expect(other).not.toBe(original);
    const refused = errorOf(await adapter.create(other, { idempotencyKey }));
    expect([refused.status, refused.error.code]).toEqual([409, 'idempotency_conflict']);
    expect((await adapter.get(requestOf(first).id)).text).toBe(first.text);
  });

  test.each([
    ['9007199254740993', '9007199254740992'],
    ['0.1', '0.1000000000000000055511151231257827'],
    ['1e1000000000', '1e1000000001'],
    ['1e-400', '0'],
    ['123456789012345678901234567890', '123456789012345678901234567891'],
    [String.raw`"\ud800"`, String.raw`"\udfff"`],
    [String.raw`"\ud800"`, String.raw`"\ufffd"`],
    [String.raw`{"\ud800":1}`, String.raw`{"\ud801":1}`],
    ['""', 'null'],
    ['"1"', '1'],
    ['{"__proto__":1}', '{}'],
  ])('distinguish %s from %s', async (one, another) => {
    const idempotencyKey = randomUUID();
    await adapter.create(submission({ arguments: `{"n":${one}}` }), { idempotencyKey });
    expect(
      (await adapter.create(submission({ arguments: `{"n":${another}}` }), { idempotencyKey }))
        .status,
    ).toBe(409);
    expect(
      (await adapter.create(submission({ arguments: `{ "n" : ${one} }` }), { idempotencyKey }))
        .status,
    ).toBe(200);
  });

  test('show the current state on a replay: decided, cancelled, expired', async () => {
    const keys = [randomUUID(), randomUUID(), randomUUID()] as const;
    const decided = requestOf(await adapter.create(submission(), { idempotencyKey: keys[0] }));
    const cancelled = requestOf(await adapter.create(submission(), { idempotencyKey: keys[1] }));
    const expiring = requestOf(
      await adapter.create(submission({ timeout: '"1s"' }), { idempotencyKey: keys[2] }),
    );
    await provider.decide(decided.id, 'denied');
    await adapter.cancel(cancelled.id);
    await adapter.get(expiring.id, { wait: '10s' });
    expect(requestOf(await adapter.create(submission(), { idempotencyKey: keys[0] })).status).toBe(
      'denied',
    );
    expect(requestOf(await adapter.create(submission(), { idempotencyKey: keys[1] })).status).toBe(
      'cancelled',
    );
    expect(
      requestOf(await adapter.create(submission({ timeout: '"1s"' }), { idempotencyKey: keys[2] }))
        .status,
    ).toBe('expired');
  });

  test('with a refused body leave the key free', async () => {
    const idempotencyKey = randomUUID();
    expect((await adapter.create(submission({ tool: '""' }), { idempotencyKey })).status).toBe(400);
    expect(
      (await adapter.create(submission({ timeout: '"169h"' }), { idempotencyKey })).status,
    ).toBe(400);
    expect((await adapter.create(submission(), { idempotencyKey })).status).toBe(201);
    expect((await adapter.create(submission({ tool: '""' }), { idempotencyKey })).status).toBe(400);
  });

  test('distinguish keys by every character', async () => {
    const key = randomUUID();
    const ids = await Promise.all(
      [key, key.toUpperCase(), `${key}.`, `${key} x`, `"${key}"`, `${key},${key}`].map(
        async (idempotencyKey) =>
          requestOf(await adapter.create(submission(), { idempotencyKey })).id,
      ),
    );
    expect(new Set(ids).size).toBe(6);
  });
});
