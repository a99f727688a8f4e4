/** What reading the audit log of the hosted edition looks up. All of it is derived from events, by the sealers. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table audit_index (
      sequence bigint constraint audit_index_pkey primary key,
      organization_id uuid not null,
      occurred_at timestamptz(3) not null,
      event_type text collate "C" not null,
      actor_type text not null,
      actor_id text,
      actor text collate "C" not null,
      subject_type text not null,
      subject_id text not null,
      outcome text,
      words text collate "C" not null
    );
    comment on table audit_index is 'Columns of audit events by which readers find them. Derived: sealers fill it again after truncate audit_index, audit_counts, audit_indexed.';
    comment on column audit_index.actor is 'The name of the actor, else its id, in small letters.';
    comment on column audit_index.words is 'What a search looks at, in small letters.';
    create index audit_index_occurred_idx on audit_index (organization_id, occurred_at, sequence);
    create index audit_index_type_idx on audit_index (organization_id, event_type, occurred_at, sequence);
    create index audit_index_actor_type_idx on audit_index (organization_id, actor_type, occurred_at, sequence);
    create index audit_index_actor_id_idx on audit_index (organization_id, actor_id, occurred_at, sequence) where actor_id is not null;
    create index audit_index_actor_idx on audit_index (organization_id, actor, occurred_at, sequence);
    create index audit_index_subject_idx on audit_index (organization_id, subject_type, subject_id, occurred_at, sequence);
    create index audit_index_outcome_idx on audit_index (organization_id, outcome, occurred_at, sequence) where outcome is not null;

    create table audit_counts (
      organization_id uuid not null,
      day date not null,
      event_type text collate "C" not null,
      actor_type text not null,
      subject_type text not null,
      outcome text not null,
      count bigint not null,
      constraint audit_counts_pkey primary key (organization_id, day, event_type, actor_type, subject_type, outcome)
    );
    comment on table audit_counts is 'How many events are in audit_index, by day of UTC. The outcome is empty for events without one.';

    create table audit_indexed (
      organization_id uuid constraint audit_indexed_pkey primary key,
      position bigint not null
    );
    comment on table audit_indexed is 'Up to which position the events of a chain are in audit_index and audit_counts.';

    do $$
    begin
      create extension if not exists pg_trgm;
      create index audit_index_words_idx on audit_index using gin (words gin_trgm_ops);
    exception when others then
      raise warning 'Searches in long audit logs will be slow: %', sqlerrm;
    end $$;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table audit_indexed, audit_counts, audit_index');
  await db.raw('drop extension if exists pg_trgm');
}
