/**
 * A repeated call is compared with the texts of the first one, which the row stores. No digest is
 * stored.
 */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('alter table approval_requests drop column input_digest');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table approval_requests add column input_digest bytea');
}
