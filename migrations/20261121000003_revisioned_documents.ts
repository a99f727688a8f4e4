/**
 * Documents with numbered immutable revisions, one of them active. Each kind has the same two tables, so that one
 * module (src/data/revisions.ts) serves them all.
 */
import type { Knex } from 'knex';

const revisionTables = (stem: string, comment: string) => `
  create table ${stem}s (
    id uuid primary key,
    organization_id uuid not null constraint ${stem}s_organization_id_fkey references organizations,
    document_key text not null,
    active_revision bigint,
    latest_revision bigint not null,
    created_at timestamptz(3) not null,
    archived_at timestamptz(3),
    constraint ${stem}s_document_key_key unique (organization_id, document_key),
    constraint ${stem}s_archived_check check (archived_at is null or active_revision is null)
  );
  comment on table ${stem}s is '${comment}';

  create table ${stem}_revisions (
    id uuid primary key,
    ${stem}_id uuid not null constraint ${stem}_revisions_document_fkey references ${stem}s,
    revision bigint not null,
    document json not null,
    created_by_actor_id uuid not null,
    created_at timestamptz(3) not null,
    constraint ${stem}_revisions_revision_key unique (${stem}_id, revision)
  );
  comment on table ${stem}_revisions is 'Immutable. The document is exact JSON text.';
  create trigger ${stem}_revisions_immutable before update or delete on ${stem}_revisions
    for each row execute function refuse_change();
  alter table ${stem}s add constraint ${stem}s_active_revision_fkey
    foreign key (id, active_revision) references ${stem}_revisions (${stem}_id, revision);
`;

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
    end $$;
    ${revisionTables('request_approval_pipeline', 'The rules of an organization (document_key organization) or of an agent (document_key agent:<slug>).')}
    ${revisionTables('escalation_path', 'Who is asked, in which order, when a request needs a person. document_key is the path_key.')}

    create table escalation_path_targets (
      escalation_path_revision_id uuid not null
        constraint escalation_path_targets_revision_id_fkey references escalation_path_revisions,
      target_type text not null constraint escalation_path_targets_type_check check (target_type in ('user', 'broadcast')),
      membership_id uuid constraint escalation_path_targets_membership_id_fkey references memberships,
      constraint escalation_path_targets_key unique nulls not distinct (escalation_path_revision_id, target_type, membership_id),
      constraint escalation_path_targets_user_check check ((target_type = 'user') = (membership_id is not null))
    );
    create index escalation_path_targets_membership_id_idx on escalation_path_targets (membership_id);
    comment on table escalation_path_targets is 'Everybody a path revision names anywhere: who may decide what was routed to it.';

    create table request_approval_pipeline_paths (
      request_approval_pipeline_revision_id uuid not null
        constraint request_approval_pipeline_paths_revision_id_fkey references request_approval_pipeline_revisions,
      path_key text not null,
      constraint request_approval_pipeline_paths_pkey primary key (request_approval_pipeline_revision_id, path_key)
    );
    create index request_approval_pipeline_paths_path_key_idx on request_approval_pipeline_paths (path_key);
    comment on table request_approval_pipeline_paths is 'The escalation paths a pipeline revision names, so that a path in use is not archived.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table request_approval_pipeline_paths, escalation_path_targets;
    alter table escalation_paths drop constraint escalation_paths_active_revision_fkey;
    alter table request_approval_pipelines drop constraint request_approval_pipelines_active_revision_fkey;
    drop table escalation_path_revisions, escalation_paths, request_approval_pipeline_revisions, request_approval_pipelines;
    drop function refuse_change();
  `);
}
