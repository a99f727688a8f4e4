/**
 * Calls of the API, typed by its description. Responses are parsed by the product's own exact parser:
 * `JSON.parse` would change digits.
 */
import createClient, { type MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, PathsWithMethod, SuccessResponseJSON } from 'openapi-typescript-helpers';
import { parseExact } from '../../../../src/platform/json/exact-json.ts';
import { session } from '../text/session.ts';
import { actingAs } from './acting-as.ts';
import { learnServerTime } from './clock.ts';
import type { paths } from './openapi.d.ts';

/** What the service refused, in the words of its error envelope. */
export class ApiError extends Error {
  readonly status: number;
  /** A code of the API, or `network` where no response came. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;
  /** How long to wait before the next call, where the service says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    problem: Pick<ApiError, 'status' | 'code' | 'details' | 'requestId' | 'message'> &
      Partial<Pick<ApiError, 'retryAfterSeconds'>>,
  ) {
    super(problem.message);
    this.name = 'ApiError';
    this.status = problem.status;
    this.code = problem.code;
    this.details = problem.details;
    this.requestId = problem.requestId;
    this.retryAfterSeconds = problem.retryAfterSeconds;
  }
}

/** What a call without a session is refused with. A wrong password is another code. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && error.code === 'authentication_required';

/** Someone else has signed in in this browser. Nothing was done. */
export const isOtherPerson = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'other_person';

/** Without a response that can be read, the service may have done what was asked. */
export const isUnconfirmed = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;

interface ApiResponse<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

const client = createClient<paths>({ baseUrl: '' });

type Init<Path extends keyof paths, Method extends HttpMethod> = MaybeOptionalInit<
  paths[Path],
  Method & keyof paths[Path]
>;
type Arguments<Given> = undefined extends Given ? [init?: Given] : [init: Given];
export type BodyOf<Path extends keyof paths, Method extends HttpMethod> = SuccessResponseJSON<
  paths[Path][Method & keyof paths[Path]] & Record<string, unknown>
>;

/**
 * Headers of calls that a page makes by itself, again and again. They are no use of the session: an open tab must not keep
 * it alive.
 */
export const BACKGROUND = { 'Service-Background': '1' } as const;

/** Throws ApiError. Members named in `keep` of the body are `JsonText`. */
export async function call<Method extends HttpMethod, Path extends PathsWithMethod<paths, Method>>(
  method: Method,
  path: Path,
  ...given: [...Arguments<Init<Path, Method>>, keep?: readonly string[]]
): Promise<ApiResponse<BodyOf<Path, Method>>> {
  const [init, keep = []] = given as readonly unknown[] as [
    init?: { readonly headers?: object },
    keep?: readonly string[],
  ];
  const request = client.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ data?: string; error?: unknown; response: Response }>;
  const { response, data, error } = await request(method, path, {
    ...init,
    headers: { ...(method !== 'get' && actingAs()), ...init?.headers },
    parseAs: 'text',
    cache: 'no-store',
  }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError({
      status: 0,
      code: 'network',
      message: session.offline,
      details: {},
      requestId: undefined,
    });
  });
  learnServerTime(response.headers.get('Date'));
  if (!response.ok) throw problemOf(response, error);
  const body = data ? parseExact(data, { keep }) : undefined;
  return {
    status: response.status,
    body: body as BodyOf<Path, Method>,
    headers: response.headers,
  };
}

/** openapi-fetch parses the envelope of an error, which holds no exact values. */
function problemOf(response: Response, envelope: unknown): ApiError {
  const { error } = (typeof envelope === 'object' && envelope !== null ? envelope : {}) as {
    readonly error?: {
      readonly code?: string;
      readonly message?: string;
      readonly request_id?: string;
      readonly details?: Readonly<Record<string, unknown>>;
    };
  };
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new ApiError({
    status: response.status,
    retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter,
    code: error?.code ?? `http_${response.status}`,
    message: error?.message ?? session.unexpected,
    details: error?.details ?? {},
    requestId: error?.request_id ?? response.headers.get('X-Request-ID') ?? undefined,
  });
}
