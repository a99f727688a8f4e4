/** The instances of an agent, for its detail page. */
import type { CredentialRecord, ListedInstance } from '../../domain/agents/agent-instances.ts';
import { recentOf } from '../../domain/agents/agents.ts';
import { JsonText } from '../../platform/json/exact-json.ts';
import type { LongList } from '../../platform/long-list.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne, queryRows, type Bindings } from '../../platform/rows.ts';
import { bytesOf, documentAtOnce, longPage, type SizedRow } from '../long-pages.ts';
import { anyNameContains } from '../names.ts';
import { instanceRequestsByDay, TREND, TREND_DAYS } from './request-counts.ts';

export interface AgentPage<Filter> {
  readonly slug: string;
  readonly filter: Filter;
  readonly limit: number;
  readonly offset: number;
}

/** How many the agent has, and how many of them match a filter. */
export interface Matching {
  readonly count: number;
  readonly matching: number;
}

export interface InstanceFilter {
  /** Part of the name. */
  readonly q?: string | undefined;
  readonly status?: ListedInstance['status'] | undefined;
}

/** SQL and its bindings: whether an instance matches. */
function matches({ q, status }: InstanceFilter): { sql: string; bindings: Bindings } {
  const clauses = [
    'organization_id = :organizationId and agent_slug = :slug and deleted_at is null',
    ...(q ? [anyNameContains(['name'])] : []),
    ...(status ? ['status = :status'] : []),
  ];
  return {
    sql: clauses.join(' and '),
    bindings: { ...(q && { q }), ...(status && { status }) },
  };
}

export async function countMatchingInstances(
  db: Db,
  organizationId: string,
  { slug, filter }: Pick<AgentPage<InstanceFilter>, 'slug' | 'filter'>,
): Promise<number> {
  const { sql, bindings } = matches(filter);
  const { count } = await queryOne<{ count: number }>(
    db,
    `select count(*) as count from agent_instances where ${sql}`,
    { organizationId, slug, ...bindings },
  );
  return count;
}

interface InstanceRow
  extends SizedRow, Omit<ListedInstance, 'metadata' | 'recentRequestCount' | 'credentials'> {
  readonly metadata: string | null;
}

/** Newest call first, then newest. `since`: of `readCountedUntil`. */
export async function listInstances(
  db: Db,
  organizationId: string,
  { slug, filter, limit, offset, since }: AgentPage<InstanceFilter> & { readonly since: string },
): Promise<LongList<ListedInstance>> {
  const { sql, bindings } = matches(filter);
  const order = 'last_seen_at desc, created_at desc, id desc';
  const rows = await queryRows<InstanceRow>(
    db,
    `with page as materialized (
       select *, sum(${bytesOf(['metadata'])}) over (order by ${order} rows unbounded preceding) as documents_end
         from (select * from agent_instances where ${sql} order by ${order} limit :limit offset :offset) as i
     ),
     trends as (
       select agent_instance_id, ${TREND} as request_trend
         from (${instanceRequestsByDay(':organizationId', ':slug', 'select id from page')}) as days
        group by 1
     )
     select r.id, organization_id, agent_slug, name, status, created_at, last_seen_at, ${documentAtOnce('metadata')}, documents_end,
            coalesce(request_trend, array_fill(0, array[${TREND_DAYS}])) as request_trend
       from page r left join trends on agent_instance_id = r.id
      order by ${order}`,
    { organizationId, slug, limit, offset, since, ...bindings },
  );
  const credentials = await listCredentials(
    db,
    rows.map(({ id }) => id),
  );
  return longPage(rows, {
    read: async (ids) =>
      await queryRows<{ id: string; metadata: string }>(
        db,
        'select id, metadata from agent_instances where id = any(:ids)',
        { ids },
      ),
    build: ({ metadata, documentsEnd: _, ...row }): ListedInstance => ({
      ...row,
      metadata: new JsonText(metadata ?? '{}'),
      credentials: credentials.get(row.id) ?? [],
      recentRequestCount: recentOf(row.requestTrend),
    }),
  });
}

/** By instance, newest first. */
async function listCredentials(
  db: Db,
  instanceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly CredentialRecord[]>> {
  const rows = await queryRows<CredentialRecord & { agentInstanceId: string }>(
    db,
    `select agent_instance_id, id, issued_at, expires_at, last_used_at, revoked_at
       from agent_credentials where agent_instance_id = any(:ids) order by issued_at desc, id desc`,
    { ids: [...instanceIds] },
  );
  const byInstance = new Map<string, CredentialRecord[]>();
  for (const { agentInstanceId, ...credential } of rows)
    byInstance.set(agentInstanceId, [...(byInstance.get(agentInstanceId) ?? []), credential]);
  return byInstance;
}
