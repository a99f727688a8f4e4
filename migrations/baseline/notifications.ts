/** How messages reach people and machines: channels, settings, the outbox, push. */
export const notifications = `
create table notification_channels (
  id uuid primary key,
  organization_id uuid not null constraint notification_channels_organization_id_fkey references organizations,
  kind text not null constraint notification_channels_kind_check check (kind in ('email', 'webhook', 'slack', 'push')),
  name text not null,
  enabled boolean not null default true,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);
comment on table notification_channels is
  'Where the messages of an organization go. Each organization has one of kind email from the start. Deleted ones stay for what was sent by them.';
create unique index notification_channels_email_key on notification_channels (organization_id) where kind = 'email';
create index notification_channels_organization_id_idx on notification_channels (organization_id);
create unique index notification_channels_push_key on notification_channels (organization_id) where kind = 'push';

create table notification_webhooks (
  channel_id uuid primary key constraint notification_webhooks_channel_id_fkey references notification_channels,
  url text not null,
  include_arguments boolean not null default false,
  signing_secret bytea not null,
  signing_secret_key_id text not null,
  secret_rotated_at timestamptz(3) not null
);
comment on table notification_webhooks is 'What a live channel of kind webhook has besides. The secret is sealed.';

create table notification_webhook_previous_secrets (
  channel_id uuid primary key
    constraint notification_webhook_previous_secrets_channel_id_fkey references notification_webhooks on delete cascade,
  signing_secret bytea not null,
  signing_secret_key_id text not null,
  expires_at timestamptz(3) not null
);
comment on table notification_webhook_previous_secrets is
  'The sealed secret before the last rotation, where that had an overlap. Until expires_at it signs beside the new one.';

create table notification_settings (
  membership_id uuid primary key constraint notification_settings_membership_id_fkey references memberships,
  email boolean not null,
  slack boolean not null,
  updated_at timestamptz(3) not null,
  push boolean not null default true
);
comment on table notification_settings is 'By which channels a member wants to be notified; without a row by all.';

create table notification_deliveries (
  id uuid primary key,
  organization_id uuid not null constraint notification_deliveries_organization_id_fkey references organizations,
  channel_id uuid not null constraint notification_deliveries_channel_id_fkey references notification_channels,
  request_id uuid not null constraint notification_deliveries_request_id_fkey references approval_requests,
  event text not null constraint notification_deliveries_event_check check (event in ('notified', 'decided', 'digest')),
  notification_id uuid constraint notification_deliveries_notification_id_fkey references notifications,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  lease uuid,
  last_error text,
  delivered_at timestamptz(3),
  dead_at timestamptz(3),
  dropped_at timestamptz(3),
  dropped_reason text,
  created_at timestamptz(3) not null,
  announces boolean not null default false,
  digest_id uuid constraint notification_deliveries_digest_id_fkey references notification_deliveries on delete set null,
  constraint notification_deliveries_state_check check (num_nonnulls(next_attempt_at, delivered_at, dead_at, dropped_at) = 1),
  constraint notification_deliveries_dropped_check check ((dropped_at is null) = (dropped_reason is null)),
  constraint notification_deliveries_notified_check check ((event <> 'decided') = (notification_id is not null)),
  constraint notification_deliveries_announces_check check (not announces or event <> 'decided')
);
comment on table notification_deliveries is
  'The outbox: one row per notification and channel, and one per decided request and channel. next_attempt_at null: over, and purged 30 days later, a dead one 90.';
comment on column notification_deliveries.lease is
  'Who leased it last; next_attempt_at is when the lease ends. Only the holder records what became of it.';
comment on column notification_deliveries.announces is
  'To no member but to the default channel of Slack, once for all who are notified together; notification_id is of one of them.';
comment on column notification_deliveries.digest_id is 'Of a message dropped as in_digest: the delivery that counts it.';
create index notification_deliveries_channel_id_idx on notification_deliveries (channel_id, created_at desc, id desc);
create index notification_deliveries_dead_at_idx on notification_deliveries (dead_at) where dead_at is not null;
create index notification_deliveries_dead_idx on notification_deliveries (organization_id, created_at desc, id desc)
  where dead_at is not null;
create unique index notification_deliveries_decided_key on notification_deliveries (request_id, channel_id)
  where event = 'decided';
create index notification_deliveries_digest_id_idx on notification_deliveries (digest_id) where digest_id is not null;
create index notification_deliveries_due_idx on notification_deliveries (channel_id, next_attempt_at)
  where next_attempt_at is not null;
create index notification_deliveries_finished_idx on notification_deliveries (coalesce(delivered_at, dropped_at))
  where coalesce(delivered_at, dropped_at) is not null;
create index notification_deliveries_list_idx on notification_deliveries (organization_id, created_at desc, id desc);
create index notification_deliveries_notification_id_idx on notification_deliveries (notification_id);
create unique index notification_deliveries_notified_key on notification_deliveries (notification_id, channel_id, announces)
  where event = 'notified';
create index notification_deliveries_request_id_idx on notification_deliveries (request_id);

create table notification_windows (
  channel_id uuid not null constraint notification_windows_channel_id_fkey references notification_channels,
  receiver uuid not null,
  began_at timestamptz(3) not null,
  messages integer not null,
  digest_id uuid not null,
  constraint notification_windows_pkey primary key (channel_id, receiver)
);
comment on table notification_windows is
  'The last minute in which a receiver got messages over a channel, and how many. The row serializes senders that count or send its digest.';
comment on column notification_windows.receiver is 'A membership, or the channel itself for its default channel in Slack.';
comment on column notification_windows.digest_id is 'The delivery that is the digest of this minute, once it has one.';

create table push_keys (
  id uuid primary key,
  public_key text not null,
  secret bytea not null,
  secret_key_id text not null,
  created_at timestamptz(3) not null
);
comment on table push_keys is
  'The one key pair with which this deployment signs push messages (VAPID). The secret is the private key, sealed.';
create unique index push_keys_only_key on push_keys ((true));

create table push_subscriptions (
  id uuid primary key,
  membership_id uuid not null constraint push_subscriptions_membership_id_fkey references memberships,
  session_id uuid constraint push_subscriptions_session_id_fkey references sessions on delete set null,
  endpoint text not null constraint push_subscriptions_endpoint_key unique,
  p256dh text not null,
  auth text not null,
  user_agent text not null,
  accepted_delivery_id uuid,
  created_at timestamptz(3) not null
);
comment on table push_subscriptions is
  'Browsers that get push messages for a member. The session that subscribed ends the subscription when it is revoked, not when it expires.';
comment on column push_subscriptions.accepted_delivery_id is
  'The last message that was accepted here and refused by another browser of the member, so that a retry leaves this one out.';
create index push_subscriptions_membership_id_idx on push_subscriptions (membership_id, created_at, id);
create index push_subscriptions_session_id_idx on push_subscriptions (session_id);

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
comment on column receivers.host is 'The host of the URL, without a trailing dot. Receivers with the same one share a limit.';

create table receiver_events (
  id uuid primary key,
  request_id uuid not null constraint receiver_events_request_id_key unique
    constraint receiver_events_request_id_fkey references approval_requests,
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
  constraint receiver_events_state_check
    check ((next_attempt_at is null) = (ended_at is not null) and num_nulls(outcome, ended_at, purge_at) in (0, 3))
);
comment on table receiver_events is
  'One for each request that was decided while its instance had a receiver. Written with the decision.';
comment on column receiver_events.body is 'Exactly what every attempt posts.';
comment on column receiver_events.lease is
  'Who leased it last; next_attempt_at is when the lease ends. Only the holder records what became of it.';
comment on column receiver_events.destinations is 'The host and the addresses that an attempt under way posts to.';
comment on column receiver_events.purge_at is '168 hours after the decision, or 24 hours after the end, whichever is later.';
create index receiver_events_due_idx on receiver_events (queue_id, next_attempt_at) where next_attempt_at is not null;
create index receiver_events_leased_idx on receiver_events (next_attempt_at) where lease is not null;
create index receiver_events_purge_idx on receiver_events (purge_at) where purge_at is not null;
`;
