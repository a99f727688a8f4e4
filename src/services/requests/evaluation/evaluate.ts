/** Runs the pinned pipelines of a request: pure rules over immutable input. */
import { conditionFacts, type RequestToJudge } from '../../../domain/requests/condition-facts.ts';
import type { ApprovalRequest, RuleRevisions } from '../../../domain/requests/approval-requests.ts';
import { compilePipeline, type CompiledPipeline } from '../../../domain/pipelines/compile.ts';
import { wasTooCostly } from '../../../domain/pipelines/evaluate.ts';
import { evaluateWithin, type Verdict } from '../../../domain/pipelines/verdict.ts';
import { SYSTEM } from '../../../domain/audit.ts';
import type { NewDecision } from '../../../data/requests/decide.ts';
import { pipelineTables } from '../../../data/pipelines/request-approval-pipelines.ts';
import { findRevisionById } from '../../../data/revisions.ts';
import type { Db } from '../../../platform/postgres.ts';
import type { ServiceContext } from '../../context.ts';
import { loadCompiledPipeline } from '../../pipelines/request-approval-pipelines.ts';
import { isLarge, newLightBudget } from '../../heavy-work.ts';
import { evaluateTexts, type PipelineText, type RequestTexts } from './evaluate-texts.ts';

export interface Evaluated {
  readonly verdict: Verdict;
  /** Keys of the escalation paths to try, in order; empty unless the outcome is `human`. */
  readonly pathKeys: readonly string[];
}

/** A request, stored or not, with the revisions of its rules. */
export type RequestToEvaluate = RequestToJudge & RuleRevisions;

const NO_RULES = compilePipeline([]);

export async function evaluatePinned(
  context: ServiceContext,
  request: ApprovalRequest,
): Promise<Evaluated> {
  const pipelines = await pinnedPipelines(context.db, request);
  const verdict = lightVerdict(request, pipelines) ?? (await heavyVerdict(context, request));
  return withPaths(verdict, pipelines);
}

/** Undefined when the work is too much for the main thread. */
export async function evaluateLight(
  db: Db,
  request: RequestToEvaluate,
): Promise<Evaluated | undefined> {
  const pipelines = await pinnedPipelines(db, request);
  const verdict = lightVerdict(request, pipelines);
  return verdict && withPaths(verdict, pipelines);
}

interface Pipelines {
  readonly organization: CompiledPipeline | undefined;
  readonly agent: CompiledPipeline | undefined;
}

async function pinnedPipelines(db: Db, revisions: RuleRevisions): Promise<Pipelines> {
  const [organization, agent] = await Promise.all([
    pinned(db, revisions.organizationPipelineRevisionId),
    pinned(db, revisions.agentPipelineRevisionId),
  ]);
  return { organization, agent };
}

function withPaths(verdict: Verdict, { organization, agent }: Pipelines): Evaluated {
  const defaults =
    verdict.scope === 'agent'
      ? [agent?.defaultEscalationPath, organization?.defaultEscalationPath]
      : [organization?.defaultEscalationPath];
  const pathKeys = [verdict.escalation_path, ...defaults].filter((key) => key !== undefined);
  return { verdict, pathKeys: verdict.outcome === 'human' ? [...new Set(pathKeys)] : [] };
}

/** The pipelines' answer, as it is recorded. */
export function decisionOf(requestId: string, { verdict }: Evaluated): NewDecision {
  return {
    status: verdict.outcome === 'approve' ? 'approved' : 'denied',
    channel: 'pipeline',
    ...(verdict.reason !== undefined && { note: verdict.reason }),
    authentication: { method: 'system', assurance: 'strong' },
    idempotencyKey: `pipeline:${requestId}`,
    actor: SYSTEM,
    auditData: {
      scope: verdict.scope,
      block_id: verdict.block_id,
      reason_code: verdict.reason_code,
    },
    from: ['evaluating'],
    wake: false,
  };
}

/** Undefined when the work is too much for the main thread. */
function lightVerdict(
  request: RequestToJudge,
  { organization, agent }: Pipelines,
): Verdict | undefined {
  if (isLarge([request.arguments.text, request.agentReasoning?.text, request.context?.text]))
    return undefined;
  // Without the organization's rules, the agent's rules alone must not approve. The request goes to a person.
  const pipelines = { organization: organization ?? NO_RULES, agent: organization && agent };
  const verdict = evaluateWithin(() => newLightBudget(), pipelines, conditionFacts(request));
  const evaluations = [verdict.organization, ...(verdict.agent ? [verdict.agent] : [])];
  return evaluations.some(wasTooCostly) ? undefined : verdict;
}

async function heavyVerdict(
  { db, workerPool }: ServiceContext,
  request: ApprovalRequest,
): Promise<Verdict> {
  const [organization, agent] = await Promise.all([
    documentOf(db, request.organizationPipelineRevisionId),
    documentOf(db, request.agentPipelineRevisionId),
  ]);
  const texts = { organization, agent: organization && agent, request: textsOf(request) };
  return await workerPool.run(evaluateTexts, texts, stepsOf(request));
}

/** A queue of the worker pool, so that steps do not compete with the calls of the agent. */
export function stepsOf({ agentCredentialId }: ApprovalRequest): string {
  return `steps of ${agentCredentialId}`;
}

function textsOf(request: ApprovalRequest): RequestTexts {
  const { tool, server, agentSlug, agentName, agentReasoning, context } = request;
  return {
    ...{ tool, agentSlug, agentName, arguments: request.arguments.text },
    ...(server !== undefined && { server }),
    ...(agentReasoning && { agentReasoning: agentReasoning.text }),
    ...(context && { context: context.text }),
  };
}

async function documentOf(
  db: Db,
  revisionId: string | undefined,
): Promise<PipelineText | undefined> {
  if (revisionId === undefined) return undefined;
  const revision = await findRevisionById(db, revisionId, pipelineTables);
  return revision && { id: revisionId, document: revision.document };
}

async function pinned(
  db: Db,
  revisionId: string | undefined,
): Promise<CompiledPipeline | undefined> {
  return revisionId === undefined ? undefined : await loadCompiledPipeline(db, revisionId);
}
