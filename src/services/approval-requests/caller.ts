/** Who calls, once more in the transaction that acts: much can have been taken from him since the call came in. */
import { findMemberWithPolicies } from '../../data/memberships.ts';
import { holdAccess } from '../../data/organizations.ts';
import { authorize, type MemberPrincipal } from '../../domain/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { Permission } from '../../domain/permissions.ts';
import type { Db } from '../../platform/postgres.ts';
import { memberPrincipal } from '../member-principals.ts';

/**
 * The caller with what he holds by now, of which nothing is taken before the end of the transaction. Call it before a request
 * is locked: whoever removes him takes the two in this order as well. Throws 403 `membership_inactive`.
 */
export async function rereadCaller(db: Db, caller: MemberPrincipal): Promise<MemberPrincipal> {
  await holdAccess(db, caller.organizationId);
  const member = await findMemberWithPolicies(db, caller.organizationId, caller.membershipId);
  if (!member) throw new AppError('membership_inactive');
  return memberPrincipal(member, { via: caller.via, auth: caller.auth });
}

/** Throws 403 `permission_denied` with its details. */
export function requireForAgent(caller: MemberPrincipal, permission: Permission, agentSlug: string): void {
  const verdict = authorize(caller, permission, { kind: 'agent', slug: agentSlug });
  if (!verdict.allowed) throw new AppError('permission_denied', { details: { ...verdict.forbidden } });
}
