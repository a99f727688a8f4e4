/** What members and teams hold, one entry for each policy and scope. */
import type { HeldAssignment } from '../../domain/people/role-assignments.ts';
import { v5 } from 'uuid';
import { grantsFromPolicies } from '../../domain/people/authorization.ts';
import { isPermission, type Permission, type ScopeKind } from '../../domain/people/permissions.ts';

/** One policy of a member or a team at one scope. */
export interface RoleAssignment {
  readonly id: string;
  /** The membership or the team. */
  readonly principalId: string;
  readonly policyId: string;
  readonly scopeKind: ScopeKind;
  readonly scopeId?: string;
  readonly scopeName?: string;
  readonly source: 'manual' | 'directory';
  readonly grantedByActorId?: string;
  /** The team that a member inherits it through. */
  readonly via?: { readonly teamId: string; readonly teamName: string };
  readonly createdAt: Date;
  readonly permissions: readonly Permission[];
  readonly isOwner: boolean;
}

export function roleAssignment(row: HeldAssignment, organizationName: string): RoleAssignment {
  const { scopeId, grantedByActorId, viaTeamId, viaTeamName } = row;
  const holder = viaTeamId === null ? '' : `${row.principalId}:`;
  const scopeName = row.scopeKind === 'organization' ? organizationName : row.scopeName;
  return {
    // A policy for several agents, or inherited by several members, shows as several assignments: each has an id of its
    // own that never changes.
    id: v5(`${holder}${row.scopeKind}:${scopeId ?? ''}`, row.policyId),
    principalId: row.principalId,
    policyId: row.policyId,
    scopeKind: row.scopeKind,
    ...(scopeId !== null && { scopeId }),
    ...(scopeName !== null && { scopeName }),
    source: row.source,
    ...(grantedByActorId !== null && { grantedByActorId }),
    ...(viaTeamId !== null && { via: { teamId: viaTeamId, teamName: viaTeamName ?? '' } }),
    createdAt: row.createdAt,
    permissions: row.isOwner ? ownerPermissions : row.permissions.filter(isPermission).sort(),
    isOwner: row.isOwner,
  };
}

const ownerPermissions = grantsFromPolicies([], true).map((grant) => grant.permission);
