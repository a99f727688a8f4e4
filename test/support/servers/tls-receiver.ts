/** Receives webhooks over TLS on loopback. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.ts';

export interface ReceivedOverTls {
  /** The name that the caller asked for in the handshake; false: none. */
  readonly serverName: string | false | null;
  readonly host: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface TlsReceiver {
  readonly port: number;
  readonly received: readonly ReceivedOverTls[];
  close(): Promise<void>;
}

export async function startTlsReceiver({ cert, key }: Certificate): Promise<TlsReceiver> {
  const received: ReceivedOverTls[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    void text(request).then((body) => {
      const { servername } = request.socket as TLSSocket & { servername?: string | false };
      received.push({
        serverName: servername ?? null,
        host: request.headers.host,
        headers: request.headers,
        body,
      });
      response.writeHead(204).end();
    });
  });
  // A caller that does not trust the certificate hangs up.
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
