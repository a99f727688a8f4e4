/** A reviewer marks a request as theirs, which pauses notifications; others can still decide. */
import { actorOf, requestEvent, type AuditActor } from '../../audit/events.ts';
import { AppError } from '../../errors.ts';
import type { MemberPrincipal } from '../../people/authorization.ts';
import { requireForAgent } from '../agent-permission.ts';
import { buildRequest, type Claim } from '../approval-requests.ts';
import { holderOf, notPending, requireRights, requireState } from '../refusals.ts';
import { maySee } from '../request-access.ts';
import {
  claimData,
  isFinalNow,
  noticed,
  recorded,
  unchanged,
  withoutClaim,
  woken,
  type Effects,
  type Plan,
} from './effects.ts';
import { withLapseTold } from './lapsed.ts';
import { settled } from './settle.ts';
import type { PathRevision, RequestView } from './view.ts';

interface ClaimAct {
  readonly principal: MemberPrincipal;
  readonly path: PathRevision | undefined;
  /** Of the decision, if the request expires. */
  readonly decisionId: string;
}

/** A new claim, or the one that the member holds already. Throws what `requireRights` and `requireState` do. */
export function planClaim(
  view: RequestView,
  { principal, path, decisionId, claimId }: ClaimAct & { readonly claimId: string },
): Plan<Claim> {
  const audience = { targets: path?.targets, added: view.added };
  requireRights('claim', { principal, request: view.request, audience });
  const effects = settled(view, { decisionId, wakes: true });
  const { request } = effects;
  if (isFinalNow(effects)) return { effects, outcome: notPending(request.state) };
  requireState('claim', { principal, request });
  if (request.claim) return { outcome: request.claim };
  const lapsesAt = view.now.getTime() + view.claimTimeout * 1_000;
  const claim: Claim = {
    id: claimId,
    membershipId: principal.membershipId,
    displayName: principal.displayName,
    claimedAt: view.now,
    expiresAt: new Date(Math.min(lapsesAt, request.deadlineAt.getTime())),
    lapsed: false,
  };
  const event = requestEvent(request.id, 'claimed', {
    ...claimData(claim),
    expires_at: claim.expiresAt,
  });
  const claimed = { ...effects, request: buildRequest({ ...request, claim }) };
  return {
    effects: woken(noticed(recorded(claimed, { ...event, actor: actorOf(principal) }))),
    outcome: claim,
  };
}

/**
 * Ends the member's claim. Throws 403 `permission_denied` and `request_not_routed`, 403 `not_claim_holder`, and `not_found`
 * without a live claim.
 */
export function planRelease(
  view: RequestView,
  { principal, path, decisionId }: ClaimAct,
): Plan<undefined> {
  requireForAgent(principal, 'request.claim', view.request.agentSlug);
  const { membershipId } = principal;
  const audience = { targets: path?.targets, added: view.added };
  if (
    view.request.claim?.membershipId !== membershipId &&
    !maySee(principal, view.request, audience)
  )
    throw new AppError('request_not_routed');
  const effects = settled(view, { decisionId, wakes: true });
  const { claim } = effects.request;
  if (!claim) return { effects: withLapseTold(effects, path), outcome: noClaim() };
  if (claim.membershipId !== membershipId)
    throw new AppError('not_claim_holder', { details: holderOf(claim) });
  return { effects: released(effects, actorOf(principal)), outcome: undefined };
}

const noClaim = () => new AppError('not_found', { detail: 'The request has no live claim.' });

/** The claim of a member who can no longer act ends. The step handles a claim that has lapsed, because it reads who is to be told. */
export function planReleaseOf(
  view: RequestView,
  act: {
    readonly membershipId: string;
    readonly actor: AuditActor;
    readonly reason: string;
    readonly decisionId: string;
  },
): Effects {
  const effects = settled(view, { decisionId: act.decisionId, wakes: true });
  const { claim, state } = effects.request;
  if (!claim && state === 'pending') return unchanged(view);
  return claim?.membershipId === act.membershipId
    ? released(effects, act.actor, act.reason)
    : effects;
}

function released(effects: Effects, actor: AuditActor, reason?: string): Effects {
  const end = { verb: 'claim_released', actor, ...(reason !== undefined && { reason }) } as const;
  return woken(withoutClaim(effects, end));
}
