/** Sends notifications to all browsers of a person that have subscribed. */
import {
  deleteGonePushSubscriptions,
  findPushSubscriptions,
  setAcceptedDelivery,
} from '../../data/notifications/push-subscriptions.ts';
import { statusCause } from '../../domain/notifications/failures.ts';
import {
  askingMessage,
  digestMessage,
  ranDifferentlyMessage,
  testMessage,
  unreachableMessage,
  type PushMessage,
  type PushSubscription,
} from '../../domain/notifications/push-subscriptions.ts';
import type { VapidKeys } from '../../platform/crypto/web-push.ts';
import type { MessageContext } from '../context.ts';
import { returnLink } from '../links.ts';
import { findSigner, postPush, type PushOutcome } from './push-post.ts';
import type {
  ChannelSender,
  Delivery,
  DigestDelivery,
  NotifiedDelivery,
  RanDifferentlyDelivery,
  SendOutcome,
  TestMessage,
  TestOutcome,
  UnreachableDelivery,
} from './sender.ts';
import type { SendContext } from './statements.ts';

export const pushSender: ChannelSender = { send, sendTest };

interface Sent {
  readonly subscription: PushSubscription;
  readonly outcome: PushOutcome;
}

type Failure = Extract<PushOutcome, { kind: 'failed' }>;

async function send(
  context: SendContext,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<SendOutcome> {
  if (!('recipient' in delivery) || !delivery.recipient)
    return { kind: 'dropped', reason: 'not_configured' };
  const { membershipId } = delivery.recipient;
  const subscriptions = await context.statements.pushSubscriptions(membershipId);
  if (subscriptions.length === 0) return { kind: 'dropped', reason: 'not_subscribed' };
  const signer = await findSigner(context, context.db);
  if (!signer)
    return {
      kind: 'failed',
      error: 'the key that signs push messages does not open',
      cause: 'secret_unreadable',
    };
  const left = subscriptions.filter(({ acceptedDeliveryId }) => acceptedDeliveryId !== delivery.id);
  const message = messageOf(delivery);
  const sent = await postToAll(context, left, { message, signer, signal });
  return await concluded(context, sent, {
    deliveryId: delivery.id,
    reachedBefore: left.length < subscriptions.length,
  });
}

function messageOf(
  delivery: NotifiedDelivery | UnreachableDelivery | RanDifferentlyDelivery | DigestDelivery,
): PushMessage {
  const { event, url } = delivery;
  switch (event) {
    case 'notified':
      return askingMessage(delivery, new Date());
    case 'unreachable':
      return unreachableMessage(delivery, new Date());
    case 'ran_differently':
      return ranDifferentlyMessage(delivery);
    case 'digest':
      return digestMessage(delivery.count, url);
  }
}

/** A browser that is unreachable for now is tried again, without those that have the message. */
async function concluded(
  { db }: MessageContext,
  sent: readonly Sent[],
  { deliveryId, reachedBefore }: { readonly deliveryId: string; readonly reachedBefore: boolean },
): Promise<SendOutcome> {
  const accepted = sent.filter(({ outcome }) => outcome.kind === 'accepted');
  const failures = sent.flatMap(({ outcome }) => (outcome.kind === 'failed' ? [outcome] : []));
  const temporary = failures.filter(({ permanent }) => !permanent);
  if (temporary.length > 0) {
    const ids = accepted.map(({ subscription }) => subscription.id);
    if (ids.length > 0) await setAcceptedDelivery(db, { ids, deliveryId });
    return failed(temporary);
  }
  if (accepted.length > 0 || reachedBefore) return { kind: 'delivered' };
  return failures.length > 0
    ? { ...failed(failures), permanent: true }
    : { kind: 'dropped', reason: 'not_subscribed' };
}

function failed(failures: readonly Failure[]): Extract<SendOutcome, { kind: 'failed' }> {
  const retryAfterMs = Math.max(...failures.map((failure) => failure.retryAfterMs ?? 0));
  const error = [...new Set(failures.map((failure) => failure.error))].join(', ');
  const [first] = failures;
  const cause = first && causeOf(first);
  return {
    kind: 'failed',
    error,
    ...(cause !== undefined && { cause }),
    ...(retryAfterMs > 0 && { retryAfterMs }),
  };
}

const causeOf = ({ status, errorCause, code }: Failure): string =>
  status === undefined ? (errorCause ?? code) : statusCause(status);

interface Post {
  readonly message: PushMessage;
  readonly signer: VapidKeys;
  readonly signal: AbortSignal;
}

/** Deletes the subscriptions that their push services no longer know. */
async function postToAll(
  context: MessageContext,
  subscriptions: readonly PushSubscription[],
  post: Post,
): Promise<readonly Sent[]> {
  const sent = await Promise.all(
    subscriptions.map(async (subscription) => ({
      subscription,
      outcome: await postPush(context, subscription, post),
    })),
  );
  const gone = sent.filter(({ outcome }) => outcome.kind === 'gone');
  await deleteGonePushSubscriptions(
    context.db,
    gone.map(({ subscription }) => subscription),
  );
  return sent;
}

/** To all browsers of the member who asks. */
async function sendTest(
  context: MessageContext,
  { recipient }: TestMessage,
  signal: AbortSignal,
): Promise<TestOutcome> {
  const subscriptions = await findPushSubscriptions(context.db, [recipient.membershipId]);
  return await testSubscriptions(context, subscriptions, signal);
}

/** Delivered when one of them accepts the message; otherwise it says why the first did not. */
export async function testSubscriptions(
  context: MessageContext,
  subscriptions: readonly PushSubscription[],
  signal: AbortSignal,
): Promise<TestOutcome> {
  const signer = await findSigner(context, context.db);
  if (!signer) return { delivered: false, errorCode: 'not_configured' };
  const message = testMessage(returnLink(context, '/'));
  const sent = await postToAll(context, subscriptions, { message, signer, signal });
  const outcomes = sent.map(({ outcome }) => outcome);
  const best = outcomes.find(({ kind }) => kind === 'accepted') ?? outcomes[0];
  if (!best) return { delivered: false, errorCode: 'not_subscribed' };
  const status = best.status === undefined ? {} : { statusCode: best.status };
  if (best.kind === 'accepted') return { delivered: true, ...status };
  if (best.kind === 'gone') return { delivered: false, errorCode: 'not_subscribed', ...status };
  const { code: errorCode, errorCause } = best;
  return { delivered: false, errorCode, ...(errorCause && { errorCause }), ...status };
}
