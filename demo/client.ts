/** Calls to the service, with their times. An unexpected answer stops the demo. */
import { JsonText, parseExact } from '../src/platform/json/exact-json.ts';
import { DemoStopped } from './stage.ts';

export interface Reply<T> {
  readonly status: number;
  readonly headers: Headers;
  /** As received. */
  readonly text: string;
  readonly body: T;
  readonly ms: number;
}

export interface Call {
  /** JSON text is sent unchanged; anything else is printed as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Client {
  /** The answer if it has this status. Otherwise the demo stops. */
  get<T>(path: string): Promise<Reply<T>>;
  post<T>(path: string, status: number, call?: Call): Promise<Reply<T>>;
  delete(path: string, status: number): Promise<Reply<unknown>>;
}

/** Above the longest wait of 30 s. */
const PATIENCE_MS = 45_000;

export function client(url: string, credential: Readonly<Record<string, string>>): Client {
  const call = async <T>(
    request: { method: string; path: string; status: number },
    { body, headers }: Call = {},
  ): Promise<Reply<T>> => {
    const { method, path, status } = request;
    const began = performance.now();
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...credential,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch((error: unknown) => {
      throw new DemoStopped(`${method} ${path} got no answer: ${reasonOf(error)}`);
    });
    const text = await answer.text();
    const ms = performance.now() - began;
    if (answer.status !== status)
      throw new DemoStopped(
        `${method} ${path} answered ${answer.status} instead of ${status}: ${text}`,
      );
    // The demo checks what it reads of it on use.
    return {
      status,
      headers: answer.headers,
      text,
      body: (text === '' ? undefined : JSON.parse(text)) as T,
      ms,
    };
  };
  return {
    get: (path) => call({ method: 'GET', path, status: 200 }),
    post: (path, status, rest) => call({ method: 'POST', path, status }, rest),
    delete: (path, status) => call({ method: 'DELETE', path, status }),
  };
}

export function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

/** The source text of a request's arguments, digit for digit. */
export function argumentsText(reply: Reply<unknown>): string | undefined {
  const body = parseExact(reply.text, { keep: ['arguments'] });
  const kept =
    body !== null && typeof body === 'object' && 'arguments' in body
      ? body['arguments']
      : undefined;
  return kept instanceof JsonText ? kept.text : undefined;
}

export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
