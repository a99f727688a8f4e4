/** Calls one endpoint from another: the same checks, refusals and audit events as over HTTP, for the same credential. */
import { Readable } from 'node:stream';
import { stringifyExact } from '../../src/platform/json/exact-json.ts';
import { execute, type CallSource, type EndpointContext } from './call.ts';
import type { InnerCall } from './endpoint.ts';
import { asAppError, problemFrom } from './problems/problem.ts';

/** Longer responses are for programs that read them as they come. */
const MOST_CHARACTERS = 256 * 1024;

/**
 * Only what names the caller is passed on. A key that is bound to the calling endpoint counts there, and the call
 * has been counted in the minute of its credential.
 */
export function performer(
  contextOf: (operationId: string) => EndpointContext | undefined,
): EndpointContext['perform'] {
  return async (caller, call) => {
    const found = contextOf(call.operationId);
    if (!found) throw new Error(`there is no operation ${call.operationId}`);
    const inner: EndpointContext = {
      ...found,
      endpoint: { ...found.endpoint, opensToMcpKeys: true },
      limit: (principal, endpoint) => found.limit(principal, { ...endpoint, unlimited: true }),
    };
    try {
      const { status, printed } = await execute(sourceOf(caller, call, inner), inner);
      const text = printed ? await textOf(printed.body) : '';
      return text === undefined ? { status, text: '', isTooLong: true } : { status, text };
    } catch (thrown) {
      const error = asAppError(thrown);
      const { status, body } = problemFrom(error, caller.requestId);
      if (status >= 500 && status !== 501)
        inner.context.logger.error(
          {
            err: error.cause ?? error,
            requestId: caller.requestId,
            operationId: call.operationId,
            internal: error.internal,
          },
          'call failed',
        );
      return { status, text: stringifyExact(body) };
    }
  };
}

function sourceOf(
  { req, requestId, address, signal }: CallSource,
  { params = {}, query = {}, body = '' }: InnerCall,
  { endpoint }: EndpointContext,
): CallSource {
  const bytes = Buffer.from(body);
  const { authorization, 'user-agent': userAgent } = req.headers;
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(userAgent !== undefined && { 'user-agent': userAgent }),
    ...(bytes.length > 0 && { 'content-type': 'application/json' }),
    'content-length': String(bytes.length),
  };
  return {
    req: Object.assign(Readable.from([bytes], { objectMode: false }), { headers }),
    requestId,
    address,
    signal,
    method: endpoint.method.toUpperCase(),
    params,
    querystring: searchOf(query),
  };
}

function searchOf(query: NonNullable<InnerCall['query']>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const values = Array.isArray(value) ? (value as readonly string[]) : [String(value)];
    for (const each of values) search.append(name, each);
  }
  return search.toString();
}

/** Undefined when it is too long. */
async function textOf(body: string | Readable): Promise<string | undefined> {
  if (typeof body === 'string') return body;
  let text = '';
  for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    if (text.length > MOST_CHARACTERS) return undefined;
  }
  return text;
}
