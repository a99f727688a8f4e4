/** Who is calling: the principal, the person, the organization and where the permissions come from. */
import { v5 } from 'uuid';
import { authorize, effectiveGrants, effectivePermissions, grantsFromPolicies } from '../domain/authorization.ts';
import type { AuthContext, MemberPrincipal } from '../domain/authorization.ts';
import { isPermission, type Grant, type Permission, type ScopeKind } from '../domain/permissions.ts';
import { findMemberAccount } from '../data/memberships.ts';
import { listAssignments, type AssignmentRow } from '../data/permission-policies.ts';
import type { ServiceContext } from './context.ts';

/** One policy at one scope, as the wire shows it. */
export interface RoleAssignment {
  readonly id: string;
  readonly organization_id: string;
  readonly principal_kind: 'membership' | 'team' | 'agent';
  readonly principal_id: string;
  readonly scope_kind: ScopeKind;
  readonly scope_id?: string;
  readonly scope_name?: string;
  readonly source: 'manual' | 'directory';
  readonly granted_by_actor_id?: string;
  readonly created_at: Date;
  readonly permissions: readonly Permission[];
  readonly is_owner: boolean;
  readonly permission_policy_id: string;
}

/** The answer of GET /me, as the wire shows it. */
export interface Account {
  readonly principal: {
    readonly actor_type: 'human';
    readonly actor_id: string;
    readonly organization_id: string;
    readonly membership_id: string;
    readonly permissions: readonly Permission[];
    readonly grants: readonly Grant[];
    readonly team_ids: readonly string[];
    readonly auth: AuthContext;
  };
  readonly user: { readonly display_name: string; readonly email: string; readonly has_password: boolean };
  readonly organization: { readonly name: string; readonly slug: string };
  readonly assignments: readonly RoleAssignment[];
  readonly onboarding: { readonly required: boolean; readonly completed_at: Date | null };
}

export async function readAccount(context: ServiceContext, principal: MemberPrincipal): Promise<Account> {
  const { organizationId, membershipId } = principal;
  const [account, assignments] = await Promise.all([
    findMemberAccount(context.db, organizationId, membershipId),
    listAssignments(context.db, organizationId, membershipId),
  ]);
  const canSetUp = authorize(principal, 'organization.settings.write', { kind: 'organization' }).allowed;
  return {
    principal: {
      actor_type: 'human',
      actor_id: membershipId,
      organization_id: organizationId,
      membership_id: membershipId,
      permissions: effectivePermissions(principal),
      grants: effectiveGrants(principal),
      team_ids: principal.teamIds,
      auth: principal.auth,
    },
    user: { display_name: principal.displayName, email: principal.email, has_password: account.hasPassword },
    organization: { name: account.organizationName, slug: account.organizationSlug },
    assignments: assignments.map((row) => roleAssignment(principal, row, account.organizationName)),
    onboarding: {
      required: account.onboardingCompletedAt === null && canSetUp,
      completed_at: account.onboardingCompletedAt,
    },
  };
}

function roleAssignment(principal: MemberPrincipal, row: AssignmentRow, organizationName: string): RoleAssignment {
  const scopeName = row.scopeKind === 'organization' ? organizationName : row.agentName;
  return {
    // One policy for several agents shows as several assignments: each has an id of its own that never changes.
    id: v5(`${row.scopeKind}:${row.scopeId ?? ''}`, row.policyId),
    organization_id: principal.organizationId,
    principal_kind: 'membership',
    principal_id: principal.membershipId,
    scope_kind: row.scopeKind,
    ...(row.scopeId !== null && { scope_id: row.scopeId }),
    ...(scopeName !== null && { scope_name: scopeName }),
    source: row.source,
    ...(row.grantedByActorId !== null && { granted_by_actor_id: row.grantedByActorId }),
    created_at: row.createdAt,
    permissions: row.isOwner ? ownerPermissions : row.permissions.filter(isPermission).sort(),
    is_owner: row.isOwner,
    permission_policy_id: row.policyId,
  };
}

const ownerPermissions = grantsFromPolicies([], true).map((grant) => grant.permission);
