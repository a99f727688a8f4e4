/** Permission policies as role assignments: one row for each scope of a policy, own and inherited. */
import type { HeldAssignment } from '../../domain/people/role-assignments.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

/** The assignments that policies `p` amount to, oldest policy first. */
const assignments = (policies: string, inherited: string): string => `
  select p.principal_id, p.id as policy_id, p.scope_kind, scope.id as scope_id,
         coalesce(a.name, t.name) as scope_name, p.source, p.granted_by_actor_id, ${inherited},
         p.permissions, p.is_owner, p.created_at
    from (${policies}) p
    left join lateral unnest(p.resource_ids) with ordinality as scope(id, position) on true
    left join agents a on p.scope_kind = 'agent' and a.organization_id = p.organization_id and a.slug = scope.id
    left join teams t on p.scope_kind = 'team' and t.organization_id = p.organization_id and cast(t.id as text) = scope.id
   where p.organization_id = :organizationId
   order by p.created_at, p.id, scope.position`;

const OF_MEMBERS = assignments(
  'select h.*, h.membership_id as principal_id from held_policies h where h.membership_id = any(cast(:ids as uuid[]))',
  'p.via_team_id, p.via_team_name',
);

const OF_TEAMS = assignments(
  'select g.*, g.team_id as principal_id from permission_policies g where g.team_id = any(cast(:ids as uuid[]))',
  'null as via_team_id, null as via_team_name',
);

/** The members' own assignments and those inherited through live teams. */
export async function listMemberAssignments(
  db: Db,
  organizationId: string,
  membershipIds: readonly string[],
): Promise<HeldAssignment[]> {
  return await read(db, OF_MEMBERS, { organizationId, ids: membershipIds });
}

/** What every member of the teams inherits. */
export async function listTeamAssignments(
  db: Db,
  organizationId: string,
  teamIds: readonly string[],
): Promise<HeldAssignment[]> {
  return await read(db, OF_TEAMS, { organizationId, ids: teamIds });
}

async function read(
  db: Db,
  sql: string,
  bindings: { readonly organizationId: string; readonly ids: readonly string[] },
) {
  if (bindings.ids.length === 0) return [];
  return await queryRows<HeldAssignment>(db, sql, {
    ...bindings,
    ids: [...bindings.ids],
  });
}
