/**
 * Reads the caller again in the transaction that acts, since their rights may have changed
 * meanwhile.
 */
import { lockRequest, type LockedRequest } from '../../data/requests/lock.ts';
import { holdAccess } from '../../data/organization/organizations.ts';
import {
  authorize,
  maySeeTarget,
  type MemberPrincipal,
  type ProductPrincipal,
} from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { Permission } from '../../domain/people/permissions.ts';
import type { Db } from '../../platform/postgres.ts';
import { currentMember } from '../people/member-principals.ts';

export interface Acting {
  readonly principal: MemberPrincipal;
  readonly locked: LockedRequest;
}

/**
 * Locks a request and the caller's access, and reads the caller again. Writers that change access
 * take the same locks in the same order, so the caller's rights hold until the commit. A session or
 * key can end at any time, so it is read last, after all waiting. Throws what `currentMember`
 * throws, and `not_found`.
 */
export async function lockForCaller(
  db: Db,
  caller: MemberPrincipal,
  requestId: string,
): Promise<Acting> {
  await holdAccess(db, caller.organizationId);
  const locked = await lockRequest(db, requestId);
  const principal = await currentMember(db, caller);
  if (locked?.request.organizationId !== principal.organizationId) throw new AppError('not_found');
  return { principal, locked };
}

/** Throws 403 `permission_denied` with its details, which name the agent only to a caller who may see it. */
export function requireForAgent(
  caller: ProductPrincipal,
  permission: Permission,
  agentSlug: string,
): void {
  const target = { kind: 'agent', slug: agentSlug } as const;
  const verdict = authorize(caller, permission, target);
  if (verdict.allowed) return;
  const { scope_id, ...unnamed } = verdict.forbidden;
  const details = maySeeTarget(caller, target) ? { ...unnamed, scope_id } : unnamed;
  throw new AppError('permission_denied', { details });
}
