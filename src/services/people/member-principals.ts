/** Builds the principal of a member from the row read with a session or key. */
import { AppError } from '../../domain/errors.ts';
import {
  authorize,
  grantsFromPolicies,
  type AuthContext,
  type AuthorizationTarget,
  type MemberPrincipal,
  type ProductPrincipal,
  type SlackCredential,
} from '../../domain/people/authorization.ts';
import { isPermission, type Permission } from '../../domain/people/permissions.ts';
import { findApiKeyHolder, type ApiKeyHolder } from '../../data/people/api-keys.ts';
import { findSlackLinkHolder, type MemberWithPolicies } from '../../data/people/memberships.ts';
import { lockOrganization } from '../../data/organization/organizations.ts';
import { findSessionHolder, type SessionHolder } from '../../data/sign-in/sessions.ts';
import type { Db } from '../../platform/postgres.ts';

/** 403 `membership_inactive` for a suspended or removed member. */
export function memberPrincipal(
  member: MemberWithPolicies,
  credential: { readonly via: MemberPrincipal['via']; readonly auth: AuthContext },
): MemberPrincipal {
  if (member.membershipStatus !== 'active') throw new AppError('membership_inactive');
  return principalOf(member, credential);
}

/**
 * The principal that the member would have with this credential, whether or not it may be used now.
 */
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
    accessVersion: member.accessVersion,
    grants: grantsFromPolicies(member.policies, isOwner),
    teamIds: member.teamIds,
    ...credential,
  };
}

/** The member behind a live session. 403 `membership_inactive`. */
export function sessionPrincipal(session: SessionHolder): MemberPrincipal {
  const { sessionId, isRecent, method, assurance, authenticatedAt } = session;
  return memberPrincipal(session, {
    via: { kind: 'session', sessionId, isRecent },
    auth: { method, assurance, authenticated_at: authenticatedAt, session_id: sessionId },
  });
}

/** The member behind a live personal key. 403 `membership_inactive`, `api_keys_disabled`. */
export function apiKeyPrincipal(key: ApiKeyHolder): MemberPrincipal {
  const principal = memberPrincipal(key, {
    via: {
      kind: 'api_key',
      keyId: key.keyId,
      scopedTo: key.permissions?.filter(isPermission) ?? null,
    },
    auth: apiKeyAuth(key.assurance, key.createdAt),
  });
  if (!key.personalApiKeysAllowed) throw new AppError('api_keys_disabled');
  return principal;
}

/** A key has the assurance of the session that created it. */
export function apiKeyAuth(assurance: AuthContext['assurance'], createdAt: Date): AuthContext {
  return { method: 'api_key', assurance, authenticated_at: createdAt };
}

/** A permission at a target. */
export interface Needs {
  readonly permission: Permission;
  /** Default: the organization. */
  readonly target?: AuthorizationTarget;
}

/**
 * Locks the organization's access and reads the caller again, as `currentMember` does. Throws what
 * that throws, and 403 `permission_denied` when the needed permission is gone.
 */
export async function lockCurrentMember(
  trx: Db,
  caller: MemberPrincipal,
  needs?: Needs,
): Promise<MemberPrincipal> {
  await lockOrganization(trx, caller.organizationId);
  // Slack calls never change access.
  if (caller.via.kind === 'slack') throw new AppError('session_required');
  const current = await currentMember(trx, caller);
  if (needs) requirePermission(current, needs);
  return current;
}

/**
 * Reads the caller again in one statement: their rights or credential may have changed while the
 * call waited. Throws 401 when the session, key or link has ended, else what the next call would
 * get.
 */
export async function currentMember(db: Db, caller: MemberPrincipal): Promise<MemberPrincipal> {
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

async function bySession(trx: Db, sessionId: string): Promise<MemberPrincipal> {
  const session = await findSessionHolder(trx, sessionId);
  if (!session?.valid) throw new AppError('authentication_required');
  return sessionPrincipal(session);
}

async function byApiKey(trx: Db, keyId: string): Promise<MemberPrincipal> {
  const key = await findApiKeyHolder(trx, keyId);
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
