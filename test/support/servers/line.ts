/** A line to a service that can be cut, as if the service were killed, and mended, as if it were started again. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../../src/local/processes.ts';

export interface Line {
  readonly url: string;
  cut(): void;
  mend(): Promise<void>;
}

/** `url`: of a service on this machine. */
export async function startLine(url: string): Promise<Line> {
  const port = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  // While it is cut, no other server and no connection gets this port.
  const own = await freePort();
  await listen(own);
  return {
    url: `http://127.0.0.1:${String(own)}`,
    cut: () => {
      for (const socket of sockets) socket.destroy();
      if (server.listening) server.close();
    },
    mend: () => listen(own),
  };
}
