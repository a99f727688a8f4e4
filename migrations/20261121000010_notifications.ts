/** How notifications reach people: the channels of an organization, what a member wants, and the outbox. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table notification_channels (
      id uuid primary key,
      organization_id uuid not null constraint notification_channels_organization_id_fkey references organizations,
      kind text not null constraint notification_channels_kind_check check (kind in ('email', 'webhook', 'slack')),
      name text not null,
      enabled boolean not null default true,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3)
    );
    create index notification_channels_organization_id_idx on notification_channels (organization_id);
    create unique index notification_channels_email_key on notification_channels (organization_id) where kind = 'email';
    comment on table notification_channels is
      'Where the messages of an organization go. Each has one of kind email from its birth. Deleted ones stay for what was sent by them.';
    insert into notification_channels (id, organization_id, kind, name, created_at, updated_at)
      select gen_random_uuid(), id, 'email', 'Email', created_at, created_at from organizations;

    create table notification_webhooks (
      channel_id uuid primary key constraint notification_webhooks_channel_id_fkey references notification_channels,
      url text not null,
      include_arguments boolean not null default false,
      signing_secret bytea not null,
      signing_secret_key_id text not null,
      secret_rotated_at timestamptz(3) not null
    );
    comment on table notification_webhooks is 'What a live channel of kind webhook has besides. The secret is sealed.';

    create table notification_settings (
      membership_id uuid primary key constraint notification_settings_membership_id_fkey references memberships,
      email boolean not null,
      slack boolean not null,
      updated_at timestamptz(3) not null
    );
    comment on table notification_settings is 'By which channels a member wants to be told; without a row by all.';

    create table notification_deliveries (
      id uuid primary key,
      organization_id uuid not null constraint notification_deliveries_organization_id_fkey references organizations,
      channel_id uuid not null constraint notification_deliveries_channel_id_fkey references notification_channels,
      request_id uuid not null constraint notification_deliveries_request_id_fkey references approval_requests,
      event text not null constraint notification_deliveries_event_check check (event in ('notified', 'decided')),
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
      constraint notification_deliveries_notified_key unique (notification_id, channel_id),
      constraint notification_deliveries_notified_check check ((event = 'notified') = (notification_id is not null)),
      constraint notification_deliveries_state_check check (num_nonnulls(next_attempt_at, delivered_at, dead_at, dropped_at) = 1),
      constraint notification_deliveries_dropped_check check ((dropped_at is null) = (dropped_reason is null))
    );
    create unique index notification_deliveries_decided_key on notification_deliveries (request_id, channel_id) where event = 'decided';
    create index notification_deliveries_due_idx on notification_deliveries (channel_id, next_attempt_at) where next_attempt_at is not null;
    create index notification_deliveries_list_idx on notification_deliveries (organization_id, created_at desc, id desc);
    create index notification_deliveries_dead_idx on notification_deliveries (organization_id, created_at desc, id desc)
      where dead_at is not null;
    create index notification_deliveries_channel_id_idx on notification_deliveries (channel_id, created_at desc, id desc);
    create index notification_deliveries_request_id_idx on notification_deliveries (request_id);
    comment on table notification_deliveries is
      'The outbox: one row per notification and channel, and one per decided request and channel. next_attempt_at null: over.';
    comment on column notification_deliveries.lease is
      'Who leased it last; next_attempt_at is when the lease ends. Only the holder records what became of it.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(
    'drop table notification_deliveries, notification_settings, notification_webhooks, notification_channels',
  );
}
