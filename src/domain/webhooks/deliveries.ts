/** What is posted to webhook endpoints, and what came of it. */
import type { ErrorCause } from '../error-causes.ts';
import type { BlockOutcome } from '../pipelines/types.ts';

export const DELIVERY_TYPES = ['approval_request.evaluate', 'webhook_endpoint.test'] as const;
export type DeliveryType = (typeof DELIVERY_TYPES)[number];

/** Why an endpoint gave no result. */
export const DELIVERY_ERRORS = [
  'timeout',
  'connection_failed',
  'egress_denied',
  'unexpected_status',
  'answer_too_large',
  'invalid_answer',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** One attempt. It has an outcome or an error code, unless it still runs or was interrupted. */
export interface WebhookDelivery {
  readonly id: string;
  /** `webhook-id`: the same for all attempts. */
  readonly deliveryId: string;
  readonly type: DeliveryType;
  /** The revision of the endpoint whose URL was called. */
  readonly revision: number;
  readonly requestId: string | null;
  readonly attempt: number;
  readonly attemptedAt: Date;
  /** Null without a result. */
  readonly durationMs: number | null;
  readonly statusCode: number | null;
  readonly outcome: BlockOutcome | null;
  readonly errorCode: DeliveryError | null;
  readonly errorCause: ErrorCause | null;
  readonly responseExcerpt: string | null;
}

/** How many attempts say how it goes lately. */
export const RECENT_DELIVERIES = 20;

/** The newest attempt that ended, and how many of the newest ones failed. */
export interface RecentDeliveries extends Pick<
  WebhookDelivery,
  'attemptedAt' | 'statusCode' | 'outcome' | 'errorCode' | 'errorCause'
> {
  readonly failedCount: number;
}
