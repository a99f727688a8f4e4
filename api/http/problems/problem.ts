/** The error envelopes, one for each dialect: the only place that knows HTTP statuses of errors. */
import { errorCatalogue, type ErrorKind } from '../../../src/domain/error-catalogue.ts';
import { AppError, type ErrorCode, type Issue } from '../../../src/domain/errors.ts';
import type { Dialect } from './dialects.ts';
import { boundedDetails } from './problem-details.ts';
import { Overloaded } from '../../../src/platform/bulkhead.ts';
import { PoolClosed } from '../../../src/platform/threads/worker-pool.ts';
import { isDatabaseUnavailable } from '../../../src/platform/postgres.ts';

export type EnvelopeType =
  | 'invalid_request'
  | 'authentication'
  | 'authorization'
  | 'not_found'
  | 'conflict'
  | 'rate_limit'
  | 'dependency'
  | 'internal';

interface Outcome {
  readonly status: number;
  readonly type: EnvelopeType;
}

const byKind: Readonly<Record<ErrorKind, Outcome>> = {
  invalid: { status: 400, type: 'invalid_request' },
  unauthenticated: { status: 401, type: 'authentication' },
  forbidden: { status: 403, type: 'authorization' },
  not_found: { status: 404, type: 'not_found' },
  method_not_allowed: { status: 405, type: 'invalid_request' },
  conflict: { status: 409, type: 'conflict' },
  precondition_failed: { status: 412, type: 'conflict' },
  too_large: { status: 413, type: 'invalid_request' },
  misdirected: { status: 421, type: 'invalid_request' },
  unprocessable: { status: 422, type: 'invalid_request' },
  unsupported_media_type: { status: 415, type: 'invalid_request' },
  headers_too_large: { status: 431, type: 'invalid_request' },
  precondition_required: { status: 428, type: 'invalid_request' },
  limited: { status: 429, type: 'rate_limit' },
  internal: { status: 500, type: 'internal' },
  not_configured: { status: 501, type: 'dependency' },
  unavailable: { status: 503, type: 'dependency' },
  timed_out: { status: 504, type: 'dependency' },
};

const BAD_REQUEST: Outcome = { status: 400, type: 'invalid_request' };
const AWAY: Outcome = { status: 503, type: 'dependency' };

/** AAP 1.0.0 knows few statuses. The code still says what is wrong. */
const byKindInAap: Partial<Record<ErrorKind, Outcome>> = {
  method_not_allowed: { status: 404, type: 'not_found' },
  precondition_failed: { status: 409, type: 'conflict' },
  too_large: BAD_REQUEST,
  misdirected: BAD_REQUEST,
  unsupported_media_type: BAD_REQUEST,
  headers_too_large: BAD_REQUEST,
  precondition_required: BAD_REQUEST,
  not_configured: AWAY,
  timed_out: AWAY,
};

/** What `param` says for codes that are always about one input. */
const PARAM_OF_CODE: Partial<Record<ErrorCode, string>> = {
  idempotency_key_required: 'Idempotency-Key',
  instance_name_taken: 'instance_name',
  invalid_webhook_url: 'delivery',
  webhook_verification_failed: 'delivery',
};

/** Codes of ours that RFC 6749, 7591 and 8707 have, too. Others are written as the code of their kind. */
const OAUTH_CODES: ReadonlySet<ErrorCode> = new Set([
  'invalid_client',
  'invalid_grant',
  'invalid_target',
  'invalid_redirect_uri',
  'invalid_client_metadata',
  'unsupported_grant_type',
]);

const OAUTH_CODE_OF_TYPE: Readonly<Record<EnvelopeType, string>> = {
  invalid_request: 'invalid_request',
  authentication: 'invalid_client',
  authorization: 'unauthorized_client',
  not_found: 'invalid_request',
  conflict: 'invalid_request',
  rate_limit: 'temporarily_unavailable',
  dependency: 'temporarily_unavailable',
  internal: 'server_error',
};

