/**
 * Teams: create, rename, archive, and change their members. Members inherit what the team's
 * permission policies grant.
 */
import type { TeamMember, TeamSummary } from '../../domain/people/teams.ts';
import { v7 } from 'uuid';
import { actorOf, type NewAuditEvent, type VerbOf } from '../../domain/audit/events.ts';
import {
  scopeOf,
  type MemberPrincipal,
  type ProductPrincipal,
} from '../../domain/people/authorization.ts';
import { AppError, invalid, type Issue } from '../../domain/errors.ts';
import { wakeUnreachable } from '../../data/requests/unreachable.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { findWaitingOnTeam, listPathsNamingTeam } from '../../data/escalation/escalation-paths.ts';
import { listTeamAssignments } from '../../data/people/role-assignments.ts';
import { findNamedInPolicy } from '../../data/escalation/team-escalation-policies.ts';
import {
  archiveTeam as writeArchived,
  changeHandAdded,
  findTeam,
  insertTeam,
  listHandAdded,
  listTeamMembers,
  listTeamMembershipIds,
  listTeams,
  lockPresentMembers,
  lockTeam,
  renameTeam as writeName,
  type LockedTeam,
  type TeamPage,
} from '../../data/people/teams.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { announceDue } from '../engine/announce.ts';
import type { ServiceContext } from '../context.ts';
import { lockAccessAndRereadMember } from '../access/current-callers.ts';
import { readPage } from '../pages.ts';
import { deactivateWith } from '../revisions/activate.ts';
import {
  withAssignments,
  type RoleAssignment,
  type ServedOrganization,
} from './role-assignments.ts';
import { requireMayAdd, requireMayTakeOut } from './team-rights.ts';
import { teamPolicyKind } from '../escalation/team-escalation-policies.ts';

export interface Team extends TeamSummary {
  readonly organizationId: string;
  /** What every member inherits. */
  readonly assignments: readonly RoleAssignment[];
}

async function toTeams(
  db: Db,
  { organizationId, edition }: ServedOrganization,
  rows: readonly TeamSummary[],
): Promise<Team[]> {
  const ids = rows.map((row) => row.id);
  const held = await listTeamAssignments(db, organizationId, ids);
  return withAssignments(rows, held, edition).map((team) => ({ ...team, organizationId }));
}

async function readTeam(db: Db, of: ServedOrganization, id: string): Promise<Team> {
  const row = await findTeam(db, of.organizationId, id);
  const [team] = row ? await toTeams(db, of, [row]) : [];
  if (!team) throw new AppError('not_found');
  return team;
}

/**
 * The teams that the caller may see. `next`: the start of the next page, absent on the last one.
 */
export async function listVisibleTeams(
  { db, edition }: ServiceContext,
  principal: ProductPrincipal,
  page: Omit<TeamPage, 'ids'>,
): Promise<{ readonly teams: readonly Team[]; readonly next?: string }> {
  const scope = scopeOf(principal, 'team.read');
  if (!scope) return { teams: [] };
  const ids = scope.all ? undefined : scope.teamIds;
  const { items, last } = await readPage(page.limit, (limit) =>
    listTeams(db, principal.organizationId, { ...page, ids, limit }),
  );
  const { organizationId } = principal;
  const teams = await toTeams(db, { organizationId, edition }, items);
  return { teams, ...(last && { next: last.id }) };
}

/** The team and its members. Throws 404. */
export async function getTeam(
  { db, edition }: ServiceContext,
  { organizationId }: ProductPrincipal,
  id: string,
): Promise<{ readonly team: Team; readonly members: readonly TeamMember[] }> {
  const [team, members] = await Promise.all([
    readTeam(db, { organizationId, edition }, id),
    listTeamMembers(db, organizationId, id),
  ]);
  return { team, members };
}

function teamEvent(
  principal: MemberPrincipal,
  { verb, id, data }: { verb: VerbOf<'team'>; id: string; data: Readonly<Record<string, unknown>> },
): { events: NewAuditEvent[] } {
  return {
    events: [{ eventType: `team.${verb}`, actor: actorOf(principal), subjectId: id, data }],
  };
}

/** Creates an empty team. Throws 409 `team_name_taken`. */
export async function createTeam(
  { db, edition }: ServiceContext,
  principal: MemberPrincipal,
  name: string,
): Promise<Team> {
  const { organizationId } = principal;
  const id = v7();
  return await db.transaction(async (trx) => {
    await lockAccessAndRereadMember(trx, principal, { permission: 'team.write' });
    if (!(await insertTeam(trx, organizationId, { id, name })))
      throw new AppError('team_name_taken');
    await insertAuditEvents(
      trx,
      organizationId,
      teamEvent(principal, { verb: 'created', id, data: { name } }),
    );
    return await readTeam(trx, { organizationId, edition }, id);
  });
}

async function lockExisting(trx: Trx, organizationId: string, id: string): Promise<LockedTeam> {
  const team = await lockTeam(trx, organizationId, id);
  if (!team) throw new AppError('not_found');
  return team;
}

