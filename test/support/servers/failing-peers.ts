/** Addresses on loopback where connections fail, each in its own way. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createAuthority } from './certificates.ts';
import { startTlsReceiver } from './tls-receiver.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

export interface FailingPeer {
  /** Ends in one slash. */
  readonly url: string;
  close(): unknown;
}

/** A name that no resolver knows. */
const unknownName: FailingPeer = { url: 'https://nowhere.invalid/', close: () => undefined };

/** Where nothing listens. */
async function refusingPeer(): Promise<FailingPeer> {
  const gone = await startWebhookReceiver();
  await gone.close();
  return { url: new URL('/', gone.url).href, close: () => undefined };
}

/** With a certificate of an authority that no one knows. */
async function untrustedPeer(): Promise<FailingPeer> {
  const certificate = createAuthority('Unknown').issue({ names: ['127.0.0.1'] });
  const receiver = await startTlsReceiver(certificate);
  return { url: `https://127.0.0.1:${receiver.port}/`, close: () => receiver.close() };
}

/** Takes connections; `says` it, and then nothing. */
export async function rawPeer(says?: string): Promise<FailingPeer> {
  const closing: (() => unknown)[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => says && socket.end(says));
    closing.push(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      for (const close of closing) close();
      server.close();
    },
  };
}

/** Hangs up within its response. */
const resettingPeer = (): Promise<FailingPeer> =>
  rawPeer('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx');

/** By the word for the failure. */
export const FAILING_PEERS = {
  dns: () => Promise.resolve(unknownName),
  refused: refusingPeer,
  certificate: untrustedPeer,
  timeout: () => rawPeer(),
  reset: resettingPeer,
} as const satisfies Readonly<Record<string, () => Promise<FailingPeer>>>;
