/** Bodies and headers that a create refuses, each with the place of the fault. No rule has to run, so Temporal is away. */
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { errorOf, type AdapterResponse } from '../../../support/adapter.ts';
import { scene } from '../../../support/scene.ts';
import { sendBytes } from './raw-socket.ts';
import { argumentsOfDepth, submission, submissionOfSize } from './submissions.ts';
import { anyCharacter } from '../../../support/characters.ts';

const { app, agents } = await scene({ pipelines: { bot: {} } });
const { adapter, credential } = agents.bot;

const pointersOf = (answer: AdapterResponse): string[] => {
  const { status, error } = errorOf(answer);
  expect([status, error.type]).toEqual([400, 'invalid_request']);
  return (error.details?.['issues'] as { pointer: string }[]).map(({ pointer }) => pointer);
};
const bytes = (before: string, middle: readonly number[], after: string): Buffer =>
  Buffer.concat([Buffer.from(before), Buffer.from(middle), Buffer.from(after)]);

describe('a body that is not one strict JSON document', () => {
  test.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['white space', ' \n'],
    ['a truncated object', submission().slice(0, -1)],
    ['trailing words', `${submission()} x`],
    ['a second document', submission() + submission()],
    ['a NUL byte at the end', `${submission()}\0`],
    ['a trailing comma', submission().replace(/}$/, ',}')],
    ['a comment', submission().replace('{', '{/* */')],
    ['single quotes', submission().replaceAll('"', "'")],
    ['a bare key', submission().replace('"tool"', 'tool')],
    ['NaN', submission({ arguments: '{"n":NaN}' })],
    ['Infinity', submission({ arguments: '{"n":-Infinity}' })],
    ['a leading zero', submission({ arguments: '{"n":01}' })],
    ['a bare point', submission({ arguments: '{"n":1.}' })],
    ['a leading point', submission({ arguments: '{"n":.5}' })],
    ['a plus sign', submission({ arguments: '{"n":+1}' })],
    ['an empty exponent', submission({ arguments: '{"n":1e}' })],
    ['a hexadecimal number', submission({ arguments: '{"n":0x10}' })],
    ['a raw line feed in a string', submission({ tool: '"a\nb"' })],
    ['a raw NUL in a string', submission({ tool: '"a\0b"' })],
    ['an unknown escape', submission({ tool: String.raw`"\x41"` })],
    ['a short escape', submission({ tool: String.raw`"\u004"` })],
    ['undefined', submission({ arguments: 'undefined' })],
    ['a byte order mark', `\ufeff${submission()}`],
    ['UTF-16', Buffer.from(submission(), 'utf16le')],
    ['a Latin-1 byte', bytes('{"tool":"', [0xe9], submission().slice('{"tool":"'.length))],
    ['an overlong NUL', bytes('{"tool":"', [0xc0, 0x80], submission().slice('{"tool":"'.length))],
    [
      'an encoded surrogate',
      bytes('{"tool":"', [0xed, 0xa0, 0x80], submission().slice('{"tool":"'.length)),
    ],
    ['a truncated character', Buffer.from(submission().replace('4900}', '"😀"}')).subarray(0, -16)],
  ])('is refused: %s', async (_name, body) => {
    const answer = errorOf(await adapter.create(body));
    expect([answer.status, answer.error.code]).toEqual([400, 'malformed_json']);
    expect(pointersOf(answer)).toHaveLength(1);
  });

  test.each(['['.repeat(500_000), '{"a":'.repeat(200_000), '[{"":'.repeat(200_000)])(
    'is refused: endless nesting %.20s…',
    async (body) => {
      expect(pointersOf(await adapter.create(body))).toHaveLength(1);
    },
  );

  test.each(['null', 'true', '17', '"text"', '[]', `[${submission()}]`])(
    'is refused: the document %s',
    async (body) => {
      expect(pointersOf(await adapter.create(body))).toEqual(['']);
    },
  );

  test.each([
    ['at the top', submission().replace('{', '{"tool":"x",'), '/tool'],
    ['at the top, escaped', submission().replace('{', String.raw`{"t\u006fol":"x",`), '/tool'],
    ['in arguments', submission({ arguments: '{"a":1,"a":1}' }), '/arguments/a'],
    [
      'in arguments, escaped',
      submission({ arguments: String.raw`{"a":1,"\u0061":2}` }),
      '/arguments/a',
    ],
    [
      'deep in a list',
      submission({ arguments: '{"a":[0,{"b":{"c":1,"d":2,"c":3}}]}' }),
      '/arguments/a/1/b/c',
    ],
    [
      'named __proto__',
      submission({ arguments: '{"__proto__":1,"__proto__":2}' }),
      '/arguments/__proto__',
    ],
    [
      'with pointer characters',
      submission({ arguments: '{"a/b~c":1,"a/b~c":2}' }),
      '/arguments/a~1b~0c',
    ],
    ['the empty key', submission({ arguments: '{"":1,"":2}' }), '/arguments/'],
    ['in the context', submission({ more: '"context":{"x":{"y":1,"y":1}}' }), '/context/x/y'],
    ['arguments themselves', submission({ more: '"arguments":{}' }), '/arguments'],
  ])('is refused: a duplicate key %s', async (_name, body, pointer) => {
    const answer = errorOf(await adapter.create(body));
    expect(answer.error.code).toBe('duplicate_key');
    expect(pointersOf(answer)).toEqual([pointer]);
  });

  test.each([
    ['lists to level 101', submission({ arguments: argumentsOfDepth(101) })],
    [
      'objects to level 101',
      submission({ arguments: '{"a":'.repeat(100) + '{}' + '}'.repeat(100) }),
    ],
    ['the context to level 101', submission({ more: `"context":${argumentsOfDepth(101)}` })],
    [
      '400,000 closed lists',
      submission({ arguments: `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}` }),
    ],
  ])('is refused: %s', async (_name, body) => {
    const [pointer = ''] = pointersOf(await adapter.create(body));
    expect(pointer).toMatch(/^\//);
  });
});

