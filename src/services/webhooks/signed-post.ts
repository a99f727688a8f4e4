/** Posts one signed message to a URL that a person entered, and says what came back. */
import {
  AnswerTooLarge,
  EgressDenied,
  EgressTimeout,
  type EgressRequest,
} from '../../platform/network/egress.ts';
import {
  codesOf,
  connectionFault,
  type ConnectionFault,
} from '../../platform/network/connection-faults.ts';
import { retryAfterMs } from '../../platform/network/retry-after.ts';
import { signatureHeaders } from '../../platform/crypto/webhook-signature.ts';
import type { Runtime } from '../context.ts';

const ANSWER_BYTES = 64 * 1024;

export interface SignedPost {
  readonly url: string;
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
}

export type Posted = PostAnswer | ({ readonly kind: 'refused' } & PostRefusal);

export interface PostAnswer {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined when it is larger than 64 KiB. */
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
  { url, secrets, id, body, headers, ...limits }: SignedPost,
): Promise<Posted> {
  return await postTo(runtime, url, {
    headers: {
      'content-type': 'application/json',
      ...headers,
      ...signatureHeaders(secrets, { id, at: new Date(), body }),
    },
    body,
    ...limits,
  });
}

/** Posts to a URL that a person or a browser gave. Names of headers are in lower case. */
export async function postTo(
  { egress }: Pick<Runtime, 'egress'>,
  url: string,
  { headers, ...post }: Omit<EgressRequest, 'maxBytes'>,
): Promise<Posted> {
  try {
    const answer = await egress.post(url, {
      headers: { 'user-agent': 'Countersign', ...headers },
      ...post,
      maxBytes: ANSWER_BYTES,
    });
    const pauseMs = retryAfterMs(answer.headers['retry-after']);
    return {
      kind: 'answered',
      ...answer,
      ...(pauseMs !== undefined && { retryAfterMs: pauseMs }),
    };
  } catch (error) {
    if (error instanceof AnswerTooLarge)
      return { kind: 'answered', status: error.status, headers: {}, body: undefined };
    return { kind: 'refused', ...reasonOf(error) };
  }
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
