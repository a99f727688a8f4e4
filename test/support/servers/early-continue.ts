/** Responses every HTTP request on loopback with a `100 Continue` that it did not ask for, and then with 200. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface EarlyContinueServer {
  /** Without a path. */
  readonly origin: string;
  close(): Promise<void>;
}

/** `body`: of the 200, as JSON. */
export async function startEarlyContinueServer(body: string): Promise<EarlyContinueServer> {
  const sockets = new Set<Socket>();
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => sockets.delete(socket))
      .once('data', () => {
        socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        socket.end(`${head}connection: close\r\n\r\n${body}`);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
