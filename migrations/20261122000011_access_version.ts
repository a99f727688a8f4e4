/**
 * Counts the transactions that held an organization's access, so that a statement can tell that
 * nothing has changed since it read.
 */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('alter table organizations add column access_version bigint not null default 0');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table organizations drop column access_version');
}
