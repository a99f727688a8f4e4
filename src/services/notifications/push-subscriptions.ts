/** A member's browsers that get push messages. */
import { forgetTrouble } from '../../data/notifications/channel-states.ts';
import { ensurePushChannel } from '../../data/notifications/notification-channels.ts';
import {
  countOtherPushSubscriptions,
  deletePushSubscription,
  findPushSubscriptions,
  lockPushSubscriptions,
  putPushSubscription,
} from '../../data/notifications/push-subscriptions.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError, invalid, type Issue } from '../../domain/errors.ts';
import {
  MOST_SUBSCRIPTIONS,
  type PushSubscription,
  type PushTarget,
} from '../../domain/notifications/push-subscriptions.ts';
import { isPushService } from '../../domain/notifications/push-services.ts';
import { isPushKey, isPushSecret } from '../../platform/crypto/web-push.ts';
import type { MessageContext } from '../context.ts';
import { lockAccessSharedAndRereadMember } from '../access/current-callers.ts';
import { requireReachable } from '../webhooks/destinations.ts';
import { readPushKey } from './push-keys.ts';
import type { ChannelTest } from './notification-channels.ts';
import { testSubscriptions } from './push.ts';

const TEST_MS = 10_000;

/** A subscription as its member sees it. */
export interface OwnPushSubscription extends PushSubscription {
  /** The session of the call made it. */
  readonly current: boolean;
}

/** Oldest first. */
export async function listOwnPushSubscriptions(
  { db }: MessageContext,
  principal: MemberPrincipal,
): Promise<readonly OwnPushSubscription[]> {
  const subscriptions = await findPushSubscriptions(db, [principal.membershipId]);
  return subscriptions.map((subscription) => own(principal, subscription));
}

function own({ via }: MemberPrincipal, subscription: PushSubscription): OwnPushSubscription {
  return {
    ...subscription,
    current: via.kind === 'session' && via.sessionId === subscription.sessionId,
  };
}

/**
 * Subscribes the browser of the call. It replaces the subscription of the same endpoint. Throws 400
 * for keys that are none, 400 `egress_denied`, 429 `quota_exceeded`, 501 `secrets_key_missing`.
 */
export async function putOwnPushSubscription(
  context: MessageContext,
  principal: MemberPrincipal,
  { userAgent, ...target }: PushTarget & { readonly userAgent: string },
): Promise<{ readonly subscription: OwnPushSubscription; readonly isNew: boolean }> {
  requireKeys(target);
  requirePushService(context, target);
  await requireReachable(context, target.endpoint, '/endpoint');
  // Messages need the key, whether or not the browser asked for it here.
  await readPushKey(context);
  return await context.db.transaction(async (trx) => {
    const caller = await lockAccessSharedAndRereadMember(trx, principal);
    const { organizationId, membershipId, via } = caller;
    if (via.kind !== 'session') throw new AppError('session_required');
    await lockPushSubscriptions(trx, membershipId);
    const used = await countOtherPushSubscriptions(trx, { membershipId, ...target });
    const limit = MOST_SUBSCRIPTIONS;
    if (used >= limit)
      throw new AppError('quota_exceeded', {
        details: { dimension: 'push_subscriptions', limit, used },
      });
    await ensurePushChannel(trx, organizationId);
    const { sessionId } = via;
    const wanted = { ...target, membershipId, sessionId, userAgent };
    const { isNew, ...subscription } = await putPushSubscription(trx, wanted);
    if (isNew) await forgetTrouble(trx, { membershipId, kind: 'push' });
    return { subscription: own(caller, subscription), isNew };
  });
}

function requirePushService({ pushHosts }: MessageContext, { endpoint }: PushTarget): void {
  if (isPushService(endpoint, pushHosts)) return;
  const message =
    'is at no known push service. An operator can add its host with COUNTERSIGN_PUSH_HOSTS.';
  throw invalid([{ pointer: '/endpoint', code: 'egress_denied', message }]);
}

function requireKeys({ p256dh, auth }: PushTarget): void {
  const issue = (name: string, message: string): Issue => ({
    pointer: `/keys/${name}`,
    code: 'invalid_value',
    message,
  });
  const issues = [
    ...(isPushKey(p256dh)
      ? []
      : [issue('p256dh', 'must be a public key of the curve P-256 in base64url, uncompressed')]),
    ...(isPushSecret(auth) ? [] : [issue('auth', 'must be 16 bytes in base64url')]),
  ];
  if (issues.length > 0) throw invalid(issues);
}

/** Throws 404 for a subscription of another member. */
export async function deleteOwnPushSubscription(
  { db }: MessageContext,
  { membershipId }: MemberPrincipal,
  id: string,
): Promise<void> {
  if (!(await deletePushSubscription(db, { id, membershipId }))) throw new AppError('not_found');
}

/** Sends one test message to one of the caller's browsers, without retries. Throws 404. */
export async function testOwnPushSubscription(
  context: MessageContext,
  { membershipId }: MemberPrincipal,
  id: string,
): Promise<ChannelTest> {
  const subscriptions = await findPushSubscriptions(context.db, [membershipId]);
  const wanted = subscriptions.filter((subscription) => subscription.id === id);
  if (wanted.length === 0) throw new AppError('not_found');
  const startedAt = performance.now();
  const signal = AbortSignal.any([context.stopping, AbortSignal.timeout(TEST_MS)]);
  const outcome = await testSubscriptions(context, wanted, signal);
  if (outcome.delivered) await forgetTrouble(context.db, { membershipId, kind: 'push' });
  return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
}
