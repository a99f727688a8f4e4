/** The members of an organization: list, suspend, reactivate and remove them. */
import type { MemberPosition, MemberSummary } from '../../domain/people/memberships.ts';
import { actorOf, type NewAuditEvent } from '../../domain/audit/events.ts';
import type { MemberPrincipal, ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { requireRecentAuthentication } from '../../domain/people/recent-authentication.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import {
  endAccess,
  findMember,
  listMembers as readMembers,
  setMembershipStatus,
  type MemberPage,
} from '../../data/people/memberships.ts';
import { listMemberAssignments } from '../../data/people/role-assignments.ts';
import { wakeUnreachable } from '../../data/requests/unreachable.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { announceDue } from '../engine/announce.ts';
import type { Effects } from '../../domain/requests/engine/effects.ts';
import { announceCommitted, releaseClaimsOf } from '../engine/change-all.ts';
import type { ServiceContext } from '../context.ts';
import { lockAccessAndRereadMember } from '../access/current-callers.ts';
import { readPage } from '../pages.ts';
import { findEscalationUses, presentUses } from './member-uses.ts';
import { requireActiveOwner } from './permission-policies.ts';
import {
  withAssignments,
  type RoleAssignment,
  type ServedOrganization,
} from './role-assignments.ts';

export interface Member extends MemberSummary {
  /** Own and inherited through teams. */
  readonly assignments: readonly RoleAssignment[];
}

export interface MemberList {
  readonly members: readonly Member[];
  /** The start of the next page; absent on the last one. */
  readonly next?: MemberPosition;
}

async function toMembers(
  db: Db,
  { organizationId, edition }: ServedOrganization,
  rows: readonly MemberSummary[],
): Promise<Member[]> {
  const ids = rows.map((row) => row.id);
  return withAssignments(rows, await listMemberAssignments(db, organizationId, ids), edition);
}

/** One page of members, in the order of `listMembers` in the data layer. */
export async function listMembers(
  { db, edition }: ServiceContext,
  { organizationId }: ProductPrincipal,
  page: MemberPage,
): Promise<MemberList> {
  const { items, last } = await readPage(page.limit, (limit) =>
    readMembers(db, organizationId, { ...page, limit }),
  );
  const members = await toMembers(db, { organizationId, edition }, items);
  return { members, ...(last && { next: { status: last.status, id: last.id } }) };
}

/** Throws 404. */
export async function getMember(
  { db, edition }: ServiceContext,
  { organizationId }: ProductPrincipal,
  id: string,
): Promise<Member> {
  return await readMember(db, { organizationId, edition }, id);
}

async function readMember(db: Db, of: ServedOrganization, id: string): Promise<Member> {
  const row = await findMember(db, of.organizationId, id);
  const [member] = row ? await toMembers(db, of, [row]) : [];
  if (!member) throw new AppError('not_found');
  return member;
}

interface StatusChange {
  readonly id: string;
  /** Proceed although escalation paths and policies still target the member. */
  readonly force: boolean;
}

/**
 * The member, when the caller may change their status. The first applicable error is thrown: 404,
 * 403 `self_change`, 403 `owner_required`, for an owner what `requireRecentAuthentication` throws,
 * 409 `membership_removed` unless the new status is removed.
 */
async function requireChangeable(
  trx: Trx,
  caller: MemberPrincipal,
  { id, removal }: { id: string; removal: boolean },
): Promise<MemberSummary> {
  const member = await findMember(trx, caller.organizationId, id);
  if (!member) throw new AppError('not_found');
  if (member.id === caller.membershipId) throw new AppError('self_change');
  if (member.isOwner && !caller.isOwner) throw new AppError('owner_required');
  // As for granting ownership: a key or an old session must not decide who the owners are.
  if (member.isOwner) requireRecentAuthentication(caller);
  if (member.status === 'deprovisioned' && !removal) throw new AppError('membership_removed');
  return member;
}

/**
 * Throws 409 `directory_managed`, or `membership_in_escalation_path` unless forced; returns what
 * still targets the member.
 */
async function requireReleased(
  trx: Trx,
  member: MemberSummary,
  force: boolean,
): Promise<ReturnType<typeof presentUses>> {
  if (member.directoryManaged) throw new AppError('directory_managed');
  const uses = await findEscalationUses(trx, member.organizationId, member.id);
  const used = uses.escalationPaths.length + uses.teamEscalationPolicies.length > 0;
  if (used && !force)
    throw new AppError('membership_in_escalation_path', { details: presentUses(uses) });
  return presentUses(uses);
}

async function changed(
  trx: Trx,
  caller: MemberPrincipal,
  event: Omit<NewAuditEvent, 'actor'>,
): Promise<void> {
  await insertAuditEvents(trx, caller.organizationId, {
    events: [{ ...event, actor: actorOf(caller) }],
  });
}

