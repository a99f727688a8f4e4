/** One question to an endpoint: what is posted, and what becomes of each answer. */
import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { openEgress, type Egress } from '../../../src/platform/network/egress.ts';
import { newSigningSecret } from '../../../src/platform/crypto/webhook-signature.ts';
import { askEndpoint, type EndpointQuestion } from '../../../src/services/webhooks/ask-endpoint.ts';
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';

const PAYLOAD = '{"id":"msg_1","arguments":{"amount": 12.50, "big": 9007199254740993}}';
const secret = newSigningSecret();
let egress: Egress;
let receiver: WebhookReceiver;

beforeAll(() => {
  egress = openEgress({ allow: ['127.0.0.0/8'] });
});

afterAll(async () => {
  await egress.close();
});

beforeEach(async () => {
  receiver = await startWebhookReceiver();
});

afterEach(async () => {
  await receiver.close();
});

const ask = async (more: Partial<EndpointQuestion> = {}) =>
  await askEndpoint(
    { egress },
    {
      url: receiver.url,
      secrets: [secret],
      id: 'msg_1',
      payload: PAYLOAD,
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      ...more,
    },
  );

const answering =
  (
    status: number,
    body: string | Buffer = '',
    headers: Readonly<Record<string, string>> = {},
  ): ((response: ServerResponse) => void) =>
  (response) =>
    response.writeHead(status, headers).end(body);

test('the payload arrives character for character, signed, and asks for no encoding', async () => {
  receiver.respondWith(answering(200, '{"outcome":"next"}'));
  await ask();
  const [call] = receiver.received;
  expect(call?.body).toBe(PAYLOAD);
  expect(call?.headers).toMatchObject({
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'service-signature': expect.stringMatching(/^t=[0-9]+,v1=[0-9a-f]{64}$/),
    'webhook-id': 'msg_1',
  });
  new Webhook(secret).verify(PAYLOAD, (call?.headers ?? {}) as Record<string, string>);
});

test('a valid answer is its outcome, with everything it has', async () => {
  const body =
    '{"outcome":"human","reason":"Large.","metadata":{"a": 1.0},"escalation_path":"cfo"}';
  receiver.respondWith(answering(202, body));
  expect(await ask()).toEqual({
    kind: 'responded',
    result: {
      outcome: 'human',
      reason: 'Large.',
      metadata: expect.objectContaining({ text: '{"a": 1.0}' }),
      escalationPath: 'cfo',
    },
    statusCode: 202,
    excerpt: body,
    durationMs: expect.any(Number),
  });
});

/** An approval, padded with spaces to so many bytes. */
const approvalOf = (bytes: number) => '{"outcome":"approve"}'.padEnd(bytes);

test('an answer may have 64 KiB, and not one byte more', async () => {
  receiver.respondWith(answering(200, approvalOf(65_536)));
  expect(await ask()).toMatchObject({ kind: 'responded', excerpt: approvalOf(500) });
  receiver.respondWith(answering(200, approvalOf(65_537)));
  expect(await ask()).toMatchObject({ kind: 'failed', errorCode: 'answer_too_large' });
});

test('an answer without end is cut off', async () => {
  receiver.respondWith((response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(' '.repeat(16_384)));
    };
    response.on('drain', more);
    more();
  });
  expect(await ask()).toMatchObject({ errorCode: 'answer_too_large', mayPass: false });
});

describe('an approval is none', () => {
  const approval = '{"outcome":"approve"}';
  const invalid = { kind: 'failed', errorCode: 'invalid_answer', mayPass: false };
  test.each([
    ['compressed', answering(200, gzipSync(approval), { 'content-encoding': 'gzip' }), invalid],
    ['said to be compressed', answering(200, approval, { 'content-encoding': 'br' }), invalid],
    ['in UTF-16', answering(200, Buffer.from(approval, 'utf16le')), invalid],
    [
      'with a byte that is not UTF-8',
      answering(200, Buffer.from([...Buffer.from(approval), 0xff])),
      invalid,
    ],
    ['twice', answering(200, approval + approval), invalid],
    ['with an empty status', answering(204), invalid],
    [
      'behind a redirect',
      answering(302, approval, { location: '/' }),
      { errorCode: 'unexpected_status', mayPass: false },
    ],
    [
      'with an error status',
      answering(400, approval),
      { errorCode: 'unexpected_status', mayPass: false },
    ],
    ['gone', answering(410, approval), { errorCode: 'unexpected_status', mayPass: false }],
  ])('%s', async (_, answer, expected) => {
    receiver.respondWith(answer);
    const reply = await ask();
    expect(reply).toMatchObject(expected);
    expect(reply.kind).toBe('failed');
    expect(receiver.received).toHaveLength(1);
  });
});

describe('another attempt may succeed', () => {
  test.each([408, 425, 429, 500, 502, 503])('after status %i', async (status) => {
    receiver.respondWith(answering(status, 'later', { 'retry-after': '7' }));
    expect(await ask()).toMatchObject({
      errorCode: 'unexpected_status',
      statusCode: status,
      mayPass: true,
      retryAfterMs: 7_000,
      excerpt: 'later',
    });
  });

  test('after a pause, however long the number that asks for it', async () => {
    receiver.respondWith(answering(429, '', { 'retry-after': '99999999999999999999' }));
    expect(await ask()).toMatchObject({ mayPass: true, retryAfterMs: 1_000_000_000 });
  });

  test('after no answer in time', async () => {
    receiver.respondWith(() => undefined);
    const reply = await ask({ timeoutMs: 50 });
    expect(reply).toMatchObject({ kind: 'failed', errorCode: 'timeout', mayPass: true });
    expect(reply).not.toHaveProperty('statusCode');
  });

  test('after an answer that does not end in time', async () => {
    receiver.respondWith((response) => response.writeHead(200).write('{"outcome":'));
    expect(await ask({ timeoutMs: 200 })).toMatchObject({ errorCode: 'timeout', mayPass: true });
  });

  test('after a broken connection', async () => {
    receiver.respondWith((response) => response.destroy());
    expect(await ask()).toMatchObject({ errorCode: 'connection_failed', mayPass: true });
  });
});

test('a URL that is not allowed is not called', async () => {
  const strict = openEgress({ allow: [] });
  const { signal } = new AbortController();
  const question = { secrets: [secret], id: 'msg_1', payload: PAYLOAD, timeoutMs: 30_000, signal };
  const url = receiver.url.replace('http:', 'https:');
  expect(await askEndpoint({ egress: strict }, { ...question, url })).toMatchObject({
    errorCode: 'egress_denied',
    mayPass: false,
  });
  expect(receiver.received).toEqual([]);
  await strict.close();
});

test('a signal ends the call with its reason', async () => {
  const abort = new AbortController();
  receiver.respondWith(() => {
    abort.abort(new Error('the request is decided'));
  });
  await expect(ask({ signal: abort.signal })).rejects.toThrow('the request is decided');
});

test('an excerpt cuts no character and has no NUL', async () => {
  receiver.respondWith(answering(400, `a\0${'\u{1f600}'.repeat(600)}`));
  const { excerpt = '' } = await ask();
  expect([...excerpt]).toEqual(['a', '\ufffd', ...Array<string>(498).fill('\u{1f600}')]);
});
