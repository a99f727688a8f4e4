/** The refusals of calls that act on a request. `abilitiesOf` of the domain says beforehand what they will be. */
import type { ApprovalRequest, Claim } from '../../domain/requests/approval-requests.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import {
  refusedByRights,
  refusedByState,
  type Audience,
  type RequestAct,
} from '../../domain/requests/request-access.ts';
import type { ServiceContext } from '../context.ts';
import { requireForAgent } from './agent-permission.ts';
import { announceDecided } from './announce.ts';

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
      throw act === 'decide'
        ? new AppError('already_terminal', { details: { status: state } })
        : notPending(state);
    case 'claim_held':
      throw new AppError('claim_held', claim && { details: holderOf(claim) });
    case undefined:
  }
}

export function holderOf({ membershipId, displayName, expiresAt }: Claim) {
  return { membership_id: membershipId, display_name: displayName, expires_at: expiresAt };
}

/**
 * The deadline passed before the call: announces the expiry and answers the error for the caller.
 */
export function tooLate(context: ServiceContext, expired: ApprovalRequest): AppError {
  announceDecided(context, expired, 'changed');
  return notPending(expired.state);
}

function notPending(status: string): AppError {
  return new AppError('request_not_pending', { details: { status } });
}
