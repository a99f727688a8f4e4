/** A person decides. */
import { actorOf } from '../../audit/events.ts';
import { AppError } from '../../errors.ts';
import type { MemberPrincipal } from '../../people/authorization.ts';
import { argumentsDigest, type ApprovalRequest } from '../approval-requests.ts';
import { alreadyTerminal, requireRights, requireState } from '../refusals.ts';
import { decided, isFinalNow, type NewDecision, type Plan } from './effects.ts';
import { settled } from './settle.ts';
import type { PathRevision, RequestView } from './view.ts';

export interface DecideAct {
  readonly principal: MemberPrincipal;
  readonly path: PathRevision | undefined;
  readonly decisionId: string;
  readonly status: 'approved' | 'denied';
  readonly note?: string | undefined;
  readonly channel: string;
  /** The digest of the arguments that the person saw. */
  readonly seenArgumentsDigest?: string | undefined;
  readonly idempotencyKey: string;
  /** Whether this very call decided the request before. `conflict`: another call used its idempotency key. */
  readonly replay: 'none' | 'same' | 'conflict';
}

/**
 * Throws what `requireRights` and `requireState` do, and `request_changed` for another digest than the request's. That
 * digest is refused in every state, so that the same call always gets the same response.
 */
export function planDecision(view: RequestView, act: DecideAct): Plan<ApprovalRequest> {
  const { request } = view;
  const { principal, path, seenArgumentsDigest: seen } = act;
  requireRights('decide', {
    principal,
    request,
    audience: { targets: path?.targets, added: view.added },
  });
  if (seen !== undefined && seen !== argumentsDigest(request))
    throw new AppError('request_changed');
  const effects = settled(view, { decisionId: act.decisionId, wakes: true });
  if (effects.request.state === 'pending') {
    const after = decided(effects, decisionOf(act));
    return { effects: after, outcome: after.request };
  }
  if (isFinalNow(effects)) return { effects, outcome: alreadyTerminal(effects.request.state) };
  if (act.replay === 'conflict') throw new AppError('idempotency_conflict');
  if (act.replay === 'none') requireState('decide', { principal, request });
  return { outcome: request };
}

function decisionOf({ principal, ...act }: DecideAct): NewDecision {
  const { note, seenArgumentsDigest: seen } = act;
  return {
    id: act.decisionId,
    status: act.status,
    channel: act.channel,
    ...(note !== undefined && { note }),
    ...(seen !== undefined && {
      seenArgumentsDigest: seen,
      auditData: { seen: { arguments_digest: seen } },
    }),
    membershipId: principal.membershipId,
    reviewerDisplayName: principal.displayName,
    reviewerEmail: principal.email,
    authentication: principal.auth,
    idempotencyKey: act.idempotencyKey,
    actor: actorOf(principal),
    wakes: true,
  };
}
