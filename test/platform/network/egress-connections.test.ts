/** Connections that are kept between calls: who shares them, and that each is checked. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { EgressDenied, openEgress, type Egress } from '../../../src/platform/network/egress.ts';
import { until } from '../../support/waiting.ts';

const call = { headers: {}, body: '{}', timeoutMs: 60_000, maxBytes: 1_000 };
/**
 * By ten calls in succession. A call may begin before the connection of the last one is free, and a busy machine may pause for
 * longer than one is kept.
 */
const MOST_OPENED = 5;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Receiver {
  readonly server: Server;
  readonly port: number;
  /** Connections that were ever opened. */
  readonly opened: () => number;
  readonly open: () => number;
  /** Calls that have no answer yet. */
  readonly held: ServerResponse[];
}

/** Answers at once, except at `/held`; without a body at `/empty`. */
async function receive(): Promise<Receiver> {
  let [opened, open] = [0, 0];
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/held') held.push(response);
      else if (request.url === '/empty') response.writeHead(204).end();
      else response.end('ok');
    });
  });
  server.on('connection', (socket) => {
    opened += 1;
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, opened: () => opened, open: () => open, held };
}

/** Names lead to loopback, until `address` changes. */
function openWithNames(): { egress: Egress; names: { address: string; asked: number } } {
  const names = { address: '127.0.0.1', asked: 0 };
  const egress = openEgress({
    allow: ['127.0.0.1'],
    resolve: () => {
      names.asked += 1;
      return Promise.resolve([{ address: names.address, family: 4 }]);
    },
  });
  closing.push(() => egress.close());
  return { egress, names };
}

test('calls in succession share connections, each of which was checked once', async () => {
  const { port, opened } = await receive();
  const { egress, names } = openWithNames();
  for (let count = 0; count < 10; count++)
    expect((await egress.post(`http://hook.example:${port}/`, call)).status).toBe(200);
  expect(opened()).toBeLessThanOrEqual(MOST_OPENED);
  expect(names.asked).toBe(opened());
});

test('calls that want no body share connections when the responses have none', async () => {
  const { port, opened } = await receive();
  const { egress } = openWithNames();
  const wanted = { ...call, maxBytes: 0 };
  for (let count = 0; count < 10; count++)
    expect((await egress.post(`http://hook.example:${port}/empty`, wanted)).status).toBe(204);
  expect(opened()).toBeLessThanOrEqual(MOST_OPENED);
});

test('a call that is not answered delays no other call to the same receiver', async () => {
  const { port, held } = await receive();
  const { egress } = openWithNames();
  const waiting = egress.post(`http://hook.example:${port}/held`, call);
  await until('the first call has arrived', () => held.length === 1);
  expect((await egress.post(`http://hook.example:${port}/`, call)).status).toBe(200);
  held[0]?.end();
  expect((await waiting).status).toBe(200);
});

test('two names of one address do not share a connection', async () => {
  const { port, opened } = await receive();
  const { egress, names } = openWithNames();
  for (const name of ['one.example', 'other.example'])
    await egress.post(`http://${name}:${port}/`, call);
  expect([opened(), names.asked]).toEqual([2, 2]);
});

test('the next connection is checked again: nothing reaches an address that the name has changed to', async () => {
  const { server, port, opened, open } = await receive();
  const { egress, names } = openWithNames();
  const url = `http://hook.example:${port}/`;
  await egress.post(url, call);
  server.closeAllConnections();
  await until('the connection is closed', () => open() === 0);
  names.address = '127.0.0.2';
  const refused = await egress.post(url, call).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(EgressDenied);
  expect(opened()).toBe(1);
});

test('an idle connection is closed after a moment, and all are when the process stops', async () => {
  const { port, open, held } = await receive();
  const { egress } = openWithNames();
  await egress.post(`http://hook.example:${port}/`, call);
  expect(open()).toBe(1);
  await until('the idle connection is closed', () => open() === 0);
  const cutOff = egress.post(`http://hook.example:${port}/held`, call).catch(() => 'cut off');
  await until('the call has arrived', () => held.length === 1);
  await egress.close();
  expect(await cutOff).toBe('cut off');
  await until('the connection is closed', () => open() === 0);
});
