/**
 * HTTP calls through Node's own client. It reads past provisional responses, also a `100 Continue`
 * that no one asked for; undici, and with it `fetch`, hangs up on that one.
 */
import type { LookupAddress } from 'node:dns';
import {
  request as requestHttp,
  type Agent as HttpAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { unlessAborted } from '../abort.ts';

export interface HttpCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** The rest of a longer body is not read. With 0, the response is over after its headers. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Default: Node's, which keeps connections for a moment. */
  readonly agent?: HttpAgent;
  /** For an agent that checks: the addresses to which a connection may lead, if they are known. */
  readonly checked?: readonly LookupAddress[] | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly body: Buffer;
  /** The body is longer than `maxBytes`, and some of it was wanted. */
  readonly isCut: boolean;
}

/** A failure of the connection that Node has no error for. */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(readonly code: 'CONNECT_TIMEOUT' | 'TOO_MANY_PROVISIONAL_RESPONSES') {
    super(code);
  }
}

export const CONNECT_MS = 10_000;
const MOST_PROVISIONAL_RESPONSES = 100;

/**
 * Any status is a response, even a redirect. Rejects with the connection's error, or with the reason
 * of `signal`.
 */
export async function callHttp(url: URL, call: HttpCall): Promise<HttpResponse> {
  const { method, headers, body, maxBytes, signal, agent, checked } = call;
  signal?.throwIfAborted();
  const begin = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = begin(url, {
    method,
    headers,
    ...(signal && { signal }),
    ...(agent && { agent }),
    ...(checked && { checked }),
  });
  const response = (): Promise<HttpResponse> => responseTo(request, { body, maxBytes });
  try {
    // A request without a connection yet does not end by itself.
    return await (signal ? unlessAborted(signal, response) : response());
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    // Ends only what is not whole: the connection of a whole response is free already.
    request.destroy();
  }
}

async function responseTo(
  request: ClientRequest,
  { body, maxBytes }: Pick<HttpCall, 'body' | 'maxBytes'>,
): Promise<HttpResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    let provisional = 0;
    request
      .on('response', resolve)
      .on('error', reject)
      .on('socket', (socket) => {
        limitConnecting(request, socket);
      })
      .on('information', () => {
        if (++provisional > MOST_PROVISIONAL_RESPONSES)
          request.destroy(new CallError('TOO_MANY_PROVISIONAL_RESPONSES'));
      })
      .end(body);
  });
  const { statusCode: status = 0, headers } = response;
  return { status, headers, ...(await readAtMost(response, maxBytes)) };
}

/** Until TLS is agreed on, too. */
function limitConnecting(request: ClientRequest, socket: Socket): void {
  if (!socket.connecting) return;
  const timer = setTimeout(() => {
    request.destroy(new CallError('CONNECT_TIMEOUT'));
  }, CONNECT_MS);
  const stop = (): void => {
    clearTimeout(timer);
  };
  socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stop).once('close', stop);
}

async function readAtMost(
  response: IncomingMessage,
  most: number,
): Promise<Pick<HttpResponse, 'body' | 'isCut'>> {
  // One that is whole already is read, so that its connection is free for the next call.
  if (most === 0 && !response.complete) return { body: Buffer.alloc(0), isCut: false };
  const chunks: Buffer[] = [];
  let left = most;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left < 0) break;
  }
  return { body: Buffer.concat(chunks), isCut: most > 0 && left < 0 };
}

/**
 * What client libraries need of `fetch`: text goes out, at most `maxBytes` come in. Follows no
 * redirect, and asks for no encoding.
 */
export function fetchAtMost(maxBytes: number): typeof fetch {
  return async (target, { method = 'GET', headers: given, body, signal } = {}) => {
    const url = new URL(target instanceof Request ? target.url : target);
    if (target instanceof Request || !isText(body)) throw new TypeError('unsupported call');
    const headers = { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(given)) };
    const text = body?.toString();
    const call = { method, headers, body: text, maxBytes, signal: signal ?? undefined };
    const response = await callHttp(url, call);
    return new Response(response.body.length === 0 ? null : response.body, {
      status: response.status,
      headers: Object.entries(response.headers).flatMap(([name, values = []]) =>
        [values].flat().map((value): [string, string] => [name, value]),
      ),
    });
  };
}

function isText(body: unknown): body is string | URLSearchParams | null | undefined {
  return (
    body === undefined ||
    body === null ||
    typeof body === 'string' ||
    body instanceof URLSearchParams
  );
}
