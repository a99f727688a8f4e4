/** Who may decide requests: active members whose policies, their own or their teams', carry `request.decide` for the agent. */
import type { Db } from '../platform/postgres.ts';

export interface Decider {
  readonly membershipId: string;
  readonly displayName: string;
}

/** Condition on the membership `m`; `reaches` is the condition on a policy's scope. */
const mayDecide = (reaches: string): string => `(
  m.status = 'active' and exists (
    select 1 from held_policies p
     where p.membership_id = m.id and p.organization_id = m.organization_id
       and (p.is_owner or ('request.decide' = any(p.permissions) and (${reaches})))))`;

const FOR_AGENT = mayDecide(`p.scope_kind = 'organization' or (p.scope_kind = 'agent' and :agentSlug = any(p.resource_ids))`);
const FOR_ANY_AGENT = mayDecide(`p.scope_kind in ('organization', 'agent')`);

/** Longest-standing first. */
export async function findDeciders(db: Db, organizationId: string, agentSlug: string): Promise<Decider[]> {
  const { rows } = await db.raw<{ rows: Decider[] }>(
    `select m.id as "membershipId", u.display_name as "displayName"
       from memberships m join users u on u.id = m.user_id
      where m.organization_id = :organizationId and ${FOR_AGENT}
      order by m.created_at, m.id`,
    { organizationId, agentSlug },
  );
  return rows;
}

/** Of these memberships, those that may not decide the requests of any agent, by name. */
export async function findNonDeciders(db: Db, organizationId: string, membershipIds: readonly string[]): Promise<Decider[]> {
  if (membershipIds.length === 0) return [];
  const { rows } = await db.raw<{ rows: Decider[] }>(
    `select m.id as "membershipId", u.display_name as "displayName"
       from memberships m join users u on u.id = m.user_id
      where m.organization_id = :organizationId and m.id = any(cast(:membershipIds as uuid[])) and not ${FOR_ANY_AGENT}
      order by lower(u.display_name), m.id`,
    { organizationId, membershipIds: [...membershipIds] },
  );
  return rows;
}