/** Default number of seconds before a client should retry. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorKind, number>> = { limited: 5, unavailable: 2 };

export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Converts anything thrown into an AppError. An unexpected error becomes `internal_error` without
 * details.
 */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error)) return new AppError('dependency_unavailable', { cause: error });
  if (error instanceof Overloaded) return fromOverload(error);
  if (error instanceof PoolClosed) return new AppError('dependency_unavailable', { cause: error });
  return new AppError('internal_error', { cause: error });
}

/** 429 when this caller asks for too much at once; 503 when all callers together do. */
function fromOverload(cause: Overloaded): AppError {
  if (cause.by === 'caller') return new AppError('rate_limited', { retryAfterSeconds: 1, cause });
  return new AppError('dependency_unavailable', {
    detail: 'The service is overloaded: try again later.',
    cause,
  });
}

function outcomeOf(code: ErrorCode, dialect: Dialect = 'product'): Outcome {
  const { kind } = errorCatalogue[code];
  return (dialect === 'aap' && byKindInAap[kind]) || byKind[kind];
}

export function statusOf(code: ErrorCode, dialect?: Dialect): number {
  return outcomeOf(code, dialect).status;
}

export function envelopeTypeOf(code: ErrorCode, dialect?: Dialect): EnvelopeType {
  return outcomeOf(code, dialect).type;
}

export function problemFrom(
  error: AppError,
  requestId: string,
  dialect: Dialect = 'product',
): Problem {
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.kind];
  return {
    status: statusOf(error.code, dialect),
    headers: {
      ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    },
    body: bodies[dialect](error, requestId),
  };
}

const bodies: Readonly<Record<Dialect, (error: AppError, requestId: string) => Problem['body']>> = {
  product: ({ code, message, details }, requestId) => ({
    error: {
      type: envelopeTypeOf(code),
      code,
      message,
      request_id: requestId,
      ...(details && { details: boundedDetails(details) }),
    },
  }),
  aap: (error, requestId) => {
    const { code } = error;
    const param = paramOf(error);
    const message = shortMessage(error, param);
    return {
      error: {
        type: envelopeTypeOf(code, 'aap'),
        code,
        message,
        ...(param !== undefined && { param }),
        request_id: requestId,
      },
    };
  },
  oauth: (error) => ({
    error: OAUTH_CODES.has(error.code)
      ? error.code
      : OAUTH_CODE_OF_TYPE[envelopeTypeOf(error.code)],
    // RFC 6749 allows neither quotation marks nor letters beyond ASCII.
    error_description: shortMessage(error, paramOf(error)).replaceAll(
      /[^\x20\x21\x23-\x5b\x5d-\x7e]/g,
      "'",
    ),
  }),
};

function firstIssue({ details }: AppError): Issue | undefined {
  const issues = details && boundedDetails(details)['issues'];
  return Array.isArray(issues) ? (issues[0] as Issue | undefined) : undefined;
}

/** The member of the body, the query parameter or the header that is wrong. Absent for the body as a whole. */
function paramOf(error: AppError): string | undefined {
  const [, first, second] = firstIssue(error)?.pointer.split('/') ?? [];
  if (first === undefined || first === '') return PARAM_OF_CODE[error.code];
  const isOutside = ['query', 'path', 'headers'].includes(first) && second !== undefined;
  const name = (isOutside ? second : first).replaceAll('~1', '/').replaceAll('~0', '~');
  return first === 'headers' ? name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name;
}

/** For dialects without details: what is wrong with the first field, else the error in general. */
function shortMessage(error: AppError, param: string | undefined): string {
  const issue = firstIssue(error);
  // Most messages of issues are parts of sentences, and some are whole ones.
  return issue ? `${param ?? 'body'}: ${issue.message.replace(/\.$/, '')}.` : error.title;
}
