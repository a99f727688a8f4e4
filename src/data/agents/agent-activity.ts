/** What agents and their instances do: counts, trends and the newest call. */
import { recentOf, type AgentActivity, type AgentCreator } from '../../domain/agents/agents.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne, queryRows } from '../../platform/rows.ts';
import { IN_TREND, requestsByDay, TREND } from './request-counts.ts';

type ActivityRow = Omit<AgentActivity, 'lastSeenAt' | 'recentRequestCount' | 'accessEndsAt'> & {
  slug: string;
  lastSeenAt: Date | null;
  accessEndsAt: Date | null;
};

export interface CountedAgents {
  readonly slugs: readonly string[];
  /** Of `readCountedUntil`. */
  readonly since: string;
}

/** By slug. */
export async function readActivity(
  db: Db,
  organizationId: string,
  { slugs, since }: CountedAgents,
): Promise<ReadonlyMap<string, AgentActivity>> {
  const rows = await queryRows<ActivityRow>(
    db,
    `select a.slug, instance.instance_count, instance.live_instance_count, instance.access_ends_at, seen.last_seen_at,
            open.pending_request_count, recent.request_trend
       from unnest(cast(:slugs as text[])) as a (slug)
      cross join lateral (
        select count(*) as instance_count,
               count(*) filter (where status = 'active' and live_until > statement_timestamp()) as live_instance_count,
               min(live_until) filter (where status = 'active' and live_until > statement_timestamp()) as access_ends_at
          from agent_instances where organization_id = :organizationId and agent_slug = a.slug and deleted_at is null
      ) instance
       left join lateral (
        select last_seen_at from agent_instances
         where organization_id = :organizationId and agent_slug = a.slug and last_seen_at > created_at
         order by last_seen_at desc limit 1
      ) seen on true
      cross join lateral (
        select count(*) as pending_request_count from approval_requests
         where organization_id = :organizationId and agent_slug = a.slug and state in ('evaluating', 'pending')
      ) open
      cross join lateral (
        select ${TREND} as request_trend from (${requestsByDay(':organizationId', 'a.slug', IN_TREND)}) as days
      ) recent`,
    { organizationId, slugs: [...slugs], since },
  );
  return new Map(
    rows.map(({ slug, lastSeenAt, accessEndsAt, ...row }) => [
      slug,
      {
        ...row,
        ...(lastSeenAt && { lastSeenAt }),
        ...(accessEndsAt && { accessEndsAt }),
        recentRequestCount: recentOf(row.requestTrend),
      },
    ]),
  );
}

/** All requests that the agent ever created, and who created the agent. */
export async function readHistory(
  db: Db,
  organizationId: string,
  { slug, since }: { readonly slug: string; readonly since: string },
): Promise<AgentCreator & { readonly requestCount: number }> {
  return await queryOne(
    db,
    `select (select cast(coalesce(sum(requests), 0) as bigint)
               from (${requestsByDay(':organizationId', ':slug')}) as days) as request_count,
            case when m.id is null then 'api_key' else 'human' end as created_by_actor_type,
            coalesce(u.display_name, k.name) as created_by_display_name
       from agents a
       left join memberships m on m.id = a.created_by_actor_id
       left join users u on u.id = m.user_id
       left join api_keys k on k.id = a.created_by_actor_id
      where a.organization_id = :organizationId and a.slug = :slug`,
    { organizationId, slug, since },
  );
}
