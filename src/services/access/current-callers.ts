/**
 * Reads a caller again in the transaction that acts, since their rights or credential may have
 * ended after the call was admitted. Each function throws what the next call would get. A session or
 * key can end at any time, so the caller is read last, after all waiting for locks.
 *
 * | function                          | takes                                   | for                              |
 * | --------------------------------- | --------------------------------------- | -------------------------------- |
 * | `lockAccessAndRereadMember`       | access exclusively, with a new version  | changes of anyone's access       |
 * | `lockAccessSharedAndRereadMember` | access shared                           | a person's other changes         |
 * | `rereadCaller`                    | nothing: the transaction holds access   | changes that keys may make, too  |
 * | `rereadMember`                    | nothing: the rights may end at any time | reading, or after one of the above |
 *
 * While access is held, shared or not, rights cannot be withdrawn.
 */
import { lockAccess, lockAccessShared } from '../../data/organization/organizations.ts';
import { findApiKeyHolder } from '../../data/people/api-keys.ts';
import { findSlackLinkHolder } from '../../data/people/memberships.ts';
import { findOrganizationKeyHolder } from '../../data/people/organization-api-keys.ts';
import { findSessionHolder } from '../../data/sign-in/sessions.ts';
import {
  authorize,
  type AuthorizationTarget,
  type MemberPrincipal,
  type OrganizationKeyPrincipal,
  type ProductPrincipal,
  type SlackCredential,
} from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { Permission } from '../../domain/people/permissions.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import {
  apiKeyPrincipal,
  memberPrincipal,
  organizationKeyPrincipal,
  sessionPrincipal,
} from './principals.ts';

/** A permission at a target. */
export interface Needs {
  readonly permission: Permission;
  /** Default: the organization. */
  readonly target?: AuthorizationTarget;
}

/**
 * For changes of access. Throws what `rereadMember` throws, and 403 `permission_denied` when the
 * needed permission is gone.
 */
export async function lockAccessAndRereadMember(
  trx: Trx,
  caller: MemberPrincipal,
  needs?: Needs,
): Promise<MemberPrincipal> {
  await lockAccess(trx, caller.organizationId);
  return await rereadForSettings(trx, caller, needs);
}

/** For changes that leave everyone's access as it is. Throws as `lockAccessAndRereadMember` does. */
export async function lockAccessSharedAndRereadMember(
  trx: Trx,
  caller: MemberPrincipal,
  needs?: Needs,
): Promise<MemberPrincipal> {
  await lockAccessShared(trx, caller.organizationId);
  return await rereadForSettings(trx, caller, needs);
}

async function rereadForSettings(
  trx: Trx,
  caller: MemberPrincipal,
  needs: Needs | undefined,
): Promise<MemberPrincipal> {
  // Calls from Slack act on requests only.
  if (caller.via.kind === 'slack') throw new AppError('session_required');
  const current = await rereadMember(trx, caller);
  if (needs) requirePermission(current, needs);
  return current;
}

/**
 * A person or an organization key, and their permission. Call it after all locks, among them the
 * organization's (`lockAccessShared`), so that the rights hold until the commit.
 */
export async function rereadCaller(
  trx: Trx,
  caller: ProductPrincipal,
  needs: Needs,
): Promise<ProductPrincipal> {
  const current =
    caller.kind === 'member'
      ? await rereadMember(trx, caller)
      : await rereadOrganizationKey(trx, caller);
  requirePermission(current, needs);
  return current;
}

async function rereadOrganizationKey(
  trx: Trx,
  { keyId }: OrganizationKeyPrincipal,
): Promise<OrganizationKeyPrincipal> {
  const key = await findOrganizationKeyHolder(trx, keyId);
  if (!key?.valid) throw new AppError('authentication_required');
  return organizationKeyPrincipal(key);
}

/** In one statement. Throws 401 when the session, key or link has ended. */
export async function rereadMember(db: Db, caller: MemberPrincipal): Promise<MemberPrincipal> {
  const { via } = caller;
  switch (via.kind) {
    case 'session':
      return await bySession(db, via.sessionId);
    case 'api_key':
      return await byApiKey(db, via.keyId);
    case 'slack':
      return await bySlackLink(db, caller, via);
  }
}

async function bySession(db: Db, sessionId: string): Promise<MemberPrincipal> {
  const session = await findSessionHolder(db, sessionId);
  if (!session?.valid) throw new AppError('authentication_required');
  return sessionPrincipal(session);
}

async function byApiKey(db: Db, keyId: string): Promise<MemberPrincipal> {
  const key = await findApiKeyHolder(db, keyId);
  if (!key?.valid) throw new AppError('authentication_required');
  return apiKeyPrincipal(key);
}

async function bySlackLink(
  db: Db,
  { organizationId, membershipId, auth }: MemberPrincipal,
  via: SlackCredential,
): Promise<MemberPrincipal> {
  const { slackUserId } = via;
  const holder = await findSlackLinkHolder(db, organizationId, { membershipId, slackUserId });
  if (!holder) throw new AppError('authentication_required');
  return memberPrincipal(holder, { via, auth });
}

/** Throws 403 `permission_denied` with its details. */
export function requirePermission(
  principal: ProductPrincipal,
  { permission, target = { kind: 'organization' } }: Needs,
): void {
  const verdict = authorize(principal, permission, target);
  if (!verdict.allowed)
    throw new AppError('permission_denied', { details: { ...verdict.forbidden } });
}
