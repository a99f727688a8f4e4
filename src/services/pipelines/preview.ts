/**
 * Evaluates a pipeline that was never saved. Long evaluations run in a thread of the worker pool.
 */
import { v7 } from 'uuid';
import type { ConditionFacts } from '../../domain/conditions/types.ts';
import { CONDITION_LIMITS, newEvaluationBudget } from '../../domain/conditions/types.ts';
import { invalid, type Issue } from '../../domain/errors.ts';
import { compilePipeline } from '../../domain/pipelines/compile.ts';
import {
  evaluatePipeline,
  wasTooCostly,
  type Evaluation,
} from '../../domain/pipelines/evaluate.ts';
import { parsePipelineDocument } from '../../domain/pipelines/parse.ts';
import { storeBlocks } from '../../domain/pipelines/store.ts';
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import type { ExactValue } from '../../platform/json/exact-values.ts';
import type { Runtime } from '../context.ts';
import { isHeavyDocument, isLarge, LIGHT_WORK } from '../heavy-work.ts';

export interface PreviewTexts {
  /** The document and the facts, as JSON. */
  readonly document: string;
  readonly sample: string;
  /** Units of work that the evaluation may cost. */
  readonly work: number;
}

type PreviewAnswer = { readonly issues: readonly Issue[] } | { readonly evaluation: Evaluation };

export function evaluatePreview({ document: text, sample, work }: PreviewTexts): PreviewAnswer {
  const parsed = parsePipelineDocument(parseExact(text));
  if (!parsed.ok) return { issues: parsed.issues };
  const { document } = parsed;
  const blocks = storeBlocks(document, v7);
  const facts = parseExact(sample) as unknown as ConditionFacts;
  const pipeline = compilePipeline(blocks, document.default_escalation_path);
  return { evaluation: evaluatePipeline(pipeline, facts, newEvaluationBudget(work)) };
}

/** Throws 400 for an invalid document. `onBehalfOf`: the caller, for their share of the pool. */
export async function runPreview(
  { workerPool }: Pick<Runtime, 'workerPool'>,
  given: { readonly body: ExactValue; readonly sample: ConditionFacts },
  onBehalfOf: string,
): Promise<Evaluation> {
  const texts = { document: stringifyExact(given.body), sample: stringifyExact(given.sample) };
  const light =
    isHeavyDocument(texts.document) || isLarge([texts.document, texts.sample])
      ? undefined
      : evaluatePreview({ ...texts, work: LIGHT_WORK });
  const answer =
    light && !('evaluation' in light && wasTooCostly(light.evaluation))
      ? light
      : await workerPool.run(
          evaluatePreview,
          { ...texts, work: CONDITION_LIMITS.evaluationWork },
          onBehalfOf,
        );
  if ('issues' in answer) throw invalid(answer.issues);
  return answer.evaluation;
}
