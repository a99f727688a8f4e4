/**
 * SQL: what a step writes about levels, for any number of requests at once: escalation steps,
 * notifications, the outbox and the timeline.
 */
import { v7 } from 'uuid';
import type { NewAuditEvent } from '../../domain/audit.ts';
import { stringifyExact } from '../../platform/json/exact-json.ts';
import type { Bindings } from '../../platform/rows.ts';

/**
 * Messages for new notifications. `newly_notified` and `announcing` name notifications by
 * `(id, request_id, organization_id)`, the former with `membership_id`. Those of `announcing` also get the message that announces a
 * step in Slack.
 */
export const OUTBOX = `
  enqueued as (
    insert into notification_deliveries (id, organization_id, channel_id, request_id, event, notification_id, next_attempt_at, created_at)
    select gen_random_uuid(), c.organization_id, c.id, n.request_id, 'notified', n.id, clock_timestamp(), clock_timestamp()
      from newly_notified n
      join notification_channels c on c.organization_id = n.organization_id
     where c.enabled and c.deleted_at is null and (c.kind <> 'email' or :by_email)
       and (c.kind <> 'push' or exists (select 1 from push_subscriptions p where p.membership_id = n.membership_id))
  ),
  announced as (
    insert into notification_deliveries
           (id, organization_id, channel_id, request_id, event, announces, notification_id, next_attempt_at, created_at)
    select gen_random_uuid(), c.organization_id, c.id, n.request_id, 'notified', true, n.id, clock_timestamp(), clock_timestamp()
      from announcing n
      join slack_connections s on s.organization_id = n.organization_id and s.default_channel is not null
      join notification_channels c on c.id = s.channel_id
     where c.enabled and c.deleted_at is null
  )`;

/** What one step of a request writes besides the request's row. */
export interface LevelWrites {
  readonly requestId: string;
  /** A level that no earlier step has reached, with the people it asks. */
  readonly level?: {
    readonly stepKey: string;
    readonly run: number;
    /** Absent, like `escalateAt`, for the step of a request without a path. */
    readonly nodeId?: string;
    readonly escalateAt?: Date;
    readonly membershipIds: readonly string[];
  };
  /** The timeline of the step, in order. The actor is the service. */
  readonly events: readonly Pick<NewAuditEvent, 'eventType' | 'data'>[];
}

/**
 * Writes for each of the requests in `ready (id, organization_id, now)`. At most one level a
 * request, so everyone it asks is notified at this instant by this step alone.
 */
export const WRITE_LEVELS = `
  stepped as (
    insert into escalation_steps (request_id, step_key, run, node_id, kind, at, escalate_at)
    select ready.id, s.step_key, s.run, s.node_id, 'notified', ready.now, s.escalate_at
      from unnest(cast(:step_requests as uuid[]), cast(:step_keys as text[]), cast(:step_runs as integer[]), cast(:step_nodes as text[]),
                  cast(:step_ends as timestamptz[])) as s (request_id, step_key, run, node_id, escalate_at)
      join ready on ready.id = s.request_id
  ),
  newly_notified as (
    insert into notifications (id, organization_id, request_id, step_key, membership_id, created_at)
    select n.id, ready.organization_id, ready.id, n.step_key, n.membership_id, ready.now
      from unnest(cast(:notification_ids as uuid[]), cast(:notification_requests as uuid[]), cast(:notification_keys as text[]),
                  cast(:notification_members as uuid[])) as n (id, request_id, step_key, membership_id)
      join ready on ready.id = n.request_id
    returning id, request_id, organization_id, membership_id
  ),
  announcing as (select distinct on (request_id) id, request_id, organization_id from newly_notified order by request_id, id),
  ${OUTBOX},
  audited as (
    insert into audit_events (id, organization_id, event_type, actor_type, subject_type, subject_id, data, occurred_at)
    select e.id, ready.organization_id, e.event_type, 'system', 'approval_request', cast(ready.id as text), cast(e.data as json), ready.now
      from unnest(cast(:event_ids as uuid[]), cast(:event_requests as uuid[]), cast(:event_types as text[]), cast(:event_data as text[]))
           with ordinality as e (id, request_id, event_type, data, place)
      join ready on ready.id = e.request_id
     order by e.place
  )`;

/** The bindings of `WRITE_LEVELS`. `byEmail`: this deployment sends email. */
export function levelBindings(
  writes: readonly LevelWrites[],
  { byEmail }: { readonly byEmail: boolean },
): Bindings {
  const steps = writes.flatMap(({ requestId, level }) => (level ? [{ requestId, ...level }] : []));
  const people = steps.flatMap(({ requestId, stepKey, membershipIds }) =>
    membershipIds.map((membershipId) => ({ id: v7(), requestId, stepKey, membershipId })),
  );
  const events = writes.flatMap(({ requestId, events }) =>
    events.map(({ eventType, data = {} }) => ({
      id: v7(),
      requestId,
      eventType,
      data: stringifyExact(data),
    })),
  );
  return {
    by_email: byEmail,
    step_requests: steps.map(({ requestId }) => requestId),
    step_keys: steps.map(({ stepKey }) => stepKey),
    step_runs: steps.map(({ run }) => run),
    step_nodes: steps.map(({ nodeId }) => nodeId ?? null),
    step_ends: steps.map(({ escalateAt }) => escalateAt?.toISOString() ?? null),
    notification_ids: people.map(({ id }) => id),
    notification_requests: people.map(({ requestId }) => requestId),
    notification_keys: people.map(({ stepKey }) => stepKey),
    notification_members: people.map(({ membershipId }) => membershipId),
    event_ids: events.map(({ id }) => id),
    event_requests: events.map(({ requestId }) => requestId),
    event_types: events.map(({ eventType }) => eventType),
    event_data: events.map(({ data }) => data),
  };
}
