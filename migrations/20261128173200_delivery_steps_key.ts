/** A person may be told twice over one channel: by two of their steps. */
import type { Knex } from 'knex';

/** Each statement is safe to repeat. */
export const config = { transaction: false };

export async function up(db: Knex): Promise<void> {
  await db.raw(`set lock_timeout = '10min'`);
  await db.raw(`drop index concurrently if exists notification_deliveries_step_key`);
  await db.raw(`
    create unique index concurrently notification_deliveries_step_key
      on notification_deliveries (notification_id, channel_id, announces, step) where event = 'notified'`);
  await db.raw(`drop index concurrently if exists notification_deliveries_notified_key`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`set lock_timeout = '10min'`);
  await db.raw(`drop index concurrently if exists notification_deliveries_notified_key`);
  await db.raw(`
    create unique index concurrently notification_deliveries_notified_key
      on notification_deliveries (notification_id, channel_id, announces) where event = 'notified'`);
  await db.raw(`drop index concurrently if exists notification_deliveries_step_key`);
}
