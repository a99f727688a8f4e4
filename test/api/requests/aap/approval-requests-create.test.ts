/** Creating a request: what is stored, what is answered, and the cap on pending requests. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { errorOf, requestOf, type Adapter } from '../../../support/adapter.ts';
import { startProvider, type Instance, type Provider } from './provider.ts';
import { argumentsOfDepth, submission, submissionOfSize } from './submissions.ts';

let provider: Provider;
let instance: Instance;
let adapter: Adapter;

beforeAll(async () => {
  provider = await startProvider();
  instance = await provider.instance();
  adapter = instance.adapter;
});
afterAll(async () => {
  await provider.stop();
});

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

  test.each([
    ['an integer beyond doubles', '{"n":9007199254740993}'],
    ['a whole number with a fraction', '{"n":1.0}'],
    ['a number beyond doubles', '{"n":1e400,"m":-1E-400,"o":1e+99999999999}'],
    ['minus zero', '{"n":-0,"m":-0.0e0}'],
    ['many digits', `{"n":0.${'1234567890'.repeat(30)},"m":${'9'.repeat(400)}}`],
    ['NUL', String.raw`{"text":"\u0000","\u0000":1}`],
    ['a key named __proto__', '{"__proto__":{"polluted":true},"constructor":1,"toString":null}'],
    ['lone surrogates', String.raw`{"text":"\ud800","\udc00":"\uD83D"}`],
    ['key order', '{"b":1,"a":2,"10":3,"9":4,"":5}'],
    ['needless escapes', String.raw`{"text":"\u0041\/\u00e9\ud83d\ude00"}`],
    ['raw characters of every plane', '{"text":"é€😀\u2028\u2029\u007f\ufeff"}'],
    ['white space', '{ "a" :\t[ 1 ,\n2 ] ,\r\n"b" : { } }'],
    ['nulls and empties inside', '{"a":null,"b":[],"c":{},"d":"","e":false}'],
    ['depth 100', argumentsOfDepth(100)],
    ['nothing', '{}'],
  ])('keeps arguments and context exactly: %s', async (_name, args) => {
    await roundTrip(submission({ arguments: args, more: `"context":${args}` }));
  });

  test.each([
    ['NUL', String.raw`"a\u0000b"`],
    ['a lone surrogate', String.raw`"\ud800"`],
    ['needless escapes', String.raw`"\u0041\/"`],
    ['nothing', '""'],
    ['a quarter of a megabyte', `"${'é'.repeat(131_072)}"`],
  ])('keeps agent_reasoning exactly: %s', async (_name, reasoning) => {
    await roundTrip(submission({ more: `"agent_reasoning":${reasoning}` }));
  });

  test('keeps any JSON object exactly', async () => {
    const object = fc.dictionary(
      fc.string({ unit: 'binary' }),
      fc.jsonValue({ stringUnit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(object, async (value) => {
        await roundTrip(submission({ arguments: JSON.stringify(value, null, 1) }));
      }),
      { numRuns: 40 },
    );
  });

  test.each(['1s', '60s', '30m', '10080m', '168h', '604800s'])(
    'accepts a timeout of %s',
    async (timeout) => {
      const request = requestOf(
        await adapter.create(submission({ timeout: JSON.stringify(timeout) })),
      );
      expect(request.timeout).toBe(timeout);
    },
  );

  test('accepts a body of exactly 1 MiB', async () => {
    const body = submissionOfSize(1024 * 1024);
    expect(Buffer.byteLength(body)).toBe(1024 * 1024);
    await roundTrip(body);
  });

  test.each(['issue_refund', 'mcp tool/with: odd “characters” 😀', 'x'.repeat(200)])(
    'accepts the tool name %.40s',
    async (tool) => {
      await roundTrip(submission({ tool: JSON.stringify(tool) }));
    },
  );

  test('answers at once with a five-minute approval when a rule approves', async () => {
    const { adapter: approved } = await provider.instance({
      outcome: 'approve',
      reason: 'small enough',
    });
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
    const { adapter: denied } = await provider.instance({ outcome: 'deny', reason: 'never' });
    const answer = await denied.create(submission());
    expect(requestOf(answer)).toMatchObject({
      status: 'denied',
      decision: { status: 'denied', note: 'never' },
    });
  });

  test('hides a request from every other instance, of the same agent and of others', async () => {
    const other = await provider.instance();
    const sibling = await provider.instance({ agentSlug: instance.slug });
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

describe('the cap on pending requests', () => {
  test('answers 429 over the cap, stores nothing, and accepts the same key once there is room', async () => {
    const capped = await startProvider({ environment: { COUNTERSIGN_MAX_PENDING_REQUESTS: '2' } });
    try {
      const { adapter: full } = await capped.instance();
      const first = requestOf(await full.create(submission()));
      await full.create(submission());
      const idempotencyKey = randomUUID();
      const refused = errorOf(await full.create(submission(), { idempotencyKey }));
      expect(refused.status).toBe(429);
      expect(refused.error).toMatchObject({
        code: 'quota_exceeded',
        details: { dimension: 'pending_requests', limit: 2, used: 2 },
      });
      await full.cancel(first.id);
      expect((await full.create(submission(), { idempotencyKey })).status).toBe(201);
      const ruled = await capped.instance({ outcome: 'approve', reason: 'fine' });
      expect(requestOf(await ruled.adapter.create(submission())).status).toBe('approved');
    } finally {
      await capped.stop();
    }
  });

  test('is exact when many creates race for the last places', async () => {
    const capped = await startProvider({ environment: { COUNTERSIGN_MAX_PENDING_REQUESTS: '5' } });
    try {
      const { adapter: full } = await capped.instance();
      const statuses = (
        await Promise.all(Array.from({ length: 20 }, () => full.create(submission())))
      ).map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(5);
      expect(statuses.filter((status) => status === 429)).toHaveLength(15);
    } finally {
      await capped.stop();
    }
  });

  test('counts callers that hang up before the answer', async () => {
    const capped = await startProvider({ environment: { COUNTERSIGN_MAX_PENDING_REQUESTS: '2' } });
    try {
      const { credential, adapter: patient } = await capped.instance();
      const impatient = Array.from({ length: 40 }, (_, index) =>
        fetch(`${capped.origin}/api/aap/v1/requests`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${credential}`,
            'Content-Type': 'application/json',
            'Idempotency-Key': randomUUID(),
          },
          body: submission(),
          signal: AbortSignal.timeout(5 * (index + 1)),
        }).catch(() => undefined),
      );
      await Promise.all(impatient);
      await Promise.all(Array.from({ length: 5 }, () => patient.create(submission())));
      expect(await capped.pendingCount()).toBe(2);
    } finally {
      await capped.stop();
    }
  });
});