/** Throws 404, 409 `team_archived`, `directory_managed` or `team_name_taken`. */
export async function renameTeam(
  { db, edition }: ServiceContext,
  principal: MemberPrincipal,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<Team> {
  const { organizationId } = principal;
  return await db.transaction(async (trx) => {
    await lockAccessAndRereadMember(trx, principal, {
      permission: 'team.write',
      target: { kind: 'team', id },
    });
    const team = await lockExisting(trx, organizationId, id);
    if (team.archived) throw new AppError('team_archived');
    if (team.directoryManaged) throw new AppError('directory_managed');
    if (team.name !== name) {
      if (!(await writeName(trx, organizationId, { id, name })))
        throw new AppError('team_name_taken');
      const event = teamEvent(principal, {
        verb: 'renamed',
        id,
        data: { from: team.name, to: name },
      });
      await insertAuditEvents(trx, organizationId, event);
    }
    return await readTeam(trx, { organizationId, edition }, id);
  });
}

/** Most waiting requests listed in a refusal. */
const SHOWN_REQUESTS = 20;

/**
 * Throws 409 `team_in_escalation_path` while a path targets the team. The lock prevents concurrent
 * activations.
 */
async function requireUnasked(trx: Trx, organizationId: string, id: string): Promise<void> {
  const paths = await listPathsNamingTeam(trx, organizationId, id);
  const waiting = await findWaitingOnTeam(trx, organizationId, {
    teamId: id,
    limit: SHOWN_REQUESTS,
  });
  if (paths.length + waiting.count === 0) return;
  const escalation_paths = paths.map(({ pathKey, name, revision }) => ({
    path_key: pathKey,
    name,
    revision,
  }));
  const details = {
    escalation_paths,
    request_count: waiting.count,
    request_ids: waiting.requestIds,
  };
  throw new AppError('team_in_escalation_path', { details });
}

/**
 * Archives a team permanently and deactivates its escalation policy. An archived team stays
 * unchanged. Throws 404, 409 `directory_managed`, what `requireMayTakeOut` throws, or 409
 * `team_in_escalation_path`.
 */
export async function archiveTeam(
  context: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<void> {
  const { organizationId } = principal;
  const due = await context.db.transaction(async (trx) => {
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'team.write',
      target: { kind: 'team', id },
    });
    const team = await lockExisting(trx, organizationId, id);
    if (team.archived) return [];
    if (team.directoryManaged) throw new AppError('directory_managed');
    await requireMayTakeOut(trx, caller, id);
    await requireUnasked(trx, organizationId, id);
    await deactivateWith(trx, principal, { kind: teamPolicyKind, documentKey: id });
    await writeArchived(trx, organizationId, id);
    await insertAuditEvents(
      trx,
      organizationId,
      teamEvent(principal, { verb: 'archived', id, data: { name: team.name } }),
    );
    // The grants of its policies are gone.
    return await wakeUnreachable(trx, organizationId, await listTeamMembershipIds(trx, id));
  });
  announceDue(context, due);
}

/**
 * Replaces the manually added members. Throws 404, 409 `team_archived`, 400 for repeated ids or ids
 * of non-members, what `requireMayAdd` or `requireMayTakeOut` throws, and unless forced 409
 * `team_member_in_escalation_policy`.
 */
export async function setTeamMembers(
  context: ServiceContext,
  principal: MemberPrincipal,
  {
    id,
    membershipIds,
    force,
  }: { readonly id: string; readonly membershipIds: readonly string[]; readonly force: boolean },
): Promise<readonly TeamMember[]> {
  const { organizationId } = principal;
  const { members, due } = await context.db.transaction(async (trx) => {
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'team.member.write',
      target: { kind: 'team', id },
    });
    const team = await lockExisting(trx, organizationId, id);
    if (team.archived) throw new AppError('team_archived');
    requireMembers(membershipIds, await lockPresentMembers(trx, organizationId, membershipIds));
    const current = await listHandAdded(trx, id);
    const [before, after] = [new Set(current), new Set(membershipIds)];
    const added = membershipIds.filter((each) => !before.has(each));
    const removed = current.filter((each) => !after.has(each));
    if (added.length + removed.length > 0) {
      // Who leaves a team by themselves takes nothing from others.
      const takesOutOthers = removed.some((each) => each !== caller.membershipId);
      await (takesOutOthers ? requireMayTakeOut : requireMayAdd)(trx, caller, id);
      await changeHandAdded(trx, id, { added, removed });
    }
    const present = await listTeamMembers(trx, organizationId, id);
    if (added.length + removed.length > 0) {
      const left_behind = await requireReleased(trx, organizationId, {
        id,
        removed,
        members: present,
        force,
      });
      const data = { added, removed, ...(left_behind && { left_behind }) };
      await insertAuditEvents(
        trx,
        organizationId,
        teamEvent(principal, { verb: 'members_changed', id, data }),
      );
    }
    return { members: present, due: await wakeUnreachable(trx, organizationId, removed) };
  });
  announceDue(context, due);
  return members;
}

/**
 * Throws 409 `team_member_in_escalation_policy` when the active policy targets a member who left
 * the team; when forced, returns the remaining targets. Members that the directory added have not
 * left.
 */
async function requireReleased(
  trx: Trx,
  organizationId: string,
  {
    id,
    removed,
    members,
    force,
  }: { id: string; removed: readonly string[]; members: readonly TeamMember[]; force: boolean },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const staying = new Set(members.map((member) => member.membershipId));
  const membershipIds = removed.filter((each) => !staying.has(each));
  const named = await findNamedInPolicy(trx, organizationId, { teamId: id, membershipIds });
  if (!named) return undefined;
  const uses = { team_id: id, revision: named.revision, membership_ids: named.membershipIds };
  if (!force) throw new AppError('team_member_in_escalation_policy', { details: uses });
  return uses;
}

function requireMembers(ids: readonly string[], present: ReadonlySet<string>): void {
  const issues = ids.flatMap((id, index): Issue[] => {
    const message =
      ids.indexOf(id) !== index
        ? 'must be named only once'
        : present.has(id)
          ? undefined
          : 'must be a member of the organization';
    return message === undefined
      ? []
      : [{ pointer: `/membership_ids/${index}`, code: 'invalid_value', message }];
  });
  if (issues.length > 0) throw invalid(issues);
}