describe('a body with a wrong field', () => {
  test.each([
    ['tool', submission({ tool: '1' }), '/tool'],
    ['tool', submission({ tool: '{}' }), '/tool'],
    ['tool', submission({ tool: '["a"]' }), '/tool'],
    ['tool', submission({ tool: 'null' }), '/tool'],
    ['tool', submission({ tool: '""' }), '/tool'],
    ['tool', submission({ tool: '"  "' }), '/tool'],
    ['tool', submission({ tool: String.raw`"\t\n\u00a0\u200b\u202e"` }), '/tool'],
    ['tool', submission({ tool: '9007199254740993' }), '/tool'],
    ['server', submission({ more: '"server":1' }), '/server'],
    ['server', submission({ more: '"server":null' }), '/server'],
    ['arguments', submission({ arguments: '[]' }), '/arguments'],
    ['arguments', submission({ arguments: '"{}"' }), '/arguments'],
    ['arguments', submission({ arguments: '1e400' }), '/arguments'],
    ['arguments', submission({ arguments: 'null' }), '/arguments'],
    ['agent_reasoning', submission({ more: '"agent_reasoning":null' }), '/agent_reasoning'],
    ['agent_reasoning', submission({ more: '"agent_reasoning":{}' }), '/agent_reasoning'],
    ['agent_reasoning', submission({ more: '"agent_reasoning":1.0' }), '/agent_reasoning'],
    ['context', submission({ more: '"context":null' }), '/context'],
    ['context', submission({ more: '"context":[]' }), '/context'],
    ['context', submission({ more: '"context":"x"' }), '/context'],
    ['timeout', submission({ timeout: '30' }), '/timeout'],
    ['timeout', submission({ timeout: '["30m"]' }), '/timeout'],
    ['timeout', submission({ timeout: 'null' }), '/timeout'],
  ])('names it: %s in %s', async (_field, body, pointer) => {
    expect(pointersOf(await adapter.create(body))).toEqual([pointer]);
  });

  test.each([
    '0s',
    '00s',
    '01s',
    '169h',
    '604801s',
    '10081m',
    '1.5h',
    '1h30m',
    '30',
    '',
    ' ',
    ' 30m',
    '30m ',
    '30m\\n',
    '30M',
    '30 m',
    '500ms',
    '1d',
    '1w',
    '-1s',
    '+1s',
    '1e3s',
    '0x10s',
    '\u0663s',
    '１s',
    's',
    'PT30M',
    '99999999999999999999h',
    '1_000s',
  ])('names the timeout %j', async (timeout) => {
    expect(pointersOf(await adapter.create(submission({ timeout: `"${timeout}"` })))).toEqual([
      '/timeout',
    ]);
  });

  test.each([
    ['organization_id', '/organization_id'],
    ['Tool', '/Tool'],
    ['idempotency_key', '/idempotency_key'],
    ['decision', '/decision'],
    ['__proto__', '/__proto__'],
    ['constructor', '/constructor'],
    ['a/b~c', '/a~1b~0c'],
    ['', '/'],
  ])('names the unknown field %j', async (name, pointer) => {
    expect(
      pointersOf(await adapter.create(submission({ more: `${JSON.stringify(name)}:{}` }))),
    ).toEqual([pointer]);
  });

  test('names every missing field', async () => {
    expect(pointersOf(await adapter.create('{}')).sort()).toEqual([
      '/arguments',
      '/timeout',
      '/tool',
    ]);
  });

  test('names every wrong field at once', async () => {
    const body = submission({
      tool: '""',
      timeout: '"1d"',
      arguments: '[]',
      more: '"context":1,"foo":1',
    });
    expect(pointersOf(await adapter.create(body)).sort()).toEqual([
      '/arguments',
      '/context',
      '/foo',
      '/timeout',
      '/tool',
    ]);
  });

  test.each([
    String.raw`a\u0000b`,
    String.raw`\ud800`,
    String.raw`\udc00x`,
    String.raw`\ude00\ud83d`,
  ])('is refused for %s, which cannot be stored exactly', async (text) => {
    expect(pointersOf(await adapter.create(submission({ tool: `"${text}"` })))).toEqual(['/tool']);
    expect(pointersOf(await adapter.create(submission({ more: `"server":"${text}"` })))).toEqual([
      '/server',
    ]);
    expect(pointersOf(await adapter.create(submission({ timeout: `"${text}"` })))).toContain(
      '/timeout',
    );
    expect((await adapter.create(submission({ more: `"${text}":1` }))).status).toBe(400);
  });
});

