/** Escalation in seconds, for tests in real time: the API accepts minutes at least. */
import { v7 } from 'uuid';
import type { TestApp } from '../app.ts';

export interface HurriedPath {
  readonly organizationId: string;
  readonly pathKey: string;
  /** The wait of each level in place of its minute: `2s`. */
  readonly wait: string;
}

/**
 * Puts a second revision of the path into force. It equals the first, but its waits of `1m` are
 * shorter.
 */
export async function hurryPath(
  { db }: TestApp,
  { organizationId, pathKey, wait }: HurriedPath,
): Promise<void> {
  const path = { organization_id: organizationId, document_key: pathKey };
  const id = v7();
  await db.raw(
    `insert into escalation_path_revisions (id, escalation_path_id, revision, document, created_by_actor_id, created_at)
     select cast(:id as uuid), r.escalation_path_id, 2, cast(replace(cast(r.document as text), '"1m"', :wait) as json),
            r.created_by_actor_id, r.created_at
       from escalation_path_revisions r join escalation_paths p on p.id = r.escalation_path_id
      where p.organization_id = :organization_id and p.document_key = :document_key`,
    { id, wait: JSON.stringify(wait), ...path },
  );
  await db.raw(
    `insert into escalation_path_targets (escalation_path_revision_id, target_type, membership_id)
     select cast(:id as uuid), t.target_type, t.membership_id
       from escalation_path_targets t
       join escalation_path_revisions r on r.id = t.escalation_path_revision_id and r.revision = 1
       join escalation_paths p on p.id = r.escalation_path_id
      where p.organization_id = :organization_id and p.document_key = :document_key`,
    { id, ...path },
  );
  await db('escalation_paths').where(path).update({ active_revision: 2, latest_revision: 2 });
}
