/** Why a connection to a webhook endpoint gave no answer. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table webhook_deliveries add column error_cause text;
    comment on column webhook_deliveries.error_cause is 'What to look at when no answer came, such as dns or certificate.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table webhook_deliveries drop column error_cause');
}
