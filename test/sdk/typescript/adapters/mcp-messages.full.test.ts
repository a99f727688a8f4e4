/** Lines that some servers take for a call of a tool. Only a call that is understood is asked for, and nothing else reaches a server. */
import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { readMessage, readResult } from '../../../../sdk/typescript/src/adapters/mcp/messages.ts';
import { builtTestPath } from '../../../support/run/built.ts';
import { until } from '../../../support/waiting.ts';

const bytes = (text: string) => Buffer.from(text);
const call =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"refund","arguments":{"amount":1}}}';
const inParams = (params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;

const REFUSED: readonly (readonly [string, string | Buffer, number])[] = [
  ['no JSON', 'tools/call', -32700],
  ['half a message', call.slice(0, -1), -32700],
  ['two messages', `${call} ${call}`, -32700],
  ['a batch', `[${call}]`, -32700],
  ['a text', '"tools/call"', -32700],
  ['another JSON-RPC', call.replace('2.0', '1.0'), -32700],
  ['the method twice', call.replace('"id"', '"method":"ping","id"'), -32700],
  ['the method twice, once as escapes', call.replace('"id"', '"m\\u0065thod":"ping","id"'), -32700],
  [
    'a member of the arguments twice',
    inParams('{"name":"refund","arguments":{"a":1,"a":2}}'),
    -32700,
  ],
  ['the name of the tool twice', inParams('{"name":"list","name":"refund"}'), -32700],
  [
    'a carriage return before a call',
    `{"jsonrpc":"2.0","method":"x","params":[\r${call}\r]}`,
    -32700,
  ],
  ['a byte order mark', `\ufeff${call}`, -32700],
  ['a comment', `/**/${call}`, -32700],
  [
    'no UTF-8',
    Buffer.concat([
      bytes('{"jsonrpc":"2.0","id":1,"method":"x","params":"'),
      Buffer.of(0xff),
      bytes('"}'),
    ]),
    -32700,
  ],
  ['a member in capitals', call.replace('"id"', '"Method":"ping","id"'), -32600],
  ['only the member in capitals', call.replace('"method"', '"METHOD"'), -32600],
  ['the method in capitals', call.replace('tools/call', 'Tools/Call'), -32600],
  ['a space after the method', call.replace('tools/call', 'tools/call '), -32600],
  ['a method in full width', call.replace('tools/call', '\uff54ools/call'), -32600],
  ['a method that is no text', call.replace('"tools/call"', '["tools/call"]'), -32600],
  ['a response that is a request, too', call.replace('"id"', '"result":{},"id"'), -32600],
  ['neither', '{"jsonrpc":"2.0","id":1}', -32600],
  ['an id that is none', call.replace('"id":1', '"id":{"a":1}'), -32600],
  ['an id that is null', call.replace('"id":1', '"id":null'), -32600],
  ['a call without an id', call.replace('"id":1,', ''), -32600],
  ['a call without parameters', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602],
  ['a list of parameters', inParams('["refund"]'), -32602],
  ['no name', inParams('{"arguments":{}}'), -32602],
  ['a name that is no text', inParams('{"name":["refund"]}'), -32602],
  ['the name in capitals', inParams('{"name":"list","Name":"refund"}'), -32602],
  ['arguments with a long s', inParams('{"name":"list","argument\u017f":{"a":1}}'), -32602],
  ['a name that is null', inParams('{"name":null}'), -32602],
  ['arguments as text', inParams('{"name":"refund","arguments":"{}"}'), -32602],
];

test.each(REFUSED)('%s is refused', (_name, line, code) => {
  expect(readMessage(bytes(line as string))).toMatchObject({ kind: 'refused', code });
});

test.each([
  ['a request', '{"jsonrpc":"2.0","id":"a","method":"ping"}'],
  ['a notification', '{"jsonrpc":"2.0","method":"notifications/initialized","params":{"n":1.0}}\r'],
  ['a result', '{"jsonrpc":"2.0","id":0,"result":{"method":"tools/call"}}'],
  ['an error', '{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"no"}}'],
  [
    'words of a call in a text',
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: call }),
  ],
])('%s passes', (_name, line) => {
  expect(readMessage(bytes(line))).toEqual({ kind: 'pass' });
});

