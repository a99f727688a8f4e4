/** The adapter withdraws its request, or the service cancels it. */
import { actorOf, type AuditActor } from '../../audit/events.ts';
import { AppError } from '../../errors.ts';
import type { AgentPrincipal } from '../../people/authorization.ts';
import { isTerminal, type ApprovalRequest } from '../approval-requests.ts';
import { isOwn, actingInstance } from '../own-requests.ts';
import { alreadyTerminal } from '../refusals.ts';
import { decided, decidedByService, type Effects, type Plan } from './effects.ts';
import { settled } from './settle.ts';
import type { RequestView } from './view.ts';

/**
 * A repeat returns the same cancelled request. Throws `not_found` for a request that is not the caller's own, and `already_terminal`
 * for one that is approved, denied or expired.
 */
export function planCancel(
  view: RequestView,
  { principal, decisionId }: { readonly principal: AgentPrincipal; readonly decisionId: string },
): Plan<ApprovalRequest> {
  const { request } = view;
  if (!isOwn(principal, request)) throw new AppError('not_found');
  const effects = settled(view, { decisionId, wakes: true });
  if (isTerminal(effects.request.state)) {
    const { state } = effects.request;
    const outcome = state === 'cancelled' ? request : alreadyTerminal(state);
    return { effects, outcome };
  }
  const after = decided(effects, {
    id: decisionId,
    status: 'cancelled',
    channel: 'aap',
    authentication: {
      method: 'agent_credential',
      assurance: 'single_factor',
      credential_id: principal.credentialId,
    },
    idempotencyKey: `aap:${request.id}`,
    actor: actorOf(principal),
    auditData:
      request.agentInstanceId === principal.instanceId ? {} : actingInstance(principal, request),
    wakes: true,
  });
  return { effects: after, outcome: after.request };
}

/** Cancels what is still open, such as the requests of an agent that is archived. `reason` is for the audit log. */
export function planCancelByService(
  view: RequestView,
  act: { readonly actor: AuditActor; readonly reason: string; readonly decisionId: string },
): Effects {
  const effects = settled(view, { decisionId: act.decisionId, wakes: true });
  if (isTerminal(effects.request.state)) return effects;
  return decidedByService(effects, {
    id: act.decisionId,
    status: 'cancelled',
    actor: act.actor,
    auditData: { reason: act.reason },
    wakes: true,
  });
}
