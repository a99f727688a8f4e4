/** Creating a request: what is stored, what is answered, and one idempotency key for one request. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { errorOf, requestOf } from '../../../support/adapter.ts';
import { Adapter } from '../../../support/adapter.ts';
import { scene } from '../../../support/scene.ts';
import { createInstance } from '../../../support/scene/factories.ts';
import { always, argumentsOfDepth, submission, submissionOfSize } from './submissions.ts';
import { anyCharacter } from '../../../support/characters.ts';

const { app, organization, owner, agents, agent, decide } = await scene({
  app: { temporal: true },
  pipelines: {
    bot: {},
    approved: always('approve', 'small enough'),
    denied: always('deny', 'never'),
  },
});
const { adapter } = agents.bot;

/**
 * Creates, reads and replays. The strict adapter compares the three answers with the body and with
 * each other.
 */
async function roundTrip(body: string): Promise<void> {
  const idempotencyKey = randomUUID();
  const created = await adapter.create(body, { idempotencyKey });
  expect(created.status).toBe(201);
  const { id } = requestOf(created);
  expect((await adapter.get(id)).status).toBe(200);
  expect((await adapter.create(body, { idempotencyKey })).status).toBe(200);
}

describe('creating an approval request', () => {
  test('answers 201 pending with exactly what was sent', async () => {
    const answer = await adapter.create(
      submission({ more: '"server":"payments","agent_reasoning":"twice","context":{"call":7}' }),
    );
    expect(answer.status).toBe(201);
    expect(requestOf(answer)).toMatchObject({
      tool: 'issue_refund',
      server: 'payments',
      argumentsText: '{"amount":4900}',
      agentReasoningText: '"twice"',
      contextText: '{"call":7}',
      timeout: '1h',
      status: 'pending',
    });
  });

  test('omits what was not sent', async () => {
    const { text } = await adapter.create(submission());
    expect(Object.keys(JSON.parse(text) as object).sort()).toEqual([
      'arguments',
      'created_at',
      'deadline_at',
      'id',
      'status',
      'timeout',
      'tool',
    ]);
  });

  /** The strict adapter compares each value with what was sent, so one request proves them all. */
  const values = {
    'an integer beyond doubles': '9007199254740993',
    'a whole number with a fraction': '1.0',
    'numbers beyond doubles': '[1e400,-1E-400,1e+99999999999]',
    'minus zero': '[-0,-0.0e0]',
    'many digits': `[0.${'1234567890'.repeat(30)},${'9'.repeat(400)}]`,
    NUL: String.raw`["\u0000",{"\u0000":1}]`,
    'a key named __proto__': '{"__proto__":{"polluted":true},"constructor":1,"toString":null}',
    'lone surrogates': String.raw`{"text":"\ud800","\udc00":"\uD83D"}`,
    'key order': '{"b":1,"a":2,"10":3,"9":4,"":5}',
    'needless escapes': String.raw`"\u0041\/\u00e9\ud83d\ude00"`,
    'raw characters of every plane': '"é€😀\u2028\u2029\u007f\ufeff"',
    'white space': '{ "a" :\t[ 1 ,\n2 ] ,\r\n"b" : { } }',
    'nulls and empties': '{"a":null,"b":[],"c":{},"d":"","e":false}',
  };
  const all = Object.entries(values).map(([name, text]) => `${JSON.stringify(name)}:${text}`);

  test.each([
    ['values of every kind', `{${all.join(',')}}`],
    ['depth 100', argumentsOfDepth(100)],
    ['nothing', '{}'],
  ])('keeps arguments and context exactly: %s', async (_name, args) => {
    await roundTrip(submission({ arguments: args, more: `"context":${args}` }));
  });

  test.each([
    ['NUL, a lone surrogate and needless escapes', String.raw`"a\u0000b\ud800c\u0041\/"`],
    ['nothing', '""'],
    ['many characters', `"${'é'.repeat(16_384)}"`],
  ])('keeps agent_reasoning exactly: %s', async (_name, reasoning) => {
    await roundTrip(submission({ more: `"agent_reasoning":${reasoning}` }));
  });

  test('keeps any JSON object exactly', async () => {
    const object = fc.dictionary(
      fc.string({ unit: anyCharacter }),
      fc.jsonValue({ stringUnit: anyCharacter }),
    );
    await fc.assert(
      fc.asyncProperty(object, async (value) => {
        await roundTrip(submission({ arguments: JSON.stringify(value, null, 1) }));
      }),
      { numRuns: 5 },
    );
  });

  test.each(['1s', '10080m', '604800s'])('accepts a timeout of %s', async (timeout) => {
    const request = requestOf(
      await adapter.create(submission({ timeout: JSON.stringify(timeout) })),
    );
    expect(request.timeout).toBe(timeout);
  });

  test('accepts a body of exactly 1 MiB', async () => {
    const body = submissionOfSize(1024 * 1024);
    expect(Buffer.byteLength(body)).toBe(1024 * 1024);
    await roundTrip(body);
  });

  test.each(['odd: “characters” 😀'.padEnd(200, 'x')])(
    'accepts the tool name %.40s',
    async (tool) => {
      await roundTrip(submission({ tool: JSON.stringify(tool) }));
    },
  );

  test('answers at once with a five-minute approval when a rule approves', async () => {
    const { adapter: approved } = agents.approved;
    const idempotencyKey = randomUUID();
    const answer = await approved.create(submission(), { idempotencyKey });
    expect(answer.status).toBe(201);
    const request = requestOf(answer);
    expect(request).toMatchObject({
      status: 'approved',
      decision: { status: 'approved', note: 'small enough' },
    });
    expect((await approved.get(request.id)).text).toBe(answer.text);
    expect((await approved.get(request.id, { wait: '30s' })).text).toBe(answer.text);
    const replay = await approved.create(submission(), { idempotencyKey });
    expect([replay.status, replay.text]).toEqual([200, answer.text]);
    expect(errorOf(await approved.cancel(request.id)).error.code).toBe('already_terminal');
  });

  test('answers at once with a denial when a rule denies', async () => {
    const answer = await agents.denied.adapter.create(submission());
    expect(requestOf(answer)).toMatchObject({
      status: 'denied',
      decision: { status: 'denied', note: 'never' },
    });
  });

  test('hides a request from every other instance, of the same agent and of others', async () => {
    const other = await agent();
    const { credential } = await createInstance(app, organization, 'bot');
    const sibling = { adapter: new Adapter({ baseUrl: `${app.url}/api/aap`, credential }) };
    const idempotencyKey = randomUUID();
    const { id } = requestOf(await adapter.create(submission(), { idempotencyKey }));
    for (const stranger of [other, sibling]) {
      expect(errorOf(await stranger.adapter.get(id)).status).toBe(404);
      expect(errorOf(await stranger.adapter.get(id, { wait: '10s' })).status).toBe(404);
      expect(errorOf(await stranger.adapter.cancel(id)).status).toBe(404);
      const own = await stranger.adapter.create(submission(), { idempotencyKey });
      expect(own.status).toBe(201);
      expect(requestOf(own).id).not.toBe(id);
    }
    expect(requestOf(await adapter.get(id)).status).toBe('pending');
  });
});

