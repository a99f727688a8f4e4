/** The error envelope of the specification: the only place that knows HTTP statuses of errors. */
import {
  AppError,
  errorCatalogue,
  type ErrorCode,
  type ErrorKind,
} from '../../src/domain/errors.ts';
import { boundedDetails } from './problem-details.ts';
import { Overloaded } from '../../src/platform/bulkhead.ts';
import { PoolClosed } from '../../src/platform/threads/worker-pool.ts';
import { isDatabaseUnavailable } from '../../src/platform/postgres.ts';

export type EnvelopeType =
  | 'invalid_request'
  | 'authentication'
  | 'authorization'
  | 'not_found'
  | 'conflict'
  | 'rate_limit'
  | 'dependency'
  | 'internal';

const byKind: Readonly<
  Record<ErrorKind, { readonly status: number; readonly type: EnvelopeType }>
> = {
  invalid: { status: 400, type: 'invalid_request' },
  unauthenticated: { status: 401, type: 'authentication' },
  forbidden: { status: 403, type: 'authorization' },
  not_found: { status: 404, type: 'not_found' },
  method_not_allowed: { status: 405, type: 'invalid_request' },
  conflict: { status: 409, type: 'conflict' },
  precondition_failed: { status: 412, type: 'conflict' },
  too_large: { status: 413, type: 'invalid_request' },
  misdirected: { status: 421, type: 'invalid_request' },
  unsupported_media_type: { status: 415, type: 'invalid_request' },
  headers_too_large: { status: 431, type: 'invalid_request' },
  precondition_required: { status: 428, type: 'invalid_request' },
  limited: { status: 429, type: 'rate_limit' },
  internal: { status: 500, type: 'internal' },
  not_configured: { status: 501, type: 'dependency' },
  unavailable: { status: 503, type: 'dependency' },
  timed_out: { status: 504, type: 'dependency' },
};

/** Default number of seconds before a client should retry. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorKind, number>> = { limited: 5, unavailable: 2 };

export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly error: {
      readonly type: EnvelopeType;
      readonly code: ErrorCode;
      readonly message: string;
      readonly request_id: string;
      readonly details?: Readonly<Record<string, unknown>>;
    };
  };
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

export function statusOf(code: ErrorCode): number {
  return byKind[errorCatalogue[code].kind].status;
}

export function envelopeTypeOf(code: ErrorCode): EnvelopeType {
  return byKind[errorCatalogue[code].kind].type;
}

export function problemFrom(error: AppError, requestId: string): Problem {
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.kind];
  return {
    status: statusOf(error.code),
    headers: {
      ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
      ...(error.kind === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
    },
    body: {
      error: {
        type: envelopeTypeOf(error.code),
        code: error.code,
        message: error.message,
        request_id: requestId,
        ...(error.details && { details: boundedDetails(error.details) }),
      },
    },
  };
}
