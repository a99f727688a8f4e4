/** Runs pinned pipelines in a worker thread, which receives texts and caches what it compiles. */
import { LRUCache } from 'lru-cache';
import type { ConditionFacts } from '../../../domain/conditions/types.ts';
import {
  compilePipeline,
  evaluateRequest,
  type CompiledPipeline,
  type Verdict,
} from '../../../domain/pipelines/evaluate.ts';
import type { StoredBlock } from '../../../domain/pipelines/types.ts';
import { JsonText, parseExact } from '../../../platform/exact-json.ts';

/** A revision, by its id and stored document. */
export interface PipelineText {
  readonly id: string;
  readonly document: string;
}

export interface EvaluationTexts {
  readonly organization: PipelineText | undefined;
  readonly agent: PipelineText | undefined;
  readonly facts: {
    readonly tool: string;
    readonly server: string | undefined;
    readonly arguments: string;
    readonly agentReasoning: string | undefined;
    readonly context: string | undefined;
    readonly agent: ConditionFacts['agent'];
  };
}

const compiled = new LRUCache<string, CompiledPipeline>({ max: 50 });

export function evaluateTexts({ organization, agent, facts }: EvaluationTexts): Verdict {
  return evaluateRequest(compiledOf(organization) ?? compilePipeline([]), compiledOf(agent), {
    request: {
      tool: facts.tool,
      server: facts.server,
      arguments: new JsonText(facts.arguments),
      agent_reasoning: textOf(facts.agentReasoning),
      context: textOf(facts.context),
    },
    agent: facts.agent,
    previous_metadata: { organization: {}, agent: {} },
  });
}

const textOf = (text: string | undefined) => (text === undefined ? undefined : new JsonText(text));

function compiledOf(pipeline: PipelineText | undefined): CompiledPipeline | undefined {
  if (!pipeline) return undefined;
  const known = compiled.get(pipeline.id);
  if (known) return known;
  const { blocks, default_escalation_path: path } = parseExact(pipeline.document) as unknown as {
    readonly blocks: readonly StoredBlock[];
    readonly default_escalation_path?: string;
  };
  const fresh = compilePipeline(blocks, path);
  compiled.set(pipeline.id, fresh);
  return fresh;
}
