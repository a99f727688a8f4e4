/**
 * Empties an outbox, in every process with a worker. It leases due messages, sends them outside of
 * transactions, and records the outcome. If a process dies between sending and recording, the
 * message goes out again after its lease, with the same id.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { WakeSignal } from '../../platform/wake-signal.ts';
import type { Runtime } from '../context.ts';
import { LEAST_IN_FLIGHT, openReceiverLimits } from './receiver-limits.ts';

/** Messages of other processes, retries and ended claims are found within this time. */
const POLL_MS = 500;
/** Messages of this process are looked for at once, and this long after the last look at the earliest. */
const SOONEST_MS = 20;

/** Starting more of them at once would hold the event loop for too long. */
const LARGEST_SET = 12;
const SEND_MS = 15_000;
/** Longer than sending and recording can take. */
export const LEASE_MS = 60_000;
const DRAIN_MS = 3_000;

export interface Message {
  readonly id: string;
  /** What is slow when this message is. */
  readonly receiver: string;
  /**
   * Sends it and records the outcome, which it returns if it is recorded. Never rejects. `signal`
   * ends the attempt.
   */
  send(signal: AbortSignal): Promise<string | undefined>;
}

export interface Wanted {
  readonly limit: number;
  /** Most under way of a receiver. */
  readonly perReceiver: number;
  /** Receivers with another limit. */
  readonly limits?: ReadonlyMap<string, number>;
  /** Messages under way in this process, by receiver. */
  readonly inFlight: ReadonlyMap<string, number>;
}

/** Messages of one kind. Each kind has its own limits, so none waits for another. */
export interface Lane<Name extends string> {
  readonly name: Name;
  readonly maxInFlight: number;
  /** To one receiver that responds quickly. */
  readonly maxPerReceiver: number;
  /** All messages go through one receiver, such as a mail server. */
  readonly oneForAll: boolean;
  /** Leases due messages. */
  take(wanted: Wanted): Promise<readonly Message[]>;
}

export interface Outbox<Name extends string> {
  readonly lanes: readonly Lane<Name>[];
  /** The lanes that have due messages. */
  findDue(): Promise<readonly Name[]>;
  /** Whether a commit of this process that changed the request may have added messages. */
  mayConcern(request: ApprovalRequest | undefined): boolean;
  /** How often it looks without a reason, in milliseconds. */
  readonly pollMs?: number;
}

export interface SendLoop {
  stop(): Promise<void>;
}

export function startOutbox<Name extends string>(
  context: Pick<Runtime, 'changes' | 'logger'>,
  outbox: Outbox<Name>,
): SendLoop {
  const stopping = new AbortController();
  const cutOff = new AbortController();
  // One listener for each set of messages under way.
  setMaxListeners(0, cutOff.signal);
  const lanes = outbox.lanes.map((lane) => ({ lane, due: new WakeSignal() }));
  const running = Promise.all([
    ...lanes.map(({ lane, due }) =>
      sendWhileRunning(context, { lane, due, stopping: stopping.signal, cutOff: cutOff.signal }),
    ),
    lookWhileRunning(context, { outbox, lanes, stopping: stopping.signal }),
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

interface OpenLane<Name extends string> {
  readonly lane: Lane<Name>;
  /** Rings when messages may be due, or one that was under way has ended. */
  readonly due: WakeSignal;
}

interface Looking<Name extends string> {
  readonly outbox: Outbox<Name>;
  readonly lanes: readonly OpenLane<Name>[];
  readonly stopping: AbortSignal;
}

/**
 * Looks for due messages: after a commit of this process that may have added some, and regularly.
 * While looks find nothing, commits are noticed less and less often.
 */
async function lookWhileRunning<Name extends string>(
  { changes, logger }: Pick<Runtime, 'changes' | 'logger'>,
  { outbox, lanes, stopping }: Looking<Name>,
): Promise<void> {
  const { pollMs = POLL_MS } = outbox;
  const changed = new WakeSignal();
  const ignore = changes.observe((request) => {
    if (outbox.mayConcern(request)) changed.wake();
  });
  stopping.addEventListener('abort', () => {
    changed.wake();
    for (const { due } of lanes) due.wake();
  });
  for (let pause = SOONEST_MS; !stopping.aborted;) {
    const found = await outbox.findDue().catch((error: unknown): readonly Name[] => {
      logger.warn({ err: error }, 'the outbox could not be read; the next round tries again');
      return [];
    });
    for (const { lane, due } of lanes) if (found.includes(lane.name)) due.wake();
    await delay(pause, undefined, { signal: stopping }).catch(() => undefined);
    pause = found.length > 0 ? SOONEST_MS : Math.min(2 * pause, POLL_MS);
    const isWoken = await changed.wait(Math.max(0, pollMs - pause));
    if (!isWoken) pause = SOONEST_MS;
  }
  ignore();
}

interface Sending<Name extends string> extends OpenLane<Name> {
  /** No new message starts. */
  readonly stopping: AbortSignal;
  /** Messages under way end. */
  readonly cutOff: AbortSignal;
}

async function sendWhileRunning<Name extends string>(
  { logger }: Pick<Runtime, 'logger'>,
  { lane, due, stopping, cutOff }: Sending<Name>,
): Promise<void> {
  const { name, maxInFlight, maxPerReceiver, oneForAll } = lane;
  const limits = openReceiverLimits(maxPerReceiver);
  /** The receiver of each message. */
  const underWay = new Map<string, string>();
  const start = (message: Message, signal: AbortSignal): void => {
    const { id, receiver } = message;
    const began = performance.now();
    underWay.set(id, receiver);
    void message.send(signal).then((outcome) => {
      underWay.delete(id);
      limits.ended(oneForAll ? name : receiver, outcome, performance.now() - began);
      due.wake();
    });
  };
  const turn = async (): Promise<void> => {
    const limit = (oneForAll ? limits.of(name) : maxInFlight) - underWay.size;
    if (limit <= 0) return;
    const perReceiver = oneForAll
      ? { perReceiver: maxPerReceiver }
      : { perReceiver: LEAST_IN_FLIGHT, limits: limits.raised() };
    const taken = await lane.take({
      limit: Math.min(limit, LARGEST_SET),
      ...perReceiver,
      inFlight: countByReceiver(underWay),
    });
    if (taken.length === 0) return;
    const signal = AbortSignal.any([cutOff, AbortSignal.timeout(SEND_MS)]);
    setMaxListeners(0, signal);
    for (const message of taken) start(message, signal);
  };
  for (let last = 0; !stopping.aborted;) {
    await due.wait();
    // Messages that end at about the same time make room together.
    if (underWay.size > 0) await delay(Math.max(0, last + SOONEST_MS - performance.now()));
    last = performance.now();
    if (!stopping.aborted)
      await turn().catch((error: unknown) => {
        logger.warn({ err: error, kind: name }, 'messages could not be read; they are tried again');
      });
  }
  while (underWay.size > 0) await due.wait();
}

function countByReceiver(underWay: ReadonlyMap<string, string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const receiver of underWay.values()) counts.set(receiver, (counts.get(receiver) ?? 0) + 1);
  return counts;
}
