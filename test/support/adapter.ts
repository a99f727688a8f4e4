import { randomUUID } from 'node:crypto';
import { checkRequestObject, type ApprovalRequest } from './adapter/approval-request.ts';
import {
  checkBody,
  checkError,
  checkHead,
  type ApprovalError,
  type Operation,
} from './adapter/envelope.ts';
import { exchange, keepAliveAgent, type Call, type Reply } from './adapter/exchange.ts';
import { readJson, type JsonNode } from './adapter/json-source.ts';
import { checkEcho, Ledger } from './adapter/ledger.ts';
import { AdapterRefusal, demand, type AdapterRule } from './adapter/rules.ts';

interface ResponseHead {
  readonly status: number;
  readonly headers: Reply['headers'];
  /** The response's X-Request-ID. */
  readonly requestId: string;
  /** The body as received. */
  readonly text: string;
  readonly elapsedMs: number;
}

export type RequestResponse = ResponseHead & {
  readonly kind: 'request';
  readonly request: ApprovalRequest;
};
export type ErrorResponse = ResponseHead & {
  readonly kind: 'error';
  readonly error: ApprovalError;
};
export type RawResponse = ResponseHead & { readonly kind: 'raw' };
export type AdapterResponse = RequestResponse | ErrorResponse;

type HeaderValue = string | readonly string[];

export interface AdapterOptions {
  /** Ends in `/api/aap`. */
  readonly baseUrl: string;
  /** Sent as a bearer token; none is sent when undefined. */
  readonly credential?: string | undefined;
  /** Adapters with credentials of the same instance can share one. */
  readonly ledger?: Ledger;
  /** Rules that this test breaks on purpose, for example `wait-early` while a server drains. */
  readonly tolerate?: readonly AdapterRule[];
  /**
   * How many ms longer than requested a call may take. A standard adapter hangs up after 5 s, or after 35 s without a
   * wait. Default: two minutes, because a process of a busy machine may stand still meanwhile.
   */
  readonly marginMs?: number;
}

export interface CreateOptions {
  /** A new UUID when absent, no header when null. */
  readonly idempotencyKey?: string | null;
  readonly requestId?: string;
  readonly headers?: Readonly<Record<string, HeaderValue>>;
}

export interface GetOptions {
  /** A duration such as `30s`, sent unchanged. */
  readonly wait?: string;
  readonly requestId?: string;
}

export interface RawOptions {
  readonly headers?: Readonly<Record<string, HeaderValue>>;
  readonly body?: string | Buffer;
  readonly requestId?: string;
}

const MAX_WAIT_MS = 30_000;
const MARGIN_MS = 120_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** Timers may fire slightly early, and the two ends round differently. */
const EARLY_TOLERANCE_MS = 20;

/**
 * A standard AAP adapter with its checks and without its patience. Each call is one exchange. An
 * response that a standard adapter would refuse throws `AdapterRefusal`; a well-formed error is
 * returned as a value.
 */
export class Adapter {
  readonly #base: URL;
  readonly #options: AdapterOptions;
  readonly #ledger: Ledger;
  readonly #agent = keepAliveAgent();

  constructor(options: AdapterOptions) {
    this.#base = new URL(options.baseUrl);
    this.#options = options;
    this.#ledger = options.ledger ?? new Ledger();
  }

