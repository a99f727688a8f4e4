/** Calls of the service: repeated while that can help, and no longer than the limit. Anything unexpected is an error. */
import { send, type Received } from './connection.ts';
import { Unavailable } from './errors.ts';

export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** After `/api/aap/v1`. */
  readonly path: string;
  readonly token: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
  /** Statuses of a response. Default: 200. */
  readonly expects?: readonly number[];
  /** How long the service holds the response, in ms. */
  readonly waitMs?: number;
}

export interface Limits {
  /** As `performance.now()`. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/** A 4xx that is final. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Proxies and processes take some time besides the wait. */
const CALL_MS = 15_000;
const LONGEST_BODY = 8 * 1024 * 1024;
const MOST_ISSUES = 3;
const LONGEST_ISSUES = 500;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Timers with more fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const tooLate = () => new Unavailable('unreachable', 'The service did not respond in time.');

/** The address of the service. Throws `Unavailable` for one that cannot be called. */
export function addressOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new Unavailable(
      'configuration',
      `${JSON.stringify(url)} is no address of a service: it must start with https:// or http://.`,
    );
  if (parsed.username || parsed.password || parsed.search || parsed.hash)
    throw new Unavailable(
      'configuration',
      'The address of the service must have no user, query or fragment.',
    );
  const address = parsed.href.replace(/\/+$/, '');
  const [ours] =
    /\/(?:api\/)?(?:aap|api)(?:\/v1)?$/.exec(parsed.pathname.replace(/\/+$/, '')) ?? [];
  if (ours !== undefined)
    throw new Unavailable(
      'configuration',
      `The address is wrong: leave ${ours} off, as in ${address.slice(0, -ours.length)}.`,
    );
  return address;
}

/** The text of a 2xx. Throws `Refusal` for a final 4xx, `Unavailable`, and the reason of an abort. */
export async function callService(url: string, call: ServiceCall, limits: Limits): Promise<string> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    limits.signal?.throwIfAborted();
    const left = limits.until - performance.now();
    if (left <= 0) throw tooLate();
    const tried = await attempt(url, call, { left, signal: limits.signal });
    if ('text' in tried) return tried.text;
    // A service that says 0 is not called without a pause.
    const ms = Math.max(tried.retryAfterMs ?? 0, pause * (0.5 + Math.random() / 2));
    await sleep(Math.min(ms, Math.max(0, limits.until - performance.now())), limits.signal);
  }
}

type Tried = { readonly text: string } | { readonly retryAfterMs: number | undefined };
const AGAIN: Tried = { retryAfterMs: undefined };

async function attempt(
  url: string,
  { method, path, token, body, idempotencyKey, waitMs = 0, expects = [200] }: ServiceCall,
  { left, signal }: { readonly left: number; readonly signal: AbortSignal | undefined },
): Promise<Tried> {
  const timeout = AbortSignal.timeout(Math.ceil(Math.min(left, waitMs + CALL_MS)));
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
  try {
    const response = await send(`${url}/api/aap/v1${path}`, {
      ...{ method, headers, body },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return await read(response, expects);
  } catch (error) {
    if (error instanceof Unavailable || error instanceof Refusal) throw error;
    signal?.throwIfAborted();
    return AGAIN;
  }
}

async function read(response: Received, expects: readonly number[]): Promise<Tried> {
  const { status, header } = response;
  const isJson = /^application\/json\b/i.test(header('content-type') ?? '');
  // A share that is full does not get free by asking again.
  if (status === 429 && isJson) {
    const refusal = refusalOf(status, await textOf(response));
    if (refusal instanceof Refusal && refusal.code === 'quota_exceeded') throw refusal;
    return { retryAfterMs: retryAfterOf(response) };
  }
  if (status >= 500 || status === 429 || status === 408) {
    response.cancel();
    return { retryAfterMs: retryAfterOf(response) };
  }
  if (status === 204 && expects.includes(204)) {
    response.cancel();
    return { text: '' };
  }
  if (!isJson || (status >= 300 && status < 400)) {
    response.cancel();
    throw new Unavailable(
      'configuration',
      `The address is wrong: it responded with status ${String(status)} and no JSON of the service.`,
    );
  }
  const text = await textOf(response);
  if (expects.includes(status)) return { text };
  if (status < 400)
    throw new Unavailable(
      'invalid_response',
      `Status ${String(status)} is no response to this call.`,
    );
  throw refusalOf(status, text);
}

function retryAfterOf({ header }: Received): number | undefined {
  const seconds = /^\d{1,5}$/.exec(header('retry-after') ?? '')?.[0];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

async function textOf({ body }: Received): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > LONGEST_BODY)
      throw new Unavailable('invalid_response', 'The response is too long.');
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Unavailable('invalid_response', 'The response is not UTF-8.');
  }
}

function refusalOf(status: number, text: string): Refusal | Unavailable {
  try {
    const { error } = JSON.parse(text) as {
      error: { code: unknown; message: unknown; details?: { issues?: unknown } };
    };
    const { code, message, details } = error;
    if (typeof code === 'string' && typeof message === 'string')
      return new Refusal(status, code, `${message}${issuesOf(details?.issues)}`);
  } catch {
    // Below.
  }
  return new Unavailable(
    'configuration',
    `The address is wrong: it refused with status ${String(status)}, and not as the service does.`,
  );
}

/** What is wrong with the call, so that a model can fix it. */
function issuesOf(issues: unknown): string {
  if (!Array.isArray(issues)) return '';
  const said = issues.slice(0, MOST_ISSUES).flatMap((issue) => {
    const { pointer, message } = (issue ?? {}) as Record<string, unknown>;
    return typeof pointer === 'string' && typeof message === 'string'
      ? [` ${pointer}: ${message}.`]
      : [];
  });
  return said.join('').slice(0, LONGEST_ISSUES);
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** The result, or the error of the caller's own limits, whatever else waits for the same result. */
export async function within<T>(result: Promise<T>, { until, signal }: Limits): Promise<T> {
  const done = new AbortController();
  const ms = Math.min(Math.max(0, until - performance.now()), LONGEST_TIMER_MS);
  const over = sleep(ms, signal ? AbortSignal.any([signal, done.signal]) : done.signal).then(() => {
    throw tooLate();
  });
  try {
    return await Promise.race([result, over]);
  } finally {
    done.abort();
  }
}
