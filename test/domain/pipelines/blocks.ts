/** Makers of blocks and pipelines, and the facts that their conditions see. */
import { compilePipeline, type CompiledPipeline } from '../../../src/domain/pipelines/compile.ts';
import { evaluatePipeline, type Evaluation } from '../../../src/domain/pipelines/evaluate.ts';
import { parsePipelineDocument } from '../../../src/domain/pipelines/parse.ts';
import { storeBlocks } from '../../../src/domain/pipelines/store.ts';
import type { StoredBlock } from '../../../src/domain/pipelines/types.ts';
import { evaluateRequest, type Verdict } from '../../../src/domain/pipelines/verdict.ts';
import type { ConditionFacts } from '../../../src/domain/conditions/types.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import type { ExactObject } from '../../../src/platform/json/exact-values.ts';

const nothing = parseExact('{}') as ExactObject;
export const facts: ConditionFacts = {
  request: { tool: 'pay', arguments: parseExact('{"amount":50}') },
  agent: { slug: 'bot', name: 'Bot' },
  previous_metadata: { organization: nothing, agent: nothing },
};

/** The evaluation of a pipeline that asks no other system. */
export function evaluated(compiled: CompiledPipeline, given: ConditionFacts = facts): Evaluation {
  const evaluation = evaluatePipeline(compiled, given);
  if ('ask' in evaluation) throw new Error(`block ${evaluation.ask.id} asks another system`);
  return evaluation;
}

/** The verdict of pipelines that ask no other system. */
export function verdictOn(
  organization: CompiledPipeline,
  agent?: CompiledPipeline,
  given: ConditionFacts = facts,
): Verdict {
  const verdict = evaluateRequest({ organization, agent, facts: given });
  if ('ask' in verdict) throw new Error(`block ${verdict.ask.id} asks another system`);
  return verdict;
}

let serial = 0;
export const always = (id: string, outcome: string, over: object = {}): object => ({
  id,
  name: id,
  type: 'always',
  config: { outcome, reason: `${id} says so.`, ...over },
});
export const cel = (
  id: string,
  outcome: string,
  { matches = true, ...over }: { matches?: boolean; escalation_path?: string } = {},
): object => ({
  id,
  name: id,
  type: 'cel',
  config: {
    when: {
      id: `c${(serial += 1)}`,
      field: '/request/tool',
      operator: matches ? 'exists' : 'not_exists',
    },
    on_match: outcome,
    reason: `${id} says so.`,
    ...over,
  },
});

export const branch = (
  id: string,
  blocks: object[],
  { matches = true, ...over }: { matches?: boolean; escalation_path?: string } = {},
): object => ({
  id,
  name: id,
  type: 'branch',
  config: {
    when: {
      id: `w${(serial += 1)}`,
      field: '/request/tool',
      operator: matches ? 'exists' : 'not_exists',
    },
    blocks,
    reason: `${id} ended.`,
    ...over,
  },
});

export function stored(blocks: object[]): StoredBlock[] {
  const parsed = parsePipelineDocument(parseExact(stringifyExact({ blocks })));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return storeBlocks(parsed.document, () => 'snapshot');
}

export const pipeline = (blocks: object[], defaultPath?: string): CompiledPipeline =>
  compilePipeline(stored(blocks), defaultPath);

/** A stored block whose condition no longer compiles, as after a faulty migration. */
export function broken(id: string): StoredBlock[] {
  return stored([cel(id, 'approve')]).map(
    (block) =>
      ({
        ...block,
        config: { when: { id: 'x', all: [] }, on_match: 'approve', reason: 'r' },
      }) as StoredBlock,
  );
}
