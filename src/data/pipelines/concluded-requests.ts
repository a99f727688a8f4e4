/** Requests that the rules concluded on, newest first, with what simulations of other rules need. */
import type { ListAccess } from '../../domain/requests/request-access.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';
import { BATCH_BYTES, bytesOf } from '../long-pages.ts';
import { MEMBER_PATHS, NOT_DEMO, visible, type Bindings } from '../requests/queue/access.ts';
import { DOCUMENT_COLUMNS } from '../requests/rows.ts';

/** Where a list continues: after this request. */
export interface RequestPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface ConcludedFilter {
  readonly access: ListAccess;
  /** Absent for all agents but the demo agent. */
  readonly agentSlug?: string | undefined;
  /** Included. */
  readonly from?: Date | undefined;
  /** Excluded. */
  readonly to?: Date | undefined;
  readonly after?: RequestPosition | undefined;
  readonly limit: number;
}

export interface ConcludedRequest {
  readonly id: string;
  readonly createdAt: Date;
  readonly tool: string;
  readonly server: string | null;
  readonly agentSlug: string;
  readonly agentName: string;
  readonly arguments: string;
  readonly agentReasoning: string | null;
  readonly context: string | null;
  readonly organizationPipelineRevisionId: string | null;
  readonly agentPipelineRevisionId: string | null;
  readonly was: 'approve' | 'deny' | 'human';
  /** Results of blocks that asked other systems, as a JSON list in the order of asking. */
  readonly results: string | null;
}

export interface ConcludedRequests {
  /** In the order of the list, without those that the caller may not see. */
  readonly requests: readonly ConcludedRequest[];
  /** How many requests were looked at. */
  readonly seen: number;
  /** The last of these. Absent when the list is at its end. */
  readonly next?: RequestPosition;
}

interface Row extends ConcludedRequest {
  /** False for a request without a verdict, and for one that the caller may not see. */
  shown: boolean;
  /** False where the batch is full. The columns of such a row are not read. */
  fits: boolean;
}

const RESULTS = `
  select json_agg(json_build_object(
           'scope', b.scope, 'block_id', b.block_id, 'content_hash', b.content_hash, 'outcome', b.outcome,
           'error_code', b.error_code, 'metadata', b.metadata) order by b.place)
    from pipeline_block_results b where b.request_id = s.id and b.answered_at is not null`;

/** A batch ends early where its documents are long together. It has at least one request. */
export async function listConcluded(
  db: Db,
  organizationId: string,
  filter: ConcludedFilter,
): Promise<ConcludedRequests> {
  const { sql, bindings } = concludedQuery(organizationId, filter);
  const rows = await queryRows<Row>(db, sql, bindings as never);
  const full = rows.findIndex(({ fits }) => !fits);
  const seen = full < 0 ? rows : rows.slice(0, full);
  const last = seen.at(-1);
  const goesOn = full >= 0 || rows.length === filter.limit;
  return {
    requests: seen.filter(({ shown }) => shown),
    seen: seen.length,
    ...(last && goesOn && { next: { createdAt: last.createdAt, id: last.id } }),
  };
}

const pageOf = (clauses: readonly string[]): string => `
  select r.* from approval_requests r
   where ${clauses.join(' and ')}
   order by r.created_at desc, r.id desc limit :limit`;

function concludedQuery(
  organizationId: string,
  { access, agentSlug, from, to, after, limit }: ConcludedFilter,
): { sql: string; bindings: Bindings } {
  const bindings: Bindings = { organization: organizationId, limit };
  const clauses = ['r.organization_id = :organization'];
  const bind = (name: string, value: string, clause: string) => {
    bindings[name] = value;
    clauses.push(clause);
  };
  if (agentSlug === undefined) clauses.push(NOT_DEMO);
  else bind('agent', agentSlug, 'r.agent_slug = :agent');
  if (from) bind('from', from.toISOString(), 'r.created_at >= cast(:from as timestamptz)');
  if (to) bind('to', to.toISOString(), 'r.created_at < cast(:to as timestamptz)');
  if (after) {
    bindings['after_id'] = after.id;
    const position = '(cast(:after_at as timestamptz), cast(:after_id as uuid))';
    bind('after_at', after.createdAt.toISOString(), `(r.created_at, r.id) < ${position}`);
  }
  // No index has all requests of an organization in this order. Two together do.
  const parts =
    agentSlug === undefined ? [['r.routed_at is null'], ['r.routed_at is not null']] : [[]];
  const bytes = bytesOf(DOCUMENT_COLUMNS.map((column) => `r.${column}`));
  const sql = `
    with member_paths as materialized (${MEMBER_PATHS}),
    page as materialized (
      select * from (${parts.map((part) => `(${pageOf([...clauses, ...part])})`).join(' union all ')}) as r
       order by r.created_at desc, r.id desc limit :limit
    ),
    concluded as (
      select r.*, case when d.channel = 'pipeline' then case d.status when 'approved' then 'approve' else 'deny' end
                       when r.routed_at is not null then 'human' end as was,
             ${visible(access, bindings)} as may_see
        from page r left join decisions d on d.request_id = r.id
    ),
    sized as (
      select r.*, shown, bytes,
             sum(bytes) over (order by r.created_at desc, r.id desc rows unbounded preceding) as documents_end
        from concluded r
       cross join lateral (select r.was is not null and r.may_see as shown) as t
       cross join lateral (select case when shown then ${bytes} else 0 end as bytes) as b
    )
    select s.id, s.created_at, s.tool, s.server, s.agent_slug, s.agent_name, s.was, s.shown, fits,
           s.organization_pipeline_revision_id, s.agent_pipeline_revision_id,
           ${DOCUMENT_COLUMNS.map((column) => `case when shown and fits then s.${column} end as ${column}`).join(', ')},
           case when shown and fits then (${RESULTS}) end as results
      from sized s
     cross join lateral (select s.documents_end <= ${BATCH_BYTES} or s.documents_end = s.bytes as fits) as f
     order by s.created_at desc, s.id desc`;
  return { sql, bindings };
}
