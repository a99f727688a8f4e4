/** Why a message failed, as a code. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table notification_deliveries add column cause text;
    comment on column notification_deliveries.cause is
      'Why the last attempt failed, as a code such as mailbox_refused. Null after a success, and in rows from before this column.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table notification_deliveries drop column cause');
}
