/** Claims: a reviewer marks a request as theirs, which pauses notifications; others can still decide. */
import { v7 } from 'uuid';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import type { Claim } from '../../domain/requests/approval-requests.ts';
import { planClaim, planRelease } from '../../domain/requests/engine/claim.ts';
import type { ServiceContext } from '../context.ts';
import { announceChange } from '../engine/announce.ts';
import { changeRequest } from '../engine/change.ts';
import { outcomeOf } from '../engine/drive.ts';

/**
 * A new claim, or the one the caller already holds. Throws `not_found`, 403 `membership_inactive`,
 * `permission_denied`, `request_not_routed`, 409 `request_evaluating`, `request_not_pending`
 * (details.status) and `claim_held`. A claim is not a decision, so it does not require a second factor.
 */
export async function claimRequest(
  context: ServiceContext,
  caller: MemberPrincipal,
  id: string,
): Promise<Claim> {
  const claimId = v7();
  const changed = await changeRequest(context, {
    id,
    caller,
    need: { texts: true },
    plan: ({ view, path, caller: principal, decisionId }) =>
      planClaim(view, { principal, path, claimId, decisionId }),
  });
  announceChange(context, changed, 'claim');
  return outcomeOf(changed);
}

/**
 * Throws `not_found` without a live claim, 403 `membership_inactive`, `permission_denied`,
 * `request_not_routed`, `not_claim_holder`.
 */
export async function releaseRequest(
  context: ServiceContext,
  caller: MemberPrincipal,
  id: string,
): Promise<void> {
  const changed = await changeRequest(context, {
    id,
    caller,
    need: { texts: true, people: { pathKeys: [], cap: context.limits.pendingRequests } },
    plan: ({ view, path, caller: principal, decisionId }) =>
      planRelease(view, { principal, path, decisionId }),
  });
  announceChange(context, changed, 'claim');
  outcomeOf(changed);
}
