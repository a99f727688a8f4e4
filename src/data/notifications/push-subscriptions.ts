/** The browsers that get push messages for members. */
import { v7 } from 'uuid';
import type {
  PushSubscription,
  PushTarget,
} from '../../domain/notifications/push-subscriptions.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, queryOne, queryRows, runPrepared } from '../../platform/rows.ts';

const COLUMNS = `
  id, membership_id, session_id, endpoint, p256dh, auth, user_agent, created_at, accepted_delivery_id`;

const OF_MEMBERS: PreparedStatement = {
  name: 'find-push-subscriptions',
  sql: `
    select ${COLUMNS} from push_subscriptions
     where membership_id = any(cast(:membershipIds as uuid[])) order by created_at, id`,
};

/** Of these members, oldest first. */
export async function findPushSubscriptions(
  db: Db,
  membershipIds: readonly string[],
): Promise<PushSubscription[]> {
  return await runPrepared<PushSubscription>(db, OF_MEMBERS, {
    membershipIds: [...new Set(membershipIds)],
  });
}

/** Makes concurrent changes of a member's subscriptions wait for the end of the transaction. */
export async function lockPushSubscriptions(trx: Trx, membershipId: string): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended(:key, 0))`, {
    key: `countersign.push_subscriptions:${membershipId}`,
  });
}

/** How many the member has for other endpoints. */
export async function countOtherPushSubscriptions(
  trx: Trx,
  { membershipId, endpoint }: { readonly membershipId: string; readonly endpoint: string },
): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    trx,
    `select cast(count(*) as integer) as count from push_subscriptions
      where membership_id = :membershipId and endpoint <> :endpoint`,
    { membershipId, endpoint },
  );
  return count;
}

/**
 * Replaces the subscription of the same endpoint, of any member: a browser has one. `isNew`: the
 * member had none of this endpoint.
 */
export async function putPushSubscription(
  trx: Trx,
  subscription: PushTarget & {
    readonly membershipId: string;
    readonly sessionId: string;
    readonly userAgent: string;
  },
): Promise<PushSubscription & { readonly isNew: boolean }> {
  return await queryOne<PushSubscription & { readonly isNew: boolean }>(
    trx,
    `insert into push_subscriptions as s (id, membership_id, session_id, endpoint, p256dh, auth, user_agent, created_at)
     values (:id, :membershipId, :sessionId, :endpoint, :p256dh, :auth, :userAgent, clock_timestamp())
     on conflict (endpoint) do update
        set id = case when s.membership_id = excluded.membership_id then s.id else excluded.id end,
            membership_id = excluded.membership_id, session_id = excluded.session_id, p256dh = excluded.p256dh,
            auth = excluded.auth, user_agent = excluded.user_agent, created_at = excluded.created_at
     returning ${COLUMNS}, id = cast(:id as uuid) as is_new`,
    { id: v7(), ...subscription },
  );
}

/** False when the member has no such subscription. */
export async function deletePushSubscription(
  db: Db,
  { id, membershipId }: { readonly id: string; readonly membershipId: string },
): Promise<boolean> {
  return (await db('push_subscriptions').where({ id, membership_id: membershipId }).delete()) === 1;
}

/** Deletes those that a push service no longer knows, unless the browser has subscribed again. */
export async function deleteGonePushSubscriptions(
  db: Db,
  gone: readonly Pick<PushSubscription, 'id' | 'endpoint'>[],
): Promise<void> {
  for (const { id, endpoint } of gone)
    await db('push_subscriptions').where({ id, endpoint }).delete();
}

/** They have accepted this message, and another one of the member has not. */
export async function setAcceptedDelivery(
  db: Db,
  { ids, deliveryId }: { readonly ids: readonly string[]; readonly deliveryId: string },
): Promise<void> {
  await db('push_subscriptions').whereIn('id', ids).update({ accepted_delivery_id: deliveryId });
}

/** For a browser that signed in again: its new session has its subscriptions from now on. */
export async function movePushSubscriptions(
  trx: Trx,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await queryRows(
    trx,
    `update push_subscriptions p set session_id = n.id
       from sessions n
      where p.session_id = :from and n.id = :to and n.membership_id = p.membership_id`,
    { from, to },
  );
}
