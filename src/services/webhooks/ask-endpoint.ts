/** Asks a webhook endpoint once, and reads its result. What is no valid result is an error, never an outcome. */
import { readWebhookResult, type WebhookResult } from '../../domain/webhooks/result.ts';
import type { ErrorCause } from '../../domain/error-causes.ts';
import type { DeliveryError } from '../../domain/webhooks/deliveries.ts';
import type { Runtime } from '../context.ts';
import {
  excerptOf,
  isPlain,
  isSuccess,
  mayPass,
  postSigned,
  type PostResponse,
} from './signed-post.ts';

export interface EndpointQuestion {
  readonly url: string;
  /** Each signs. */
  readonly secrets: readonly string[];
  /** `webhook-id`, and the payload's `id`: the same for all attempts. */
  readonly id: string;
  /** Exactly what is posted. */
  readonly payload: string;
  /** For everything, from the connection to the end of the response. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface Observed {
  readonly durationMs: number;
  /** Absent when no response came. */
  readonly statusCode?: number;
  /** The beginning of a response that is text. */
  readonly excerpt?: string;
}

export type EndpointReply = Observed &
  (
    | { readonly kind: 'responded'; readonly result: WebhookResult }
    | {
        readonly kind: 'failed';
        readonly errorCode: DeliveryError;
        /** What to look at when no response came, where that is known. */
        readonly errorCause?: ErrorCause;
        /** Whether another attempt may succeed. */
        readonly mayPass: boolean;
        /** The receiver asks to wait this long before it. */
        readonly retryAfterMs?: number;
      }
  );

/** Rejects with the reason of `signal` when that ends the call. */
export async function askEndpoint(
  runtime: Pick<Runtime, 'egress'>,
  { payload, ...question }: EndpointQuestion,
): Promise<EndpointReply> {
  const startedAt = performance.now();
  const posted = await postSigned(runtime, {
    ...question,
    body: payload,
    headers: { 'accept-encoding': 'identity' },
  });
  question.signal.throwIfAborted();
  const durationMs = Math.round(performance.now() - startedAt);
  if (posted.kind === 'refused') {
    const { code: errorCode, errorCause, permanent } = posted;
    const cause = errorCause && { errorCause };
    return { kind: 'failed', errorCode, ...cause, mayPass: !permanent, durationMs };
  }
  return { ...replyOf(posted), statusCode: posted.status, ...excerptOf(posted), durationMs };
}

type Reply =
  | Pick<Extract<EndpointReply, { kind: 'responded' }>, 'kind' | 'result'>
  | Pick<
      Extract<EndpointReply, { kind: 'failed' }>,
      'kind' | 'errorCode' | 'mayPass' | 'retryAfterMs'
    >;

function replyOf(response: PostResponse): Reply {
  const { status, body, retryAfterMs } = response;
  if (!isSuccess(status)) {
    return {
      kind: 'failed',
      errorCode: 'unexpected_status',
      mayPass: mayPass(status),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
  if (!body) return { kind: 'failed', errorCode: 'answer_too_large', mayPass: false };
  const read = isPlain(response) ? readWebhookResult(strictText(body)) : undefined;
  return read
    ? { kind: 'responded', result: read }
    : { kind: 'failed', errorCode: 'invalid_answer', mayPass: false };
}

/** Empty, which is no JSON, for bytes that are not UTF-8. */
function strictText(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return '';
  }
}

/** What a delivery keeps of a reply. */
export function resultOf(reply: EndpointReply) {
  return {
    durationMs: reply.durationMs,
    statusCode: reply.statusCode ?? null,
    outcome: reply.kind === 'responded' ? reply.result.outcome : null,
    errorCode: reply.kind === 'failed' ? reply.errorCode : null,
    errorCause: (reply.kind === 'failed' && reply.errorCause) || null,
    responseExcerpt: reply.excerpt ?? null,
  };
}
