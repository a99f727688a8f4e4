/** Notifications that leave the house: kinds of channels, what ends a delivery, and when a failed one is tried again. */

export type ChannelKind = 'email' | 'webhook' | 'slack';

/** `notified`: somebody is asked; `decided`: a request somebody was asked about has its final answer. */
export type DeliveryEvent = 'notified' | 'decided';

/** `dead`: every attempt failed, or one for good. `dropped`: nobody is to get it any more. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead', 'dropped'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why a message is no longer to be sent. */
export type DropReason =
  | 'request_closed'
  | 'member_inactive'
  | 'cannot_decide'
  | 'opted_out'
  | 'not_linked'
  | 'channel_disabled'
  | 'channel_deleted'
  | 'not_configured';

/** How often a message is tried before it is dead. */
const MAX_ATTEMPTS = 12;

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 3_600_000;

/**
 * Milliseconds until the next attempt, undefined when `attempt` (from 1) was the last. Doubles from 5 s to 1 h; `jitter`
 * (0 to 1) takes up to half of it away. The receiver's own wish is honoured up to an hour.
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
