/**
 * Empties the outbox, in every process with a worker. It leases due messages, checks each request
 * again, sends outside of transactions, and records the outcome. If a process dies between sending
 * and recording, the message goes out again after its lease, with the same id.
 */
import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { v7 } from 'uuid';
import {
  leaseDue,
  loadLeased,
  type Attempted,
  type LeasedDelivery,
  type LeaseOptions,
} from '../../data/notifications/notification-deliveries.ts';
import {
  retryDelay,
  type ChannelKind,
  type DropReason,
} from '../../domain/notifications/notifications.ts';
import { MAIL_CONNECTIONS } from '../../platform/mailer.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { openRecorder, type Recorder } from './recorder.ts';
import { purgeWhileRunning } from './retention.ts';
import type { Delivery, SendOutcome } from './sender.ts';
import { senders } from './senders.ts';

const POLL_MS = 500;
/**
 * Messages under way at once in this process. Each kind has its own limit, so a slow mail server
 * does not delay webhooks. Emails are limited to the mailer's connections: waiting for one would
 * use up the send timeout.
 */
const AT_ONCE: Readonly<Record<ChannelKind, number>> = {
  email: MAIL_CONNECTIONS,
  webhook: 64,
  slack: 32,
};
/** Of these, for one channel: a slow receiver delays only its own messages. */
const PER_CHANNEL = 8;
const SEND_MS = 15_000;
/** Longer than sending and recording can take. */
const LEASE_MS = 60_000;
const ERROR_CHARACTERS = 500;
const DRAIN_MS = 3_000;

export interface SendLoop {
  stop(): Promise<void>;
}

