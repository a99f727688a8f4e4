/** SQL: the messages that notify people. */
import { isReached } from '../../notifications/channel-kinds.ts';
import { ANNOUNCING, NEWLY_NOTIFIED } from './tables.ts';

/**
 * Messages for new notifications. `newly_notified` and `announcing` name notifications by
 * `(id, request_id, organization_id)`, the former with `membership_id`. Those of `announcing` also get the message that announces a
 * step in Slack.
 */
export const OUTBOX = `
  enqueued as (
    insert into notification_deliveries (id, organization_id, channel_id, request_id, event, notification_id, next_attempt_at, created_at)
    select gen_random_uuid(), c.organization_id, c.id, n.request_id, 'notified', n.id, clock_timestamp(), clock_timestamp()
      from ${NEWLY_NOTIFIED.table} n
      join notification_channels c on c.organization_id = n.organization_id
     where c.enabled and c.deleted_at is null and ${isReached('c.kind', 'n.membership_id')}
  ),
  announced as (
    insert into notification_deliveries
           (id, organization_id, channel_id, request_id, event, announces, notification_id, next_attempt_at, created_at)
    select gen_random_uuid(), c.organization_id, c.id, n.request_id, 'notified', true, n.id, clock_timestamp(), clock_timestamp()
      from ${ANNOUNCING.table} n
      join slack_connections s on s.organization_id = n.organization_id and s.default_channel is not null
      join notification_channels c on c.id = s.channel_id
     where c.enabled and c.deleted_at is null
  )`;
