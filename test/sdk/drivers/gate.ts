/** Stands before the service, and holds its first create until the test lets it pass. */
import {
  createServer,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../support/waiting.ts';

export async function startGate(to: string) {
  const held: (() => void)[] = [];
  let isFirst = true;
  let open = 0;
  const pass = (request: IncomingMessage, body: Buffer, response: ServerResponse) => {
    open += 1;
    const { method = '', headers } = request;
    const forward = send(new URL(request.url ?? '/', to), { method, headers }, (answer) => {
      answer.on('end', () => (open -= 1));
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forward.end(body);
  };
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const go = () => {
        pass(request, Buffer.concat(chunks), response);
      };
      if (!isFirst) go();
      else {
        isFirst = false;
        held.push(go);
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    /** Resolves with the way on for the create. */
    held: async () => {
      await until('the create is held', () => held.length > 0);
      return held[0] as () => void;
    },
    isIdle: () => open === 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
