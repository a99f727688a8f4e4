/** What an organization uses of its limits now. */
import type { PermissionScope } from '../../domain/people/authorization.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';

/** Of the agents in a scope: the one with the most requests that wait for people. */
interface BusiestAgent {
  readonly slug: string;
  readonly name: string;
  readonly waiting: number;
}

export interface UsageCounts {
  readonly pendingRequests: number;
  /** null while nothing of them waits. */
  readonly busiestAgent: BusiestAgent | null;
  readonly activeMembers: number;
  /** Active members without a confirmed authenticator app. */
  readonly withoutFactor: number;
}

/** By the indexes of open requests and of memberships. The cap on pending requests bounds the first. */
export async function countUsage(
  db: Db,
  organizationId: string,
  named: PermissionScope,
): Promise<UsageCounts> {
  return await queryOne<UsageCounts>(
    db,
    `with waiting as materialized (
       select agent_slug, count(*) as waiting from approval_requests
        where organization_id = :organizationId and state = 'pending' and routed_at is not null group by agent_slug
     ), members as materialized (
       select f.user_id is not null as has_factor from memberships m
         left join totp_factors f on f.user_id = m.user_id and f.confirmed_at is not null
        where m.organization_id = :organizationId and m.status = 'active'
     )
     select (select cast(coalesce(sum(waiting), 0) as int) from waiting) as pending_requests,
            (select jsonb_build_object('slug', a.slug, 'name', a.name, 'waiting', w.waiting)
               from waiting w join agents a on a.organization_id = :organizationId and a.slug = w.agent_slug
              where cast(:all as boolean) or a.slug = any(cast(:slugs as text[]))
              order by w.waiting desc, a.slug limit 1) as busiest_agent,
            (select count(*) from members) as active_members,
            (select count(*) from members where not has_factor) as without_factor`,
    { organizationId, all: named.all, slugs: named.all ? [] : [...named.agentSlugs] },
  );
}
