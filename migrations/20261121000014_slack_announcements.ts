/**
 * A message of its own announces a level in Slack's default channel. It depends on no person asked
 * at the level.
 */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table notification_deliveries
      add column announces boolean not null default false,
      drop constraint notification_deliveries_notified_key,
      add constraint notification_deliveries_notified_key unique (notification_id, channel_id, announces),
      add constraint notification_deliveries_announces_check check (not announces or event = 'notified');
    comment on column notification_deliveries.announces is
      'To no member but to the default channel of Slack, once for all who are told together; notification_id is of one of them.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from notification_deliveries where announces;
    alter table notification_deliveries
      drop constraint notification_deliveries_announces_check,
      drop constraint notification_deliveries_notified_key,
      drop column announces,
      add constraint notification_deliveries_notified_key unique (notification_id, channel_id);
  `);
}