export function startSending(context: ServiceContext): SendLoop {
  const stopping = new AbortController();
  const cutOff = new AbortController();
  // One listener for each message under way.
  setMaxListeners(0, cutOff.signal);
  const record = openRecorder(context);
  const running = Promise.all([
    ...Object.entries(AT_ONCE).map(([kind, atOnce]) =>
      sendWhileRunning(context, {
        kind: kind as ChannelKind,
        atOnce,
        record,
        stopping: stopping.signal,
        cutOff: cutOff.signal,
      }),
    ),
    purgeWhileRunning(context, stopping.signal),
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

interface Sending {
  readonly kind: ChannelKind;
  readonly atOnce: number;
  readonly record: Recorder;
  /** No new message starts. */
  readonly stopping: AbortSignal;
  /** Messages under way end. */
  readonly cutOff: AbortSignal;
}

async function sendWhileRunning(
  context: ServiceContext,
  { kind, atOnce, record, stopping, cutOff }: Sending,
): Promise<void> {
  const pause = pauses(POLL_MS, stopping);
  const underWay = new Map<string, { readonly channelId: string; readonly done: Promise<void> }>();
  const turn = async (): Promise<void> => {
    const limit = atOnce - underWay.size;
    const leased =
      limit > 0
        ? await takeDue(context, { kinds: [kind], limit, inHand: countByChannel(underWay) })
        : [];
    for (const { lease, delivery } of leased) {
      const done = attempt(context, { lease, delivery, record }, cutOff).finally(() =>
        underWay.delete(delivery.id),
      );
      underWay.set(delivery.id, { channelId: delivery.channelId, done });
    }
    // The lease may not have taken everything: the first message to finish makes room for more.
    await Promise.race([...[...underWay.values()].map(({ done }) => done), pause()]);
    // Messages that finish together free their places together.
    await setImmediate();
  };
  while (!stopping.aborted) {
    await turn().catch(async (error: unknown) => {
      context.logger.warn(
        { err: error },
        'the outbox could not be read; the next round tries again',
      );
      await pause();
    });
  }
  await Promise.all([...underWay.values()].map(({ done }) => done));
}

function countByChannel(
  underWay: ReadonlyMap<string, { readonly channelId: string }>,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { channelId } of underWay.values())
    counts.set(channelId, (counts.get(channelId) ?? 0) + 1);
  return counts;
}

/** At most one pause is under way: a new one replaces the one before. */
function pauses(ms: number, stopping: AbortSignal): () => Promise<void> {
  const state = { timer: undefined as NodeJS.Timeout | undefined, over: (): void => undefined };
  stopping.addEventListener('abort', () => {
    state.over();
  });
  return () => {
    clearTimeout(state.timer);
    return new Promise<void>((resolve) => {
      state.over = () => {
        clearTimeout(state.timer);
        resolve();
      };
      if (stopping.aborted) resolve();
      else state.timer = setTimeout(resolve, ms);
    });
  };
}

interface Taken {
  readonly lease: string;
  readonly delivery: LeasedDelivery;
}

async function takeDue(
  { db }: ServiceContext,
  wanted: Pick<LeaseOptions, 'kinds' | 'limit' | 'inHand'>,
): Promise<Taken[]> {
  const lease = v7();
  const ids = await leaseDue(db, { lease, leaseMs: LEASE_MS, perChannel: PER_CHANNEL, ...wanted });
  return (await loadLeased(db, { lease, ids })).map((delivery) => ({ lease, delivery }));
}

/**
 * Takes due messages once and waits for their outcomes; returns their number. Exported for tests.
 */
export async function sendDue(context: ServiceContext): Promise<number> {
  const taken = await takeDue(context, {
    kinds: ['email', 'webhook', 'slack'],
    limit: 32,
    inHand: new Map(),
  });
  const record = openRecorder(context);
  await Promise.all(taken.map((one) => attempt(context, { ...one, record }, context.stopping)));
  return taken.length;
}

/** Never rejects: a message whose outcome cannot be recorded is sent again after its lease. */
async function attempt(
  context: ServiceContext,
  { lease, delivery, record }: Taken & { readonly record: Recorder },
  stopping: AbortSignal,
): Promise<void> {
  try {
    const attempted = dropOrPostpone(delivery) ?? (await send(context, delivery, stopping));
    context.metrics.notificationAttempts.inc({ kind: delivery.kind, outcome: attempted.kind });
    await record({ id: delivery.id, lease, attempted });
  } catch (error) {
    context.logger.warn(
      { err: error, delivery: delivery.id },
      'the outcome of a message could not be recorded',
    );
  }
}

function dropOrPostpone({
  event,
  kind,
  announces,
  channelEnabled,
  closed,
  claimed,
  recipient,
}: LeasedDelivery): Attempted | undefined {
  const drop = (reason: DropReason): Attempted => ({ kind: 'dropped', reason });
  if (!channelEnabled) return drop('channel_disabled');
  if (event === 'decided') return undefined;
  if (closed) return drop('request_closed');
  const unfit = announces ? undefined : dropReasonFor(kind, recipient);
  if (unfit) return drop(unfit);
  return claimed ? { kind: 'later' } : undefined;
}

function dropReasonFor(
  kind: ChannelKind,
  recipient: LeasedDelivery['recipient'],
): DropReason | undefined {
  if (!recipient?.active) return 'member_inactive';
  if (!recipient.mayDecide) return 'cannot_decide';
  return kind === 'webhook' || recipient.wants[kind] ? undefined : 'opted_out';
}

async function send(
  context: ServiceContext,
  delivery: LeasedDelivery,
  stopping: AbortSignal,
): Promise<Attempted> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(SEND_MS)]);
  const outcome = await senders[delivery.kind]
    .send(context, toDelivery(context, delivery), signal)
    .catch((error: unknown) => failure(error));
  if (outcome.kind !== 'failed') return outcome;
  const error = [...outcome.error.replaceAll(/\p{Cc}+/gu, ' ')].slice(0, ERROR_CHARACTERS).join('');
  context.logger.info(
    { delivery: delivery.id, kind: delivery.kind, attempt: delivery.attempts, error },
    'a message was not delivered',
  );
  const atLeastMs = outcome.retryAfterMs ?? 0;
  const afterMs = outcome.permanent
    ? undefined
    : retryDelay(delivery.attempts, Math.random(), { atLeastMs });
  return afterMs === undefined ? { kind: 'dead', error } : { kind: 'retry', error, afterMs };
}

function failure(error: unknown): SendOutcome {
  return {
    kind: 'failed',
    error: error instanceof Error || hasMessage(error) ? error.message : 'failed',
  };
}

/** An Error, possibly of another realm, where `instanceof` fails. */
function hasMessage(error: unknown): error is { readonly message: string } {
  return (
    typeof error === 'object' &&
    error !== null &&
    'message' in error &&
    typeof error.message === 'string'
  );
}

function toDelivery({ publicUrl }: Runtime, delivery: LeasedDelivery): Delivery {
  const { id, organizationId } = delivery.request;
  const common = {
    id: delivery.id,
    organizationId,
    channelId: delivery.channelId,
    createdAt: delivery.createdAt,
    request: delivery.request,
    url: `${publicUrl()}/requests/${id}`,
  };
  const { recipient, level } = delivery;
  if (delivery.announces) return { ...common, event: 'announced' };
  if (delivery.event === 'decided' || !recipient || !level) return { ...common, event: 'decided' };
  const { membershipId, displayName, email } = recipient;
  return { ...common, event: 'notified', recipient: { membershipId, displayName, email }, level };
}
