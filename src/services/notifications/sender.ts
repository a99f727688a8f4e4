/** What each kind of channel implements: sending one message. Called outside of transactions. */
import type { RequesterState } from '../../domain/requests/call-marks.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type {
  DropReason,
  NotifiedLevel,
  Recipient,
} from '../../domain/notifications/notifications.ts';
import type { Occasion } from '../../domain/notifications/occasions.ts';
import type { ErrorCause } from '../../domain/error-causes.ts';
import type { MessageContext } from '../context.ts';
import type { SendContext } from './statements.ts';

interface AnyDelivery {
  /** Equal for all attempts: the idempotency key, where the channel has one. */
  readonly id: string;
  readonly organizationId: string;
  readonly channelId: string;
  readonly createdAt: Date;
  /** Its current state, with its decision if there is one. */
  readonly request: ApprovalRequest;
  /** Whether the requester could read a decision now. */
  readonly requesterState: RequesterState;
  /** The page in the web app. */
  readonly url: string;
}

/**
 * Asks one person to decide. When it is sent, the request is pending and unclaimed, and the person
 * may decide and wants this message.
 */
export interface NotifiedDelivery extends AnyDelivery {
  readonly event: 'notified';
  readonly recipient: Recipient;
  readonly level: NotifiedLevel;
  readonly occasion: Occasion;
}

/** Asks all readers of the organization's default channel. The request is pending and unclaimed. */
export interface AnnouncedDelivery extends AnyDelivery {
  readonly event: 'announced';
  readonly occasion: Occasion;
}

/** Tells an owner that no one is left to decide. */
export interface UnreachableDelivery extends AnyDelivery {
  readonly event: 'unreachable';
  readonly recipient: Recipient;
}

/** Tells it to the organization's default channel. */
export interface UnreachableAnnouncedDelivery extends AnyDelivery {
  readonly event: 'unreachable_announced';
}

/**
 * The decision on a request that people were asked about over this channel. Sent once per
 * request and channel, when no other message about it is under way there.
 */
export interface DecidedDelivery extends AnyDelivery {
  readonly event: 'decided';
}

/** Tells the person who approved a call that another one ran. */
export interface RanDifferentlyDelivery extends AnyDelivery {
  readonly event: 'ran_differently';
  readonly recipient: Recipient;
}

/** Tells how many more requests wait, after the first messages of a minute. `url` is the queue. */
export interface DigestDelivery extends AnyDelivery {
  readonly event: 'digest';
  /** Absent for the organization's default channel. */
  readonly recipient: Recipient | undefined;
  readonly count: number;
}

export type Delivery =
  | NotifiedDelivery
  | AnnouncedDelivery
  | UnreachableDelivery
  | UnreachableAnnouncedDelivery
  | DecidedDelivery
  | RanDifferentlyDelivery
  | DigestDelivery;

export type SendOutcome =
  | { readonly kind: 'delivered' }
  /** No longer needed. */
  | { readonly kind: 'dropped'; readonly reason: DropReason }
  /**
   * Tried again later, unless it is `permanent`. `error` is stored and shown, so it must hold no
   * secret.
   */
  | {
      readonly kind: 'failed';
      readonly error: string;
      /** A cause of `failures.ts`. */
      readonly cause?: string;
      readonly retryAfterMs?: number;
      readonly permanent?: boolean;
    };

export interface TestOutcome {
  readonly delivered: boolean;
  readonly statusCode?: number;
  /** Such as `timeout` or `egress_denied`. */
  readonly errorCode?: string;
  /** What to look at when no response came, such as `dns`. */
  readonly errorCause?: ErrorCause;
  /** The beginning of what the receiver said. */
  readonly excerpt?: string;
}

export interface TestMessage {
  readonly channelId: string;
  readonly organizationId: string;
  /** The member who asked for the test. */
  readonly recipient: Recipient;
}

export interface ChannelSender {
  /**
   * `signal` aborts after 15 seconds and when the process stops. A rejection counts as `failed`.
   */
  send(context: SendContext, delivery: Delivery, signal: AbortSignal): Promise<SendOutcome>;
  /** Takes at most 10 seconds. */
  sendTest(
    context: MessageContext,
    message: TestMessage,
    signal: AbortSignal,
  ): Promise<TestOutcome>;
}
