/** Long names of tools and servers: together they were too long for an entry of an index. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create function text_digest(value text) returns bytea
      language sql immutable strict parallel safe
      return sha256(convert_to(value, 'UTF8'));
    comment on function text_digest(text) is
      'SHA-256 of a text, for unique indexes on long ones. The encoding of the database never changes, so it is immutable.';
    alter table tool_presentations drop constraint tool_presentations_tool_key;
    create unique index tool_presentations_tool_key
      on tool_presentations (organization_id, text_digest(tool), text_digest(server)) nulls not distinct;
    create index tool_presentations_tool_idx on tool_presentations (organization_id, tool);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index tool_presentations_tool_idx;
    drop index tool_presentations_tool_key;
    alter table tool_presentations
      add constraint tool_presentations_tool_key unique nulls not distinct (organization_id, tool, server);
    drop function text_digest(text);
  `);
}
