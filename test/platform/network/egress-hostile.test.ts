/**
 * Hostile or broken receivers: whatever they send, and however slowly, a call ends and takes
 * little.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  ResponseTooLarge,
  EgressTimeout,
  openEgress,
  type EgressRequest,
} from '../../../src/platform/network/egress.ts';
import { PATIENCE_MS, until } from '../../support/waiting.ts';

const MEGABYTE = 1024 * 1024;
/** For calls that something else ends: longer than the tests wait for that. */
const AMPLE_MS = 2 * PATIENCE_MS;
const egress = openEgress({ allow: ['127.0.0.0/8'] });
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Hostile {
  readonly url: string;
  /** Bytes that the caller's side has received. */
  readonly taken: () => number;
  /** Connections that are still open. */
  readonly open: () => number;
}

/** Answers every connection with `behave`, byte by byte. */
async function hostile(
  behave: (socket: Socket, every: (ms: number, work: () => void) => void) => void,
): Promise<Hostile> {
  const sockets = new Set<Socket>();
  let taken = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    const timers: NodeJS.Timeout[] = [];
    socket
      .on('error', () => undefined)
      .once('close', () => {
        for (const timer of timers) clearInterval(timer);
        taken += socket.bytesWritten;
        sockets.delete(socket);
      })
      .once('data', () => {
        behave(socket, (ms, work) => timers.push(setInterval(work, ms)));
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    taken: () => taken,
    open: () => sockets.size,
  };
}

const call = async ({ url }: Hostile, wanted: Partial<EgressRequest> = {}) =>
  await egress.post(url, {
    headers: {},
    body: '{}',
    timeoutMs: 500,
    maxBytes: 64 * 1024,
    ...wanted,
  });

const NOTHING = Buffer.alloc(0);
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

describe('a receiver', () => {
  test.each<[string, Parameters<typeof hostile>[0]]>([
    ['says nothing', () => undefined],
    ['begins a header and never ends it', (socket) => socket.write('HTTP/1.1 200 OK\r\nx-long: ')],
    [
      'dribbles a header byte by byte',
      (socket, every) => [
        socket.write('HTTP/1.1 200 OK\r\nx-long: '),
        every(20, () => socket.write('x')),
      ],
    ],
    [
      'dribbles whole headers',
      (socket, every) => [socket.write(HEAD), every(20, () => socket.write('x-more: 1\r\n'))],
    ],
    [
      'sends one provisional answer after the other',
      (socket, every) => every(20, () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')),
    ],
    [
      'promises a body and sends none',
      (socket) => socket.write(`${HEAD}content-length: 10\r\n\r\n`),
    ],
    [
      'dribbles its body',
      (socket, every) => [socket.write(`${HEAD}\r\n`), every(20, () => socket.write('x'))],
    ],
    [
      'never ends its chunks',
      (socket, every) => [
        socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`),
        every(20, () => socket.write('1\r\nx\r\n')),
      ],
    ],
  ])('that %s is abandoned in time, and disconnected', async (_what, behave) => {
    const receiver = await hostile(behave);
    await expect(call(receiver)).rejects.toThrow(EgressTimeout);
    await until('the connection is closed', () => receiver.open() === 0);
  });

  test.each(['content-length: 10', 'transfer-encoding: chunked'])(
    'whose body never ends, with %s, is disconnected at once when no body is wanted',
    async (header) => {
      const receiver = await hostile((socket) => socket.write(`${HEAD}${header}\r\n\r\n`));
      const wanted = { maxBytes: 0, timeoutMs: AMPLE_MS };
      expect(await call(receiver, wanted)).toMatchObject({ status: 200, body: NOTHING });
      await until('the connection is closed', () => receiver.open() === 0);
    },
  );

  test('that sends 100 MB is disconnected after a little of it', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const receiver = await hostile((socket) => {
      socket.write(`${HEAD}content-length: ${100 * MEGABYTE}\r\n\r\n`);
      const pump = (): void => {
        while (!socket.destroyed && socket.bytesWritten < 100 * MEGABYTE && socket.write(piece));
      };
      socket.on('drain', pump);
      pump();
    });
    const error: unknown = await call(receiver, { timeoutMs: AMPLE_MS }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ResponseTooLarge);
    expect(error).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
    });
    await until('the connection is closed', () => receiver.open() === 0);
    // In addition to what was in the buffers of both sides.
    expect(receiver.taken()).toBeLessThan(30 * MEGABYTE);
  });

  test('that sends endless headers is disconnected after a little of them', async () => {
    const lines = `x-more: ${'y'.repeat(1_000)}\r\n`.repeat(64);
    const receiver = await hostile((socket) => {
      socket.write(HEAD);
      const pump = (): void => {
        while (!socket.destroyed && socket.bytesWritten < 100 * MEGABYTE && socket.write(lines));
      };
      socket.on('drain', pump);
      pump();
    });
    await expect(call(receiver, { timeoutMs: AMPLE_MS })).rejects.toMatchObject({
      code: 'HPE_HEADER_OVERFLOW',
    });
    await until('the connection is closed', () => receiver.open() === 0);
    expect(receiver.taken()).toBeLessThan(30 * MEGABYTE);
  });

  test.each([
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['two lengths that disagree', `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`],
    [
      'a length and chunks at once',
      `${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['less than it promised, and hangs up', `${HEAD}content-length: 10\r\n\r\nxx`],
  ])('that sends %s counts as having sent no answer', async (_what, answer) => {
    const receiver = await hostile((socket) => socket.end(answer));
    const error: unknown = await call(receiver, { timeoutMs: AMPLE_MS }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      code: expect.stringMatching(/^(ECONNRESET|HPE_.+)$/),
    });
    await until('the connection is closed', () => receiver.open() === 0);
  });
});
