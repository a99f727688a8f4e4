/** How teams are asked: their escalation policies, and the rosters that a walk uses. */
import type { TeamRoster } from '../../domain/escalation/recipients.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow, queryRows } from '../../platform/rows.ts';
import type { RevisionTables } from '../revisions.ts';

/** A document's key is the id of its team. */
export const teamPolicyTables: RevisionTables = {
  documents: 'team_escalation_policies',
  revisions: 'team_escalation_policy_revisions',
  documentId: 'team_escalation_policy_id',
  named: false,
};

/**
 * The live teams among these as they are now: their members who were not removed, and the active
 * policy revision.
 */
export async function findTeamRosters(
  db: Db,
  organizationId: string,
  teamIds: readonly string[],
): Promise<Map<string, TeamRoster>> {
  if (teamIds.length === 0) return new Map();
  const rows = await queryRows<
    { id: string; policyRevisionId: string | null } & Pick<TeamRoster, 'members'>
  >(
    db,
    `select t.id, r.id as policy_revision_id,
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
    rows.map(({ id, members, policyRevisionId }) => [
      id,
      { members, ...(policyRevisionId !== null && { policyRevisionId }) },
    ]),
  );
}

/** Records the members that a new revision asks by name. */
export async function insertPolicyTargets(
  trx: Trx,
  {
    revisionId,
    membershipIds,
  }: { readonly revisionId: string; readonly membershipIds: readonly string[] },
): Promise<void> {
  if (membershipIds.length === 0) return;
  await trx('team_escalation_policy_targets').insert(
    membershipIds.map((membership_id) => ({
      team_escalation_policy_revision_id: revisionId,
      membership_id,
    })),
  );
}

const NAMED = `
  from team_escalation_policy_targets n
  join team_escalation_policy_revisions r on r.id = n.team_escalation_policy_revision_id
  join team_escalation_policies p on p.id = r.team_escalation_policy_id and p.active_revision = r.revision
  join teams t on t.id = p.team_id
 where p.organization_id = :organizationId`;

/** A team whose active policy names a given member. */
export interface NamingPolicy {
  readonly teamId: string;
  readonly teamName: string;
  readonly revision: number;
}

/** The teams whose active policy asks this member by name, ordered by team name. */
export async function listPoliciesNaming(
  db: Db,
  organizationId: string,
  membershipId: string,
): Promise<NamingPolicy[]> {
  return await queryRows<NamingPolicy>(
    db,
    `select t.id as team_id, t.name as team_name, r.revision ${NAMED} and n.membership_id = :membershipId
      order by lower(t.name) collate "C", t.id`,
    { organizationId, membershipId },
  );
}

/** The members that an active policy names. */
interface PolicyNaming {
  readonly revision: number;
  readonly membershipIds: readonly string[];
}

/**
 * Those of the members that the team's active policy asks by name; undefined when it asks none of
 * them.
 */
export async function findNamedInPolicy(
  db: Db,
  organizationId: string,
  { teamId, membershipIds }: { readonly teamId: string; readonly membershipIds: readonly string[] },
): Promise<PolicyNaming | undefined> {
  if (membershipIds.length === 0) return undefined;
  return await queryRow<PolicyNaming>(
    db,
    `select r.revision, array_agg(n.membership_id order by n.membership_id) as membership_ids
       ${NAMED} and p.team_id = :teamId and n.membership_id = any(cast(:membershipIds as uuid[]))
      group by r.revision`,
    { organizationId, teamId, membershipIds: [...membershipIds] },
  );
}
