/** What a pending invitation currently grants, and how a verified invitee joins. */
import type { Invitation } from '../../../domain/people/invitations.ts';
import { v7 } from 'uuid';
import { personOf, type AuditActor } from '../../../domain/audit/events.ts';
import { authorize } from '../../../domain/people/authorization.ts';
import { AppError } from '../../../domain/errors.ts';
import { grantsBeyond, type PolicyTerms } from '../../../domain/people/permission-policies.ts';
import { insertAuditEvents } from '../../../data/audit/events.ts';
import {
  acceptInvitation,
  findEmailStanding,
  findPendingInvitation,
} from '../../../data/people/invitations.ts';
import {
  endAccess,
  findMembershipOf,
  findMemberWithPolicies,
  insertMembership,
  restoreMembership,
} from '../../../data/people/memberships.ts';
import type { Trx } from '../../../platform/postgres.ts';
import { memberPrincipal } from '../../access/principals.ts';
import { addPolicies, whichAreLive } from '../permission-policies.ts';

/**
 * The pending invitation for this email, if there is one. Call it under the organization's lock.
 */
export async function findStandingInvitation(
  trx: Trx,
  organizationId: string,
  email: string,
): Promise<Invitation | undefined> {
  const invitation = await findPendingInvitation(trx, organizationId, email);
  if (!invitation || !(await isVouched(trx, invitation))) return undefined;
  const { isMember, isDirectoryManaged } = await findEmailStanding(trx, organizationId, email);
  return isMember || isDirectoryManaged ? undefined : invitation;
}

/** Whether the inviter is still an active member who may invite and holds what they grant. */
export async function isVouched(
  trx: Trx,
  { organizationId, invitedByMembershipId, policies }: Invitation,
): Promise<boolean> {
  const inviter = await findMemberWithPolicies(trx, organizationId, invitedByMembershipId);
  if (inviter?.membershipStatus !== 'active') return false;
  // An invitation can be made only from a session, so check as in one.
  const principal = memberPrincipal(inviter, {
    via: { kind: 'session', sessionId: '', isRecent: false },
    auth: { method: 'system', assurance: 'single_factor', authenticated_at: new Date(0) },
  });
  const holds = (terms: PolicyTerms) =>
    terms.isOwner ? principal.isOwner : grantsBeyond(principal, terms).length === 0;
  return (
    authorize(principal, 'membership.invite', { kind: 'organization' }).allowed &&
    policies.every(holds)
  );
}

/**
 * Makes the person a member by the invitation, under the organization's lock. Returns the
 * membership's id. Throws 404 when the invitation is no longer pending; 409 `member_exists`,
 * `directory_managed`.
 */
export async function joinByInvitation(
  trx: Trx,
  invitation: Invitation,
  { userId, displayName }: { readonly userId: string; readonly displayName: string },
): Promise<string> {
  const { id, organizationId } = invitation;
  const membershipId = await enterMembership(trx, organizationId, { userId, displayName });
  if (!(await acceptInvitation(trx, organizationId, { id, membershipId })))
    throw new AppError('not_found');
  const actor = personOf({ membershipId, displayName });
  const permission_policy_ids = await giveAccess(trx, invitation, { membershipId, actor });
  const data = { membership_id: membershipId, permission_policy_ids };
  await insertAuditEvents(trx, organizationId, {
    events: [{ eventType: 'invitation.accepted', actor, subjectId: id, data }],
  });
  return membershipId;
}

/** Creates a membership or restores the old one. Returns its id. */
async function enterMembership(
  trx: Trx,
  organizationId: string,
  { userId, displayName }: { readonly userId: string; readonly displayName: string },
): Promise<string> {
  const before = await findMembershipOf(trx, organizationId, userId);
  if (before && before.status !== 'deprovisioned') throw new AppError('member_exists');
  if (before?.directoryManaged) throw new AppError('directory_managed');
  const id = before?.id ?? v7();
  if (before) {
    await endAccess(trx, organizationId, id);
    await restoreMembership(trx, organizationId, { id, admissionSource: 'invite' });
  } else await insertMembership(trx, organizationId, { id, userId, admissionSource: 'invite' });
  const eventType = before ? 'membership.readmitted' : 'membership.created';
  await insertAuditEvents(trx, organizationId, {
    events: [
      {
        eventType,
        actor: personOf({ membershipId: id, displayName }),
        subjectId: id,
        data: { admission_source: 'invite' },
      },
    ],
  });
  return id;
}

/**
 * Creates the member's policies from the invitation, as grants of the inviter. Returns their ids.
 */
async function giveAccess(
  trx: Trx,
  { organizationId, policies, invitedByMembershipId }: Invitation,
  { membershipId, actor }: { membershipId: string; actor: AuditActor },
): Promise<readonly string[]> {
  const holder = { kind: 'membership', id: membershipId } as const;
  const terms = await withoutArchived(trx, organizationId, policies);
  return await addPolicies(trx, organizationId, {
    holder,
    terms,
    actor,
    grantedByActorId: invitedByMembershipId,
  });
}

/** Leaves out teams and agents archived since the invitation, and policies left without any. */
async function withoutArchived(
  trx: Trx,
  organizationId: string,
  policies: readonly PolicyTerms[],
): Promise<readonly PolicyTerms[]> {
  const isLive = await whichAreLive(trx, organizationId, policies);
  return policies
    .map((terms) => ({
      ...terms,
      resourceIds: terms.resourceIds.filter((id) => isLive(terms, id)),
    }))
    .filter(({ scopeKind, resourceIds }) => scopeKind === 'organization' || resourceIds.length > 0);
}
