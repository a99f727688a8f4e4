/** Reads the outbox for administrators, and retries messages. */
import {
  CLAIM_LAPSED_STEP,
  RAN_DIFFERENTLY_STEP,
  UNREACHABLE_STEP,
} from '../../domain/escalation/step-keys.ts';
import type { ListedDelivery } from '../../domain/notifications/notification-deliveries.ts';
import type { RecentMessages } from '../../domain/notifications/notification-channels.ts';
import type { DeliveryStatus } from '../../domain/notifications/notifications.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';

export interface DeliveryFilter {
  readonly status: DeliveryStatus | undefined;
  readonly channelId: string | undefined;
  readonly requestId: string | undefined;
  /** Of the recipient. */
  readonly membershipId: string | undefined;
  /** Put into the outbox at this instant or later. */
  readonly from: Date | undefined;
  /** And before this one. */
  readonly to: Date | undefined;
}

export interface DeliveryPage extends DeliveryFilter {
  readonly limit: number;
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
}

const CONDITIONS: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'd.next_attempt_at is not null',
  delivered: 'd.delivered_at is not null',
  dead: 'd.dead_at is not null',
  dropped: 'd.dropped_at is not null',
};

const LISTED = `
  select d.id, d.channel_id, c.kind as channel_kind, c.name as channel_name, d.request_id,
         case when d.event = 'notified' and n.step_key in ('${UNREACHABLE_STEP}', '${RAN_DIFFERENTLY_STEP}') then n.step_key
              when d.event = 'notified' and starts_with(n.step_key, '${CLAIM_LAPSED_STEP}:') then '${CLAIM_LAPSED_STEP}' else d.event end as event,
         case when not d.announces then n.membership_id end as membership_id, u.display_name,
         case when ${CONDITIONS.pending} then 'pending' when ${CONDITIONS.delivered} then 'delivered'
              when ${CONDITIONS.dead} then 'dead' else 'dropped' end as status,
         d.attempts, d.created_at, d.next_attempt_at,
         coalesce(d.delivered_at, d.dead_at, d.dropped_at) as finished_at, d.last_error, d.dropped_reason
    from notification_deliveries d
    join notification_channels c on c.id = d.channel_id
    left join notifications n on n.id = d.notification_id
    left join memberships m on m.id = n.membership_id
    left join users u on u.id = m.user_id
   where d.organization_id = :organizationId`;

const FILTERS: Readonly<Record<Exclude<keyof DeliveryFilter, 'status'>, string>> = {
  channelId: 'd.channel_id = :channelId',
  requestId: 'd.request_id = :requestId',
  membershipId: 'n.membership_id = :membershipId and not d.announces',
  from: 'd.created_at >= :from',
  to: 'd.created_at < :to',
};

/** Newest first. */
export async function listDeliveries(
  db: Db,
  organizationId: string,
  { status, limit, after, ...filter }: DeliveryPage,
): Promise<ListedDelivery[]> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const conditions = [
    ...(status ? [CONDITIONS[status]] : []),
    ...given.map(([name]) => FILTERS[name as keyof typeof FILTERS]),
    ...(after ? ['(d.created_at, d.id) < (:createdAt, :id)'] : []),
  ];
  return await queryRows<ListedDelivery>(
    db,
    `${LISTED} ${conditions.map((condition) => `and ${condition}`).join(' ')}
      order by d.created_at desc, d.id desc limit :limit`,
    { organizationId, limit, ...Object.fromEntries(given), ...after },
  );
}

/** Counting stops here, so that it stays cheap however long a receiver is away. */
export const MOST_COUNTED_DELIVERIES = 1_000;

/** The messages that could not be delivered. */
export async function countDeadDeliveries(db: Db, organizationId: string): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    db,
    `select cast(count(*) as integer) as count
       from (select 1 from notification_deliveries d
              where d.organization_id = :organizationId and ${CONDITIONS.dead} limit :most) as dead`,
    { organizationId, most: MOST_COUNTED_DELIVERIES },
  );
  return count;
}

/** The latest ones of a channel. */
const RECENT = 50;

/** By channel. It reads the latest messages of each, not all of them. */
export async function findRecentMessages(
  db: Db,
  channelIds: readonly string[],
): Promise<ReadonlyMap<string, RecentMessages>> {
  const rows = await queryRows<RecentMessages & { readonly channelId: string }>(
    db,
    `select w.id as channel_id, r.*
       from unnest(cast(:channelIds as uuid[])) as w (id)
      cross join lateral (
        select cast(count(*) filter (where ${CONDITIONS.delivered}) as integer) as delivered_count,
               cast(count(*) filter (where ${CONDITIONS.dead}) as integer) as dead_count,
               cast(count(*) filter (where ${CONDITIONS.pending}) as integer) as waiting_count,
               cast(count(*) filter (where ${CONDITIONS.dropped}) as integer) as dropped_count,
               max(d.delivered_at) as last_delivered_at, max(d.dead_at) as last_dead_at,
               (array_agg(d.last_error order by d.created_at desc, d.id desc)
                  filter (where d.last_error is not null and (${CONDITIONS.dead} or ${CONDITIONS.pending})))[1] as last_error
          from (select * from notification_deliveries
                 where channel_id = w.id order by created_at desc, id desc limit :recent) as d
      ) as r`,
    { channelIds: [...channelIds], recent: RECENT },
  );
  return new Map(rows.map(({ channelId, ...recent }) => [channelId, recent]));
}

export async function findDelivery(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ListedDelivery | undefined> {
  return await queryRow<ListedDelivery>(db, `${LISTED} and d.id = :id`, {
    organizationId,
    id,
  });
}

/**
 * A dead message starts over, a waiting one is due now, and one under way is not affected. Returns
 * false if it is over or does not exist.
 */
export async function retryDelivery(db: Db, organizationId: string, id: string): Promise<boolean> {
  const rows = await queryRows<unknown>(
    db,
    `update notification_deliveries
        set next_attempt_at = case when lease is null then clock_timestamp() else next_attempt_at end,
            attempts = case when dead_at is null then attempts else 0 end, dead_at = null
      where id = :id and organization_id = :organizationId and (dead_at is not null or next_attempt_at is not null)
      returning id`,
    { organizationId, id },
  );
  return rows.length === 1;
}
