/** Which blocks concluded on requests. */
import type { PipelineScope } from '../../domain/pipelines/types.ts';
import type { ListAccess } from '../../domain/requests/request-access.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';
import { MEMBER_PATHS, visible, type Bindings } from '../requests/queue/access.ts';

export interface ConcludedSince {
  readonly access: ListAccess;
  /** Absent for all agents. */
  readonly agentSlug?: string | undefined;
  readonly days: number;
  /** How many requests are looked at, newest first. */
  readonly most: number;
}

export interface ConcludingBlock {
  readonly scope: PipelineScope;
  /** Null where every block passed the requests on. */
  readonly blockId: string | null;
  readonly requests: number;
  /** From when on requests count: fewer days where there are more requests than are looked at. */
  readonly from: Date;
}

const BEGINNING = `(statement_timestamp() - cast(:days as integer) * interval '1 day')`;

const pageOf = (clauses: readonly string[]): string => `
  select r.id, r.organization_id, r.agent_slug, r.created_at, r.routed_at, r.route_scope, r.route_block_id, r.escalation_path_revision_id
    from approval_requests r
   where ${clauses.join(' and ')}
   order by r.created_at desc, r.id desc limit :most`;

/** The row of a decision does not name its block, but its audit event does. A request that a rule decides has few of them. */
const DECIDED = `
  select e.data ->> 'scope' as scope, e.data ->> 'block_id' as block_id
    from decisions d
    join audit_events e on e.organization_id = r.organization_id and e.subject_type = 'approval_request'
                       and e.subject_id = cast(r.id as text) and e.event_type = 'approval_request.' || d.status
   where d.request_id = r.id and d.channel = 'pipeline' limit 1`;

/** The most frequent first. Requests without a verdict do not count. */
export async function countConcludingBlocks(
  db: Db,
  organizationId: string,
  { access, agentSlug, days, most }: ConcludedSince,
): Promise<readonly ConcludingBlock[]> {
  const bindings: Bindings = { organization: organizationId, days, most };
  const clauses = ['r.organization_id = :organization', `r.created_at >= ${BEGINNING}`];
  if (agentSlug !== undefined) {
    bindings['agent'] = agentSlug;
    clauses.push('r.agent_slug = :agent');
  }
  // No index has all requests of an organization in this order. Two together do.
  const parts =
    agentSlug === undefined ? [['r.routed_at is null'], ['r.routed_at is not null']] : [[]];
  return await queryRows<ConcludingBlock>(
    db,
    `with member_paths as materialized (${MEMBER_PATHS}),
     page as materialized (
       select * from (${parts.map((part) => `(${pageOf([...clauses, ...part])})`).join(' union all ')}) as r
        order by r.created_at desc, r.id desc limit :most
     ),
     beginning as (select case when count(*) = :most then min(created_at) else ${BEGINNING} end as begun from page)
     select c.scope, c.block_id, cast(count(*) as integer) as requests, (select begun from beginning) as from
       from page r
      cross join lateral (
        select r.route_scope as scope, r.route_block_id as block_id where r.routed_at is not null
        union all
        select d.scope, d.block_id from (${DECIDED}) as d where r.routed_at is null
      ) as c
      where ${visible(access, bindings)}
      group by c.scope, c.block_id order by requests desc, c.scope, c.block_id`,
    bindings as never,
  );
}
