/**
 * Teams and their members. Each membership names its source: manual or directory. A team's grants
 * are its permission policies.
 */
import type { TeamSummary, TeamStatus, TeamMember } from '../../domain/people/teams.ts';
import { violatedConstraint, type Db, type Trx } from '../../platform/postgres.ts';
import { queryRow, queryRows } from '../../platform/rows.ts';
import { anyNameContains } from '../names.ts';

export interface TeamPage {
  readonly status: TeamStatus;
  /** Only these teams; all of the organization when absent. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name, ignoring case. */
  readonly q?: string | undefined;
  /** Id of the last team of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

const TEAM = `
  select t.id, t.name, o.name as organization_name, t.directory_managed, t.created_at,
         t.archived_at, ep.active_revision as active_policy_revision, ep.latest_revision as latest_policy_revision,
         (select count(distinct tm.membership_id)
            from team_members tm join memberships m on m.id = tm.membership_id
           where tm.team_id = t.id and m.status <> 'deprovisioned') as member_count
    from teams t
    join organizations o on o.id = t.organization_id
    left join team_escalation_policies ep on ep.team_id = t.id
   where t.organization_id = :organizationId`;

const STATUS = {
  live: 'and t.archived_at is null',
  archived: 'and t.archived_at is not null',
  all: '',
} as const;

/** Ordered by name, ignoring case. */
export async function listTeams(
  db: Db,
  organizationId: string,
  { status, ids, q, after, limit }: TeamPage,
): Promise<TeamSummary[]> {
  return await queryRows<TeamSummary>(
    db,
    `${TEAM} ${STATUS[status]}
       ${ids ? 'and t.id = any(cast(:ids as uuid[]))' : ''}
       ${q ? `and ${anyNameContains(['t.name'])}` : ''}
       ${after ? `and (lower(t.name) collate "C", t.id) > ((select lower(l.name) collate "C" from teams l where l.organization_id = :organizationId and l.id = :after), :after)` : ''}
     order by lower(t.name) collate "C", t.id
     limit :limit`,
    {
      organizationId,
      limit,
      ...(ids && { ids: [...ids] }),
      ...(q && { q }),
      ...(after && { after }),
    },
  );
}

export async function findTeam(
  db: Db,
  organizationId: string,
  id: string,
): Promise<TeamSummary | undefined> {
  return await queryRow<TeamSummary>(db, `${TEAM} and t.id = :id`, {
    organizationId,
    id,
  });
}

/** What decides whether a team may change. */
export interface LockedTeam {
  readonly name: string;
  readonly directoryManaged: boolean;
  readonly archived: boolean;
}

/**
 * The team, locked: renaming, archiving and changing its members wait for the end of the
 * transaction.
 */
export async function lockTeam(
  trx: Trx,
  organizationId: string,
  id: string,
): Promise<LockedTeam | undefined> {
  return await queryRow<LockedTeam>(
    trx,
    `select name, directory_managed, archived_at is not null as archived
       from teams where organization_id = :organizationId and id = :id for no key update`,
    { organizationId, id },
  );
}

/**
 * False when a live team has the name. The transaction is then aborted, and the caller must end it.
 */
export async function insertTeam(
  trx: Trx,
  organizationId: string,
  { id, name }: { id: string; name: string },
): Promise<boolean> {
  return await unlessNameTaken(() =>
    trx('teams').insert({
      id,
      organization_id: organizationId,
      name,
      created_at: trx.raw('clock_timestamp()'),
    }),
  );
}

/**
 * False when another live team has the name. The transaction is then aborted, and the caller must
 * end it.
 */
export async function renameTeam(
  trx: Trx,
  organizationId: string,
  { id, name }: { id: string; name: string },
): Promise<boolean> {
  return await unlessNameTaken(() =>
    trx('teams').where({ organization_id: organizationId, id }).update({ name }),
  );
}

async function unlessNameTaken(write: () => PromiseLike<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (violatedConstraint(error) === 'teams_live_name_key') return false;
    throw error;
  }
}

export async function archiveTeam(trx: Trx, organizationId: string, id: string): Promise<void> {
  await trx('teams')
    .where({ organization_id: organizationId, id })
    .update({ archived_at: trx.raw('clock_timestamp()') });
}

/** The team's members without removed ones, by name. */
export async function listTeamMembers(
  db: Db,
  organizationId: string,
  teamId: string,
): Promise<TeamMember[]> {
  return await queryRows<TeamMember>(
    db,
    `select m.id as membership_id, u.display_name, u.email, m.status, array_agg(tm.source order by tm.source) as sources
       from team_members tm
       join memberships m on m.id = tm.membership_id
       join users u on u.id = m.user_id
      where tm.team_id = :teamId and m.organization_id = :organizationId and m.status <> 'deprovisioned'
      group by m.id, u.id
      order by lower(u.display_name) collate "C", m.id`,
    { organizationId, teamId },
  );
}

/** All members of the team, each once. */
export async function listTeamMembershipIds(db: Db, teamId: string): Promise<string[]> {
  return await db('team_members')
    .where({ team_id: teamId })
    .distinct('membership_id')
    .pluck<string[]>('membership_id');
}

/**
 * The ids among these whose members are not removed. Removing them waits for the end of the
 * transaction.
 */
export async function lockPresentMembers(
  trx: Trx,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await queryRows<{ id: string }>(
    trx,
    `select id from memberships
      where organization_id = :organizationId and id = any(cast(:ids as uuid[])) and status <> 'deprovisioned'
      order by id for share`,
    { organizationId, ids: [...ids] },
  );
  return new Set(rows.map((row) => row.id));
}

/** The members that were added manually, including removed members. */
export async function listHandAdded(trx: Trx, teamId: string): Promise<string[]> {
  const rows = await trx('team_members')
    .where({ team_id: teamId, source: 'manual' })
    .orderBy('membership_id')
    .select('membership_id');
  return rows.map((row: { membership_id: string }) => row.membership_id);
}

/** Replaces the members that were added manually. Those of the directory stay. */
export async function changeHandAdded(
  trx: Trx,
  teamId: string,
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
): Promise<void> {
  if (removed.length > 0) {
    await trx('team_members')
      .where({ team_id: teamId, source: 'manual' })
      .whereIn('membership_id', [...removed])
      .delete();
  }
  if (added.length === 0) return;
  await trx.raw(
    `insert into team_members (team_id, membership_id, source, created_at)
     select :teamId, id, 'manual', now from unnest(cast(:added as uuid[])) as id, clock_timestamp() as now`,
    { teamId, added: [...added] },
  );
}
