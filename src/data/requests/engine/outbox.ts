/** SQL: the messages that notify people. */
import { CLAIM_LAPSED_STEP } from '../../../domain/escalation/step-keys.ts';
import { postsForLevel, postsForMember } from '../../channel-kinds.ts';
import { ANNOUNCING, NEWLY_NOTIFIED } from './tables.ts';

/**
 * Messages for new notifications. `newly_notified` and `announcing` name notifications by
 * `(id, request_id, organization_id)`, the former with `membership_id` and `step_key`. Those of `announcing` stand for their level: kinds
 * that post once a level get a message for each. A claim that ended is not reported over a channel where the message that asks the person
 * still waits.
 */
export const OUTBOX = `
  enqueued as (
    insert into notification_deliveries (id, organization_id, channel_id, request_id, event, notification_id, next_attempt_at, created_at)
    select gen_random_uuid(), c.organization_id, c.id, n.request_id, 'notified', n.id, clock_timestamp(), clock_timestamp()
      from ${NEWLY_NOTIFIED.table} n
      join notification_channels c on c.organization_id = n.organization_id
     where c.enabled and c.deleted_at is null and ${postsForMember('c.kind', { channel: 'c.id', member: 'n.membership_id' })}
       and not (starts_with(n.step_key, '${CLAIM_LAPSED_STEP}:') and exists (
         select 1 from notifications before join notification_deliveries d on d.notification_id = before.id
          where before.request_id = n.request_id and before.membership_id = n.membership_id
            and d.channel_id = c.id and d.next_attempt_at is not null and not d.announces))
  ),
  announced as (
    insert into notification_deliveries
           (id, organization_id, channel_id, request_id, event, announces, notification_id, next_attempt_at, created_at)
    select gen_random_uuid(), c.organization_id, c.id, n.request_id, 'notified', true, n.id, clock_timestamp(), clock_timestamp()
      from ${ANNOUNCING.table} n
      join notification_channels c on c.organization_id = n.organization_id
     where c.enabled and c.deleted_at is null and ${postsForLevel('c.kind', 'c.id')}
  )`;
