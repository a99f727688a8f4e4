/** What a kind of channel has to be able to do: send one message. Called outside of every transaction. */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { DropReason } from '../../domain/notifications/notifications.ts';
import type { ServiceContext } from '../context.ts';

/** Who is told. */
export interface Recipient {
  readonly membershipId: string;
  readonly displayName: string;
  readonly email: string;
}

/** The level at which he is told; without `nodeId` it is no level of a path. */
export interface NotifiedLevel {
  readonly nodeId?: string;
  /** Set for a level of this team's policy. */
  readonly teamId?: string;
  /** From 1. */
  readonly run: number;
  readonly notifiedAt: Date;
  /** When the level ends if nobody answers, whatever follows then; absent for what is no level of a path. */
  readonly escalateAt?: Date;
}

interface AnyDelivery {
  /** The same over all attempts: the idempotency key, where the channel has one. */
  readonly id: string;
  readonly organizationId: string;
  readonly channelId: string;
  readonly createdAt: Date;
  /** As it stands now, with its decision if it has one. */
  readonly request: ApprovalRequest;
  /** Where people open it. */
  readonly url: string;
}

/** Somebody is to be told; when it is sent the request is pending, nobody claims it, and he may decide it and wants to hear. */
export interface NotifiedDelivery extends AnyDelivery {
  readonly event: 'notified';
  readonly recipient: Recipient;
  readonly level: NotifiedLevel;
}

/** People are told together, whoever of them can be; where all of the organization read. The request is pending, and nobody claims it. */
export interface AnnouncedDelivery extends AnyDelivery {
  readonly event: 'announced';
}

/**
 * A request that somebody was asked about over this channel has its final answer; once per request and channel, sent when
 * no message about it is under way over this channel any more.
 */
export interface DecidedDelivery extends AnyDelivery {
  readonly event: 'decided';
}

export type Delivery = NotifiedDelivery | AnnouncedDelivery | DecidedDelivery;

export type SendOutcome =
  | { readonly kind: 'delivered' }
  /** Nobody is to get it after all. */
  | { readonly kind: 'dropped'; readonly reason: DropReason }
  /** Tried again later, unless it is `permanent`. `error` is stored and shown: no secret in it. */
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly retryAfterMs?: number;
      readonly permanent?: boolean;
    };

/** What a test message came to. */
export interface TestOutcome {
  readonly delivered: boolean;
  readonly statusCode?: number;
  /** A word such as `timeout` or `egress_denied`. */
  readonly errorCode?: string;
}

export interface TestMessage {
  readonly channelId: string;
  readonly organizationId: string;
  /** The member who asked for it. */
  readonly recipient: Recipient;
}

export interface ChannelSender {
  /** `signal` is aborted after 15 seconds and when the process ends. Throwing counts as `failed`. */
  send(context: ServiceContext, delivery: Delivery, signal: AbortSignal): Promise<SendOutcome>;
  /** At most 10 seconds. */
  sendTest(
    context: ServiceContext,
    message: TestMessage,
    signal: AbortSignal,
  ): Promise<TestOutcome>;
}
