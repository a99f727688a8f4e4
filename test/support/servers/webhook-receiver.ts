/** Receives webhooks on loopback, keeps them, and responds as a test demands. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  /** As received. */
  readonly body: string;
}

export interface WebhookReceiver {
  readonly url: string;
  /** Oldest first. */
  readonly received: readonly ReceivedWebhook[];
  /** The response to the next calls. Default 204. */
  respondWith(reply: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

/** Lets a service send to it. */
export const LOOPBACK_ALLOWED = { COUNTERSIGN_EGRESS_ALLOW: '127.0.0.0/8' } as const;

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const state = { reply: (response: ServerResponse): unknown => response.writeHead(204).end() };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body });
      state.reply(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    respondWith: (reply) => {
      state.reply = reply;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
