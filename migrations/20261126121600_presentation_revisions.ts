/** Presentations count their changes, so that an editor does not overwrite what someone else changed meanwhile. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table tool_presentations add column revision integer not null default 1;
    comment on column tool_presentations.revision is 'Counts its changes, from 1.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table tool_presentations drop column revision');
}