describe('a body that cannot be read', () => {
  test('is refused over 1 MiB, with and without Content-Length', async () => {
    const body = submissionOfSize(1024 * 1024 + 1);
    const announced = errorOf(await adapter.create(body));
    expect([announced.status, announced.error.type, announced.error.code]).toEqual([
      413,
      'invalid_request',
      'payload_too_large',
    ]);
    const head = `POST /api/aap/v1/requests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credential}\r\nContent-Type: application/json\r\nIdempotency-Key: ${randomUUID()}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunked = await sendBytes(
      app.url,
      `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 413 /);
    expect(chunked).toMatch(/\r\nx-request-id: /i);
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=utf-16', {}],
    ['application/jsonx', {}],
    ['application/merge-patch+json', {}],
    ['json', {}],
    ['', {}],
    ['application/json', { 'Content-Encoding': 'gzip' }],
  ])('is refused with 415 as %j %j', async (type, more) => {
    const body = 'Content-Encoding' in more ? gzipSync(submission()) : submission();
    const { status, error } = errorOf(
      await adapter.create(body, { headers: { 'Content-Type': type, ...more } }),
    );
    expect([status, error.type, error.code]).toEqual([
      415,
      'invalid_request',
      'unsupported_media_type',
    ]);
  });

  test('is refused with 415 when it has no type', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    expect(
      errorOf(await adapter.raw('POST', '/api/aap/v1/requests', { headers, body: submission() }))
        .status,
    ).toBe(415);
  });

  test.each([
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json; charset="utf-8"',
  ])('is read as %s', async (type) => {
    expect((await adapter.create(submission(), { headers: { 'Content-Type': type } })).status).toBe(
      201,
    );
  });
});

