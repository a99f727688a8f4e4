/**
 * One HTTP call over connections of our own. No proxy of the environment answers in the place of the service, and its
 * certificate is always verified, whatever NODE_USE_ENV_PROXY and NODE_TLS_REJECT_UNAUTHORIZED say.
 */
import { Agent, request as requestHttp, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';

export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export interface Received {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  /** A body that never ends would keep the process alive. */
  readonly cancel: () => void;
}

const plain = new Agent({ keepAlive: true });
const secure = new SecureAgent({ keepAlive: true, rejectUnauthorized: true });

/** Follows no redirect. Rejects when there is no response, or the signal aborts. */
export async function send(
  url: string,
  { method, headers, body, signal }: Sent,
): Promise<Received> {
  const address = new URL(url);
  const isSecure = address.protocol === 'https:';
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, headers, signal };
    const call = isSecure
      ? requestHttps(address, { ...options, agent: secure }, resolve)
      : requestHttp(address, { ...options, agent: plain }, resolve);
    call.on('error', reject);
    call.end(body);
  });
  // It is raised at the reader, and the response may have none any more.
  response.on('error', () => undefined);
  return {
    status: response.statusCode ?? 0,
    header: (name) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    body: response as AsyncIterable<Uint8Array>,
    cancel: () => {
      response.destroy();
    },
  };
}
