/** How teams are asked: their escalation policies, and the rosters a walk goes by. */
import type { TeamRoster } from '../domain/escalation-paths/recipients.ts';
import type { Db } from '../platform/postgres.ts';
import type { RevisionTables } from './revisions.ts';

/** A document's key is the id of its team. */
export const teamPolicyTables: RevisionTables = {
  documents: 'team_escalation_policies',
  revisions: 'team_escalation_policy_revisions',
  documentId: 'team_escalation_policy_id',
  named: false,
};

/** The live teams among these as they are now: who was not removed, and which policy revision is active. */
export async function findTeamRosters(db: Db, organizationId: string, teamIds: readonly string[]): Promise<Map<string, TeamRoster>> {
  if (teamIds.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: ({ id: string; policyRevisionId: string | null } & Pick<TeamRoster, 'members'>)[] }>(
    `select t.id, r.id as "policyRevisionId",
            (select coalesce(jsonb_agg(jsonb_build_object('membershipId', m.id, 'displayName', u.display_name) order by m.created_at, m.id), '[]')
               from memberships m join users u on u.id = m.user_id
              where m.id in (select membership_id from team_members where team_id = t.id) and m.status <> 'deprovisioned') as members
       from teams t
       left join team_escalation_policies p on p.team_id = t.id
       left join team_escalation_policy_revisions r on r.team_escalation_policy_id = p.id and r.revision = p.active_revision
      where t.organization_id = :organizationId and t.id = any(cast(:teamIds as uuid[])) and t.archived_at is null`,
    { organizationId, teamIds: [...teamIds] },
  );
  return new Map(
    rows.map(({ id, members, policyRevisionId }) => [id, { members, ...(policyRevisionId !== null && { policyRevisionId }) }]),
  );
}
