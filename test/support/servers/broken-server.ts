import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { JsonSourceError, readJson, sameJson, type JsonNode } from '../adapter/json-source.ts';

/** The reply before it is sent. `delayMs` is how long the server waits with it. */
export interface BrokenReply {
  status: number;
  headers: OutgoingHttpHeaders;
  body: string | Buffer;
  delayMs?: number;
}

export interface BrokenCall {
  readonly operation: 'create' | 'get' | 'start' | 'cancel' | 'result' | 'unknown';
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** How many calls came before this one. */
  readonly index: number;
}

export interface BrokenServerOptions {
  /** Spoils a correct reply, or returns it unchanged. The caller waits for it. */
  readonly spoil?: (reply: BrokenReply, call: BrokenCall) => BrokenReply | Promise<BrokenReply>;
  /** Waits are cut to this many ms, for a test of a wait that ends early. */
  readonly longestWaitMs?: number;
  /** Every create makes a new request, whatever the key. */
  readonly deleteKeys?: boolean;
}

export interface BrokenServer {
  /** Ends in `/api/aap`. */
  readonly baseUrl: string;
  readonly credential: string;
  decide(id: string, status: 'approved' | 'denied'): void;
  close(): Promise<void>;
}

interface Row {
  readonly id: string;
  readonly input: JsonNode & { readonly kind: 'object' };
  readonly token: string | undefined;
  readonly createdAt: number;
  readonly deadlineAt: number;
  status: string;
  decidedAt?: number;
  startKey?: unknown;
}

interface Failure {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfter?: string;
}

const TERMINAL_BY_TOOL: Readonly<Record<string, string>> = {
  approve: 'approved',
  deny: 'denied',
  expire: 'expired',
};
const FAILURE_BY_TOOL: Readonly<Record<string, Failure>> = {
  quota: {
    status: 429,
    type: 'rate_limit',
    code: 'quota_exceeded',
    details: { dimension: 'pending_requests' },
    retryAfter: '30',
  },
  away: { status: 503, type: 'dependency', code: 'dependency_unavailable', retryAfter: '1' },
  '': {
    status: 400,
    type: 'invalid_request',
    code: 'validation_failed',
    details: { issues: [{ pointer: '/tool', code: 'too_few', message: 'must not be empty' }] },
  },
};
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const CREDENTIAL = 'whc_0000_correct-horse-battery-staple';

const durationMs = (text: string): number =>
  Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? NaN);

/**
 * A provider in a few lines that follows the rules of the protocol. The name of the tool chooses
 * the outcome, and `spoil` breaks one rule at a time. It exists only to test the strict adapter.
 */
