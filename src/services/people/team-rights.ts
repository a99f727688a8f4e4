/** What a caller must hold to change who has the grants of a team. */
import { listPolicies } from '../../data/people/permission-policies.ts';
import { grantsFromPolicies, type MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import {
  grantsBeyond,
  requireMayGrant,
  type PolicyTerms,
} from '../../domain/people/permission-policies.ts';
import type { Trx } from '../../platform/postgres.ts';

const ONLY_THROUGH_TEAM =
  'You hold these grants only through this team. Someone who holds them otherwise, such as an owner, can take people out of it.';

/**
 * Adding anyone to a team grants what the team's policies grant, so the caller must be able to
 * grant these policies. Throws 403 `grant_exceeds_own` (details.grants: all that the caller lacks),
 * and as `requireMayGrant` for dangerous permissions.
 */
export async function requireMayAdd(
  trx: Trx,
  caller: MemberPrincipal,
  teamId: string,
): Promise<void> {
  requireMayChange(caller, await policiesOf(trx, caller, teamId));
}

/**
 * Taking others out of a team revokes what the team grants. What the caller holds as a member of
 * this team does not count: members are equals, and none of them rules the others by it. Throws as
 * `requireMayAdd` does.
 */
export async function requireMayTakeOut(
  trx: Trx,
  caller: MemberPrincipal,
  teamId: string,
): Promise<void> {
  const policies = await policiesOf(trx, caller, teamId);
  requireMayChange(caller, policies);
  if (caller.teamIds.includes(teamId))
    requireMayChange(await outsideTeam(trx, caller, teamId), policies, ONLY_THROUGH_TEAM);
}

const policiesOf = (trx: Trx, { organizationId }: MemberPrincipal, id: string) =>
  listPolicies(trx, organizationId, { kind: 'team', id });

function requireMayChange(
  caller: MemberPrincipal,
  policies: readonly PolicyTerms[],
  detail?: string,
): void {
  const grants = policies.flatMap((terms) => grantsBeyond(caller, terms));
  if (grants.length > 0)
    throw new AppError('grant_exceeds_own', { ...(detail && { detail }), details: { grants } });
  for (const terms of policies) requireMayGrant(caller, terms);
}

/** The caller with the grants that they would have if they were not in the team. */
async function outsideTeam(
  trx: Trx,
  caller: MemberPrincipal,
  teamId: string,
): Promise<MemberPrincipal> {
  const { organizationId, membershipId, isOwner } = caller;
  const held = await listPolicies(trx, organizationId, { kind: 'membership', id: membershipId });
  const others = held
    .filter(({ viaTeamId }) => viaTeamId !== teamId)
    .map(({ scopeKind, resourceIds, permissions }) => ({
      scope_kind: scopeKind,
      resource_ids: resourceIds,
      permissions,
    }));
  return { ...caller, grants: grantsFromPolicies(others, isOwner) };
}
