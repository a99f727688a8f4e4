/** Runs the pinned pipelines of a request: pure rules over immutable input. */
import { conditionFacts, type RequestToJudge } from '../../domain/requests/condition-facts.ts';
import type { ApprovalRequest, RuleRevisions } from '../../domain/requests/approval-requests.ts';
import type { CompiledPipeline } from '../../domain/pipelines/compile.ts';
import { wasTooCostly } from '../../domain/pipelines/evaluate.ts';
import type { BlockRef, BlockResult } from '../../domain/pipelines/remote.ts';
import { evaluateRequest, type Question, type Verdict } from '../../domain/pipelines/verdict.ts';
import type { Evaluated, PathToTry } from '../../domain/requests/engine/step.ts';
import { findProgress, type EvaluationProgress } from '../../data/pipelines/block-results.ts';
import { pipelineTables } from '../../data/pipelines/request-approval-pipelines.ts';
import { findRevisionById } from '../../data/revisions.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { loadCompiledPipeline } from './compiled-pipelines.ts';
import { isLarge, newLightBudget } from '../heavy-work.ts';
import { evaluateTexts, type PipelineText, type RequestTexts } from './evaluate-texts.ts';

/** A request, stored or not, with the revisions of its rules. */
export type RequestToEvaluate = RequestToJudge & RuleRevisions;

/** `known`: how far it is, when the caller has just written that. */
export async function evaluatePinned(
  context: ServiceContext,
  request: ApprovalRequest,
  known?: EvaluationProgress,
): Promise<Evaluated | Question> {
  const { db } = context;
  const pipelines = await pinnedPipelines(db, request);
  const asks = [pipelines.organization, pipelines.agent].some(
    (each) => each && each.remote.size > 0,
  );
  const progress = asks ? (known ?? (await findProgress(db, request.id))) : undefined;
  if (!progress) return await evaluateFrom(context, { request, pipelines, last: undefined });
  const { last, previousMetadata } = progress;
  const current = previousMetadata ? { ...request, previousMetadata } : request;
  const evaluated = await evaluateFrom(context, { request: current, pipelines, last });
  return 'ask' in evaluated || !previousMetadata ? evaluated : { ...evaluated, previousMetadata };
}

/** Of a request without stored results. Undefined when the work is too much for the event loop. */
export async function evaluateLight(
  db: Db,
  request: RequestToEvaluate,
): Promise<Evaluated | Question | undefined> {
  return evaluateHere(request, await pinnedPipelines(db, request), undefined);
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
  if (verdict.outcome !== 'human') return { verdict, paths: [] };
  const { scope, block_id: blockId, escalation_path: first } = verdict;
  const pipeline = scope === 'agent' ? agent : organization;
  // The result of another system may name a path that is not active.
  const own =
    blockId === undefined ? undefined : pipeline?.remote.get(blockId)?.block.config.escalation_path;
  const defaults = [pipeline?.defaultEscalationPath, organization?.defaultEscalationPath];
  const paths = [
    { key: first, source: verdict.escalation_path_source },
    { key: own, source: 'block_escalation' as const },
    ...defaults.map((key) => ({ key, source: 'pipeline_default' as const })),
  ];
  const known = new Map<string, PathToTry>();
  for (const { key, source } of paths)
    if (key !== undefined && !known.has(key)) known.set(key, { key, source });
  return { verdict, paths: [...known.values()] };
}

/** On the event loop. Undefined when the work is too much for it. */
function evaluateHere(
  request: RequestToJudge,
  pipelines: Pipelines,
  last: BlockResult | undefined,
): Evaluated | Question | undefined {
  const { arguments: args, agentReasoning, context, previousMetadata } = request;
  if (isLarge([args, agentReasoning, context, previousMetadata].map((json) => json?.text)))
    return undefined;
  const facts = conditionFacts(request);
  const evaluating = { ...pipelines, facts, newBudget: () => newLightBudget() };
  const verdict = evaluateRequest(evaluating, last);
  if ('ask' in verdict) return verdict;
  const evaluations = [verdict.organization, verdict.agent];
  if (evaluations.some((evaluation) => evaluation && wasTooCostly(evaluation))) return undefined;
  return withPaths(verdict, pipelines);
}

interface PinnedEvaluation {
  readonly request: ApprovalRequest;
  readonly pipelines: Pipelines;
  readonly last: BlockResult | undefined;
}

async function evaluateFrom(
  context: ServiceContext,
  evaluation: PinnedEvaluation,
): Promise<Evaluated | Question> {
  const { request, pipelines, last } = evaluation;
  return evaluateHere(request, pipelines, last) ?? (await evaluateInThread(context, evaluation));
}

async function evaluateInThread(
  { db, workerPool }: ServiceContext,
  { request, pipelines, last }: PinnedEvaluation,
): Promise<Evaluated | Question> {
  const [organization, agent] = await Promise.all([
    documentOf(db, request.organizationPipelineRevisionId),
    documentOf(db, request.agentPipelineRevisionId),
  ]);
  const texts = { organization, agent, request: textsOf(request), last };
  const verdict = await workerPool.run(evaluateTexts, texts, poolKeyOf(request));
  return 'blockId' in verdict ? questionOf(pipelines, verdict) : withPaths(verdict, pipelines);
}

function questionOf(pipelines: Pipelines, { scope, blockId }: BlockRef): Question {
  const ask = pipelines[scope]?.remote.get(blockId)?.block;
  if (!ask) throw new Error(`the ${scope} pipeline has no block ${blockId} that can be asked`);
  return { scope, ask };
}

/** A queue of the worker pool, so that steps do not compete with the calls of the agent. */
export function poolKeyOf({ agentCredentialId }: ApprovalRequest): string {
  return `steps of ${agentCredentialId}`;
}

function textsOf(request: ApprovalRequest): RequestTexts {
  const { tool, server, agentSlug, agentName, agentReasoning, context, previousMetadata } = request;
  return {
    ...{ tool, agentSlug, agentName, arguments: request.arguments.text },
    ...(server !== undefined && { server }),
    ...(agentReasoning && { agentReasoning: agentReasoning.text }),
    ...(context && { context: context.text }),
    ...(previousMetadata && { previousMetadata: previousMetadata.text }),
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
