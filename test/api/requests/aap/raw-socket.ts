/** Sends bytes that no HTTP client would send. */
import { connect } from 'node:net';

/** Sends the bytes unchanged. Returns the first answer, or everything the server sends until it closes. */
export function sendBytes(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setTimeout(30_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (isWhole(received)) socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (received === '') reject(error);
    });
    socket.on('close', () => {
      resolve(received);
    });
    socket.write(bytes, 'latin1');
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  return end !== -1 && length !== undefined && answer.length >= end + 4 + Number(length);
}
