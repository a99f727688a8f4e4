/** Who may decide requests of an agent: active members whose policies carry `request.decide` for it. */
import type { Db } from '../platform/postgres.ts';

export interface Decider {
  readonly membershipId: string;
  readonly displayName: string;
}

/** Longest-standing first. */
export async function findDeciders(db: Db, organizationId: string, agentSlug: string): Promise<Decider[]> {
  const { rows } = await db.raw<{ rows: Decider[] }>(
    `select m.id as "membershipId", u.display_name as "displayName"
       from memberships m join users u on u.id = m.user_id
      where m.organization_id = :organizationId and m.status = 'active'
        and exists (
          select 1 from permission_policies p
           where p.membership_id = m.id
             and (p.is_owner
                  or ('request.decide' = any(p.permissions)
                      and (p.scope_kind = 'organization' or (p.scope_kind = 'agent' and :agentSlug = any(p.resource_ids))))))
      order by m.created_at, m.id`,
    { organizationId, agentSlug },
  );
  return rows;
}
