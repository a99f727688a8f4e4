/**
 * An adapter asks for approval. Nothing is read before the insert, so a new request has no view: its instants count from the
 * clock that the insert reads.
 */
import { actorOf, requestEvent, type NewAuditEvent } from '../../audit/events.ts';
import type { AgentPrincipal } from '../../people/authorization.ts';
import type { Question } from '../../pipelines/verdict.ts';
import {
  buildRequest,
  WAKE_HEAD_START_MS,
  type ApprovalRequest,
  type Facts,
  type RequestState,
  type RuleRevisions,
} from '../approval-requests.ts';
import { decisionEvent, withDecision, type NewDecision } from './effects.ts';
import { isDecisive, verdictDecision, type Evaluated } from './step.ts';

export interface NewApprovalRequest extends Pick<
  ApprovalRequest,
  'id' | 'tool' | 'server' | 'arguments' | 'agentReasoning' | 'context' | 'timeout'
> {
  readonly timeoutMs: number;
  readonly idempotencyKey: string;
}

/** What the rules say before the request is written, and the revisions that say it. */
export interface Judged {
  readonly evaluated: Evaluated | Question;
  readonly rules: RuleRevisions;
}

export interface CreateAct {
  readonly principal: AgentPrincipal;
  readonly input: NewApprovalRequest;
  /** Absent: a step will evaluate the rules that the insert pins. */
  readonly judged?: Judged | undefined;
  readonly decisionId: string;
}

/** Everything that the insert writes, at the instant of its clock. `src/data/requests/engine/insert.ts` writes it. */
export interface CreateEffects extends Pick<CreateAct, 'principal' | 'input'> {
  readonly state: RequestState;
  /** Milliseconds until the reconciler looks. Absent when nothing is left to do. */
  readonly wakeMs: number | undefined;
  /** Nothing is written unless these rules are still the active ones. */
  readonly verdict: { readonly decision: NewDecision; readonly rules: RuleRevisions } | undefined;
  /** The timeline, in order. */
  readonly events: readonly NewAuditEvent[];
}

/** A request that rules decide is written with its decision. Any other is written as it came, and takes a step next. */
export function planCreate({ principal, input, judged, decisionId }: CreateAct): CreateEffects {
  const data = {
    agent_slug: principal.agentSlug,
    agent_instance_id: principal.instanceId,
    tool: input.tool,
    server: input.server ?? null,
  };
  const created = { ...requestEvent(input.id, 'created', data), actor: actorOf(principal) };
  const asked = { principal, input };
  if (!judged || !isDecisive(judged.evaluated))
    return {
      ...asked,
      state: 'evaluating',
      wakeMs: WAKE_HEAD_START_MS,
      verdict: undefined,
      events: [created],
    };
  const { evaluated, rules } = judged;
  const decision = verdictDecision(input.id, { evaluated, decisionId });
  return {
    ...asked,
    state: decision.status,
    wakeMs: undefined,
    verdict: { decision, rules },
    events: [created, decisionEvent(input.id, decision)],
  };
}

/** What only the insert knows: its clock, and the rules that were active. */
export type Inserted = Facts<Pick<ApprovalRequest, 'createdAt' | 'deadlineAt'> & RuleRevisions>;

/** The request as it was written. */
export function createdRequest(
  { principal, input, verdict }: CreateEffects,
  inserted: Inserted,
): ApprovalRequest {
  const { timeoutMs: _timeout, idempotencyKey: _key, ...asked } = input;
  const request = buildRequest({
    ...asked,
    ...inserted,
    organizationId: principal.organizationId,
    agentSlug: principal.agentSlug,
    agentName: principal.agentName,
    agentInstanceId: principal.instanceId,
    agentInstanceName: principal.instanceName,
    agentCredentialId: principal.credentialId,
    state: 'evaluating',
    updatedAt: inserted.createdAt,
    urgency: 'standard',
  });
  if (!verdict) return request;
  const terms = { at: inserted.createdAt, window: principal.approvalWindow };
  return withDecision(request, verdict.decision, terms);
}
