/** Who is calling: the principal, the person, the organization and where the permissions come from. */
import { v5 } from 'uuid';
import { authorize, effectiveGrants, effectivePermissions, grantsFromPolicies, type MemberPrincipal } from '../domain/authorization.ts';
import { isPermission, type Grant, type Permission, type ScopeKind } from '../domain/permissions.ts';
import { findMemberAccount } from '../data/memberships.ts';
import { listAssignments, type AssignmentRow } from '../data/permission-policies.ts';
import type { ServiceContext } from './context.ts';

/** One policy of the member at one scope. */
export interface RoleAssignment {
  readonly id: string;
  readonly policyId: string;
  readonly scopeKind: ScopeKind;
  readonly scopeId?: string;
  readonly scopeName?: string;
  readonly source: 'manual' | 'directory';
  readonly grantedByActorId?: string;
  readonly createdAt: Date;
  readonly permissions: readonly Permission[];
  readonly isOwner: boolean;
}

export interface Account {
  readonly principal: MemberPrincipal;
  /** What the presented credential can use. */
  readonly permissions: readonly Permission[];
  readonly grants: readonly Grant[];
  readonly hasPassword: boolean;
  readonly organizationName: string;
  readonly organizationSlug: string;
  readonly assignments: readonly RoleAssignment[];
  readonly onboardingRequired: boolean;
  readonly onboardingCompletedAt: Date | null;
}

export async function readAccount(context: ServiceContext, principal: MemberPrincipal): Promise<Account> {
  const { organizationId, membershipId } = principal;
  const [account, assignments] = await Promise.all([
    findMemberAccount(context.db, organizationId, membershipId),
    listAssignments(context.db, organizationId, membershipId),
  ]);
  const canSetUp = authorize(principal, 'organization.settings.write', { kind: 'organization' }).allowed;
  return {
    ...account,
    principal,
    permissions: effectivePermissions(principal),
    grants: effectiveGrants(principal),
    assignments: assignments.map((row) => roleAssignment(row, account.organizationName)),
    onboardingRequired: account.onboardingCompletedAt === null && canSetUp,
  };
}

function roleAssignment(row: AssignmentRow, organizationName: string): RoleAssignment {
  const { scopeId, grantedByActorId } = row;
  const scopeName = row.scopeKind === 'organization' ? organizationName : row.agentName;
  return {
    // One policy for several agents shows as several assignments: each has an id of its own that never changes.
    id: v5(`${row.scopeKind}:${scopeId ?? ''}`, row.policyId),
    policyId: row.policyId,
    scopeKind: row.scopeKind,
    ...(scopeId !== null && { scopeId }),
    ...(scopeName !== null && { scopeName }),
    source: row.source,
    ...(grantedByActorId !== null && { grantedByActorId }),
    createdAt: row.createdAt,
    permissions: row.isOwner ? ownerPermissions : row.permissions.filter(isPermission).sort(),
    isOwner: row.isOwner,
  };
}

const ownerPermissions = grantsFromPolicies([], true).map((grant) => grant.permission);
