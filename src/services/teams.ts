/** Teams: created, renamed, archived, and who is in them. Whoever joins a team is granted what its permission policies grant. */
import { v7 } from 'uuid';
import { actorOf, type NewAuditEvent } from '../domain/audit.ts';
import { scopeOf, type MemberPrincipal, type ProductPrincipal } from '../domain/authorization.ts';
import { AppError, invalid } from '../domain/errors.ts';
import { grantsBeyond, requireMayGrant } from '../domain/permission-policies.ts';
import { insertAuditEvents } from '../data/audit-events.ts';
import { listPolicies } from '../data/permission-policies.ts';
import { listTeamAssignments, type AssignmentRow } from '../data/role-assignments.ts';
import {
  archiveTeam as writeArchived,
  changeHandAdded,
  findTeam,
  insertTeam,
  listHandAdded,
  listTeamMembers,
  listTeams,
  lockPresentMembers,
  lockTeam,
  renameTeam as writeName,
  type LockedTeam,
  type TeamMember,
  type TeamPage,
  type TeamRow,
} from '../data/teams.ts';
import type { Db } from '../platform/postgres.ts';
import type { ServiceContext } from './context.ts';
import { currentMember } from './member-principals.ts';
import { cutPage } from './pages.ts';
import { roleAssignment, type RoleAssignment } from './role-assignments.ts';

export type { TeamMember } from '../data/teams.ts';

export interface Team extends TeamRow {
  readonly organizationId: string;
  /** What every member inherits. */
  readonly assignments: readonly RoleAssignment[];
}

async function withAssignments(db: Db, organizationId: string, rows: readonly TeamRow[]): Promise<Team[]> {
  const ids = rows.map((row) => row.id);
  const assigned = new Map<string, AssignmentRow[]>(ids.map((id) => [id, []]));
  for (const row of await listTeamAssignments(db, organizationId, ids)) assigned.get(row.principalId)?.push(row);
  return rows.map((row) => ({
    ...row,
    organizationId,
    assignments: (assigned.get(row.id) ?? []).map((assignment) => roleAssignment(assignment, row.organizationName)),
  }));
}

async function readTeam(db: Db, organizationId: string, id: string): Promise<Team> {
  const row = await findTeam(db, organizationId, id);
  const [team] = row ? await withAssignments(db, organizationId, [row]) : [];
  if (!team) throw new AppError('not_found');
  return team;
}

/** The teams the caller may see: all of them, or those its grants name. `next`: where the next page starts, absent on the last. */
export async function listVisibleTeams(
  { db }: ServiceContext,
  principal: ProductPrincipal,
  page: Omit<TeamPage, 'ids'>,
): Promise<{ readonly teams: readonly Team[]; readonly next?: string }> {
  const scope = scopeOf(principal, 'team.read');
  if (!scope) return { teams: [] };
  const ids = scope.all ? undefined : scope.teamIds;
  const found = await listTeams(db, principal.organizationId, { ...page, ids, limit: page.limit + 1 });
  const { items, last } = cutPage(found, page.limit);
  return { teams: await withAssignments(db, principal.organizationId, items), ...(last && { next: last.id }) };
}

/** The team and who is in it. Throws 404. */
export async function getTeam(
  { db }: ServiceContext,
  { organizationId }: ProductPrincipal,
  id: string,
): Promise<{ readonly team: Team; readonly members: readonly TeamMember[] }> {
  const [team, members] = await Promise.all([readTeam(db, organizationId, id), listTeamMembers(db, organizationId, id)]);
  return { team, members };
}

function teamEvent(
  principal: MemberPrincipal,
  { verb, id, data }: { verb: string; id: string; data: Readonly<Record<string, unknown>> },
): { events: NewAuditEvent[] } {
  return { events: [{ eventType: `team.${verb}`, actor: actorOf(principal), subjectId: id, data }] };
}

/** An empty team. Throws 409 `team_name_taken`. */
export async function createTeam({ db }: ServiceContext, principal: MemberPrincipal, name: string): Promise<Team> {
  const { organizationId } = principal;
  const id = v7();
  return await db.transaction(async (trx) => {
    if (!(await insertTeam(trx, organizationId, { id, name }))) throw new AppError('team_name_taken');
    await insertAuditEvents(trx, organizationId, teamEvent(principal, { verb: 'created', id, data: { name } }));
    return await readTeam(trx, organizationId, id);
  });
}

