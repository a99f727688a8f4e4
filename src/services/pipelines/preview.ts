/**
 * Evaluates a pipeline that was never saved. Long evaluations run in a thread of the worker pool.
 * Blocks that ask other systems really ask them, once each.
 */
import { v7 } from 'uuid';
import {
  CONDITION_LIMITS,
  newEvaluationBudget,
  type ConditionFacts,
} from '../../domain/conditions/types.ts';
import { invalid, type Issue } from '../../domain/errors.ts';
import { compilePipeline } from '../../domain/pipelines/compile.ts';
import {
  evaluatePipeline,
  wasTooCostly,
  type After,
  type BlockReport,
  type Evaluation,
} from '../../domain/pipelines/evaluate.ts';
import type { Edition } from '../../domain/people/permissions.ts';
import { namedModels, parsePipelineDocument, unknownModels } from '../../domain/pipelines/parse.ts';
import {
  afterResult,
  timeoutOf,
  type RemoteBlock,
  type RemoteResult,
} from '../../domain/pipelines/remote.ts';
import { staleHashes, storeBlocks } from '../../domain/pipelines/store.ts';
import type { PipelineScope } from '../../domain/pipelines/types.ts';
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import type { ExactValue } from '../../platform/json/exact-values.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { isHeavyDocument, isLarge, LIGHT_WORK } from '../heavy-work.ts';
import { askRemote } from './ask-remote.ts';
import { namesOf, type PipelineNames } from './read-pipeline.ts';

export interface PreviewTexts {
  /** The document and the facts, as JSON. */
  readonly document: string;
  readonly sample: string;
  readonly edition: Edition;
  /** Those that judges may name. Undefined where no model is configured: then none is asked. */
  readonly models: readonly string[] | undefined;
  /** The block after which the evaluation continues. */
  readonly after: After | undefined;
  /** Units of work that the evaluation may cost. */
  readonly work: number;
}

type PreviewResult =
  | { readonly issues: readonly Issue[] }
  | ({ readonly names: PipelineNames } & (
      | { readonly evaluation: Evaluation }
      /** `ask`: a stored block, as JSON. `blocks`: those reached before. */
      | { readonly ask: string; readonly blocks: readonly BlockReport[] }
    ));

export function evaluatePreview(texts: PreviewTexts): PreviewResult {
  const parsed = parsePipelineDocument(parseExact(texts.document), texts.edition);
  if (!parsed.ok) return { issues: parsed.issues };
  const { document } = parsed;
  const issues = texts.models ? unknownModels(namedModels(document), texts.models) : [];
  if (issues.length > 0) return { issues };
  const blocks = storeBlocks(document, v7);
  const stale = staleHashes(document, blocks);
  if (stale.length > 0) return { issues: stale };
  const facts = parseExact(texts.sample) as unknown as ConditionFacts;
  const pipeline = compilePipeline(blocks, document.default_escalation_path);
  const budget = newEvaluationBudget(texts.work);
  const evaluation = evaluatePipeline(pipeline, facts, { budget, after: texts.after });
  const names = namesOf(document);
  return 'ask' in evaluation
    ? { names, ask: stringifyExact(evaluation.ask), blocks: evaluation.blocks }
    : { names, evaluation };
}

/** All calls of one preview together. */
const ASKING_MS = 30_000;

export interface PreviewOf {
  readonly organizationId: string;
  readonly scope: PipelineScope;
  readonly body: ExactValue;
  readonly sample: ConditionFacts;
  /** The caller, for their share of the pool. */
  readonly onBehalfOf: string;
}

/** Throws 400 for an invalid document. */
export async function runPreview(
  context: ServiceContext,
  { body, onBehalfOf, ...of }: PreviewOf,
): Promise<{ readonly evaluation: Evaluation; readonly names: PipelineNames }> {
  const document = stringifyExact(body);
  const endsAt = performance.now() + ASKING_MS;
  const reached: BlockReport[] = [];
  let { sample } = of;
  let after: After | undefined;
  for (;;) {
    const { edition, judge } = context;
    const texts = {
      ...{ document, sample: stringifyExact(sample), after },
      ...{ edition, models: judge?.models },
    };
    const evaluated = await evaluateSample(context, texts, onBehalfOf);
    if ('issues' in evaluated) throw invalid(evaluated.issues);
    const blocks = 'ask' in evaluated ? evaluated.blocks : evaluated.evaluation.blocks;
    reached.push(...withReturned(blocks, after));
    const { names } = evaluated;
    if ('evaluation' in evaluated)
      return { evaluation: { ...evaluated.evaluation, blocks: reached }, names };
    const block = parseExact(evaluated.ask) as unknown as RemoteBlock;
    const result = await askOnce(context, {
      ...{ organizationId: of.organizationId, scope: of.scope, block, facts: sample },
      // Whole, as timers of the platform need it.
      leftMs: Math.floor(endsAt - performance.now()),
    });
    const known = afterResult(sample, { scope: of.scope, blockId: block.id }, result);
    sample = known.facts;
    after = { blockId: block.id, result: known.result };
  }
}

async function evaluateSample(
  { workerPool }: Pick<Runtime, 'workerPool'>,
  texts: Omit<PreviewTexts, 'work'>,
  onBehalfOf: string,
): Promise<PreviewResult> {
  const light =
    isHeavyDocument(texts.document) || isLarge([texts.document, texts.sample])
      ? undefined
      : evaluatePreview({ ...texts, work: LIGHT_WORK });
  if (light && !('evaluation' in light && wasTooCostly(light.evaluation))) return light;
  const work = CONDITION_LIMITS.evaluationWork;
  return await workerPool.run(evaluatePreview, { ...texts, work }, onBehalfOf);
}

interface PreviewQuestion {
  readonly organizationId: string;
  readonly scope: PipelineScope;
  readonly block: RemoteBlock;
  readonly facts: ConditionFacts;
  /** Of the time for all calls. */
  readonly leftMs: number;
}

async function askOnce(
  context: ServiceContext,
  { leftMs, ...question }: PreviewQuestion,
): Promise<RemoteResult> {
  if (leftMs <= 0) return { errorCode: 'timeout' };
  const { result, keep } = await askRemote(context, {
    ...question,
    deliveryId: v7(),
    attempt: 1,
    timeoutMs: Math.min(timeoutOf(question.block), leftMs),
    signal: context.stopping,
  });
  await keep?.(context.db);
  return result;
}

/** The first report after a block that was asked is its own. */
function withReturned(
  blocks: readonly BlockReport[],
  after: After | undefined,
): readonly BlockReport[] {
  const [own, ...others] = blocks;
  if (!own || !after) return blocks;
  const { result } = after;
  const metadata = 'outcome' in result ? result.metadata : undefined;
  const { cost } = result;
  return [{ ...own, ...(metadata && { metadata }), ...(cost && { cost }) }, ...others];
}