export async function startBrokenServer(options: BrokenServerOptions = {}): Promise<BrokenServer> {
  const rows = new Map<string, Row>();
  const keys = new Map<string, Row>();
  const waits = new Set<() => void>();
  let index = 0;

  const conclude = (row: Row, status: string): void => {
    row.status = status;
    row.decidedAt = status === 'expired' ? row.deadlineAt : Date.now();
    for (const wake of waits) wake();
  };

  const create = (request: IncomingMessage, body: string): BrokenReply => {
    const input = readObject(body);
    if (!input) return failed({ status: 400, type: 'invalid_request', code: 'malformed_json' });
    const tool = textOf(input, 'tool');
    const failure = FAILURE_BY_TOOL[tool];
    if (failure) return failed(failure);
    const key = String(request.headers['idempotency-key']);
    const known = options.deleteKeys ? undefined : keys.get(key);
    const token = request.headers.authorization;
    const equal = input.members.has('resume')
      ? [...rows.values()].find(
          (row) => row.token === token && isOpen(row) && isSameCall(row.input, input),
        )
      : undefined;
    if (equal) {
      keys.set(key, equal);
      return shown(equal, 200);
    }
    if (known) {
      return sameJson(known.input, input)
        ? shown(known, 200)
        : failed({ status: 409, type: 'conflict', code: 'idempotency_conflict' });
    }
    const window = durationMs(textOf(input, 'timeout'));
    const createdAt = tool === 'expire' ? Date.now() - window - 5_000 : Date.now();
    const row: Row = {
      id: randomUUID(),
      token,
      input,
      createdAt,
      deadlineAt: createdAt + window,
      status: 'pending',
    };
    rows.set(row.id, row);
    keys.set(key, row);
    const outcome = TERMINAL_BY_TOOL[tool];
    if (outcome) conclude(row, outcome);
    return shown(row, 201);
  };

  const get = async (row: Row, wait: string | null): Promise<BrokenReply> => {
    if (row.status === 'pending' && wait !== null) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(
          resolve,
          Math.min(durationMs(wait), options.longestWaitMs ?? 30_000),
        );
        waits.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return shown(row, 200);
  };

  const start = (row: Row | undefined, key: unknown): BrokenReply => {
    if (row?.status !== 'approved')
      return failed({ status: 409, type: 'conflict', code: 'not_approved' });
    if ((row.startKey ??= key) !== key)
      return failed({ status: 409, type: 'conflict', code: 'already_started' });
    const body = JSON.stringify({ id: row.id, started_at: new Date().toISOString() });
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body };
  };

  const cancel = (row: Row): BrokenReply => {
    if (row.status === 'pending') conclude(row, 'cancelled');
    return row.status === 'cancelled'
      ? shown(row, 200)
      : failed({ status: 409, type: 'conflict', code: 'already_terminal' });
  };

  const replyTo = async (
    request: IncomingMessage,
    body: string,
  ): Promise<[BrokenCall['operation'], BrokenReply]> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const notFound = failed({ status: 404, type: 'not_found', code: 'not_found' });
    if (!url.pathname.startsWith('/api/aap/v1/requests')) return ['unknown', notFound];
    // A renewed token begins as the one before.
    if (!request.headers.authorization?.startsWith(`Bearer ${CREDENTIAL}`)) {
      return [
        'unknown',
        failed({ status: 401, type: 'authentication', code: 'authentication_required' }),
      ];
    }
    const [, starting] = /\/requests\/([^/]+)\/start$/.exec(url.pathname) ?? [];
    if (starting !== undefined)
      return ['start', start(rows.get(starting), request.headers['idempotency-key'])];
    // As older services, it has no place for results.
    if (url.pathname.endsWith('/result')) return ['result', notFound];
    if (request.method === 'POST') return ['create', create(request, body)];
    const key = url.searchParams.get('idempotency_key');
    const row =
      key === null ? rows.get(url.pathname.slice('/api/aap/v1/requests/'.length)) : keys.get(key);
    const operation = request.method === 'GET' ? 'get' : 'cancel';
    if (!row) return [operation, notFound];
    return [
      operation,
      operation === 'get' ? await get(row, url.searchParams.get('wait')) : cancel(row),
    ];
  };

  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      const [operation, reply] = await replyTo(request, body);
      const requestId = [request.headers['x-request-id']].flat()[0] ?? randomUUID();
      const correct = { ...reply, headers: { ...reply.headers, 'X-Request-ID': requestId } };
      correct.body = correct.body.toString().replace('"$REQUEST_ID"', JSON.stringify(requestId));
      const call = { operation, headers: request.headers, body, index };
      index += 1;
      const sent = (await options.spoil?.(correct, call)) ?? correct;
      setTimeout(
        () => response.writeHead(sent.status, sent.headers).end(sent.body),
        sent.delayMs ?? 0,
      );
    })();
  });
  await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/api/aap`,
    credential: CREDENTIAL,
    decide: (id, status) => {
      const row = rows.get(id);
      if (row?.status === 'pending') conclude(row, status);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function readObject(body: string): (JsonNode & { readonly kind: 'object' }) | undefined {
  try {
    const node = readJson(body);
    return node.kind === 'object' ? node : undefined;
  } catch (error) {
    if (error instanceof JsonSourceError) return undefined;
    throw error;
  }
}

function textOf(input: JsonNode & { readonly kind: 'object' }, key: string): string {
  const member = input.members.get(key);
  return member?.kind === 'string' ? member.value : '';
}

const isOpen = ({ status }: Row): boolean => ['pending', 'approved'].includes(status);

/** As of calls that park. Their context may be another one. */
const isSameCall = (one: Row['input'], other: Row['input']): boolean =>
  ['tool', 'server', 'arguments'].every((name) => {
    const [a, b] = [one.members.get(name), other.members.get(name)];
    return a && b ? sameJson(a, b) : a === b;
  });

function failed({ status, type, code, details, retryAfter }: Failure): BrokenReply {
  const error = {
    type,
    code,
    message: 'Not this time.',
    request_id: '$REQUEST_ID',
    ...(details && { details }),
  };
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
    },
    body: JSON.stringify({ error }),
  };
}

function shown(row: Row, status: number): BrokenReply {
  const time = (ms: number): string => new Date(ms).toISOString();
  const echoed = ['tool', 'server', 'arguments', 'timeout', 'agent_reasoning', 'context'].flatMap(
    (key) => {
      const member = row.input.members.get(key);
      return member ? [`"${key}":${member.source}`] : [];
    },
  );
  const decision = row.decidedAt !== undefined && {
    decision: {
      status: row.status,
      note: 'Because.',
      decided_at: time(row.decidedAt),
      ...(row.status === 'approved' && { expires_at: time(row.decidedAt + 300_000) }),
    },
  };
  const own = {
    id: row.id,
    status: row.status,
    created_at: time(row.createdAt),
    deadline_at: time(row.deadlineAt),
    ...decision,
  };
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: `{${echoed.join(',')},${JSON.stringify(own).slice(1)}`,
  };
}