async function lockExisting(trx: Db, organizationId: string, id: string): Promise<LockedTeam> {
  const team = await lockTeam(trx, organizationId, id);
  if (!team) throw new AppError('not_found');
  return team;
}

/** Throws 404, 409 `team_archived`, `directory_managed` or `team_name_taken`. */
export async function renameTeam(
  { db }: ServiceContext,
  principal: MemberPrincipal,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<Team> {
  const { organizationId } = principal;
  return await db.transaction(async (trx) => {
    const team = await lockExisting(trx, organizationId, id);
    if (team.archived) throw new AppError('team_archived');
    if (team.directoryManaged) throw new AppError('directory_managed');
    if (team.name !== name) {
      if (!(await writeName(trx, organizationId, { id, name }))) throw new AppError('team_name_taken');
      const event = teamEvent(principal, { verb: 'renamed', id, data: { from: team.name, to: name } });
      await insertAuditEvents(trx, organizationId, event);
    }
    return await readTeam(trx, organizationId, id);
  });
}

/** For good; a team that is archived already stays as it is. Throws 404, 409 `directory_managed`. */
export async function archiveTeam({ db }: ServiceContext, principal: MemberPrincipal, id: string): Promise<void> {
  const { organizationId } = principal;
  await db.transaction(async (trx) => {
    await currentMember(trx, principal, { permission: 'team.write', target: { kind: 'team', id } });
    const team = await lockExisting(trx, organizationId, id);
    if (team.archived) return;
    if (team.directoryManaged) throw new AppError('directory_managed');
    await writeArchived(trx, organizationId, id);
    await insertAuditEvents(trx, organizationId, teamEvent(principal, { verb: 'archived', id, data: { name: team.name } }));
  });
}

/**
 * Makes exactly these people the hand-added members. Throws 404, 409 `team_archived`, 400 for ids that are named twice or
 * are no member, and what `requireMayAdmit` throws.
 */
export async function setTeamMembers(
  { db }: ServiceContext,
  principal: MemberPrincipal,
  { id, membershipIds }: { readonly id: string; readonly membershipIds: readonly string[] },
): Promise<readonly TeamMember[]> {
  const { organizationId } = principal;
  return await db.transaction(async (trx) => {
    const caller = await currentMember(trx, principal, { permission: 'team.member.write', target: { kind: 'team', id } });
    const team = await lockExisting(trx, organizationId, id);
    if (team.archived) throw new AppError('team_archived');
    requireMembers(membershipIds, await lockPresentMembers(trx, organizationId, membershipIds));
    const current = await listHandAdded(trx, id);
    const [before, after] = [new Set(current), new Set(membershipIds)];
    const added = membershipIds.filter((each) => !before.has(each));
    const removed = current.filter((each) => !after.has(each));
    if (added.length > 0) await requireMayAdmit(trx, caller, id);
    if (added.length + removed.length > 0) {
      await changeHandAdded(trx, id, { added, removed });
      await insertAuditEvents(trx, organizationId, teamEvent(principal, { verb: 'members_changed', id, data: { added, removed } }));
    }
    return await listTeamMembers(trx, organizationId, id);
  });
}

function requireMembers(ids: readonly string[], present: ReadonlySet<string>): void {
  const issues = ids.flatMap((id, index) => {
    const message = ids.indexOf(id) !== index ? 'is named twice' : present.has(id) ? undefined : 'is no member of the organization';
    return message === undefined ? [] : [{ pointer: `/membership_ids/${index}`, code: 'invalid_value', message }];
  });
  if (issues.length > 0) throw invalid(issues);
}

/**
 * Putting somebody, oneself too, into a team hands out what the team's policies grant: only who could grant them may.
 * Throws 403 `grant_exceeds_own` (details.grants: all that is beyond the caller), and as `requireMayGrant` for what is dangerous.
 */
async function requireMayAdmit(trx: Db, principal: MemberPrincipal, teamId: string): Promise<void> {
  const policies = await listPolicies(trx, principal.organizationId, { kind: 'team', id: teamId });
  const beyond = policies.flatMap((terms) => grantsBeyond(principal, terms));
  if (beyond.length > 0) throw new AppError('grant_exceeds_own', { details: { grants: beyond } });
  for (const terms of policies) requireMayGrant(principal, terms);
}
