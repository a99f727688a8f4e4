/** One attempt at a leased message: checks the request again, sends, and records the outcome. */
import type {
  Attempted,
  LeasedDelivery,
  LeasedRecipient,
} from '../../data/notifications/notification-deliveries.ts';
import { termsOf } from '../../domain/channels.ts';
import { isOfChannel } from '../../domain/notifications/channel-states.ts';
import { UNKNOWN_CAUSE } from '../../domain/notifications/failures.ts';
import { retryDelay, type DropReason } from '../../domain/notifications/notifications.ts';
import type { Runtime } from '../context.ts';
import { gatherDigest } from '../../data/notifications/digests.ts';
import { DEFAULT_RETURN_PATH, requestLink, returnLink } from '../links.ts';
import type { Delivery, SendOutcome } from './sender.ts';
import { senders } from './senders.ts';
import type { SendContext } from './statements.ts';

const ERROR_CHARACTERS = 500;

export interface Taken {
  readonly lease: string;
  readonly delivery: LeasedDelivery;
}

/**
 * Never rejects: a message whose outcome cannot be recorded is sent again after its lease. Returns
 * the outcome, if it is recorded. `signal` ends the attempt.
 */
export async function attempt(
  context: SendContext,
  { lease, delivery }: Taken,
  signal: AbortSignal,
): Promise<Attempted | undefined> {
  try {
    const checked = dropOrPostpone(delivery);
    const isCounted = !checked && isLimited(delivery);
    if (isCounted && !(await context.statements.count({ id: delivery.id, lease }))) {
      context.metrics.notificationAttempts.inc({ kind: delivery.kind, outcome: 'dropped' });
      return IN_DIGEST;
    }
    const attempted = checked ?? (await send(context, delivery, signal));
    context.metrics.notificationAttempts.inc({ kind: delivery.kind, outcome: attempted.kind });
    await context.statements.record({ id: delivery.id, lease, attempted });
    if (isResult(attempted)) await noteState(context, delivery, attempted);
    return attempted;
  } catch (error) {
    context.logger.warn(
      { err: error, delivery: delivery.id },
      'the outcome of a message could not be recorded',
    );
    return undefined;
  }
}

type Result = Extract<Attempted, { kind: 'delivered' | 'retry' | 'dead' }>;

const isResult = (attempted: Attempted): attempted is Result =>
  attempted.kind !== 'dropped' && attempted.kind !== 'later';

/** The state of the channel follows from the result. Without it, the message is as it was recorded. */
async function noteState(
  { statements, metrics, logger }: SendContext,
  { id: deliveryId, kind }: LeasedDelivery,
  attempted: Result,
): Promise<void> {
  try {
    const changed = await statements.noteResult({
      deliveryId,
      ...(attempted.kind !== 'delivered' && {
        trouble: {
          state: attempted.kind === 'dead' ? 'broken' : 'failing',
          cause: attempted.cause,
          isOfChannel: isOfChannel(kind, attempted.cause),
        },
      }),
    });
    for (const { channel, state } of changed)
      metrics.channelStateChanges.inc({ kind: channel, state });
  } catch (error) {
    logger.warn({ err: error, delivery: deliveryId }, 'the state of a channel was not recorded');
  }
}

const IN_DIGEST: Attempted = { kind: 'dropped', reason: 'in_digest' };

/** A first attempt at a message to a person, or to the default channel, about a request that is not urgent. */
function isLimited({ kind, event, attempts, request }: LeasedDelivery): boolean {
  if (event === 'decided' || event === 'digest' || event === 'ran_differently') return false;
  if (!termsOf(kind).perMember) return false;
  return attempts === 1 && request.urgency !== 'interrupt';
}

function dropOrPostpone(delivery: LeasedDelivery): Attempted | undefined {
  const drop = (reason: DropReason): Attempted => ({ kind: 'dropped', reason });
  if (!delivery.channelEnabled) return drop('channel_disabled');
  if (delivery.event === 'decided') return undefined;
  if (delivery.event === 'digest' || delivery.event === 'ran_differently') {
    const { recipient } = delivery;
    // The gathering leaves out the requests that they may not decide. What they approved concerns them in any case.
    const reason = recipient && dropReasonFor({ ...recipient, mayDecide: true });
    return reason && drop(reason);
  }
  if (delivery.closed) return drop('request_closed');
  const unfit = 'recipient' in delivery ? dropReasonFor(delivery.recipient) : undefined;
  if (unfit) return drop(unfit);
  return delivery.claimed ? { kind: 'later' } : undefined;
}

function dropReasonFor(recipient: LeasedRecipient): DropReason | undefined {
  if (!recipient.active) return 'member_inactive';
  if (!recipient.mayDecide) return 'cannot_decide';
  return recipient.wantsKind ? undefined : 'opted_out';
}

async function send(
  context: SendContext,
  delivery: LeasedDelivery,
  signal: AbortSignal,
): Promise<Attempted> {
  const sending = await toSend(context, delivery);
  if (!sending) return { kind: 'dropped', reason: 'request_closed' };
  const outcome = await senders[delivery.kind]
    .send(context, sending, signal)
    .catch((error: unknown) => failure(error));
  if (outcome.kind !== 'failed') return outcome;
  const error = [...outcome.error.replaceAll(/\p{Cc}+/gu, ' ')].slice(0, ERROR_CHARACTERS).join('');
  context.logger.info(
    { delivery: delivery.id, kind: delivery.kind, attempt: delivery.attempts, error },
    'a message was not delivered',
  );
  const { cause = UNKNOWN_CAUSE } = outcome;
  const atLeastMs = outcome.retryAfterMs ?? 0;
  const afterMs = outcome.permanent
    ? undefined
    : retryDelay(delivery.attempts, Math.random(), { atLeastMs });
  return afterMs === undefined
    ? { kind: 'dead', error, cause }
    : { kind: 'retry', error, cause, afterMs };
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

/** Undefined for a digest without requests that still wait. */
async function toSend(
  context: SendContext,
  delivery: LeasedDelivery,
): Promise<Delivery | undefined> {
  if (delivery.event !== 'digest') return toDelivery(context, delivery);
  const { id, channelId, recipient } = delivery;
  const receiver = recipient?.membershipId ?? channelId;
  const count = await gatherDigest(context.db, { id, channelId, receiver });
  if (count === 0) return undefined;
  const url = returnLink(context, DEFAULT_RETURN_PATH);
  return { ...commonOf(context, delivery), event: 'digest', recipient, count, url };
}

function commonOf(runtime: Runtime, delivery: LeasedDelivery) {
  const { id, channelId, createdAt, request, requesterState } = delivery;
  const { organizationId } = request;
  return {
    id,
    organizationId,
    channelId,
    createdAt,
    request,
    requesterState,
    url: requestLink(runtime, request.id),
  };
}

function toDelivery(
  runtime: Runtime,
  delivery: Exclude<LeasedDelivery, { event: 'digest' }>,
): Delivery {
  const common = commonOf(runtime, delivery);
  if (delivery.event === 'announced')
    return { ...common, event: delivery.event, occasion: delivery.occasion };
  if (!('recipient' in delivery)) return { ...common, event: delivery.event };
  const { membershipId, displayName, email } = delivery.recipient;
  const to = { ...common, recipient: { membershipId, displayName, email } };
  return delivery.event === 'notified'
    ? { ...to, event: delivery.event, level: delivery.level, occasion: delivery.occasion }
    : { ...to, event: delivery.event };
}
