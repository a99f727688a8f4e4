/** SQL: the rows that the insert and every commit write alike, for the requests in `READY`. */
import { DECIDED, READY } from './tables.ts';

/**
 * What the receivers of their instances are told. Without a lock: the sender ends an event whose receiver was removed at the
 * same time. The limit keeps Postgres from reading all receivers for one request.
 */
const TELL_RECEIVERS = `
  receiver_event as (
    insert into receiver_events (id, request_id, queue_id, body, decided_at, next_attempt_at)
    select receiver.event_id, ${DECIDED.request_id}, receiver.queue_id,
           format('{"id":"%s","type":"request.resolved","instance_id":"%s","request_id":"%s","created_at":"%s"}', receiver.event_id,
                  ${DECIDED.agent_instance_id}, ${DECIDED.request_id}, to_char(${DECIDED.now} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
           ${DECIDED.now}, clock_timestamp()
      from ${DECIDED.table} cross join lateral (
        select r.queue_id, gen_random_uuid() as event_id from receivers r where r.agent_instance_id = ${DECIDED.agent_instance_id} limit 1
      ) as receiver
  )`;

/** Their decisions, of the table of values `given`, and who is told of them. `DECIDED` names what was written. */
export const recordDecisions = (given: string): string => `
  ${DECIDED.table} as materialized (
    select given.*, ${READY.organization_id}, ${READY.agent_instance_id}, ${READY.now} from ${given} join ${READY.table} on ${READY.id} = given.request_id
  ),
  decision as (
    insert into decisions (
      id, request_id, organization_id, membership_id, status, note, channel, reviewer_display_name, reviewer_email, authentication,
      idempotency_key, seen_arguments_digest, decided_at, expires_at)
    select id, request_id, organization_id, membership_id, status, note, channel, reviewer_display_name, reviewer_email,
           cast(authentication as json), idempotency_key, seen_arguments_digest, now, now + window_ms * interval '1 millisecond'
      from ${DECIDED.table}
  ),
  ${TELL_RECEIVERS}`;

/** Their timelines, of the table of values `event`. */
export const recordEvents = (event: string): string => `
  audited as (
    insert into audit_events (id, organization_id, event_type, actor_type, actor_id, actor_display_name, subject_type, subject_id, data, occurred_at)
    select event.id, ${READY.organization_id}, event.event_type, event.actor_type, event.actor_id, event.actor_name, 'approval_request',
           cast(${READY.id} as text), cast(event.data as json), ${READY.now}
      from ${event} join ${READY.table} on ${READY.id} = event.request_id
     order by event.place
  )`;
