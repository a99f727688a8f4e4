/** The pipeline of an archived agent keeps the revision that was active, so that restoring brings it back. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table request_approval_pipelines
      add column archived_revision bigint,
      add constraint request_approval_pipelines_archived_revision_fkey
        foreign key (id, archived_revision) references request_approval_pipeline_revisions (request_approval_pipeline_id, revision),
      add constraint request_approval_pipelines_archived_revision_check
        check (archived_revision is null or archived_at is not null);
    comment on column request_approval_pipelines.archived_revision is
      'The revision that was active when the agent was archived. Restoring the agent activates it.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table request_approval_pipelines drop column archived_revision');
}
