import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface Call {
  readonly method: string;
  /** Sent unchanged: nothing is normalized or encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Instants of the monotonic clock, in ms. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/**
 * Performs exactly one HTTP exchange: no redirect, no retry, no decoding. Rejects only when the
 * connection breaks.
 */
export function exchange(origin: URL, agent: Agent, call: Call): Promise<Reply> {
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(call.headers))
      headers[name] = typeof value === 'string' ? value : [...value];
    if (call.body) headers['Content-Length'] = String(call.body.byteLength);
    const outgoing = httpRequest(
      {
        host: origin.hostname,
        port: origin.port,
        agent,
        method: call.method,
        path: call.path,
        headers,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(chunks),
            sentAt,
            receivedAt: performance.now(),
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(call.body);
  });
}

export function keepAliveAgent(): Agent {
  return new Agent({ keepAlive: true });
}