test('null is nothing, as some clients write it', () => {
  const line = inParams('{"name":"refund","arguments":null,"_meta":null,"task":null}');
  const read = readMessage(bytes(line));
  expect(read).toMatchObject({ kind: 'call', tool: 'refund', isTask: false, isTyped: false });
  expect(read.kind === 'call' && read.arguments.text).toBe('{}');
});

test.each([
  ['{"jsonrpc":"2.0","id":1.0,"result":{"content":[]}}', { id: '1e0', isFailure: false }],
  ['{"jsonrpc":"2.0","id":"a","result":{"isError":true}}', { id: '"a"', isFailure: true }],
  ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}', { id: '1e0', isFailure: true }],
  ['{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}', undefined],
  ['no JSON', undefined],
])('what came of a call is read from %s', (line, expected) => {
  expect(readResult(bytes(line))).toEqual(expected);
});

test('a call keeps every digit, whatever way its method is written', () => {
  const args = '{"amount": 9007199254740993, "rate": 1.0}';
  const params = `{"_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"re\\u0066und","arguments":${args},"task":{"ttl":1},"inputResponses":{"a":1.0}}`;
  const read = readMessage(bytes(inParams(params).replace('tools/', 'too\\u006cs\\/')));
  expect(read).toMatchObject({
    ...{ kind: 'call', id: '1', tool: 'refund', progressToken: '7', isTask: true, isTyped: true },
    inputResponses: '{"a":1.0}',
  });
  expect(read.kind === 'call' && read.arguments.text).toBe(args);
});

/** Writes back what it reads, one JSON text a line, and ends lines at a carriage return, too. */
const LENIENT = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  console.log(JSON.stringify({ read: line }));
});`;

test('none of them reaches a lenient server, and the next message does, byte for byte', async () => {
  const env = {
    PATH: process.env['PATH'],
    COUNTERSIGN_URL: 'http://127.0.0.1:9',
    COUNTERSIGN_TOKEN: 'whc_x',
  };
  const command = builtTestPath('sdk/typescript/src/adapters/mcp/command.ts');
  const child = spawn(
    process.execPath,
    [command, 'wrap', '--limit', '1s', 'billing', '--', process.execPath, '-e', LENIENT],
    { env, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const output: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(JSON.parse(line) as Record<string, unknown>);
  });
  const last = `${' '.repeat(200)}{ "jsonrpc":"2.0", "id":1.0, "method":"ping" }`;
  const long = `{"jsonrpc":"2.0","method":"x","params":"${'a'.repeat(11 * 1024 * 1024)}"}`;
  for (const [, line] of REFUSED)
    child.stdin.write(Buffer.concat([bytes(line as string), bytes('\n')]));
  child.stdin.write(`\n${long}\n${call}\n${call}\n`);
  const asked = call.replace('"id":1', '"id":2').replace('"params":{', '"params":{"task":{},');
  // A call that is cancelled at once, and the cancellation of a call that the server has.
  const stopped = call.replace('"id":1', '"id":3');
  const cancel = (id: number) =>
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${String(id)}}}`;
  child.stdin.write(`${stopped}\n${cancel(3)}\n${cancel(4)}\n`);
  child.stdin.write(`${asked}\n${last}\n${last}`);
  await until('the last one came', () => output.some(({ read }) => read === last));
  await until('the call was refused', () => output.some(({ id }) => id === 2));
  child.stdin.end();
  await new Promise((resolve) => child.once('exit', resolve));
  // A line without an end is none.
  expect(output.flatMap(({ read }) => (read === undefined ? [] : [read]))).toEqual([
    cancel(4),
    last,
  ]);
  expect(output.filter(({ id }) => id === 3)).toEqual([]);
  const withoutId = REFUSED.filter(([name]) => name === 'a call without an id').length;
  const errors = output.filter(({ error }) => error !== undefined);
  // Besides: the long one, the two calls with one id, and the task that no one could be asked about.
  expect(errors).toHaveLength(REFUSED.length - withoutId + 3);
});
