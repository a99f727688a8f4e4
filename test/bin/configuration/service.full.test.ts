/** Where an API key is sent, and what is believed of a response. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { readLive } from '../../../bin/configuration/live.ts';
import { openService } from '../../../bin/configuration/service.ts';

const seen: string[] = [];
let respond = (_request: IncomingMessage, response: ServerResponse): unknown => response.end();
const server = createServer((request, response) => {
  seen.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
  respond(request, response);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

test.each([
  'http://countersign.example.com',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'http://10.0.0.1',
  'https://ada:secret@countersign.example.com',
  'https://countersign.example.com?key=1',
  'https://countersign.example.com#a',
  'ftp://127.0.0.1',
  'countersign.example.com',
  '',
])('no key is sent to %j', (address) => {
  expect(() => openService({ url: address, key: 'whk_x' })).toThrow(/https:\/\/|must have no user/);
});

test.each([
  'https://countersign.example.com/base/',
  'http://localhost:8080',
  'http://[::1]:8080',
  'http://127.8.0.1',
])('a key may be sent to %s', (address) => {
  expect(openService({ url: address, key: 'whk_x' }).url).toBe(address.replace(/\/$/, ''));
});

test.each(['/api/v1', '/api/v1/', '/api'])(
  'the address of the API leads to its service: %s',
  (path) => {
    const base = 'https://countersign.example.com/base';
    expect(openService({ url: `${base}${path}`, key: 'whk_x' }).url).toBe(base);
  },
);

test.each(['', 'whk_x\nhost: evil', 'whk ä'])('%j is no key', (key) => {
  expect(() => openService({ url, key })).toThrow('no key has');
});

test.each([
  ['a redirect', 307, { location: `${url}/elsewhere` }, '', /redirects \(307\)/],
  [
    'a page',
    200,
    { 'content-type': 'text/html' },
    '<p>Sign in</p>',
    /does not answer as Countersign/,
  ],
  ['JSON that is cut', 200, { 'content-type': 'application/json' }, '{"a":', /broken body/],
  [
    'text that is no UTF-8',
    200,
    { 'content-type': 'application/json' },
    Buffer.from([0xff]),
    /broken body/,
  ],
  [
    'an error without its envelope',
    500,
    { 'content-type': 'application/json' },
    '{}',
    /status 500/,
  ],
  [
    'a refusal',
    403,
    { 'content-type': 'application/json' },
    '{"error":{"code":"permission_denied","message":"No.","details":{"permission":"agent.write","scope_kind":"agent","scope_id":"bot"}}}',
    /^The API key lacks the permission agent\.write \(bot\): No\. \(403 permission_denied\)$/,
  ],
])('%s is an error, and nothing else is called', async (_what, status, headers, body, message) => {
  seen.length = 0;
  respond = (_request, response) => response.writeHead(status, headers).end(body);
  await expect(openService({ url, key: 'whk_x' }).call('GET', '/api')).rejects.toThrow(message);
  expect(seen).toEqual(['/api Bearer whk_x']);
});

test('a service that is away is named', async () => {
  await expect(
    openService({ url: 'http://127.0.0.1:9', key: 'whk_x' }).call('GET', '/api'),
  ).rejects.toThrow('http://127.0.0.1:9 does not answer: ');
});

test('numbers of a response keep their digits', async () => {
  respond = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', etag: '"3"' }).end('{"a":1.0}');
  const { value, etag } = await openService({ url, key: 'whk_x' }).call('GET', '/api');
  expect([value['a'], etag]).toEqual([{ source: '1.0' }, '"3"']);
});

test.each(['{}', '[]', 'null', '{"agents":5}'])(
  'a list that is %s comes from no Countersign',
  async (body) => {
    respond = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    await expect(
      openService({ url, key: 'whk_x' }).list('/api/v1/agents', 'agents'),
    ).rejects.toThrow('does not answer as Countersign does');
  },
);

test.each([
  ['agents', 'agents', { slug: '../../../evil', name: 'x', status: 'active' }],
  ['webhook-endpoints', 'webhook_endpoints', { endpoint_key: '../evil', active_revision: 1 }],
  ['escalation-paths', 'escalation_paths', { path_key: '.github/x', active_revision: 1 }],
  ['pipelines', 'request_approval_pipelines', { scope: 'agent', agent_slug: '../x' }],
] as const)('a key of %s that would leave the folder is refused', async (kind, member, entry) => {
  respond = (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ [member]: [entry] }));
  await expect(
    readLive(openService({ url, key: 'whk_x' }), new Set([kind]), { people: false }),
  ).rejects.toThrow('which is no key');
});

test('documents whose files would have one name get names of their own, whatever their order', async () => {
  const teams = ['夜', '昼', 'Night'].map((name, index) => ({ id: String(index), name }));
  const namesFor = async (listed: readonly object[]) => {
    respond = (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ teams: listed }));
    const service = openService({ url, key: 'whk_x' });
    const { documents } = await readLive(service, new Set(['team-policies']), { people: false });
    return documents.map(({ name }) => name);
  };
  const names = await namesFor(teams);
  expect(names).toEqual([
    expect.stringMatching(/^team-policies\/other-[0-9a-f]{8}$/),
    expect.stringMatching(/^team-policies\/other-[0-9a-f]{8}$/),
    'team-policies/night',
  ]);
  expect(new Set(names).size).toBe(3);
  expect(await namesFor(teams.toReversed())).toEqual(names.toReversed());
});
