/** Receivers of instances, and what they are told when a request has its decision. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table receivers (
      agent_instance_id uuid primary key constraint receivers_agent_instance_id_fkey references agent_instances,
      queue_id uuid not null constraint receivers_queue_id_key unique,
      url text not null,
      host text not null,
      registration_id uuid not null,
      signing_secret bytea not null,
      signing_secret_key_id text not null,
      verified_at timestamptz(3) not null
    );
    comment on table receivers is 'Where an instance wants to be told of its decisions. The secret is sealed.';
    comment on column receivers.queue_id is
      'The events that wait for it. Another receiver in its place keeps it. One that follows a removal has a new one.';
    comment on column receivers.host is 'Host and port of the URL.';

    create table receiver_events (
      id uuid primary key,
      request_id uuid not null constraint receiver_events_request_id_fkey references approval_requests,
      queue_id uuid not null,
      body text not null,
      decided_at timestamptz(3) not null,
      attempts integer not null default 0,
      next_attempt_at timestamptz(3),
      lease uuid,
      destinations text[],
      last_error text,
      outcome text constraint receiver_events_outcome_check check (outcome in ('delivered', 'expired', 'removed')),
      ended_at timestamptz(3),
      purge_at timestamptz(3),
      constraint receiver_events_request_id_key unique (request_id),
      constraint receiver_events_state_check check (
        (next_attempt_at is null) = (ended_at is not null) and num_nulls(outcome, ended_at, purge_at) in (0, 3))
    );
    create index receiver_events_due_idx on receiver_events (queue_id, next_attempt_at) where next_attempt_at is not null;
    create index receiver_events_leased_idx on receiver_events (next_attempt_at) where lease is not null;
    create index receiver_events_purge_idx on receiver_events (purge_at) where purge_at is not null;
    comment on table receiver_events is
      'One for each request that was decided while its instance had a receiver. Written with the decision.';
    comment on column receiver_events.body is 'Exactly what every attempt posts.';
    comment on column receiver_events.lease is
      'Who leased it last; next_attempt_at is when the lease ends. Only the holder records what became of it.';
    comment on column receiver_events.destinations is 'The host and the addresses that an attempt under way posts to.';
    comment on column receiver_events.purge_at is '168 hours after the decision, or 24 hours after the end, whichever is later.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table receiver_events, receivers');
}