  /** The same adapter at another process of the deployment. */
  at(baseUrl: string): Adapter {
    return new Adapter({ ...this.#options, baseUrl, ledger: this.#ledger });
  }

  /** Submits a body: JSON text or bytes unchanged, or an object to be printed. */
  async create(
    body: string | Buffer | Readonly<Record<string, unknown>>,
    options: CreateOptions = {},
  ): Promise<AdapterResponse> {
    const bytes = Buffer.isBuffer(body)
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const key = options.idempotencyKey === undefined ? randomUUID() : options.idempotencyKey;
    if (key !== null) this.#ledger.attempt(key);
    const headers = {
      'Content-Type': 'application/json',
      ...(key !== null && { 'Idempotency-Key': key }),
      ...options.headers,
    };
    const { reply, head } = await this.#call(
      'create',
      { method: 'POST', path: '/v1/requests', headers, body: bytes },
      { requestId: options.requestId },
    );
    const input = readInput(bytes);
    if (reply.status >= 400) {
      const response = this.#error('create', reply, head);
      if (reply.status === 409 && key !== null)
        this.#tolerating(() => this.#ledger.conflicted(key, input, reply));
      return response;
    }
    return this.#request(reply, head, {
      before: (_request, node) => {
        demand(input !== undefined, 'bad-body-accepted', bytes.toString());
        checkEcho(input, node, reply.status === 201);
      },
      after: (request) => {
        if (key !== null && input) this.#ledger.accepted(key, input, { request, reply });
      },
    });
  }

  /** Reads a request, and holds the call for `wait`. The id goes into the path unchanged. */
  async get(id: string, { wait, requestId }: GetOptions = {}): Promise<AdapterResponse> {
    const waitMs = wait === undefined ? 0 : waitOf(wait);
    const path = `/v1/requests/${id}${wait === undefined ? '' : `?wait=${encodeURIComponent(wait)}`}`;
    const { reply, head } = await this.#call(
      'get',
      { method: 'GET', path, headers: {} },
      { requestId, waitMs },
    );
    if (reply.status >= 400) return this.#errorAbout(id, 'get', { reply, head });
    const before = (request: ApprovalRequest): void => {
      demand(request.id === id, 'other-id', `asked for ${id}, received ${request.id}`);
      if (request.status !== 'pending') return;
      const sentAtWall = Date.now() - (performance.now() - reply.sentAt);
      demand(
        Date.parse(request.deadline_at) + 1_000 > sentAtWall,
        'pending-after-deadline',
        head.text,
      );
      demand(
        head.elapsedMs >= waitMs - EARLY_TOLERANCE_MS,
        'wait-early',
        `pending after ${String(head.elapsedMs)} ms of ${wait ?? ''}`,
      );
    };
    return this.#request(reply, head, { before });
  }

  /** Withdraws a request. */
  async cancel(
    id: string,
    { requestId }: { readonly requestId?: string } = {},
  ): Promise<AdapterResponse> {
    const { reply, head } = await this.#call(
      'cancel',
      { method: 'DELETE', path: `/v1/requests/${id}`, headers: {} },
      { requestId },
    );
    if (reply.status >= 400) return this.#errorAbout(id, 'cancel', { reply, head });
    const before = (request: ApprovalRequest): void => {
      demand(request.id === id, 'other-id', `asked for ${id}, received ${request.id}`);
      demand(request.status === 'cancelled', 'cancel-outcome', head.text);
    };
    return this.#request(reply, head, { before });
  }

  /**
   * Any other call, for bad input. The path is absolute on the server. Header values and the body
   * are sent unchanged. The envelope and X-Request-ID are still required, and a 500 is still
   * refused.
   */
  async raw(
    method: string,
    path: string,
    { headers = {}, body, requestId }: RawOptions = {},
  ): Promise<RawResponse | ErrorResponse> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const call = { method, path, headers, ...(bytes && { body: bytes }) };
    const { reply, head } = await this.#call('raw', call, { requestId, absolute: true });
    if (reply.status >= 400 && method !== 'HEAD') return this.#error('raw', reply, head);
    return { kind: 'raw', ...head };
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #call(
    operation: Operation,
    call: Call,
    { requestId, waitMs = 0, absolute = false }: CallOptions,
  ) {
    const { credential, marginMs = MARGIN_MS } = this.#options;
    const headers = {
      ...(credential !== undefined && { Authorization: `Bearer ${credential}` }),
      ...(requestId !== undefined && { 'X-Request-ID': requestId }),
      ...call.headers,
    };
    const path = absolute ? call.path : this.#base.pathname.replace(/\/$/, '') + call.path;
    const reply = await exchange(this.#base, this.#agent, { ...call, path, headers });
    const elapsedMs = reply.receivedAt - reply.sentAt;
    const text = reply.body.toString();
    const sentId = [headers['X-Request-ID']].flat()[0];
    const received = this.#tolerating(() => checkHead(operation, reply, sentId)) ?? '';
    this.#tolerating(() =>
      demand(
        elapsedMs <= waitMs + marginMs,
        'late',
        `${operation} took ${String(Math.round(elapsedMs))} ms`,
      ),
    );
    return {
      reply,
      head: { status: reply.status, headers: reply.headers, requestId: received, text, elapsedMs },
    };
  }

  #error(operation: Operation, reply: Reply, head: ResponseHead): ErrorResponse {
    const { credential } = this.#options;
    return {
      kind: 'error',
      ...head,
      error: checkError(operation, reply, { requestId: head.requestId, credential }),
    };
  }

  #errorAbout(
    id: string,
    operation: Operation,
    { reply, head }: { reply: Reply; head: ResponseHead },
  ): ErrorResponse {
    const response = this.#error(operation, reply, head);
    this.#tolerating(() => this.#ledger.refused(id, response.status, reply));
    return response;
  }

  #request(reply: Reply, head: ResponseHead, { before, after }: RequestChecks): RequestResponse {
    const { text, node } = checkBody(reply);
    const request = checkRequestObject(node);
    this.#tolerating(() => before(request, node));
    this.#tolerating(() => this.#ledger.observe(request, text, reply));
    this.#tolerating(() => after?.(request));
    return { kind: 'request', ...head, request };
  }

  #tolerating<Result>(check: () => Result): Result | undefined {
    try {
      return check();
    } catch (error) {
      if (error instanceof AdapterRefusal && this.#options.tolerate?.includes(error.rule))
        return undefined;
      throw error;
    }
  }
}

/** Checks of one operation, before and after the response is compared with the ledger. */
interface RequestChecks {
  readonly before: (request: ApprovalRequest, node: JsonNode) => void;
  readonly after?: (request: ApprovalRequest) => void;
}

interface CallOptions {
  readonly requestId?: string | undefined;
  readonly waitMs?: number;
  readonly absolute?: boolean;
}

/** The request of a successful response. An error response fails the test with its text. */
export function requestOf(response: AdapterResponse): ApprovalRequest {
  if (response.kind === 'request') return response.request;
  throw new Error(`expected a request, received ${String(response.status)} ${response.text}`);
}

/** The error of a failed response. A success fails the test with its text. */
export function errorOf(response: AdapterResponse | RawResponse): ErrorResponse {
  if (response.kind === 'error') return response;
  throw new Error(`expected an error, received ${String(response.status)} ${response.text}`);
}

function waitOf(wait: string): number {
  const [, count = '', unit = ''] = /^([1-9][0-9]*)(s|m|h)$/.exec(wait) ?? [];
  return Math.min(Number(count) * (UNIT_MS[unit] ?? 0), MAX_WAIT_MS);
}

function readInput(bytes: Buffer): JsonNode | undefined {
  try {
    return readJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
