/** An adapter starts the call that was approved, once, and reports what came of it. */
import { actorOf, requestEvent } from '../../audit/events.ts';
import { RAN_DIFFERENTLY_STEP } from '../../escalation/step-keys.ts';
import { AppError } from '../../errors.ts';
import type { AgentPrincipal } from '../../people/authorization.ts';
import {
  buildRequest,
  publicStatus,
  withoutNulls,
  type ApprovalRequest,
  type CallResult,
  type Facts,
} from '../approval-requests.ts';
import { isOwn, actingInstance } from '../own-requests.ts';
import { noticed, recorded, unchanged, type Effects, type Plan } from './effects.ts';
import { settled } from './settle.ts';
import type { RequestView } from './view.ts';

export type StartedRequest = ApprovalRequest & Required<Pick<ApprovalRequest, 'startedAt'>>;

interface StartAct {
  readonly principal: AgentPrincipal;
  readonly decisionId: string;
  /** The Idempotency-Key. Absent: no response is given twice. */
  readonly key: string | undefined;
}

/**
 * Throws `not_found` for a request of another instance. The outcome is `not_approved`, `already_started` or
 * `approval_expired` where the call may not start. The key of the start gets its response again.
 */
export function planStart(
  view: RequestView,
  { principal, decisionId, key }: StartAct,
): Plan<StartedRequest> {
  if (!isOwn(principal, view.request)) throw new AppError('not_found');
  const effects = settled(view, { decisionId, wakes: true });
  const { request } = effects;
  const { state, decision, startedAt: before } = request;
  if (before && key !== undefined && isSameStart(request, { principal, key }))
    return { outcome: { ...request, startedAt: before } };
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
    ...buildRequest({
      ...request,
      startedAt,
      startedByInstanceId: principal.instanceId,
      startKey: key,
    }),
    startedAt,
  };
  const event = requestEvent(request.id, 'started', actingInstance(principal, request));
  const changed = { ...effects, request: started };
  return {
    effects: noticed(recorded(changed, { ...event, actor: actorOf(principal) })),
    outcome: started,
  };
}

const isSameStart = (
  { startedByInstanceId, startKey }: ApprovalRequest,
  { principal, key }: Pick<StartAct, 'principal'> & { readonly key: string },
): boolean => startedByInstanceId === principal.instanceId && startKey === key;

export type ReportedResult = Omit<CallResult, 'reportedAt'>;

interface ReportAct {
  readonly principal: AgentPrincipal;
  readonly result: Facts<ReportedResult>;
}

/**
 * Throws `not_found` for a request of another instance, `not_started` where this instance has not started the call,
 * and `result_reported` where it reported another result. A repeat changes nothing.
 */
export function planReport(view: RequestView, { principal, result }: ReportAct): Plan<undefined> {
  const { request, now } = view;
  if (!isOwn(principal, request)) throw new AppError('not_found');
  if (request.startedByInstanceId !== principal.instanceId) throw new AppError('not_started');
  const reported = withoutNulls<CallResult>({ ...result, reportedAt: now });
  if (request.result) {
    if (isSameResult(request.result, reported)) return { outcome: undefined };
    throw new AppError('result_reported', { details: { outcome: request.result.outcome } });
  }
  const { outcome, detail, argumentsDigest } = reported;
  const data = {
    ...actingInstance(principal, request),
    outcome,
    ...(detail !== undefined && { detail }),
    ...(argumentsDigest !== undefined && { arguments_digest: argumentsDigest }),
  };
  const verbs =
    outcome === 'ran_differently'
      ? (['result_reported', 'ran_differently'] as const)
      : (['result_reported'] as const);
  const events = verbs.map((verb) => ({
    ...requestEvent(request.id, verb, data),
    actor: actorOf(principal),
  }));
  const effects = {
    ...unchanged(view),
    request: buildRequest({ ...request, result: reported }),
    ...(outcome === 'ran_differently' && messageToApprover(request)),
  };
  return { effects: noticed(recorded(effects, ...events)), outcome: undefined };
}

/** To the person who approved the call. A rule gets no message. */
function messageToApprover({
  decision,
}: ApprovalRequest): Pick<Effects, 'steps' | 'notifications'> | undefined {
  if (decision?.membershipId === undefined) return undefined;
  const { membershipId } = decision;
  const stepKey = RAN_DIFFERENTLY_STEP;
  return {
    steps: [{ stepKey, run: 1, kind: 'notified' }],
    notifications: [{ stepKey, membershipId, isSent: true, isAnnounced: false }],
  };
}

const isSameResult = (one: CallResult, other: CallResult): boolean =>
  one.outcome === other.outcome &&
  one.detail === other.detail &&
  one.argumentsDigest === other.argumentsDigest;
