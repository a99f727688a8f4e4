/**
 * How many messages to one receiver may be under way. It grows while the receiver responds quickly.
 * A slow receiver holds few messages, and so delays only its own.
 */
import { LRUCache } from 'lru-cache';

/** At first, and after a failure or a slow response. */
export const LEAST_IN_FLIGHT = 8;
const QUICK_MS = 1_000;
const RECEIVERS = 500;
/** After a pause a receiver shows again that it is quick. */
const REMEMBERED_MS = 60_000;

export interface ReceiverLimits {
  of(receiver: string): number;
  /** Receivers that have more than the fewest. */
  raised(): ReadonlyMap<string, number>;
  /** A message is over after this time. Undefined: its outcome is unknown. */
  ended(receiver: string, outcome: string | undefined, ms: number): void;
}

export function openReceiverLimits(most: number): ReceiverLimits {
  const raised = new LRUCache<string, number>({ max: RECEIVERS, ttl: REMEMBERED_MS });
  const of = (receiver: string): number => raised.get(receiver) ?? LEAST_IN_FLIGHT;
  return {
    of,
    raised: () => new Map(raised.entries()),
    ended: (receiver, outcome, ms) => {
      if (outcome !== 'delivered' && outcome !== 'retry') return;
      if (outcome === 'delivered' && ms < QUICK_MS)
        raised.set(receiver, Math.min(most, of(receiver) + 1));
      else raised.delete(receiver);
    },
  };
}
