/** Outgoing notifications: delivery statuses, drop reasons, and the retry schedule. */

/**
 * `notified`: a person is asked to decide. `claim_lapsed`: a person who was asked learns that a claim expired. `unreachable`: an
 * owner learns that no one is left to decide. `decided`: a
 * request that people were asked about has its decision. `ran_differently`: the person who approved a call is told that
 * another one ran. `digest`: how many more requests wait for a receiver.
 */
export const DELIVERY_EVENTS = [
  'notified',
  'claim_lapsed',
  'unreachable',
  'decided',
  'ran_differently',
  'digest',
] as const;
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];

/** `dead`: all attempts failed, or one failed permanently. `dropped`: the message is no longer needed. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead', 'dropped'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why a message was dropped. */
export type DropReason =
  | 'request_closed'
  | 'member_inactive'
  | 'cannot_decide'
  | 'opted_out'
  | 'not_linked'
  | 'not_subscribed'
  | 'channel_disabled'
  | 'channel_deleted'
  | 'in_digest'
  | 'not_configured';

/** The person a message asks. */
export interface Recipient {
  readonly membershipId: string;
  readonly displayName: string;
  readonly email: string;
}

/** The level that notifies. Without `nodeId` it belongs to no path. */
export interface NotifiedLevel {
  readonly nodeId?: string;
  /** Set when the level comes from this team's policy. */
  readonly teamId?: string;
  /** From 1. */
  readonly run: number;
  readonly notifiedAt: Date;
  /** When the level ends without a decision. Absent outside of paths. */
  readonly escalateAt?: Date;
}

/** Attempts before a message is dead. */
const MAX_ATTEMPTS = 12;

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 3_600_000;

/**
 * Milliseconds until the next attempt, undefined when `attempt` (from 1) was the last. Doubles from 5 s to 1 h; `jitter`
 * (0 to 1) removes up to half of it. A receiver's `Retry-After` is respected, up to an hour.
 */
export function retryDelay(
  attempt: number,
  jitter: number,
  { atLeastMs = 0 }: { readonly atLeastMs?: number } = {},
): number | undefined {
  if (attempt >= MAX_ATTEMPTS) return undefined;
  const full = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS);
  return Math.round(Math.max(full * (1 - jitter / 2), Math.min(atLeastMs, LONGEST_RETRY_MS)));
}
