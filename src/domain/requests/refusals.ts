/** Why a call that acts on a request is refused. `abilitiesOf` says beforehand what it will be. */
import { AppError } from '../errors.ts';
import type { MemberPrincipal } from '../people/authorization.ts';
import { requireForAgent } from './agent-permission.ts';
import type { ApprovalRequest, Claim, RequestState } from './approval-requests.ts';
import {
  refusedByRights,
  refusedByState,
  type Audience,
  type RequestAct,
} from './request-access.ts';

interface Acting {
  readonly principal: MemberPrincipal;
  readonly request: ApprovalRequest;
}

/** Throws `permission_denied` with its details, `mfa_required` and `request_not_routed`. */
export function requireRights(
  act: RequestAct,
  acting: Acting & { readonly audience: Audience },
): void {
  const refusal = refusedByRights(act, acting);
  if (!refusal) return;
  if (refusal.reason === 'permission_denied')
    requireForAgent(acting.principal, refusal.permission, acting.request.agentSlug);
  throw new AppError(refusal.reason);
}

/**
 * Throws `request_evaluating`, `already_terminal` for a decision and `request_not_pending` for other
 * acts (details.status), and `claim_held` with its holder.
 */
export function requireState(act: RequestAct, { principal, request }: Acting): void {
  const { state, claim } = request;
  switch (refusedByState(act, { principal, request })) {
    case 'request_evaluating':
      throw new AppError('request_evaluating');
    case 'already_terminal':
      throw act === 'decide' ? alreadyTerminal(state) : notPending(state);
    case 'claim_held':
      throw new AppError('claim_held', claim && { details: holderOf(claim) });
    case undefined:
  }
}

export function holderOf({ membershipId, displayName, expiresAt }: Claim) {
  return { membership_id: membershipId, display_name: displayName, expires_at: expiresAt };
}

export function notPending(status: RequestState): AppError {
  return new AppError('request_not_pending', { details: { status } });
}

export function alreadyTerminal(status: RequestState): AppError {
  return new AppError('already_terminal', { details: { status } });
}