describe('the Idempotency-Key header', () => {
  test('is required', async () => {
    for (const options of [
      { idempotencyKey: null },
      { idempotencyKey: '' },
      { idempotencyKey: '   ' },
    ]) {
      const { status, error } = errorOf(await adapter.create(submission(), options));
      expect([status, error.code]).toEqual([400, 'idempotency_key_required']);
    }
  });

  test.each([
    ['letters of Latin-1', 'k\u00e9y'],
    ['letters in UTF-8', Buffer.from('clé 鍵').toString('latin1')],
    ['bytes that are no UTF-8', '\u00ff\u00fe\u0080'],
    ['a tab', 'a\tb'],
    ['signs', `~!"#$%&'()*+,;<=>?@[]^_{|}`],
    ['1,024 bytes', 'k'.repeat(1_024)],
    ['1,024 bytes that text needs two of each for', '\u00ff'.repeat(1_024)],
  ])('may be any value: %s', async (_name, idempotencyKey) => {
    const first = await adapter.create(submission(), { idempotencyKey });
    expect(first.status).toBe(201);
    const again = await adapter.create(submission(), { idempotencyKey });
    expect([again.status, again.text]).toEqual([200, first.text]);
    const [other = ''] = [idempotencyKey.replace(/.$/, (last) => (last === 'x' ? 'z' : 'x'))];
    expect((await adapter.create(submission(), { idempotencyKey: other })).status).toBe(201);
  });

  test('is compared by its bytes', async () => {
    const keys = ['caf\u00e9', Buffer.from('café').toString('latin1'), 'cafe', 'CAFE'];
    for (const idempotencyKey of keys)
      expect((await adapter.create(submission(), { idempotencyKey })).status).toBe(201);
  });

  test.each([1_025, 10_000])('has at most 1,024 bytes, not %i', async (bytes) => {
    const answer = await adapter.create(submission(), { idempotencyKey: 'k'.repeat(bytes) });
    expect(pointersOf(answer)).toEqual(['/headers/idempotency-key']);
  });
});

describe('names of tools and servers', () => {
  const name = (characters: number) => JSON.stringify('\u{1f600}'.repeat(characters));

  test('have up to 512 characters', async () => {
    const body = submission({ tool: name(512), more: `"server":${name(512)}` });
    expect((await adapter.create(body)).status).toBe(201);
  });

  test('of 513 characters are refused, and each is named', async () => {
    const body = submission({ tool: name(513), more: `"server":${name(513)}` });
    expect(pointersOf(await adapter.create(body)).sort()).toEqual(['/server', '/tool']);
  });
});

describe('a spoiled body', () => {
  test('never breaks the service, whatever the bytes of a body', async () => {
    const spoiled = fc
      .tuple(
        fc.constantFrom(
          submission(),
          submission({ more: '"context":{"a":[1,{"b":null}]},"server":"s"' }),
        ),
        fc.nat(),
        fc.uint8Array({ maxLength: 3 }),
      )
      .map(([body, at, piece]) => {
        const index = at % (body.length + 1);
        return Buffer.concat([
          Buffer.from(body.slice(0, index)),
          Buffer.from(piece),
          Buffer.from(body.slice(index + 1)),
        ]);
      });
    await fc.assert(
      fc.asyncProperty(spoiled, async (body) => {
        expect([201, 400]).toContain((await adapter.create(body)).status);
      }),
      { numRuns: 30 },
    );
  });

  test('never breaks the service, whatever JSON a body is', async () => {
    const member = fc.oneof(
      fc.jsonValue({ stringUnit: anyCharacter }),
      fc.constantFrom('1s', {}, [], '', null),
    );
    const keys = fc.constantFrom(
      'tool',
      'server',
      'arguments',
      'timeout',
      'agent_reasoning',
      'context',
      'x',
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), fc.dictionary(keys, member)), async (value) => {
        expect([201, 400]).toContain((await adapter.create(JSON.stringify(value))).status);
      }),
      { numRuns: 20 },
    );
  });
});
