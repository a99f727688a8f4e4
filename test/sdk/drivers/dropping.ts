/** Stands before the service, and loses the response to chosen calls after the service has made them. */
import {
  createServer,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** `POST /requests/{id}/start` is `POST start`. */
export type Step = string;

const stepOf = ({ method = '', url = '' }: IncomingMessage): Step => {
  const [, action = 'request'] =
    /\/requests\/[\da-f-]{36}\/(start|result)/.exec(url) ??
    (/\/requests\/[\da-f-]{36}/.test(url) ? [] : ['', 'requests']);
  return `${method} ${action}`;
};

/** `drops` gets each step and how many calls came before. */
export async function startDropping(to: string, drops: (step: Step, before: number) => boolean) {
  const steps: Step[] = [];
  const pass = (request: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const { method = '', headers } = request;
    const step = stepOf(request);
    const isDropped = drops(step, steps.length);
    steps.push(step);
    const forward = send(new URL(request.url ?? '/', to), { method, headers }, (answer) => {
      if (isDropped) {
        answer.resume();
        answer.on('end', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forward.on('error', () => request.socket.destroy());
    forward.end(body);
  };
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      pass(request, Buffer.concat(chunks), response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    steps,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
