/**
 * Empties the outbox, in every process with a worker. It leases due messages, checks each request
 * again, sends outside of transactions, and records the outcome. If a process dies between sending
 * and recording, the message goes out again after its lease, with the same id.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 } from 'uuid';
import {
  findDueKinds,
  leaseDue,
  loadLeased,
  type LeaseOptions,
} from '../../data/notifications/notification-deliveries.ts';
import { CHANNEL_KINDS, CHANNELS, type ChannelKind } from '../../domain/notifications/channels.ts';
import { WakeSignal } from '../../platform/wake-signal.ts';
import type { ServiceContext } from '../context.ts';
import { attempt, type Taken } from './attempt.ts';
import { LEAST_IN_FLIGHT, openReceiverLimits } from './receiver-limits.ts';
import { openStatements, type SendContext } from './statements.ts';

/** Messages of other processes, retries and ended claims are found within this time. */
const POLL_MS = 500;
/** Messages of this process are looked for at once, and this long after the last look at the earliest. */
const SOONEST_MS = 20;

/** Starting more of them at once would hold the event loop for too long. */
const LARGEST_SET = 12;
const SEND_MS = 15_000;
/** Longer than sending and recording can take. */
const LEASE_MS = 60_000;
const DRAIN_MS = 3_000;

export interface SendLoop {
  stop(): Promise<void>;
}

/** `pollMs`: how often it looks without a reason. */
export function startSending(service: ServiceContext, { pollMs = POLL_MS } = {}): SendLoop {
  const context = { ...service, statements: openStatements(service.db) };
  const stopping = new AbortController();
  const cutOff = new AbortController();
  // One listener for each set of messages under way.
  setMaxListeners(0, cutOff.signal);
  const kinds = CHANNEL_KINDS.map((kind) => ({ kind, due: new WakeSignal() }));
  const running = Promise.all([
    ...kinds.map(({ kind, due }) =>
      sendWhileRunning(context, { kind, due, stopping: stopping.signal, cutOff: cutOff.signal }),
    ),
    lookWhileRunning(context, { kinds, pollMs, stopping: stopping.signal }),
  ]);
  return {
    stop: async () => {
      stopping.abort();
      // A message that is cut off may have arrived and is sent again, so messages under way get time to finish.
      const late = setTimeout(() => {
        cutOff.abort();
      }, DRAIN_MS);
      await running;
      clearTimeout(late);
    },
  };
}

interface Kind {
  readonly kind: ChannelKind;
  /** Rings when messages may be due, or one that was under way has ended. */
  readonly due: WakeSignal;
}

interface Looking {
  readonly kinds: readonly Kind[];
  readonly pollMs: number;
  readonly stopping: AbortSignal;
}

/**
 * Looks for due messages: after a commit of this process that may have added some, and regularly.
 * While looks find nothing, commits are noticed less and less often.
 */
async function lookWhileRunning(
  context: ServiceContext,
  { kinds, pollMs, stopping }: Looking,
): Promise<void> {
  const changed = new WakeSignal();
  const ignore = context.changes.observe((request) => {
    // A rule's answer to a request that no person was asked about has no messages.
    if (!request?.decision || request.route) changed.wake();
  });
  stopping.addEventListener('abort', () => {
    changed.wake();
    for (const { due } of kinds) due.wake();
  });
  for (let pause = SOONEST_MS; !stopping.aborted;) {
    const found = await findDueKinds(context.db).catch((error: unknown): ChannelKind[] => {
      context.logger.warn(
        { err: error },
        'the outbox could not be read; the next round tries again',
      );
      return [];
    });
    for (const { kind, due } of kinds) if (found.includes(kind)) due.wake();
    await delay(pause, undefined, { signal: stopping }).catch(() => undefined);
    pause = found.length > 0 ? SOONEST_MS : Math.min(2 * pause, POLL_MS);
    const isWoken = await changed.wait(Math.max(0, pollMs - pause));
    if (!isWoken) pause = SOONEST_MS;
  }
  ignore();
}

interface Sending extends Kind {
  /** No new message starts. */
  readonly stopping: AbortSignal;
  /** Messages under way end. */
  readonly cutOff: AbortSignal;
}

async function sendWhileRunning(
  context: SendContext,
  { kind, due, stopping, cutOff }: Sending,
): Promise<void> {
  const { maxInFlight, maxPerReceiver, receiver } = CHANNELS[kind].limits;
  const limits = openReceiverLimits(maxPerReceiver);
  const oneForAll = receiver === 'one for all channels';
  /** The channel of each message. */
  const underWay = new Map<string, string>();
  const start = (taken: Taken, signal: AbortSignal): void => {
    const { id, channelId } = taken.delivery;
    const began = performance.now();
    underWay.set(id, channelId);
    void attempt(context, taken, signal).then((attempted) => {
      underWay.delete(id);
      limits.ended(oneForAll ? kind : channelId, attempted?.kind, performance.now() - began);
      due.wake();
    });
  };
  const turn = async (): Promise<void> => {
    const limit = (oneForAll ? limits.of(kind) : maxInFlight) - underWay.size;
    if (limit <= 0) return;
    const perChannel = oneForAll
      ? { perChannel: maxPerReceiver }
      : { perChannel: LEAST_IN_FLIGHT, limits: limits.raised() };
    const taken = await takeDue(context, {
      kinds: [kind],
      limit: Math.min(limit, LARGEST_SET),
      ...perChannel,
      inFlight: countByChannel(underWay),
    });
    if (taken.length === 0) return;
    const signal = AbortSignal.any([cutOff, AbortSignal.timeout(SEND_MS)]);
    setMaxListeners(0, signal);
    for (const one of taken) start(one, signal);
  };
  for (let last = 0; !stopping.aborted;) {
    await due.wait();
    // Messages that end at about the same time make room together.
    if (underWay.size > 0) await delay(Math.max(0, last + SOONEST_MS - performance.now()));
    last = performance.now();
    if (!stopping.aborted)
      await turn().catch((error: unknown) => {
        context.logger.warn(
          { err: error, kind },
          'messages could not be read; they are tried again',
        );
      });
  }
  while (underWay.size > 0) await due.wait();
}

function countByChannel(underWay: ReadonlyMap<string, string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const channelId of underWay.values())
    counts.set(channelId, (counts.get(channelId) ?? 0) + 1);
  return counts;
}

async function takeDue(
  { db }: ServiceContext,
  wanted: Omit<LeaseOptions, 'lease' | 'leaseMs'>,
): Promise<Taken[]> {
  const lease = v7();
  const ids = await leaseDue(db, { lease, leaseMs: LEASE_MS, ...wanted });
  return (await loadLeased(db, { lease, ids })).map((delivery) => ({ lease, delivery }));
}
