/** Runs pinned pipelines in a worker thread, which receives texts and caches what it compiles. */
import { LRUCache } from 'lru-cache';
import type { ConditionFacts } from '../../domain/conditions/types.ts';
import { compilePipeline, type CompiledPipeline } from '../../domain/pipelines/compile.ts';
import { evaluateRequest, type Verdict } from '../../domain/pipelines/verdict.ts';
import type { BlockRef, BlockResult } from '../../domain/pipelines/remote.ts';
import type { StoredBlock } from '../../domain/pipelines/types.ts';
import { conditionFacts, type RequestToJudge } from '../../domain/requests/condition-facts.ts';
import { JsonText, parseExact } from '../../platform/json/exact-json.ts';

/** A revision, by its id and stored document. */
export interface PipelineText {
  readonly id: string;
  readonly document: string;
}

export interface EvaluationTexts {
  readonly organization: PipelineText | undefined;
  readonly agent: PipelineText | undefined;
  readonly request: RequestTexts;
  /** The block after which the evaluation continues. Without its metadata. */
  readonly last?: BlockResult | undefined;
}

/** Threads pass texts on, not the objects that hold them. */
export interface RequestTexts extends Omit<RequestToJudge, Text> {
  readonly arguments: string;
  readonly agentReasoning?: string;
  readonly context?: string;
  readonly previousMetadata?: string;
}

type Text = 'arguments' | 'agentReasoning' | 'context' | 'previousMetadata';

/** Characters of all documents whose pipelines a thread keeps. */
const KEPT_CHARACTERS = 4 * 1024 * 1024;
const compiled = new LRUCache<string, CompiledPipeline>({ max: 50, maxSize: KEPT_CHARACTERS });

export function evaluateTexts(texts: EvaluationTexts): Verdict | BlockRef {
  const facts = factsOf(texts.request);
  const organization = compiledOf(texts.organization);
  const agent = compiledOf(texts.agent);
  const result = evaluateRequest({ organization, agent, facts }, texts.last);
  // The main thread knows the block.
  return 'ask' in result ? { scope: result.scope, blockId: result.ask.id } : result;
}

export function factsOf(request: RequestTexts): ConditionFacts {
  const { arguments: args, agentReasoning, context, previousMetadata, ...plain } = request;
  return conditionFacts({
    ...plain,
    arguments: new JsonText(args),
    ...(agentReasoning !== undefined && { agentReasoning: new JsonText(agentReasoning) }),
    ...(context !== undefined && { context: new JsonText(context) }),
    ...(previousMetadata !== undefined && { previousMetadata: new JsonText(previousMetadata) }),
  });
}

export function compiledOf(pipeline: PipelineText | undefined): CompiledPipeline | undefined {
  if (!pipeline) return undefined;
  const known = compiled.get(pipeline.id);
  if (known) return known;
  const { blocks, default_escalation_path: path } = parseExact(pipeline.document) as unknown as {
    readonly blocks: readonly StoredBlock[];
    readonly default_escalation_path?: string;
  };
  const result = compilePipeline(blocks, path);
  compiled.set(pipeline.id, result, { size: Math.max(pipeline.document.length, 1) });
  return result;
}
