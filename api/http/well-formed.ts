/** Refuses calls that Node accepts and later code cannot handle, and answers bytes that are not HTTP. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from 'koa';
import { v4 } from 'uuid';
import { AppError, invalid } from '../../src/domain/errors.ts';
import { stringifyExact } from '../../src/platform/json/exact-json.ts';
import { problemFrom } from './problem.ts';

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

/** Even bytes that are not HTTP get the envelope. */
export function refuseGarbage(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const requestId = v4();
  const { body, status } = problemFrom(
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new AppError('headers_too_large')
      : invalid([
          { pointer: '', code: 'malformed_http', message: 'the call is not well-formed HTTP' },
        ]),
    requestId,
  );
  const text = stringifyExact(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-ID: ${requestId}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
