/** An adapter starts the call that was approved, once. */
import { actorOf, requestEvent } from '../../audit/events.ts';
import { AppError } from '../../errors.ts';
import type { AgentPrincipal } from '../../people/authorization.ts';
import { buildRequest, publicStatus, type ApprovalRequest } from '../approval-requests.ts';
import { isOwn, actingInstance } from '../own-requests.ts';
import { noticed, recorded, type Plan } from './effects.ts';
import { settled } from './settle.ts';
import type { RequestView } from './view.ts';

export type StartedRequest = ApprovalRequest & Required<Pick<ApprovalRequest, 'startedAt'>>;

/**
 * Throws `not_found` for a request of another instance. The outcome is `not_approved`, `already_started` or
 * `approval_expired` where the call may not start.
 */
export function planStart(
  view: RequestView,
  { principal, decisionId }: { readonly principal: AgentPrincipal; readonly decisionId: string },
): Plan<StartedRequest> {
  if (!isOwn(principal, view.request)) throw new AppError('not_found');
  const effects = settled(view, { decisionId, wakes: true });
  const { request } = effects;
  const { state, decision, startedAt: before } = request;
  if (state !== 'approved' || !decision?.expiresAt)
    return {
      effects,
      outcome: new AppError('not_approved', { details: { status: publicStatus(state) } }),
    };
  if (before)
    return {
      outcome: new AppError('already_started', { details: { started_at: before.toISOString() } }),
    };
  if (view.now >= decision.expiresAt)
    return {
      outcome: new AppError('approval_expired', {
        details: { expires_at: decision.expiresAt.toISOString() },
      }),
    };
  const startedAt = view.now;
  const started = {
    ...buildRequest({ ...request, startedAt, startedByInstanceId: principal.instanceId }),
    startedAt,
  };
  const event = requestEvent(request.id, 'started', actingInstance(principal, request));
  const changed = { ...effects, request: started };
  return {
    effects: noticed(recorded(changed, { ...event, actor: actorOf(principal) })),
    outcome: started,
  };
}
