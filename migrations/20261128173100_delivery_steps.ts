/** Which personal step a message is, so that the next one takes over when it fails for good. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table notification_deliveries add column step integer not null default 0;
    comment on column notification_deliveries.step is 'The position of a personal step; 0 for other messages.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table notification_deliveries drop column step');
}
