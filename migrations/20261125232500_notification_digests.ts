/** Digests: what comes after the first messages of a minute to one person over one channel is one message. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
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

    alter table notification_deliveries
      add column digest_id uuid constraint notification_deliveries_digest_id_fkey references notification_deliveries on delete set null,
      drop constraint notification_deliveries_event_check,
      add constraint notification_deliveries_event_check check (event in ('notified', 'decided', 'digest')),
      drop constraint notification_deliveries_notified_check,
      add constraint notification_deliveries_notified_check check ((event <> 'decided') = (notification_id is not null)),
      drop constraint notification_deliveries_announces_check,
      add constraint notification_deliveries_announces_check check (not announces or event <> 'decided'),
      drop constraint notification_deliveries_notified_key;
    create unique index notification_deliveries_notified_key
      on notification_deliveries (notification_id, channel_id, announces) where event = 'notified';
    create index notification_deliveries_notification_id_idx on notification_deliveries (notification_id);
    create index notification_deliveries_digest_id_idx on notification_deliveries (digest_id) where digest_id is not null;
    comment on column notification_deliveries.digest_id is 'Of a message dropped as in_digest: the delivery that counts it.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    update notification_deliveries set digest_id = null where digest_id is not null;
    delete from notification_deliveries where event = 'digest';
    drop index notification_deliveries_digest_id_idx;
    drop index notification_deliveries_notification_id_idx;
    drop index notification_deliveries_notified_key;
    alter table notification_deliveries
      drop column digest_id,
      drop constraint notification_deliveries_event_check,
      add constraint notification_deliveries_event_check check (event in ('notified', 'decided')),
      drop constraint notification_deliveries_notified_check,
      add constraint notification_deliveries_notified_check check ((event = 'notified') = (notification_id is not null)),
      drop constraint notification_deliveries_announces_check,
      add constraint notification_deliveries_announces_check check (not announces or event = 'notified'),
      add constraint notification_deliveries_notified_key unique (notification_id, channel_id, announces);
    drop table notification_windows;
  `);
}
