/** Sends events to the receivers of instances. They have a separate outbox, so neither they nor notifications wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { v7 } from 'uuid';
import {
  countWaitingEvents,
  hasDueEvents,
  leaseDueEvents,
  loadLeasedEvents,
} from '../../data/receivers/receiver-events.ts';
import { MOST_AT_ONCE } from '../../domain/receivers/retries.ts';
import type { ServiceContext } from '../context.ts';
import { LEASE_MS, startOutbox, type Lane, type SendLoop } from '../outbox/send-loop.ts';
import { attemptEvent, openEventStatements, type EventContext } from './attempt.ts';

/** There is room for many receivers that stopped responding. */
const MOST_IN_FLIGHT = 512;
const COUNT_MS = 15_000;

/** `pollMs`: how often it looks without a reason. */
export function startTellingReceivers(
  service: ServiceContext,
  options: { readonly pollMs?: number } = {},
): SendLoop {
  const context = { ...service, events: openEventStatements(service.db) };
  const stopping = new AbortController();
  const counting = countWhileRunning(context, stopping.signal);
  const loop = startOutbox(context, {
    lanes: [laneOf(context)],
    findDue: async () => ((await hasDueEvents(context.db)) ? ['receiver'] : []),
    mayConcern: (request) => !request || request.decision !== undefined,
    ...options,
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([loop.stop(), counting]);
    },
  };
}

function laneOf(context: EventContext): Lane<'receiver'> {
  return {
    name: 'receiver',
    maxInFlight: MOST_IN_FLIGHT,
    maxPerReceiver: MOST_AT_ONCE,
    oneForAll: false,
    take: async ({ limit, inFlight }) => {
      const lease = v7();
      const wanted = { limit, perHost: MOST_AT_ONCE, inFlight };
      const ids = await leaseDueEvents(context.db, { lease, leaseMs: LEASE_MS, ...wanted });
      return (await loadLeasedEvents(context.db, { lease, ids })).map((event) => ({
        id: event.id,
        receiver: event.host,
        send: async (signal) => await attemptEvent(context, { lease, event }, signal),
      }));
    },
  };
}

/** For the metrics. Never rejects. */
async function countWhileRunning(
  { db, metrics, logger }: ServiceContext,
  stopping: AbortSignal,
): Promise<void> {
  do {
    await countWaitingEvents(db).then(
      ({ count, since }) => {
        metrics.receiverEventsWaiting.set(count);
        if (since) metrics.receiverEventsSince.set(since);
        else metrics.receiverEventsSince.clear();
      },
      (error: unknown) => {
        logger.warn({ err: error }, 'events for receivers could not be counted');
      },
    );
  } while (await delay(COUNT_MS, true, { signal: stopping }).catch(() => false));
}
