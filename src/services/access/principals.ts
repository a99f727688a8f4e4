/** Builds principals from the rows read with a session or key. */
import { AppError } from '../../domain/errors.ts';
import {
  grantsFromPolicies,
  type AuthContext,
  type MemberPrincipal,
  type OrganizationKeyPrincipal,
} from '../../domain/people/authorization.ts';
import { isPermission } from '../../domain/people/permissions.ts';
import type { ApiKeyHolder } from '../../data/people/api-keys.ts';
import type { MemberWithPolicies } from '../../data/people/memberships.ts';
import type { OrganizationKeyHolder } from '../../data/people/organization-api-keys.ts';
import type { SessionHolder } from '../../data/sign-in/sessions.ts';

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

/** The member of a live session. 403 `membership_inactive`. */
export function sessionPrincipal(session: SessionHolder): MemberPrincipal {
  const { sessionId, isRecent, method, assurance, authenticatedAt } = session;
  return memberPrincipal(session, {
    via: { kind: 'session', sessionId, isRecent },
    auth: { method, assurance, authenticated_at: authenticatedAt, session_id: sessionId },
  });
}

/** The member of a live personal key. 403 `membership_inactive`, `api_keys_disabled`. */
export function apiKeyPrincipal(key: ApiKeyHolder): MemberPrincipal {
  const principal = memberPrincipal(key, {
    via: {
      kind: 'api_key',
      keyId: key.keyId,
      scopedTo: key.permissions?.filter(isPermission) ?? null,
      ...(key.resource !== null && { boundTo: key.resource }),
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

/** The integration of a live organization key. */
export function organizationKeyPrincipal(key: OrganizationKeyHolder): OrganizationKeyPrincipal {
  const { organizationId, keyId, name } = key;
  return {
    kind: 'organization_key',
    organizationId,
    keyId,
    name,
    grants: grantsFromPolicies(key.policies, false),
    auth: apiKeyAuth(key.assurance, key.createdAt),
  };
}
