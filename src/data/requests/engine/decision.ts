/** SQL: what a decision does to messages, for the decisions in `DECIDED`. */
import { announcesDecisions } from '../../channel-kinds.ts';
import { DECIDED } from './tables.ts';

/** Messages that ask for a decision and still wait are withdrawn. The sender of a leased message checks the request itself. */
export const WITHDRAW_QUESTIONS = `
  withdrawn as (
    update notification_deliveries
       set next_attempt_at = null, dropped_at = clock_timestamp(), dropped_reason = 'request_closed'
     where id in (
       select n.id from ${DECIDED.table} join notification_deliveries n on n.request_id = ${DECIDED.request_id}
        where ${DECIDED.is_routed} and n.event = 'notified' and n.next_attempt_at is not null and n.lease is null
          for update of n skip locked)
  )`;

/**
 * Each channel on which a message was tried or is being sent gets the outcome. A message dropped in its first attempt was
 * never sent. `last_error` remains when the attempts start from 0 again.
 */
export const ANNOUNCE_DECISION = `
  told as (
    insert into notification_deliveries (id, organization_id, channel_id, request_id, event, next_attempt_at, created_at)
    select gen_random_uuid(), c.organization_id, c.id, ${DECIDED.request_id}, 'decided', clock_timestamp(), clock_timestamp()
      from ${DECIDED.table} join notification_channels c on c.organization_id = ${DECIDED.organization_id}
     where ${DECIDED.is_routed} and ${announcesDecisions('c.kind')} and c.enabled and c.deleted_at is null
       and exists (select 1 from notification_deliveries n
                    where n.request_id = ${DECIDED.request_id} and n.channel_id = c.id and n.event = 'notified'
                      and (n.last_error is not null or n.attempts > case when n.dropped_at is null then 0 else 1 end))
  )`;
