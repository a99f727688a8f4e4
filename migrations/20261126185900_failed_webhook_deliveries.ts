/** A page of the failed attempts of a busy endpoint reads only those. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index webhook_deliveries_failed_idx on webhook_deliveries (webhook_endpoint_id, attempted_at desc, id desc)
     where error_code is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index webhook_deliveries_failed_idx');
}
