/** How long requests on an escalation path had. */
import type { ListAccess } from '../../domain/requests/request-access.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';
import { MEMBER_PATHS, visible, type Bindings } from './queue/access.ts';

export interface TimeoutsOnPath {
  /** How many count. */
  readonly requests: number;
  readonly medianSeconds: number | null;
  /** So long or shorter: 95 %. */
  readonly longSeconds: number | null;
}

/** Of the newest ones that the caller may see. `atMost`: how many are looked at, of each revision and in all. */
export async function timeoutsOnPath(
  db: Db,
  organizationId: string,
  { pathKey, access, ...limits }: TimeoutsFilter,
): Promise<TimeoutsOnPath> {
  const bindings: Bindings = {
    ...{ organization: organizationId, pathKey, ...limits },
  };
  const sql = `
    with member_paths as materialized (${MEMBER_PATHS}),
    revisions as materialized (
      select v.id
        from escalation_paths p
        join escalation_path_revisions v on v.escalation_path_id = p.id
       where p.organization_id = :organization and p.document_key = :pathKey
       order by v.revision desc limit :revisions
    ),
    newest as (
      select r.*
        from revisions v
       cross join lateral (
         select q.* from approval_requests q
          where q.escalation_path_revision_id = v.id and q.created_at >= now() - make_interval(days => :days)
          order by q.created_at desc, q.id desc limit :atMost) as r
       order by r.created_at desc, r.id desc limit :atMost
    ),
    timeouts as (
      select cast(round(extract(epoch from r.deadline_at - r.created_at)) as integer) as seconds
        from newest r where ${visible(access, bindings)}
    )
    select cast(count(*) as integer) as requests,
           percentile_disc(0.5) within group (order by seconds) as median_seconds,
           percentile_disc(0.95) within group (order by seconds) as long_seconds
      from timeouts`;
  return await queryOne<TimeoutsOnPath>(db, sql, bindings as never);
}

interface TimeoutsFilter {
  readonly pathKey: string;
  readonly access: ListAccess;
  readonly days: number;
  readonly atMost: number;
  /** Of how many revisions, the newest ones. */
  readonly revisions: number;
}
