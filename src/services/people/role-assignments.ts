/** What members and teams hold, one entry for each policy and scope. */
import type { HeldAssignment } from '../../domain/people/role-assignments.ts';
import { v5 } from 'uuid';
import { grantsFromPolicies } from '../../domain/people/authorization.ts';
import {
  isPermission,
  isServedBy,
  type Permission,
  type Edition,
  type ScopeKind,
} from '../../domain/people/permissions.ts';

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

/** An organization, and the edition that serves it. */
export interface ServedOrganization {
  readonly organizationId: string;
  readonly edition: Edition;
}

/** Each member or team with the assignments it holds, among those `held`. */
export function withAssignments<
  P extends { readonly id: string; readonly organizationName: string },
>(
  principals: readonly P[],
  held: readonly HeldAssignment[],
  edition: Edition,
): (P & { readonly assignments: readonly RoleAssignment[] })[] {
  const heldBy = new Map<string, HeldAssignment[]>(principals.map(({ id }) => [id, []]));
  for (const assignment of held) heldBy.get(assignment.principalId)?.push(assignment);
  return principals.map((principal) => ({
    ...principal,
    assignments: (heldBy.get(principal.id) ?? []).map((assignment) =>
      roleAssignment(assignment, { organizationName: principal.organizationName, edition }),
    ),
  }));
}

/** Names only permissions that the edition serves. */
export function roleAssignment(
  row: HeldAssignment,
  { organizationName, edition }: { organizationName: string; edition: Edition },
): RoleAssignment {
  const { scopeId, grantedByActorId, viaTeamId, viaTeamName } = row;
  const held = row.isOwner ? ownerPermissions : row.permissions.filter(isPermission).sort();
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
    permissions: held.filter((key) => isServedBy(edition, key)),
    isOwner: row.isOwner,
  };
}

const ownerPermissions = grantsFromPolicies([], true).map((grant) => grant.permission);
