/** Sends bytes that no HTTP client would send. */
import { connect } from 'node:net';

/**
 * Sends the bytes unchanged. Returns everything the server sends until it closes, or is silent for
 * a second after an answer.
 */
export function sendBytes(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setTimeout(30_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      socket.setTimeout(1_000);
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
