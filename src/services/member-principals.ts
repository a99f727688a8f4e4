/** Turns a member, as read beside a session or a key, into who is calling. */
import { AppError } from '../domain/errors.ts';
import { grantsFromPolicies, type AuthContext, type MemberPrincipal } from '../domain/authorization.ts';
import type { MemberWithPolicies } from '../data/memberships.ts';

/** 403 `membership_inactive` for a suspended or removed member. */
export function memberPrincipal(
  member: MemberWithPolicies,
  credential: { readonly via: MemberPrincipal['via']; readonly auth: AuthContext },
): MemberPrincipal {
  if (member.membershipStatus !== 'active') throw new AppError('membership_inactive');
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
