/** Posts one signed message to a URL that a person entered, and says what came back. */
import {
  ResponseTooLarge,
  EgressDenied,
  EgressTimeout,
  type EgressRequest,
  type EgressResponse,
} from '../../platform/network/egress.ts';
import {
  codesOf,
  connectionFault,
  type ConnectionFault,
} from '../../platform/network/connection-faults.ts';
import { retryAfterMs } from '../../platform/network/retry-after.ts';
import { signatureHeaders } from '../../platform/crypto/webhook-signature.ts';
import type { Runtime } from '../context.ts';

const RESPONSE_BYTES = 64 * 1024;

export interface SignedPost {
  readonly url: string;
  /** Those of the URL, where they are known. */
  readonly addresses?: readonly string[];
  /** Each signs: after a rotation with an overlap, the one before it, too. */
  readonly secrets: readonly string[];
  /** `webhook-id`: the same for all attempts. */
  readonly id: string;
  /** Exactly what is posted and signed. */
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Further headers. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: our own and those of Standard Webhooks. */
  readonly sign?: typeof signatureHeaders;
  /** Default: 64 KiB. With 0, the response is over after its headers. */
  readonly maxBytes?: number;
}

export type Posted = PostResponse | ({ readonly kind: 'refused' } & PostRefusal);

export interface PostResponse {
  readonly kind: 'responded';
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined when it is larger than allowed. */
  readonly body: Buffer | undefined;
  /** From `Retry-After`. */
  readonly retryAfterMs?: number;
}

export interface PostRefusal {
  readonly code: 'egress_denied' | 'timeout' | 'connection_failed';
  /** What to look at, where that is known. */
  readonly errorCause?: ConnectionFault;
  /** For operators. */
  readonly error: string;
  /** The URL itself is refused, so a retry cannot help. */
  readonly permanent: boolean;
}

export async function postSigned(
  runtime: Pick<Runtime, 'egress'>,
  { url, secrets, id, body, headers, sign = signatureHeaders, ...limits }: SignedPost,
): Promise<Posted> {
  return await postTo(runtime, url, {
    headers: {
      'content-type': 'application/json',
      ...headers,
      ...sign(secrets, { id, at: new Date(), body }),
    },
    body,
    ...limits,
  });
}

/** Posts to a URL that a person or a browser gave. Names of headers are in lower case. */
export async function postTo(
  { egress }: Pick<Runtime, 'egress'>,
  url: string,
  {
    headers,
    maxBytes = RESPONSE_BYTES,
    ...post
  }: Omit<EgressRequest, 'maxBytes'> & Partial<EgressRequest>,
): Promise<Posted> {
  try {
    const response = await egress.post(url, {
      headers: { 'user-agent': 'Countersign', ...headers },
      ...post,
      maxBytes,
    });
    return responseOf(response);
  } catch (error) {
    if (error instanceof ResponseTooLarge) return responseOf(error);
    return { kind: 'refused', ...reasonOf(error) };
  }
}

function responseOf(
  response: Omit<EgressResponse, 'body'> & Partial<EgressResponse>,
): PostResponse {
  const { status, headers, body } = response;
  const pauseMs = retryAfterMs(headers['retry-after']);
  return {
    kind: 'responded',
    ...{ status, headers, body },
    ...(pauseMs !== undefined && { retryAfterMs: pauseMs }),
  };
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Statuses that concern this moment. All others concern the message and would come again. */
export const mayPass = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500;

function reasonOf(error: unknown): PostRefusal {
  if (error instanceof EgressDenied) {
    const permanent = error.problem !== 'unresolved';
    return {
      code: 'egress_denied',
      error: `egress_denied: the URL ${error.message}`,
      permanent,
      ...(!permanent && { errorCause: 'dns' }),
    };
  }
  if (error instanceof EgressTimeout)
    return {
      ...{ code: 'timeout', error: `timeout: ${error.message}`, permanent: false },
      errorCause: 'timeout',
    };
  const errorCause = connectionFault(error);
  const words = [errorCause, codesOf(error)[0]].filter((word) => word !== undefined);
  return {
    code: 'connection_failed',
    error: `connection failed: ${words.join(' ') || 'unknown'}`,
    permanent: false,
    ...(errorCause && { errorCause }),
  };
}

/** False for an encoded body: none was asked for, and a small one can unpack to gigabytes. */
export function isPlain({ headers }: PostResponse): boolean {
  const encoding = headers['content-encoding'];
  return encoding === undefined || encoding === 'identity';
}

const EXCERPT_CHARACTERS = 500;

/** The beginning of a text: without NUL, which no text column keeps. */
export const excerptOfText = (text: string): string =>
  [...text.slice(0, 2 * EXCERPT_CHARACTERS)]
    .slice(0, EXCERPT_CHARACTERS)
    .join('')
    .replaceAll('\0', '\ufffd');

export function excerptOf(response: PostResponse): { excerpt?: string } {
  if (!response.body?.length || !isPlain(response)) return {};
  return {
    excerpt: excerptOfText(response.body.subarray(0, 4 * EXCERPT_CHARACTERS).toString()),
  };
}
