/**
 * Calls to addresses that users name reach only the public internet and what the deployment allows.
 */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  ResponseTooLarge,
  EgressDenied,
  EgressTimeout,
  isPublic,
  isEgressRange,
  openEgress,
  type Resolve,
} from '../../../src/platform/network/egress.ts';

const LOOPBACK = ['127.0.0.0/8', '::1'];
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Receiver {
  readonly port: number;
  readonly url: string;
  readonly calls: IncomingMessage[];
}

async function receive(
  answer: (response: ServerResponse) => void = (response) => response.end('ok'),
): Promise<Receiver> {
  const calls: IncomingMessage[] = [];
  const server = createHttpServer((request, response) => {
    calls.push(request);
    request.resume().on('end', () => {
      answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/hook`, calls };
}

const call = { headers: {}, body: '{}', timeoutMs: 60_000, maxBytes: 1_000 };
const refusal = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => 'let through',
    (error: unknown) => (error instanceof EgressDenied ? error.problem : error),
  );
const names =
  (table: Readonly<Record<string, readonly string[]>>): Resolve =>
  (name) =>
    Promise.resolve(
      (table[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const nasty = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.0.170',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '2002:808:808::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '4000::1',
];

test.each([
  ['port', 'https://example.com:0/hook'],
  ['port', 'https://8.8.8.8:0/'],
  ['host', 'https://example-.com/hook'],
  ['host', 'https://hooks.example.com-/'],
  ['host', 'https://hooks.example-./'],
])('%s: %s is refused before its name is looked up', async (problem, url) => {
  const egress = openEgress({
    allow: [],
    resolve: () => Promise.resolve([{ address: '8.8.8.8', family: 4 }]),
  });
  await expect(egress.check(url)).rejects.toMatchObject({ name: 'EgressDenied', problem });
});

describe('an address', () => {
  test.each(nasty)('%s is not public', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '2606:4700:4700::1111',
    '2a00:1450::1',
  ])('%s is public', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  test.each(nasty)('%s is refused in a URL and behind a name', async (address) => {
    const egress = openEgress({ allow: [], resolve: names({ 'hook.example': [address] }) });
    const literal = address.includes(':') ? `[${address}]` : address;
    expect(await refusal(egress.check(`https://${literal}/hook`))).toBe('address');
    expect(await refusal(egress.check('https://hook.example/'))).toBe('address');
    expect(await refusal(egress.post('https://hook.example/', call))).toBe('address');
  });
});

describe('a destination', () => {
  test.each([
    ['hook', 'not_a_url'],
    ['/hook', 'not_a_url'],
    ['https://', 'not_a_url'],
    ['http://hook.example/', 'scheme'],
    ['ftp://hook.example/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['https://user@hook.example/', 'userinfo'],
    ['https://user:password@hook.example/', 'userinfo'],
    ['https://hook.example/#part', 'fragment'],
    ['https://hook.example/#', 'fragment'],
    ['https://nowhere.example/', 'unresolved'],
    ['https://0x7f000001/', 'address'],
    ['https://2130706433/', 'address'],
    ['https://0177.0.0.1/', 'address'],
    ['https://127.1/', 'address'],
    ['https://①②⑦.0.0.1/', 'address'],
    ['https://[::ffff:7f00:1]/', 'address'],
  ])('%s is refused: %s', async (url, problem) => {
    const egress = openEgress({ allow: [], resolve: names({ 'hook.example': ['8.8.8.8'] }) });
    expect(await refusal(egress.check(url))).toBe(problem);
  });

  test('on the public internet over https is allowed', async () => {
    const egress = openEgress({
      allow: [],
      resolve: names({ 'hook.example': ['8.8.8.8', '2606:4700:4700::1111'] }),
    });
    await expect(egress.check('https://hook.example:8443/path?query=1')).resolves.toBeUndefined();
  });

  test('with one private address among public ones is refused', async () => {
    const egress = openEgress({
      allow: [],
      resolve: names({ 'hook.example': ['8.8.8.8', '10.0.0.1'] }),
    });
    expect(await refusal(egress.check('https://hook.example/'))).toBe('address');
  });

  test('over http needs every address in an allowed range', async () => {
    const egress = openEgress({
      allow: LOOPBACK,
      resolve: names({ both: ['127.0.0.1', '8.8.8.8'], inside: ['127.0.0.1', '::1'] }),
    });
    expect(await refusal(egress.check('http://both/'))).toBe('scheme');
    expect(await refusal(egress.check('http://8.8.8.8/'))).toBe('scheme');
    await expect(egress.check('http://inside/')).resolves.toBeUndefined();
    await expect(egress.check('https://both/')).resolves.toBeUndefined();
  });

  test('that the resolver does not answer about ends the wait', async () => {
    const egress = openEgress({ allow: [], resolve: () => new Promise(() => undefined) });
    await expect(egress.post('https://hook.example/', { ...call, timeoutMs: 50 })).rejects.toThrow(
      EgressTimeout,
    );
  });
});

describe('a call', () => {
  test('goes to the checked address, even if the name changes a moment later', async () => {
    const receiver = await receive();
    let asked = 0;
    const resolve: Resolve = () =>
      Promise.resolve([{ address: ++asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    const egress = openEgress({ allow: ['127.0.0.1'], resolve });
    const answer = await egress.post(`http://rebound.example:${receiver.port}/hook`, call);
    expect(answer.status).toBe(200);
    expect(asked).toBe(1);
    expect(receiver.calls.map(({ headers }) => headers.host)).toEqual([
      `rebound.example:${receiver.port}`,
    ]);
  });

  test('is checked each time: a name that changed to a private address is refused, and nothing reaches it', async () => {
    const receiver = await receive();
    let address = '8.8.8.8';
    const egress = openEgress({
      allow: [],
      resolve: () => Promise.resolve([{ address, family: 4 }]),
    });
    const url = `https://rebound.example:${receiver.port}/hook`;
    await egress.check(url);
    address = '127.0.0.1';
    expect(await refusal(egress.post(url, call))).toBe('address');
    expect(receiver.calls).toHaveLength(0);
  });

  test('follows no redirect', async () => {
    const inside = await receive();
    const receiver = await receive((response) =>
      response.writeHead(302, { location: inside.url }).end(),
    );
    const answer = await openEgress({ allow: LOOPBACK }).post(receiver.url, call);
    expect(answer.status).toBe(302);
    expect(inside.calls).toHaveLength(0);
  });

  test('uses no proxy of the environment', async () => {
    const proxy = await receive();
    const receiver = await receive();
    const environment = {
      HTTP_PROXY: proxy.url,
      http_proxy: proxy.url,
      HTTPS_PROXY: proxy.url,
      ALL_PROXY: proxy.url,
    };
    Object.assign(process.env, environment);
    closing.push(() => {
      for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name);
    });
    await openEgress({ allow: LOOPBACK }).post(receiver.url, call);
    expect([receiver.calls.length, proxy.calls.length]).toEqual([1, 0]);
  });

  test('ends when the answer does not come, does not end, or is too large', async () => {
    const egress = openEgress({ allow: LOOPBACK });
    const silent = await receive(() => undefined);
    await expect(egress.post(silent.url, { ...call, timeoutMs: 100 })).rejects.toThrow(
      EgressTimeout,
    );
    const dripping = await receive((response) => response.writeHead(200).write('x'));
    await expect(egress.post(dripping.url, { ...call, timeoutMs: 100 })).rejects.toThrow(
      EgressTimeout,
    );
    const large = await receive((response) => response.end('x'.repeat(1_001)));
    await expect(egress.post(large.url, call)).rejects.toThrow(ResponseTooLarge);
    const full = await receive((response) => response.end('x'.repeat(1_000)));
    expect((await egress.post(full.url, call)).body).toHaveLength(1_000);
  });

  test('ends when its caller gives up', async () => {
    const silent = await receive(() => undefined);
    const enough = new Error('enough');
    const caller = new AbortController();
    const answer = openEgress({ allow: LOOPBACK }).post(silent.url, {
      ...call,
      signal: caller.signal,
    });
    caller.abort(enough);
    await expect(answer).rejects.toBe(enough);
  });

  test('over https never falls back to http', async () => {
    const receiver = await receive();
    await expect(
      openEgress({ allow: LOOPBACK }).post(receiver.url.replace('http:', 'https:'), call),
    ).rejects.toThrow();
    expect(receiver.calls).toHaveLength(0);
  });
});

test('a range is an address or a network', () => {
  expect(['10.0.0.0/8', '127.0.0.1', '::1', 'fd00::/8'].every(isEgressRange)).toBe(true);
  expect(['', 'ten', '10.0.0.0/33', '10.0.0.0/255.0.0.0', 'localhost'].some(isEgressRange)).toBe(
    false,
  );
});

test('a name with many addresses leads to the first sixteen, and to no others', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `127.0.0.${index + 1}`);
  const resolve = () => Promise.resolve(names.map((address) => ({ address, family: 4 })));
  const egress = openEgress({ allow: LOOPBACK, resolve });
  closing.push(egress.close);
  expect(await egress.addressesOf('https://many.example/')).toEqual(names.slice(0, 16));
});