const times = <Result>(
  count: number,
  make: (index: number) => Promise<Result>,
): Promise<Result[]> => Promise.all(Array.from({ length: count }, (_, index) => make(index)));

describe('creates under one idempotency key', () => {
  test('make one request when ten arrive at once: one 201, nine times 200, one body', async () => {
    const idempotencyKey = randomUUID();
    const answers = await times(10, () => adapter.create(submission(), { idempotencyKey }));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('make one request when ten arrive at once and a rule decides it', async () => {
    const ruled = agents.approved;
    const idempotencyKey = randomUUID();
    const answers = await times(10, () => ruled.adapter.create(submission(), { idempotencyKey }));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map((answer) => requestOf(answer).id)).size).toBe(1);
    const { id } = requestOf(answers[0] ?? (await ruled.adapter.get('')));
    expect(requestOf(await ruled.adapter.get(id, { wait: '10s' })).status).toBe('approved');
  });

  test('make one request when ten with different bodies arrive at once: 200 for the same body, 409 for others', async () => {
    const idempotencyKey = randomUUID();
    const answers = await times(10, (index) =>
      adapter.create(submission({ arguments: `{"n":${String(index % 5)}}` }), { idempotencyKey }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(8);
  });

  const original = submission({
    arguments: String.raw`{"a":1,"b":[0,"A"],"c":1e400}`,
    more: '"server":"mail","agent_reasoning":"why","context":{"x":10}',
  });

  const spellings: readonly (readonly [string, string])[] = [
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
  ];

  test('are the same input despite white space, the order of keys, and how numbers and letters are written', async () => {
    const idempotencyKey = randomUUID();
    const first = await adapter.create(original, { idempotencyKey });
    for (const [name, spelled] of spellings) {
      expect(spelled).not.toBe(original);
      const { status, text } = await adapter.create(spelled, { idempotencyKey });
      expect([name, status, text]).toEqual([name, 200, first.text]);
    }
  });

  const others: readonly (readonly [string, string])[] = [
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
  ];

  test('are a conflict with any other input, and change nothing', async () => {
    const idempotencyKey = randomUUID();
    const first = await adapter.create(original, { idempotencyKey });
    for (const [name, other] of others) {
      expect(other).not.toBe(original);
      const { status, error } = errorOf(await adapter.create(other, { idempotencyKey }));
      expect([name, status, error.code]).toEqual([name, 409, 'idempotency_conflict']);
    }
    expect((await adapter.get(requestOf(first).id)).text).toBe(first.text);
  });

  const pairs: readonly (readonly [string, string])[] = [
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
  ];

  test('distinguish what JSON.parse confuses', async () => {
    const idempotencyKey = randomUUID();
    const ones = pairs.map(([one]) => one);
    const send = (list: readonly string[]) =>
      adapter.create(submission({ arguments: `{ "n" : [${list.join(' , ')}] }` }), {
        idempotencyKey,
      });
    expect((await send(ones)).status).toBe(201);
    for (const [nth, [one, another]] of pairs.entries())
      expect([one, another, (await send(ones.toSpliced(nth, 1, another))).status]).toEqual([
        one,
        another,
        409,
      ]);
    expect((await send(ones)).status).toBe(200);
  });

  test('show the current state on a replay: decided, cancelled, expired', async () => {
    const keys = [randomUUID(), randomUUID(), randomUUID()] as const;
    const decided = requestOf(await adapter.create(submission(), { idempotencyKey: keys[0] }));
    const cancelled = requestOf(await adapter.create(submission(), { idempotencyKey: keys[1] }));
    const expiring = requestOf(
      await adapter.create(submission({ timeout: '"1s"' }), { idempotencyKey: keys[2] }),
    );
    await decide(owner, decided.id, { status: 'denied' });
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
