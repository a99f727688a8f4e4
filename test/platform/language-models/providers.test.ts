/** Both providers: one call, one whole answer, and nothing beside it. */
import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openAnthropic } from '../../../src/platform/language-models/anthropic.ts';
import { openOpenAi } from '../../../src/platform/language-models/openai.ts';
import { stringifyExact } from '../../../src/platform/json/exact-json.ts';
import { promptOf, bodyOf, startJudgeServer } from '../../support/servers/judge-server.ts';

const server = await startJudgeServer();
afterAll(() => server.close());

const PATHS = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const;
const REQUEST_ID_HEADERS = { openai: 'x-request-id', anthropic: 'request-id' } as const;
const question = (over: { timeoutMs?: number; signal?: AbortSignal } = {}) => ({
  ...{ model: 'judge-small', system: 'The instruction.', user: '{"tool":"refund"}' },
  schema: { type: 'object', additionalProperties: false },
  ...{ maxOutputTokens: 100, timeoutMs: 60_000, signal: new AbortController().signal },
  ...over,
});

describe.each(['openai', 'anthropic'] as const)('%s', (dialect) => {
  const open = dialect === 'openai' ? openOpenAi : openAnthropic;
  const model = open({ url: server.url(dialect), apiKey: 'a-key' });
  const changed = (change: (body: never) => void) => {
    server.respondWith((response) => {
      const body = JSON.parse(bodyOf(PATHS[dialect], { reply: { ok: true } })) as never;
      change(body);
      response.end(JSON.stringify(body));
    });
  };

  test('is asked once, with the key, both texts and the schema', async () => {
    server.judge({ reply: '{"amount":1.0,"id":9007199254740993}' });
    const reply = await model.ask(question());
    expect(reply).toMatchObject({
      kind: 'responded',
      text: '{"amount":1.0,"id":9007199254740993}'.replace(
        '1.0',
        dialect === 'openai' ? '1.0' : '1',
      ),
      usage: { inputTokens: 100, outputTokens: 20 },
    });
    expect(stringifyExact('value' in reply ? reply.value : null)).toBe(
      '{"amount":1,"id":9007199254740993}',
    );
    const asked = server.asked.at(-1);
    expect(asked?.path).toBe(PATHS[dialect]);
    expect(asked && promptOf(asked)).toEqual({
      system: 'The instruction.',
      user: '{"tool":"refund"}',
    });
    expect(asked?.headers.authorization).toBe('Bearer a-key');
    expect(asked?.body).toMatchObject(
      dialect === 'openai'
        ? { max_completion_tokens: 100, response_format: { json_schema: { strict: true } } }
        : {
            max_tokens: 100,
            tools: [{ name: 'answer' }],
            tool_choice: { type: 'tool', name: 'answer' },
          },
    );
  });

  test('is told the key, the version of its API and the form of the texts, and nothing else', async () => {
    server.judge({ reply: {} });
    const keyOfFile = 'a-key\n';
    await open({ url: server.url(dialect), apiKey: keyOfFile }).ask(question());
    const headers = server.asked.at(-1)?.headers;
    expect(headers).toEqual({
      ...{ accept: 'application/json', 'accept-encoding': 'identity' },
      ...{ authorization: 'Bearer a-key', 'content-type': 'application/json' },
      'user-agent': 'Countersign',
      ...(dialect === 'anthropic' && { 'anthropic-version': '2026-10-21' }),
      ...{ host: new URL(server.url(dialect)).host, connection: 'keep-alive' },
      'content-length': expect.stringMatching(/^[1-9][0-9]+$/),
    });
  });

  test('is asked below a path', async () => {
    server.judge({ reply: {} });
    const url = `${new URL(server.url(dialect)).origin}/gateway/a%2Fb/`;
    await open({ url, apiKey: 'a-key' }).ask(question());
    expect(server.asked.at(-1)?.path).toBe(
      `/gateway/a%2Fb/${dialect === 'openai' ? 'chat/completions' : 'v1/messages'}`,
    );
  });

  test('is not asked with a key that no header can hold', async () => {
    const before = server.asked.length;
    const keyed = open({ url: server.url(dialect), apiKey: 'a-\u2013-key' });
    expect(await keyed.ask(question())).toEqual({
      ...{ kind: 'failed', timedOut: false, unheard: true, code: 'ERR_INVALID_CHAR' },
    });
    expect(server.asked).toHaveLength(before);
  });

  test.each<[string, (response: ServerResponse) => void, object]>([
    ['401', (response) => response.writeHead(401).end('{}'), { status: 401, unheard: true }],
    [
      '429',
      (response) => response.writeHead(429, { 'retry-after': '7' }).end(),
      { status: 429, retryAfterMs: 7_000, unheard: true },
    ],
    ['503', (response) => response.writeHead(503).end('{}'), { status: 503, unheard: false }],
    [
      'a page of a proxy',
      (response) => response.writeHead(502).end('<html>'),
      { status: 502, unheard: false },
    ],
    ['600', (response) => response.writeHead(600).end(), { status: 600, unheard: false }],
    [
      'a redirect',
      (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
      { status: 307 },
    ],
    ['a broken connection', (response) => response.destroy(), { unheard: false }],
  ])('fails after one call: %s', async (_name, answer, failure) => {
    const before = server.asked.length;
    server.respondWith(answer);
    expect(await model.ask(question())).toMatchObject({
      ...{ kind: 'failed', timedOut: false },
      ...failure,
    });
    expect(server.asked).toHaveLength(before + 1);
  });

  test('fails with the code and the request id of the provider, and nothing else that it says', async () => {
    const failed = async (id: string, error: object) => {
      server.respondWith((response) => {
        response.writeHead(400, {
          ...{ 'content-type': 'application/json', [REQUEST_ID_HEADERS[dialect]]: id },
        });
        response.end(JSON.stringify({ type: 'error', error }));
      });
      return await model.ask(question());
    };
    const refused = { kind: 'failed', timedOut: false, status: 400, unheard: true };
    const known = { message: 'The key a-key may not.', type: 'invalid_request_error' };
    expect(await failed('req_011abc9', known)).toEqual({
      ...{ ...refused, code: 'invalid_request_error' },
      providerRequestId: 'req_011abc9',
    });
    const id = '3f1c2e9a-0b7d-4c55-9c0e-6f2f1b1d8a11';
    expect(await failed(id, known)).toMatchObject({ providerRequestId: id });
    const telling = { message: 'No.', type: 'The key a-key may not.', code: 'sk-a-key' };
    expect(await failed('The key a-key may not.', telling)).toEqual(refused);
  });

  test('fails where nothing listens, and was not heard', async () => {
    const gone = await startJudgeServer();
    await gone.close();
    const away = open({ url: gone.url(dialect), apiKey: 'a-key' });
    expect(await away.ask(question())).toEqual({
      ...{ kind: 'failed', timedOut: false, unheard: true },
      ...{ code: 'ECONNREFUSED', errorCause: 'refused' },
    });
  });

  test('fails at the end of its time, before the answer and within it', async () => {
    for (const answer of [() => undefined, (response: ServerResponse) => response.write('{')]) {
      server.respondWith(answer);
      expect(await model.ask(question({ timeoutMs: 50 }))).toEqual({
        ...{ kind: 'failed', timedOut: true, unheard: false, errorCause: 'timeout' },
      });
    }
  });

  test('is not asked when the signal has ended it before', async () => {
    const before = server.asked.length;
    const signal = AbortSignal.abort(new Error('no longer needed'));
    await expect(model.ask(question({ signal }))).rejects.toThrow('no longer needed');
    expect(server.asked).toHaveLength(before);
  });

  test('rejects with the reason of the signal that ends it', async () => {
    const ended = new AbortController();
    server.respondWith(() => {
      ended.abort(new Error('no longer needed'));
    });
    await expect(model.ask(question({ signal: ended.signal }))).rejects.toThrow('no longer needed');
  });

  test('has no value in an endless answer, and reads only its beginning', async () => {
    server.respondWith((response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('['.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    });
    expect(await model.ask(question())).toMatchObject({ kind: 'responded', value: undefined });
  });

  test.each([
    { input: -1, output: 1 },
    { input: '100', output: 1 },
    { input: 1.5, output: 1 },
    { input: 1e30, output: 1 },
  ])('counts no tokens where the provider says %j', async (usage) => {
    server.judge({ reply: { ok: true }, usage });
    expect(await model.ask(question())).toMatchObject({ kind: 'responded', usage: undefined });
  });

  test.each<[string, (body: never) => void]>(
    dialect === 'openai'
      ? [
          ['cut off', ({ choices: [choice] }: Completion) => (choice.finish_reason = 'length')],
          ['refused', ({ choices: [choice] }: Completion) => (choice.message.refusal = 'No.')],
          ['one of two', ({ choices }: Completion) => choices.push(choices[0])],
          ['called', ({ choices: [choice] }: Completion) => (choice.message.tool_calls = [{}])],
          ['empty', (body: Completion) => (body.choices = [] as never)],
        ]
      : [
          ['cut off', (body: Message) => (body.stop_reason = 'max_tokens')],
          ['another tool', ({ content: [part] }: Message) => (part.name = 'shell')],
          ['called twice', ({ content }: Message) => content.push(content[0])],
          ['text', ({ content: [part] }: Message) => (part.type = 'text')],
          ['empty', (body: Message) => (body.content = [] as never)],
        ],
  )('has no value in an answer that is %s', async (_name, change) => {
    changed(change);
    expect(await model.ask(question())).toMatchObject({ kind: 'responded', value: undefined });
  });
});

interface Choice {
  finish_reason: string;
  message: { refusal?: string; tool_calls?: object[] };
}
interface Completion {
  choices: [Choice, ...Choice[]];
}
interface Part {
  type: string;
  name: string;
}
interface Message {
  stop_reason: string;
  content: [Part, ...Part[]];
}
