/** Turns a member, as read beside a session or a key, into who is calling. */
import { AppError } from '../domain/errors.ts';
import {
  authorize,
  grantsFromPolicies,
  type AuthContext,
  type AuthorizationTarget,
  type MemberPrincipal,
} from '../domain/authorization.ts';
import type { Permission } from '../domain/permissions.ts';
import { findMemberWithPolicies, type MemberWithPolicies } from '../data/memberships.ts';
import { lockAccess } from '../data/organizations.ts';
import type { Db } from '../platform/postgres.ts';

/** 403 `membership_inactive` for a suspended or removed member. */
export function memberPrincipal(
  member: MemberWithPolicies,
  credential: { readonly via: MemberPrincipal['via']; readonly auth: AuthContext },
): MemberPrincipal {
  if (member.membershipStatus !== 'active') throw new AppError('membership_inactive');
  return principalOf(member, credential);
}

/** Who the member would be with the credential, whether or not he may use it now. */
export function principalOf(
  member: MemberWithPolicies,
  credential: { readonly via: MemberPrincipal['via']; readonly auth: AuthContext },
): MemberPrincipal {
  const isOwner = member.policies.some((policy) => policy.is_owner);
  return {
    kind: 'member',
    organizationId: member.organizationId,
    membershipId: member.membershipId,
    userId: member.userId,
    displayName: member.displayName,
    email: member.email,
    isOwner,
    requiresMfa: member.requiresMfa,
    grants: grantsFromPolicies(member.policies, isOwner),
    teamIds: member.teamIds,
    ...credential,
  };
}

/**
 * Locks the organization's access and answers who the caller is by now: what he held when the call came in may have been
 * taken from him while it waited. Throws 403 `membership_inactive`, and `permission_denied` for what he needs and lacks.
 */
export async function currentMember(
  trx: Db,
  principal: MemberPrincipal,
  needs?: { readonly permission: Permission; readonly target?: AuthorizationTarget },
): Promise<MemberPrincipal> {
  await lockAccess(trx, principal.organizationId);
  const member = await findMemberWithPolicies(trx, principal.organizationId, principal.membershipId);
  if (!member) throw new AppError('membership_inactive');
  const current = memberPrincipal(member, { via: principal.via, auth: principal.auth });
  if (needs) requirePermission(current, needs.permission, needs.target);
  return current;
}

/** Throws 403 `permission_denied` with its details. */
function requirePermission(
  principal: MemberPrincipal,
  permission: Permission,
  target: AuthorizationTarget = { kind: 'organization' },
): void {
  const verdict = authorize(principal, permission, target);
  if (!verdict.allowed) throw new AppError('permission_denied', { details: { ...verdict.forbidden } });
}
