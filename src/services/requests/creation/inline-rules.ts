/**
 * Inline rules: the call that creates a request runs its rules. A request that they decide is
 * written with its decision and never has a workflow. Another takes its first step here, and gets its
 * workflow after the response.
 */
import { v7 } from 'uuid';
import type { NewApprovalRequest } from '../../../data/requests/create.ts';
import { insertDecidedRequest } from '../../../data/requests/create-decided.ts';
import type { AgentPrincipal } from '../../../domain/people/authorization.ts';
import {
  withoutNulls,
  type ApprovalRequest,
  type RuleRevisions,
} from '../../../domain/requests/approval-requests.ts';
import type { Question } from '../../../domain/pipelines/verdict.ts';
import type { InlineRules, ServiceContext } from '../../context.ts';
import type { WorkflowSubject } from '../../ports.ts';
import {
  verdictDecision,
  type Evaluated,
  type RequestStep,
} from '../../../domain/requests/engine/step.ts';
import { evaluateLight } from '../../evaluation/evaluate.ts';
import { startUnlessAnswered, subjectOf } from './start.ts';
import { stepCreated } from '../../engine/step.ts';

/** For the log. */
export const WORKFLOW_NOT_STARTED = 'workflow not started; the reconciler will start it';

/**
 * Less than the row's early wake-up (3 s). Until then, another process that finds no workflow leaves
 * the decision to the reconciler.
 */
const LATE_START_MS = 2_000;

/** A verdict, and the revisions that gave it. */
interface Judged {
  readonly evaluated: Evaluated | Question;
  readonly rules: RuleRevisions;
}

export interface InlineVerdict {
  /** The request, written with its decision. */
  readonly decided?: ApprovalRequest;
  /** It goes to people, or a rule asks another system, so it is not written yet. */
  readonly judged?: Judged;
  /** It cannot be written: its key was used before, or its agent has ended. */
  readonly isRefused: boolean;
}

const NOTHING: InlineVerdict = { isRefused: false };

/**
 * By the rules that this process knows, if they are still the active ones. Otherwise, and where
 * they are too much work for the event loop, nothing is written.
 */
export async function decideInline(
  context: ServiceContext,
  inlineRules: InlineRules,
  { principal, input }: { readonly principal: AgentPrincipal; readonly input: NewApprovalRequest },
): Promise<InlineVerdict> {
  const { organizationId, agentSlug, agentName } = principal;
  const rules = inlineRules.revisions.get(keyOf(principal));
  const { id, ...asked } = input;
  const evaluated =
    rules && (await evaluateLight(context.db, { ...asked, ...rules, agentSlug, agentName }));
  if (!evaluated) return NOTHING;
  if ('ask' in evaluated || evaluated.verdict.outcome === 'human')
    return { isRefused: false, judged: { evaluated, rules } };
  const { request, active, isCurrent } = await insertDecidedRequest(context.db, principal, {
    input,
    rules,
    decision: verdictDecision(id, { evaluated, decisionId: v7() }),
  });
  learnRules(inlineRules, { organizationId, agentSlug }, active);
  if (!request) return { isRefused: isCurrent };
  context.metrics.requestsCreated.inc();
  context.metrics.requestsDecided.inc({ status: request.state, channel: 'pipeline' });
  return { isRefused: false, decided: request };
}

interface FirstStep {
  readonly created: ApprovalRequest;
  readonly judged: Judged | undefined;
}

/**
 * The first step of a request that was just written. Its workflow starts once the step is over. A
 * failure leaves the step to the reconciler. The call still waits for it, because a response before
 * the step would admit the request without a look at the cap.
 */
export async function stepInline(
  context: ServiceContext,
  inlineRules: InlineRules,
  first: FirstStep,
): Promise<void> {
  try {
    await takeFirstStep(context, inlineRules, first);
  } catch (error) {
    context.logger.warn(
      { err: error, approvalRequest: first.created.id },
      'a first step failed; the reconciler will take it',
    );
  }
}

async function takeFirstStep(
  context: ServiceContext,
  inlineRules: InlineRules,
  { created, judged }: FirstStep,
): Promise<void> {
  learnRules(inlineRules, created, created);
  const isCurrent = judged && areSame(judged.rules, created);
  const step = await stepCreated(context, created, isCurrent ? judged.evaluated : undefined);
  if (step.kind === 'done') return;
  const subject = subjectOf(created);
  beginWorkflow(context, subject, step).catch((error: unknown) => {
    if (!context.stopping.aborted)
      context.logger.warn({ err: error, approvalRequest: subject.id }, WORKFLOW_NOT_STARTED);
  });
}

/**
 * Starts the workflow: with its first wait, or with the step that says what to ask. Until the start
 * is known, the row wakes the reconciler early.
 */
async function beginWorkflow(
  context: ServiceContext,
  subject: WorkflowSubject,
  step: Exclude<RequestStep, { readonly kind: 'done' }>,
): Promise<void> {
  const { id } = subject;
  const asked = performance.now();
  const wait = step.kind === 'wait' ? step : undefined;
  const status = await startUnlessAnswered(context, subject, wait ? { wait } : {});
  const isLate = performance.now() - asked > LATE_START_MS;
  if (status === undefined) {
    if (wait)
      context.workflowSync.started.set(id, { wakeAt: wait.wakeAt, until: wait.until, isLate });
  }
  // A signal may have come before the workflow was running.
  else if (await context.workflows.signal(id, 'decision', status))
    context.workflowSync.finished.add(id);
}

type Agent = Pick<AgentPrincipal, 'organizationId' | 'agentSlug'>;

const keyOf = ({ organizationId, agentSlug }: Agent): string => `${organizationId} ${agentSlug}`;

function learnRules(inlineRules: InlineRules, agent: Agent, active: RuleRevisions): void {
  const { organizationPipelineRevisionId, agentPipelineRevisionId } = active;
  const rules = withoutNulls<RuleRevisions>({
    organizationPipelineRevisionId,
    agentPipelineRevisionId,
  });
  inlineRules.revisions.set(keyOf(agent), rules);
}

function areSame(one: RuleRevisions, other: RuleRevisions): boolean {
  return (
    one.organizationPipelineRevisionId === other.organizationPipelineRevisionId &&
    one.agentPipelineRevisionId === other.agentPipelineRevisionId
  );
}
