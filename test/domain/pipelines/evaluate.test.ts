/** What pipelines answer, alone and one after the other. */
import { describe, expect, test } from '@jest/globals';
import {
  compilePipeline,
  evaluatePipeline,
  evaluateRequest,
  reportedOutcome,
  type CompiledPipeline,
} from '../../../src/domain/pipelines/evaluate.ts';
import { parsePipelineDocument } from '../../../src/domain/pipelines/parse.ts';
import { storeBlocks } from '../../../src/domain/pipelines/store.ts';
import type { StoredBlock } from '../../../src/domain/pipelines/types.ts';
import type { ConditionFacts } from '../../../src/domain/conditions/types.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import type { ExactObject } from '../../../src/platform/json/exact-values.ts';

const nothing = parseExact('{}') as ExactObject;
const facts: ConditionFacts = {
  request: { tool: 'pay', arguments: parseExact('{"amount":50}') },
  agent: { slug: 'bot', name: 'Bot' },
  previous_metadata: { organization: nothing, agent: nothing },
};

let serial = 0;
const always = (id: string, outcome: string, over: object = {}): object => ({
  id,
  name: id,
  type: 'always',
  config: { outcome, reason: `${id} says so.`, ...over },
});
const cel = (
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

function stored(blocks: object[]): StoredBlock[] {
  const parsed = parsePipelineDocument(parseExact(stringifyExact({ blocks })));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return storeBlocks(parsed.document, () => 'snapshot');
}

const pipeline = (blocks: object[], defaultPath?: string): CompiledPipeline =>
  compilePipeline(stored(blocks), defaultPath);

/** A stored block whose condition no longer compiles, as after a faulty migration. */
function broken(id: string): StoredBlock[] {
  return stored([cel(id, 'approve')]).map(
    (block) =>
      ({
        ...block,
        config: { when: { id: 'x', all: [] }, on_match: 'approve', reason: 'r' },
      }) as StoredBlock,
  );
}

describe('evaluatePipeline', () => {
  test('an empty pipeline passes the request on, and alone it asks a person', () => {
    const evaluation = evaluatePipeline(pipeline([], 'ops'), facts);
    expect(evaluation).toEqual({
      outcome: 'next',
      reason_code: 'end_of_pipeline',
      escalation_path: 'ops',
      escalation_path_source: 'pipeline_default',
      blocks: [],
    });
    expect(reportedOutcome(evaluation)).toBe('human');
  });

  test('the first block that decides is the last that runs, and every block reached is reported', () => {
    const blocks = [
      cel('a', 'deny', { matches: false }),
      cel('b', 'next'),
      cel('c', 'approve'),
      always('d', 'deny'),
    ];
    expect(evaluatePipeline(pipeline(blocks, 'ops'), facts)).toEqual({
      outcome: 'approve',
      reason_code: 'block_outcome',
      terminal_block_id: 'c',
      reason: 'c says so.',
      escalation_path_source: 'no_escalation',
      blocks: [
        { block_id: 'a', position: 0, outcome: 'next' },
        { block_id: 'b', position: 1, outcome: 'next', reason: 'b says so.' },
        { block_id: 'c', position: 2, outcome: 'approve', reason: 'c says so.' },
      ],
    });
  });

  test('disabled blocks are skipped and not reported, and keep their position', () => {
    const evaluation = evaluatePipeline(
      pipeline([{ ...always('off', 'deny'), enabled: false }, always('on', 'approve')]),
      facts,
    );
    expect(evaluation.blocks).toEqual([
      { block_id: 'on', position: 1, outcome: 'approve', reason: 'on says so.' },
    ]);
  });

  test('a human outcome goes to the path of the block, else to the default of the pipeline, else to no path', () => {
    const path = (blocks: object[], fallback?: string): unknown[] => {
      const { outcome, escalation_path, escalation_path_source } = evaluatePipeline(
        pipeline(blocks, fallback),
        facts,
      );
      return [outcome, escalation_path, escalation_path_source];
    };
    expect(path([always('a', 'human', { escalation_path: 'own' })], 'ops')).toEqual([
      'human',
      'own',
      'block_escalation',
    ]);
    expect(path([cel('a', 'human', { escalation_path: 'own' })], 'ops')).toEqual([
      'human',
      'own',
      'block_escalation',
    ]);
    expect(path([always('a', 'human')], 'ops')).toEqual(['human', 'ops', 'pipeline_default']);
    expect(path([always('a', 'human')])).toEqual(['human', undefined, 'no_escalation']);
    expect(path([always('a', 'deny')], 'ops')).toEqual(['deny', undefined, 'no_escalation']);
  });

  test('a block that cannot be compiled asks a person, and the blocks after it never run', () => {
    const blocks = [
      ...stored([cel('a', 'next')]),
      ...broken('b'),
      ...stored([always('c', 'approve')]),
    ];
    expect(evaluatePipeline(compilePipeline(blocks, 'ops'), facts)).toEqual({
      outcome: 'human',
      reason_code: 'block_error',
      terminal_block_id: 'b',
      escalation_path: 'ops',
      escalation_path_source: 'pipeline_default',
      blocks: [
        { block_id: 'a', position: 0, outcome: 'next', reason: 'a says so.' },
        { block_id: 'b', position: 1, outcome: 'human', error_code: 'condition_invalid' },
      ],
    });
  });

  test('a failing block has no effect while it is disabled or comes after the deciding block', () => {
    const off = broken('off').map((block) => ({ ...block, enabled: false }));
    const blocks = [...off, ...stored([always('a', 'approve')]), ...broken('late')];
    expect(evaluatePipeline(compilePipeline(blocks), facts).outcome).toBe('approve');
  });

  test('an unknown stored type and a config of the wrong shape are errors of their block', () => {
    const unknown = stored([always('a', 'approve')]).map(
      (block) => ({ ...block, type: 'webhook' }) as unknown as StoredBlock,
    );
    const shapeless = stored([cel('a', 'approve')]).map(
      (block) => ({ ...block, config: null }) as unknown as StoredBlock,
    );
    expect(evaluatePipeline(compilePipeline(unknown), facts).blocks[0]).toEqual({
      block_id: 'a',
      position: 0,
      outcome: 'human',
      error_code: 'unknown_block_type',
    });
    expect(evaluatePipeline(compilePipeline(shapeless), facts).blocks[0]).toEqual({
      block_id: 'a',
      position: 0,
      outcome: 'human',
      error_code: 'block_failed',
    });
  });

  test('all conditions of a pipeline share one limit of work', () => {
    const list = (id: string): object => ({
      id,
      name: id,
      type: 'cel',
      config: {
        when: {
          id: `e${id}`,
          every: {
            field: '/request/arguments/l',
            condition: { id: `l${id}`, field: '/item', operator: 'equals', value: 1 },
          },
        },
        on_match: 'next',
        reason: 'r',
      },
    });
    const many = {
      ...facts,
      request: {
        tool: 'pay',
        arguments: parseExact(`{"l":[${Array.from({ length: 20_000 }, () => 1).join(',')}]}`),
      },
    };
    const evaluation = evaluatePipeline(
      pipeline([list('a'), list('b'), list('c'), always('d', 'approve')]),
      many,
    );
    expect(evaluation).toMatchObject({
      outcome: 'human',
      reason_code: 'block_error',
      terminal_block_id: 'c',
    });
    expect(evaluation.blocks[2]?.error_code).toBe('condition_too_costly');
  });

  test('one compiled pipeline answers many requests independently', () => {
    const compiled = pipeline([
      {
        id: 'a',
        name: 'a',
        type: 'cel',
        config: {
          when: { id: 'w', field: '/request/arguments/n', operator: 'less_than', value: 5 },
          on_match: 'approve',
          reason: 'r',
        },
      },
    ]);
    const outcomes = [1, 9, 2, 7].map(
      (n) =>
        evaluatePipeline(compiled, {
          ...facts,
          request: { tool: 't', arguments: parseExact(`{"n":${n}}`) },
        }).outcome,
    );
    expect(outcomes).toEqual(['approve', 'next', 'approve', 'next']);
  });
});

describe('evaluateRequest', () => {
  const summary = (organization: CompiledPipeline, agent?: CompiledPipeline): unknown[] => {
    const verdict = evaluateRequest(organization, agent, facts);
    return [
      verdict.outcome,
      verdict.scope,
      verdict.reason_code,
      verdict.block_id,
      verdict.escalation_path,
      verdict.escalation_path_source,
    ];
  };

  test('the agent pipeline runs only when every block of the organization passed the request on', () => {
    expect(summary(pipeline([cel('o', 'next')]), pipeline([always('a', 'approve')]))).toEqual([
      'approve',
      'agent',
      'block_outcome',
      'a',
      undefined,
      'no_escalation',
    ]);
    expect(summary(pipeline([cel('o', 'deny')]), pipeline([always('a', 'approve')]))).toEqual([
      'deny',
      'organization',
      'block_outcome',
      'o',
      undefined,
      'no_escalation',
    ]);
    expect(
      evaluateRequest(pipeline([cel('o', 'human')]), pipeline([always('a', 'approve')]), facts)
        .agent,
    ).toBeUndefined();
  });

  test('an enabled always block of the organization keeps the agent pipeline from running, at any position', () => {
    for (const outcome of ['approve', 'deny', 'human']) {
      const organization = pipeline([
        cel('x', 'approve', { matches: false }),
        cel('y', 'next'),
        always('o', outcome),
      ]);
      expect(
        evaluateRequest(organization, pipeline([always('a', 'approve')]), facts),
      ).toMatchObject({
        outcome,
        scope: 'organization',
        block_id: 'o',
      });
    }
    const disabled = pipeline([{ ...always('o', 'deny'), enabled: false }]);
    expect(evaluateRequest(disabled, pipeline([always('a', 'approve')]), facts).scope).toBe(
      'agent',
    );
  });

  test('a failing block of the organization asks a person and does not pass to the agent pipeline', () => {
    expect(
      summary(compilePipeline(broken('o'), 'ops'), pipeline([always('a', 'approve')])),
    ).toEqual(['human', 'organization', 'block_error', 'o', 'ops', 'pipeline_default']);
  });

  test.each([
    [
      'its own path',
      [always('a', 'human', { escalation_path: 'own' })],
      'mine',
      'ours',
      'own',
      'block_escalation',
    ],
    [
      'the default of its pipeline',
      [always('a', 'human')],
      'mine',
      'ours',
      'mine',
      'pipeline_default',
    ],
    [
      'the default of the organization',
      [always('a', 'human')],
      undefined,
      'ours',
      'ours',
      'pipeline_default',
    ],
    ['no path', [always('a', 'human')], undefined, undefined, undefined, 'no_escalation'],
    ['the default of its pipeline at its end', [], 'mine', 'ours', 'mine', 'pipeline_default'],
    [
      'the default of the organization at the end of both',
      [],
      undefined,
      'ours',
      'ours',
      'pipeline_default',
    ],
    ['no path at the end of both', [], undefined, undefined, undefined, 'no_escalation'],
  ] as const)(
    'a request that reaches a person in the agent pipeline takes %s',
    (_what, blocks, mine, ours, path, source) => {
      const verdict = evaluateRequest(pipeline([], ours), pipeline([...blocks], mine), facts);
      expect([
        verdict.outcome,
        verdict.scope,
        verdict.escalation_path,
        verdict.escalation_path_source,
      ]).toEqual(['human', 'agent', path, source]);
    },
  );

  test('the preview of an agent pipeline stays in its scope: it does not use the default of the organization', () => {
    const verdict = evaluateRequest(pipeline([], 'ours'), pipeline([]), facts);
    expect(verdict.agent).toMatchObject({
      outcome: 'next',
      escalation_path_source: 'no_escalation',
    });
  });

  test('an automatic outcome of an agent names no path, whatever the defaults', () => {
    expect(summary(pipeline([], 'ours'), pipeline([always('a', 'deny')], 'mine'))).toEqual([
      'deny',
      'agent',
      'block_outcome',
      'a',
      undefined,
      'no_escalation',
    ]);
  });

  test("without an agent pipeline the organization's pipeline decides", () => {
    expect(summary(pipeline([], 'ours'))).toEqual([
      'human',
      'organization',
      'end_of_pipeline',
      undefined,
      'ours',
      'pipeline_default',
    ]);
  });
});