/**
 * Suspends or reactivates a member. Setting the current status again writes nothing. Throws what
 * `requireChangeable` does, then 409 `directory_managed`, `last_owner` and, on suspending,
 * `membership_in_escalation_path`.
 */
export async function changeMemberStatus(
  context: ServiceContext,
  principal: MemberPrincipal,
  { id, status, force }: StatusChange & { readonly status: 'active' | 'suspended' },
): Promise<Member> {
  const { organizationId } = principal;
  const { edition } = context;
  const { changedMember, left } = await context.db.transaction(async (trx) => {
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'membership.write',
    });
    const member = await requireChangeable(trx, caller, { id, removal: false });
    const suspends = member.status !== status && status === 'suspended';
    const requests = suspends ? await suspend(trx, caller, { member, force }) : NONE;
    if (member.status !== status && status === 'active') await reactivate(trx, caller, member);
    const changedMember = await readMember(trx, { organizationId, edition }, id);
    return { changedMember, left: requests };
  });
  announceLeft(context, left);
  return changedMember;
}

/** Requests that no longer wait for this member: their claims ended, and their steps became due. */
interface LeftRequests {
  readonly released: readonly Effects[];
  readonly due: readonly string[];
}

const NONE: LeftRequests = { released: [], due: [] };

function announceLeft(context: ServiceContext, { released, due }: LeftRequests): void {
  announceCommitted(context, released);
  const told = new Set(released.map(({ request }) => request.id));
  announceDue(
    context,
    due.filter((id) => !told.has(id)),
  );
}

/**
 * Grants stay, so that reactivation restores them. Sessions and keys are refused while the member
 * is suspended.
 */
async function suspend(
  trx: Trx,
  caller: MemberPrincipal,
  { member, force }: { member: MemberSummary; force: boolean },
): Promise<LeftRequests> {
  const left_behind = await requireReleased(trx, member, force);
  await setMembershipStatus(trx, member.organizationId, { id: member.id, status: 'suspended' });
  if (member.isOwner) await requireActiveOwner(trx, member.organizationId);
  await changed(trx, caller, {
    eventType: 'membership.suspended',
    subjectId: member.id,
    data: { left_behind },
  });
  return await waitNoLonger(trx, caller, { member, reason: 'membership_suspended' });
}

/** No request waits for them any longer. */
async function waitNoLonger(
  trx: Trx,
  caller: MemberPrincipal,
  { member, reason }: { member: MemberSummary; reason: string },
): Promise<LeftRequests> {
  const { id: membershipId, organizationId } = member;
  // First, since it also locks the rows of their claims, always in the same order.
  const due = await wakeUnreachable(trx, organizationId, [membershipId]);
  return {
    released: await releaseClaimsOf(trx, {
      organizationId,
      membershipId,
      actor: actorOf(caller),
      reason,
    }),
    due,
  };
}

async function reactivate(trx: Trx, caller: MemberPrincipal, member: MemberSummary): Promise<void> {
  if (member.directoryManaged) throw new AppError('directory_managed');
  await setMembershipStatus(trx, member.organizationId, { id: member.id, status: 'active' });
  await changed(trx, caller, { eventType: 'membership.reactivated', subjectId: member.id });
}

/**
 * Removes a member and deletes their policies, team memberships, sessions and personal keys; the
 * record stays. A member removed before is not an error. Throws as `changeMemberStatus` does.
 */
export async function removeMember(
  context: ServiceContext,
  principal: MemberPrincipal,
  { id, force }: StatusChange,
): Promise<void> {
  const left = await context.db.transaction(async (trx) => {
    const caller = await lockAccessAndRereadMember(trx, principal, {
      permission: 'membership.write',
    });
    const member = await requireChangeable(trx, caller, { id, removal: true });
    if (member.status === 'deprovisioned') return NONE;
    const left_behind = await requireReleased(trx, member, force);
    await setMembershipStatus(trx, member.organizationId, { id, status: 'deprovisioned' });
    const ended = await endAccess(trx, member.organizationId, id);
    if (member.isOwner) await requireActiveOwner(trx, member.organizationId);
    const data = {
      left_behind,
      deleted_permission_policies: [...ended.permissionPolicyIds],
      left_teams: [...ended.teamIds],
      revoked_sessions: [...ended.sessionIds],
      revoked_api_keys: [...ended.apiKeyIds],
    };
    await changed(trx, caller, { eventType: 'membership.deprovisioned', subjectId: id, data });
    return await waitNoLonger(trx, caller, { member, reason: 'membership_removed' });
  });
  announceLeft(context, left);
}
