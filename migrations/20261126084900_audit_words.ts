/** The index of audit events also has data without the escapes of JSON: it is built again. */
import type { Knex } from 'knex';

const COMMENT = 'What a search looks at, in small letters';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    comment on column audit_index.words is '${COMMENT}: also the data without the escapes of JSON.';
    truncate audit_index, audit_counts, audit_indexed;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`comment on column audit_index.words is '${COMMENT}.'`);
}
