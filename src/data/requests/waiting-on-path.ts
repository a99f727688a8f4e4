/** Requests that wait on an escalation path. */
import type { ListAccess } from '../../domain/requests/request-access.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';
import { MEMBER_PATHS, visible, type Bindings } from './queue/access.ts';

/** How many pending requests stay with a revision of the path. It counts those that the caller may see, up to `atMost`. */
export async function countWaitingOnPath(
  db: Db,
  organizationId: string,
  {
    pathKey,
    access,
    atMost,
  }: { readonly pathKey: string; readonly access: ListAccess; readonly atMost: number },
): Promise<number> {
  const bindings: Bindings = { organization: organizationId, pathKey, atMost };
  const sql = `
    with member_paths as materialized (${MEMBER_PATHS})
    select cast(count(*) as integer) as count from (
      select 1
        from escalation_paths p
        join escalation_path_revisions v on v.escalation_path_id = p.id
        join approval_requests r on r.escalation_path_revision_id = v.id
       where p.organization_id = :organization and p.document_key = :pathKey and r.state = 'pending'
         and ${visible(access, bindings)}
       limit :atMost) as waiting`;
  return (await queryOne<{ count: number }>(db, sql, bindings as never)).count;
}
