/** Push messages to browsers: their subscriptions, the key that signs, and the wish for them. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table notification_channels
      drop constraint notification_channels_kind_check,
      add constraint notification_channels_kind_check check (kind in ('email', 'webhook', 'slack', 'push'));
    create unique index notification_channels_push_key on notification_channels (organization_id) where kind = 'push';

    alter table notification_settings add column push boolean not null default true;

    create table push_keys (
      id uuid primary key,
      public_key text not null,
      secret bytea not null,
      secret_key_id text not null,
      created_at timestamptz(3) not null
    );
    create unique index push_keys_only_key on push_keys ((true));
    comment on table push_keys is 'The one key pair with which this deployment signs push messages (VAPID). The secret is the private key, sealed.';

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
    create index push_subscriptions_membership_id_idx on push_subscriptions (membership_id, created_at, id);
    create index push_subscriptions_session_id_idx on push_subscriptions (session_id);
    comment on table push_subscriptions is
      'Browsers that get push messages for a member. The session that subscribed ends the subscription when it is revoked, not when it expires.';
    comment on column push_subscriptions.accepted_delivery_id is
      'The last message that was accepted here and refused by another browser of the member, so that a retry leaves this one out.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table push_subscriptions;
    drop table push_keys;
    alter table notification_settings drop column push;
    delete from notification_deliveries where channel_id in (select id from notification_channels where kind = 'push');
    delete from notification_channels where kind = 'push';
    drop index notification_channels_push_key;
    alter table notification_channels
      drop constraint notification_channels_kind_check,
      add constraint notification_channels_kind_check check (kind in ('email', 'webhook', 'slack'));
  `);
}
