/** The receiving service of a harness, over TLS on loopback, which the processes of a test trust. */
import { once } from 'node:events';
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { createAuthority, type Authority } from './certificates.ts';

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As received. */
  readonly body: string;
}

export interface AapReceiver {
  readonly port: number;
  /** At `localhost`, unless another name leads here. */
  url(path?: string, host?: string): string;
  /** What a provisioner sends, with a secret and a separate registration. */
  delivery(path?: string): Delivery;
  readonly verifications: readonly ReceivedMessage[];
  readonly events: readonly ReceivedMessage[];
  /** Calls under way now. */
  readonly open: number;
  /** The most calls that were under way at once. */
  readonly mostOpen: number;
  /** The responses to the next events. Default 204. */
  respondToEvents(reply: Responding): void;
  /** The responses to the next verifications. Default: the challenge. */
  respondToVerifications(reply: Responding): void;
  /** Another address of this machine, or another port, at which the same service listens. Returns the port. */
  listenAt(address: string, port?: number): Promise<number>;
  close(): Promise<void>;
}

export interface Delivery {
  readonly type: 'webhook';
  readonly url: string;
  readonly registration_id: string;
  readonly signing_secret: string;
}

type Responding = (response: ServerResponse, message: ReceivedMessage) => unknown;

const accept: Responding = (response) => response.writeHead(204).end();
/** Verifies this receiver. */
export const repeatChallenge: Responding = (response, { body }) => {
  const { challenge } = JSON.parse(body) as { readonly challenge: string };
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ challenge }));
};

export const testAuthority: Authority = createAuthority('Authority of receivers');

/**
 * This process trusts the authority of receivers from now on. A deployment trusts what
 * NODE_EXTRA_CA_CERTS names, which a process reads at its start.
 */
export function trustReceivers(): void {
  const create = tls.createSecureContext;
  tls.createSecureContext = (options) => {
    const made = create(options);
    (made.context as { addCACert(pem: string): void }).addCACert(testAuthority.cert);
    return made;
  };
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export async function startAapReceiver(
  names: readonly string[] = ['localhost'],
): Promise<AapReceiver> {
  const state = { events: accept, verifications: repeatChallenge, open: 0, mostOpen: 0 };
  const events: ReceivedMessage[] = [];
  const verifications: ReceivedMessage[] = [];
  const server = createServer(testAuthority.issue({ names }), (request, response) => {
    state.open += 1;
    state.mostOpen = Math.max(state.mostOpen, state.open);
    response.on('close', () => {
      state.open -= 1;
    });
    text(request).then(
      (body) => {
        const message = { path: request.url ?? '', headers: request.headers, body };
        const isVerification = body.includes('"webhook.verification"');
        (isVerification ? verifications : events).push(message);
        (isVerification ? state.verifications : state.events)(response, message);
      },
      () => undefined,
    );
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const further: Server[] = [];
  const url = (path = '/aap/events', host = 'localhost') => `https://${host}:${port}${path}`;
  return {
    port,
    url,
    delivery: (path) => ({
      type: 'webhook',
      url: url(path),
      registration_id: randomUUID(),
      signing_secret: newSecret(),
    }),
    verifications,
    events,
    get open() {
      return state.open;
    },
    get mostOpen() {
      return state.mostOpen;
    },
    respondToEvents: (reply) => {
      state.events = reply;
    },
    respondToVerifications: (reply) => {
      state.verifications = reply;
    },
    listenAt: async (address, wanted = port) => {
      const other = createTcpServer((socket) => server.emit('connection', socket));
      further.push(other.listen(wanted, address));
      await once(other, 'listening');
      return (other.address() as AddressInfo).port;
    },
    close: async () => {
      server.closeAllConnections();
      for (const each of [server, ...further]) {
        each.close();
        await once(each, 'close');
      }
    },
  };
}
