/** Permission policies: what a member may do, and where. */
import type { ScopeKind } from '../domain/permissions.ts';
import type { Db } from '../platform/postgres.ts';

/** A policy as authorization needs it: read in one piece with the member, see `MEMBER_COLUMNS`. */
export interface HeldPolicy {
  readonly scope_kind: ScopeKind;
  readonly resource_ids: readonly string[];
  readonly permissions: readonly string[];
  readonly is_owner: boolean;
}

/** SQL for policies as one jsonb array of HeldPolicy. */
const heldPolicies = (source: string): string => `
  (select coalesce(jsonb_agg(jsonb_build_object('scope_kind', p.scope_kind, 'resource_ids', p.resource_ids,
                                                'permissions', p.permissions, 'is_owner', p.is_owner)), '[]')
     from ${source})`;

/** SQL for the policies of the membership `m` and of its live teams as one jsonb array of HeldPolicy. */
export const HELD_POLICIES = heldPolicies('held_policies p where p.membership_id = m.id');

/** SQL for the policies of the organization key `k` as one jsonb array of HeldPolicy. */
export const KEY_POLICIES = heldPolicies('permission_policies p where p.api_key_id = k.id');

export interface NewPermissionPolicy {
  readonly id: string;
  readonly membershipId: string;
  readonly scopeKind: ScopeKind;
  readonly resourceIds: readonly string[];
  readonly permissions: readonly string[];
  readonly isOwner: boolean;
  /** Absent for the first owner, whom nobody granted anything. */
  readonly grantedByActorId?: string;
}

export async function insertPermissionPolicy(db: Db, organizationId: string, policy: NewPermissionPolicy): Promise<void> {
  await db('permission_policies').insert({
    id: policy.id,
    organization_id: organizationId,
    membership_id: policy.membershipId,
    scope_kind: policy.scopeKind,
    resource_ids: policy.resourceIds,
    permissions: policy.permissions,
    is_owner: policy.isOwner,
    granted_by_actor_id: policy.grantedByActorId ?? null,
    created_at: db.raw('clock_timestamp()'),
  });
}
