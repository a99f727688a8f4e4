/** Reads the outbox for administrators, and retries messages. */
import { UNREACHABLE_STEP } from '../../domain/escalation/step-keys.ts';
import type { ListedDelivery } from '../../domain/notifications/notification-deliveries.ts';
import type { DeliveryStatus } from '../../domain/notifications/notifications.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRow, queryRows } from '../../platform/rows.ts';

export interface DeliveryPage {
  readonly status: DeliveryStatus | undefined;
  readonly channelId: string | undefined;
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
         case when n.step_key = '${UNREACHABLE_STEP}' then 'unreachable' else d.event end as event,
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

/** Newest first. */
export async function listDeliveries(
  db: Db,
  organizationId: string,
  { status, channelId, limit, after }: DeliveryPage,
): Promise<ListedDelivery[]> {
  return await queryRows<ListedDelivery>(
    db,
    `${LISTED} ${status ? `and ${CONDITIONS[status]}` : ''} ${channelId === undefined ? '' : 'and d.channel_id = :channelId'}
       ${after ? 'and (d.created_at, d.id) < (:createdAt, :id)' : ''}
      order by d.created_at desc, d.id desc limit :limit`,
    {
      organizationId,
      limit,
      ...(channelId !== undefined && { channelId }),
      ...(after && { createdAt: after.createdAt, id: after.id }),
    },
  );
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
