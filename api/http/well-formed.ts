/** Refuses calls that Node accepts and later code cannot handle or must not serve, and responds to bytes that are not HTTP. */
import { STATUS_CODES } from 'node:http';
import { isIPv4, type Socket } from 'node:net';
import type { Context } from 'koa';
import { v4 } from 'uuid';
import { AppError, invalid } from '../../src/domain/errors.ts';
import { stringifyExact } from '../../src/platform/json/exact-json.ts';
import type { AppRuntime } from '../../src/services/context.ts';
import { problemFrom } from './problems/problem.ts';

/** Node would take the first one, or join them to one that no client sent. */
const AT_MOST_ONCE = ['host', 'authorization', 'content-type', 'idempotency-key', 'if-match'];

export async function requireWellFormed(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  const given = ctx.req.headersDistinct;
  if (!given.host && ctx.req.httpVersion === '1.1')
    throw invalid([{ pointer: '/headers/host', code: 'required', message: 'is required' }]);
  const repeated = AT_MOST_ONCE.filter((name) => (given[name]?.length ?? 0) > 1);
  if (repeated.length > 0)
    throw invalid(
      repeated.map((name) => ({
        pointer: `/headers/${name}`,
        code: 'repeated_header',
        message: 'must be given only once',
      })),
    );
  if (!hasPath(ctx))
    throw invalid([
      { pointer: '', code: 'malformed_http', message: 'the target of the call is not a valid URL' },
    ]);
  await next();
}

/** Koa parses the target on first use of its path, and throws when it is not a URL. */
function hasPath(ctx: Context): boolean {
  try {
    return ctx.path !== '';
  } catch {
    return false;
  }
}

/** Probes come by the address of a container, and learn nothing that a page could use. */
const PROBES = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * Where no public URL says which names are the service's own, it is reached by those of this machine. A page of a foreign
 * name that resolves to this machine could otherwise read what it serves, and act with the session of the person.
 */
export const requireOwnHost =
  ({ publicUrl }: Pick<AppRuntime, 'publicUrl'>) =>
  async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
    const { host, authorization } = ctx.req.headers;
    // Pages have no credential but a cookie.
    const isProgram = authorization !== undefined || PROBES.has(ctx.path);
    if (!isProgram && host !== undefined && !isOwn(host, publicUrl()))
      throw new AppError('host_not_served');
    await next();
  };

function isOwn(host: string, url: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return isLoopback(hostname) || hostname === new URL(url).hostname;
}

const isLoopback = (name: string): boolean =>
  name === 'localhost' ||
  name.endsWith('.localhost') ||
  name === '[::1]' ||
  (isIPv4(name) && name.startsWith('127.'));

const MALFORMED = {
  pointer: '',
  code: 'malformed_http',
  message: 'the call is not well-formed HTTP',
} as const;
const TOO_SLOW = {
  pointer: '',
  code: 'too_slow',
  message: 'the headers must arrive within 10 seconds, and all of the call within 30',
} as const;

function refusalOf(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('headers_too_large');
  return invalid([code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : MALFORMED]);
}

/** Even bytes that are not HTTP get the envelope. */
export function refuseGarbage(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const requestId = v4();
  const { body, status } = problemFrom(refusalOf(error.code), requestId);
  const text = stringifyExact(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-ID: ${requestId}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
