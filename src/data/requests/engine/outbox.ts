/** SQL: the messages that notify people. */
import { CLAIM_LAPSED_STEP, RAN_DIFFERENTLY_STEP } from '../../../domain/escalation/step-keys.ts';
import { isPerMember, postsForLevel, postsForMember, wantsKind } from '../../channel-kinds.ts';
import { ANNOUNCING, NEWLY_NOTIFIED } from './tables.ts';

/** The person was asked before, and hears at once that they still are. */
const REPEATS = `starts_with(n.step_key, '${CLAIM_LAPSED_STEP}:')`;

/**
 * Messages for new notifications. `newly_notified` and `announcing` name notifications by
 * `(id, request_id, organization_id)`, the former with `membership_id`, `step_key` and the request's `urgency`. Those of `announcing` stand
 * for their level: kinds that post once a level get a message for each. Personal steps name the channels and their times: the first channel
 * that can be used gets the time of the first step. If none can be used, all channels get the message at once. A claim that ended is not
 * reported over a channel where the message that asks the person still waits.
 */
export const OUTBOX = `
  reaching as materialized (
    select n.id, n.request_id, n.membership_id, n.step_key, c.organization_id, c.id as channel_id, s.position,
           ${isPerMember('c.kind')} as is_personal,
           count(s.position) over (partition by n.id) as usable,
           row_number() over (partition by n.id order by s.position) as place,
           row_number() over (partition by n.id, c.id order by s.position) as place_of_channel,
           s.after_seconds,
           (select f.after_seconds from notification_steps f
             where f.membership_id = n.membership_id and f.urgency = n.urgency order by f.position limit 1) as first_after
      from ${NEWLY_NOTIFIED.table} n
      join notification_channels c on c.organization_id = n.organization_id
      left join notification_settings w on w.membership_id = n.membership_id
      left join notification_steps s on s.membership_id = n.membership_id and s.urgency = n.urgency and s.channel_kind = c.kind
                                    and n.step_key <> '${RAN_DIFFERENTLY_STEP}' and ${wantsKind('w', 'c.kind')}
     where c.enabled and c.deleted_at is null and ${postsForMember('c.kind', { channel: 'c.id', member: 'n.membership_id' })}
  ),
  enqueued as (
    insert into notification_deliveries
           (id, organization_id, channel_id, request_id, event, notification_id, step, next_attempt_at, created_at)
    select gen_random_uuid(), n.organization_id, n.channel_id, n.request_id, 'notified', n.id,
           case when ${REPEATS} then 0 else coalesce(n.position, 0) end,
           clock_timestamp() + interval '1 second' * case
             when n.position is null or ${REPEATS} then 0 when n.place = 1 then n.first_after else n.after_seconds end,
           clock_timestamp()
      from reaching n
     where (not n.is_personal or n.usable = 0 or n.position is not null)
       and not (${REPEATS} and (n.place_of_channel > 1 or exists (
         select 1 from notifications before join notification_deliveries d on d.notification_id = before.id
          where before.request_id = n.request_id and before.membership_id = n.membership_id
            and d.channel_id = n.channel_id and not d.announces
            -- A later personal step is not waiting yet. One that is being sent has been tried.
            and (d.next_attempt_at <= clock_timestamp() or d.next_attempt_at is not null and d.attempts > 0))))
  ),
  announced as (
    insert into notification_deliveries
           (id, organization_id, channel_id, request_id, event, announces, notification_id, next_attempt_at, created_at)
    select gen_random_uuid(), c.organization_id, c.id, n.request_id, 'notified', true, n.id, clock_timestamp(), clock_timestamp()
      from ${ANNOUNCING.table} n
      join notification_channels c on c.organization_id = n.organization_id
     where c.enabled and c.deleted_at is null and ${postsForLevel('c.kind', 'c.id')}
  )`;
