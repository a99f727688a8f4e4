import type { Reply } from './exchange.ts';
import { JsonSourceError, readJson, type JsonFault, type JsonNode } from './json-source.ts';
import { AdapterRefusal, demand, type AdapterRule } from './rules.ts';
import { checkShape } from './shape.ts';

export type Operation = 'create' | 'get' | 'cancel' | 'raw';

export interface ApprovalError {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  /** Parsed with JSON.parse: details never contain numbers that matter. */
  readonly details?: Readonly<Record<string, unknown>>;
}

interface ErrorBody {
  readonly error: Omit<ApprovalError, 'requestId'> & { readonly request_id: string };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ADOPTABLE = /^[\x20-\x7e]{1,128}$/;
const MAX_BODY = 8 * 1024 * 1024;

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'authentication',
  403: 'authorization',
  404: 'not_found',
  405: 'invalid_request',
  409: 'conflict',
  412: 'conflict',
  413: 'invalid_request',
  415: 'invalid_request',
  428: 'invalid_request',
  429: 'rate_limit',
  501: 'dependency',
  503: 'dependency',
  504: 'dependency',
};

const STATUSES: Readonly<Record<Operation, readonly number[]>> = {
  create: [200, 201, 400, 401, 403, 409, 413, 415, 429, 503],
  get: [200, 400, 401, 403, 404, 429, 503],
  cancel: [200, 401, 403, 404, 409, 503],
  raw: [200, 201, 204, ...Object.keys(TYPES).map(Number)],
};

/** Adapters match on the code wherever the protocol or the decisions name it. */
const CODES: Readonly<Record<string, readonly string[]>> = {
  'create 409': ['idempotency_conflict', 'request_withdrawn'],
  'create 413': ['payload_too_large'],
  'create 415': ['unsupported_media_type'],
  'create 429': ['quota_exceeded', 'rate_limited'],
  'create 503': ['dependency_unavailable'],
  'get 404': ['not_found'],
  'get 429': ['rate_limited'],
  'get 503': ['dependency_unavailable'],
  'cancel 404': ['not_found'],
  'cancel 409': ['already_terminal'],
  'cancel 503': ['dependency_unavailable'],
};

const FAULTS: Readonly<Record<JsonFault, AdapterRule>> = {
  syntax: 'body-json',
  'duplicate-key': 'duplicate-key',
  nesting: 'nesting',
};

function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Checks the status, and the request id against the one that was sent. Returns the request id of
 * the response.
 */
export function checkHead(
  operation: Operation,
  reply: Reply,
  sentRequestId: string | undefined,
): string {
  demand(
    STATUSES[operation].includes(reply.status),
    'status',
    `${operation} returned ${String(reply.status)}: ${reply.body.toString()}`,
  );
  const requestId = reply.headers['x-request-id'];
  demand(
    typeof requestId === 'string' && requestId !== '',
    'request-id-missing',
    `${operation} ${String(reply.status)}`,
  );
  if (sentRequestId !== undefined && ADOPTABLE.test(sentRequestId)) {
    demand(
      requestId === sentRequestId,
      'request-id-echo',
      `sent ${sentRequestId}, received ${requestId}`,
    );
  } else {
    demand(isUuid(requestId), 'request-id-echo', `no usable id was sent, received ${requestId}`);
  }
  return requestId;
}

/** Decodes a JSON body as strictly as an adapter does, and keeps the text next to the tree. */
export function checkBody(reply: Reply): {
  readonly text: string;
  readonly node: JsonNode & { readonly kind: 'object' };
} {
  const type = reply.headers['content-type'] ?? '';
  demand(/^application\/json(; *charset=utf-8)?$/i.test(type), 'content-type', type);
  demand(reply.body.byteLength <= MAX_BODY, 'body-size', `${String(reply.body.byteLength)} bytes`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(reply.body);
  } catch {
    throw new AdapterRefusal('body-utf8', reply.body.toString('latin1'));
  }
  demand(!text.startsWith('\ufeff'), 'body-utf8', 'a byte order mark');
  const node = readStrictly(text);
  demand(node.kind === 'object', 'body-json', text);
  return { text, node };
}

function readStrictly(text: string): JsonNode {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonSourceError)
      throw new AdapterRefusal(FAULTS[error.fault], `${error.message} in ${text}`);
    throw error;
  }
}

/** Checks an error response against its shape and the table of types and codes. */
export function checkError(
  operation: Operation,
  reply: Reply,
  head: { requestId: string; credential: string | undefined },
): ApprovalError {
  const { text, node } = checkBody(reply);
  const { error } = checkShape<ErrorBody>('Error', node);
  const { type, code, message, request_id: requestId, details } = error;
  demand(TYPES[reply.status] === type, 'error-type', `${String(reply.status)} with type ${type}`);
  const known = CODES[`${operation} ${String(reply.status)}`];
  demand(
    known === undefined || known.includes(code),
    'error-code',
    `${operation} ${String(reply.status)} ${code}`,
  );
  demand(
    requestId === head.requestId,
    'error-request-id',
    `${requestId} in the body, ${head.requestId} in the header`,
  );
  if (head.credential) demand(!text.includes(head.credential), 'credential-leak', text);
  checkIssues(code, node);
  if (reply.status === 429 || reply.status === 503) {
    const after = reply.headers['retry-after'] ?? '';
    demand(
      /^[0-9]{1,9}$/.test(after),
      'retry-after',
      `${String(reply.status)} with Retry-After ${JSON.stringify(after)}`,
    );
  }
  return { type, code, message, requestId, ...(details && { details }) };
}

/** The schema of an error admits any details, because those of other codes differ. */
function checkIssues(code: string, body: JsonNode & { readonly kind: 'object' }): void {
  const error = body.members.get('error');
  const details = error?.kind === 'object' ? error.members.get('details') : undefined;
  if (
    code !== 'validation_failed' &&
    !(details?.kind === 'object' && details.members.has('issues'))
  )
    return;
  demand(details !== undefined, 'error-issues', body.source);
  const { issues } = checkShape<{ issues: unknown[] }>(
    'ValidationDetails',
    details,
    'error-issues',
  );
  demand(issues.length > 0, 'error-issues', body.source);
}
