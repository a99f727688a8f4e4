/** Searches of the audit log for text of which trigrams know nothing. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table audit_pairs (
      organization_id uuid not null,
      block bigint not null,
      sequences bigint[] not null,
      pairs text[] not null,
      constraint audit_pairs_pkey primary key (organization_id, block)
    );
    comment on table audit_pairs is 'Which pairs of characters occur in the words of which events of audit_index. Derived. Blocks follow the positions of a chain.';
    create index audit_pairs_pairs_idx on audit_pairs using gin (pairs);
    comment on table audit_index is 'Columns of audit events by which readers find them. Derived: sealers fill it again after truncate audit_index, audit_counts, audit_pairs, audit_indexed.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table audit_pairs;
    comment on table audit_index is 'Columns of audit events by which readers find them. Derived: sealers fill it again after truncate audit_index, audit_counts, audit_indexed.';
  `);
}
