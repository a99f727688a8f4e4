/** The error responses of the description, in the dialect of each endpoint. */
import { z } from 'zod';
import type { oas31, ZodOpenApiResponseObject } from 'zod-openapi';
import { errorCatalogue } from '../../src/domain/error-catalogue.ts';
import { AppError, messageOf, type ErrorCode } from '../../src/domain/errors.ts';
import type { Dialect } from '../http/problems/dialects.ts';
import { BODY_BYTES, type Endpoint, type SuccessResponse } from '../http/endpoint.ts';
import { errorsOf } from '../http/implied-errors.ts';
import { errorSchemas } from '../http/problems/problem-schema.ts';
import { problemFrom, statusOf } from '../http/problems/problem.ts';

export const EXAMPLE_REQUEST_ID = '7f1c2d3e-4b5a-4c6d-8e7f-90a1b2c3d4e5';

export const requestIdHeader = { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } };

/** Components of one dialect have its name. Those of our own have none. */
const named = (name: string, dialect: Dialect): string =>
  dialect === 'product' ? name : `${dialect}_${name}`;

/**
 * One response for each status. A status with a single code is a component with the name of the code,
 * which operations share.
 */
export function failures(
  endpoint: Endpoint,
  shared: Map<string, ZodOpenApiResponseObject>,
): Record<string, ZodOpenApiResponseObject> {
  const entries = [...codesByStatus(endpoint)].map(([status, codes]) => {
    const [code] = codes;
    const beside = endpoint.success.otherwise?.[status];
    if (code === undefined || codes.length > 1 || beside)
      return [String(status), failure(codes, endpoint.dialect, beside)] as const;
    const { id, ...single } = singleFailure(endpoint, code);
    const response = shared.get(id) ?? { id, ...single };
    shared.set(id, response);
    return [String(status), response] as const;
  });
  return Object.fromEntries(entries);
}

/** Found before the path is known, and with it the dialect. */
const UNROUTED: ReadonlySet<ErrorCode> = new Set(['headers_too_large']);

/** The one code of a status. The response for a large body states the limit of the operation. */
function singleFailure(
  { bodyLimit = BODY_BYTES.usual, dialect: spoken = 'product' }: Endpoint,
  code: ErrorCode,
): ZodOpenApiResponseObject & { readonly id: string } {
  const dialect = UNROUTED.has(code) ? 'product' : spoken;
  const response = failure([code], dialect);
  const id = named(code, dialect);
  if (code !== 'payload_too_large') return { id, ...response };
  const kib = bodyLimit / 1024;
  return {
    id: `${id}_${kib}_kib`,
    ...response,
    description: `${response.description} This one takes ${kib} KiB.`,
  };
}

function codesByStatus(endpoint: Endpoint): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(endpoint)) {
    const status = statusOf(code, endpoint.dialect);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/** `beside`: what else has this status, such as a refusal of another protocol. */
function failure(
  codes: readonly ErrorCode[],
  dialect: Dialect = 'product',
  beside?: SuccessResponse,
): ZodOpenApiResponseObject {
  const schema = errorSchemas[dialect];
  const retries = codes.some((code) => [429, 503].includes(statusOf(code, dialect)));
  const authenticates = codes.some((code) => statusOf(code) === 401);
  return {
    description: [
      ...codes.map((code) => `- \`${code}\`: ${meaningOf(code, dialect)}`),
      ...(beside ? [`- ${beside.description}`] : []),
    ].join('\n'),
    headers: {
      ...requestIdHeader,
      ...(retries && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
      ...(authenticates && { 'WWW-Authenticate': { $ref: '#/components/headers/Authenticate' } }),
    },
    content: {
      'application/json': {
        schema: beside?.body ? z.union([schema, beside.body]) : schema,
        ...exampleOf(codes, dialect),
      },
    },
  };
}

/** A single code carries its example inline; several codes use components named after them. */
function exampleOf(
  codes: readonly ErrorCode[],
  dialect: Dialect,
): Pick<oas31.MediaTypeObject, 'example' | 'examples'> {
  const [code] = codes;
  if (code !== undefined && codes.length === 1) return { example: errorExample(code, dialect) };
  return {
    examples: Object.fromEntries(
      codes.map((each) => [each, { $ref: `#/components/examples/${named(each, dialect)}` }]),
    ),
  };
}

/** For every code that shares its status with others in some operation. */
export function errorExamples(endpoints: readonly Endpoint[]): Record<string, oas31.ExampleObject> {
  const shared = endpoints.flatMap((endpoint) =>
    [...codesByStatus(endpoint).values()]
      .filter(({ length }) => length > 1)
      .flat()
      .map((code) => ({ code, dialect: endpoint.dialect ?? 'product' })),
  );
  const examples = shared.map(
    ({ code, dialect }) =>
      [
        named(code, dialect),
        { summary: meaningOf(code, dialect), value: errorExample(code, dialect) },
      ] as const,
  );
  return Object.fromEntries(examples.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const detailsExamples: Partial<Record<ErrorCode, Readonly<Record<string, unknown>>>> = {
  validation_failed: { issues: [{ pointer: '/name', code: 'required', message: 'is required' }] },
  permission_denied: {
    permission: 'agent.read',
    scope_kind: 'organization',
    reason: 'missing_permission',
  },
  quota_exceeded: { dimension: 'active_agents', limit: 100, used: 100 },
  revision_conflict: { active_revision: 4 },
  already_terminal: { status: 'expired' },
  not_approved: { status: 'denied' },
  already_started: { started_at: '2026-11-21T13:02:12.000Z' },
  result_reported: { outcome: 'succeeded' },
  approval_expired: { expires_at: '2026-11-21T13:05:00.021Z' },
};

function errorExample(code: ErrorCode, dialect: Dialect): Record<string, unknown> {
  const details = detailsExamples[code];
  const error = new AppError(code, details && { details });
  return problemFrom(error, EXAMPLE_REQUEST_ID, dialect).body;
}

/** What the code means. Only our own dialect has details. */
const meaningOf = (code: ErrorCode, dialect: Dialect): string =>
  dialect === 'product' ? messageOf(code) : errorCatalogue[code].title;
