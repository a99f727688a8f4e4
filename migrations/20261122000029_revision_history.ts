/** Revisions keep why they were created, and who last activated them, and when. */
import type { Knex } from 'knex';

const KINDS = [
  { subject: 'request_approval_pipeline', documents: 'request_approval_pipelines' },
  { subject: 'escalation_path', documents: 'escalation_paths' },
  { subject: 'team_escalation_policy', documents: 'team_escalation_policies' },
  { subject: 'webhook_endpoint', documents: 'webhook_endpoints' },
] as const;

export async function up(db: Knex): Promise<void> {
  for (const { subject, documents } of KINDS) {
    const revisions = `${subject}_revisions`;
    await db.raw(`
      alter table ${revisions}
        add column comment text constraint ${revisions}_comment_check check (char_length(comment) <= 500),
        add column activated_at timestamptz(3),
        add column activated_by_actor_id uuid,
        add constraint ${revisions}_activated_check check ((activated_at is null) = (activated_by_actor_id is null));
      comment on table ${revisions} is
        'Immutable but for its last activation. The document is exact JSON text.';
      drop trigger ${revisions}_immutable on ${revisions};
      update ${revisions} r set activated_at = e.occurred_at, activated_by_actor_id = e.actor_id
        from ${documents} d
        join (
          select distinct on (organization_id, subject_id, data ->> 'revision')
                 organization_id, subject_id, data ->> 'revision' as revision, occurred_at, cast(actor_id as uuid) as actor_id
            from audit_events
           where event_type = '${subject}.revision_activated' and actor_id is not null
           order by organization_id, subject_id, data ->> 'revision', sequence desc
        ) e on e.organization_id = d.organization_id and e.subject_id = d.document_key
       where r.${subject}_id = d.id and cast(r.revision as text) = e.revision;
    `);
  }
  await db.raw(`
    update request_approval_pipeline_revisions set activated_at = created_at, activated_by_actor_id = created_by_actor_id
     where revision = 1 and activated_at is null
  `);
  for (const { subject } of KINDS) await db.raw(immutable(subject));
}

/** All columns but those of the activation. */
function immutable(subject: string): string {
  const revisions = `${subject}_revisions`;
  return `
    create trigger ${revisions}_immutable
      before delete or update of id, ${subject}_id, revision, document, comment, created_by_actor_id, created_at on ${revisions}
      for each row execute function refuse_change()`;
}

export async function down(db: Knex): Promise<void> {
  for (const { subject } of KINDS) {
    const revisions = `${subject}_revisions`;
    await db.raw(`
      drop trigger ${revisions}_immutable on ${revisions};
      alter table ${revisions} drop column comment, drop column activated_at, drop column activated_by_actor_id;
      comment on table ${revisions} is 'Immutable. The document is exact JSON text.';
      create trigger ${revisions}_immutable before delete or update on ${revisions} for each row execute function refuse_change();
    `);
  }
}
