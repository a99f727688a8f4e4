/** The catalog of tools says since when a schema is as it is, and what it was before. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table tool_catalog_tools
      add column schema_changed_at timestamptz(3),
      add column previous_schema json;
    comment on column tool_catalog_tools.schema_changed_at is 'When a report last had another schema than the one before. Null: never.';
    comment on column tool_catalog_tools.previous_schema is 'input_schema before that. Null when unknown, and once the tool was removed.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table tool_catalog_tools drop column schema_changed_at, drop column previous_schema;
  `);
}
