/** Why a connection of a block that asks another system failed. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table pipeline_block_results add column error_cause text;
    comment on column pipeline_block_results.error_cause is 'What to look at when no answer came, such as dns or certificate. Only beside error_code.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table pipeline_block_results drop column error_cause');
}
