/** What one pipeline answers. */
import { describe, expect, test } from '@jest/globals';
import { compilePipeline } from '../../../src/domain/pipelines/compile.ts';
import { reportedOutcome } from '../../../src/domain/pipelines/evaluate.ts';
import type { StoredBlock } from '../../../src/domain/pipelines/types.ts';
import { parseExact } from '../../../src/platform/json/exact-json.ts';
import { always, branch, broken, cel, evaluated, facts, pipeline, stored } from './blocks.ts';

describe('evaluatePipeline', () => {
  test('an empty pipeline passes the request on, and alone it asks a person', () => {
    const evaluation = evaluated(pipeline([], 'ops'), facts);
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
    expect(evaluated(pipeline(blocks, 'ops'), facts)).toEqual({
      outcome: 'approve',
      reason_code: 'block_outcome',
      terminal_block_id: 'c',
      reason: 'c says so.',
      escalation_path_source: 'no_escalation',
      blocks: [
        { block_id: 'a', position: 0, outcome: 'next', reason: 'The condition does not hold.' },
        { block_id: 'b', position: 1, outcome: 'next', reason: 'b says so.' },
        { block_id: 'c', position: 2, outcome: 'approve', reason: 'c says so.' },
      ],
    });
  });

  test('disabled blocks are skipped and not reported, and keep their position', () => {
    const evaluation = evaluated(
      pipeline([{ ...always('off', 'deny'), enabled: false }, always('on', 'approve')]),
      facts,
    );
    expect(evaluation.blocks).toEqual([
      { block_id: 'on', position: 1, outcome: 'approve', reason: 'on says so.' },
    ]);
  });

  test('a human outcome goes to the path of the block, else to the default of the pipeline, else to no path', () => {
    const path = (blocks: object[], fallback?: string): unknown[] => {
      const { outcome, escalation_path, escalation_path_source } = evaluated(
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
    expect(evaluated(compilePipeline(blocks, 'ops'), facts)).toEqual({
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
    expect(evaluated(compilePipeline(blocks), facts).outcome).toBe('approve');
  });

  test('an unknown stored type and a config of the wrong shape are errors of their block', () => {
    const unknown = stored([always('a', 'approve')]).map(
      (block) => ({ ...block, type: 'pigeon' }) as unknown as StoredBlock,
    );
    const shapeless = stored([cel('a', 'approve')]).map(
      (block) => ({ ...block, config: null }) as unknown as StoredBlock,
    );
    expect(evaluated(compilePipeline(unknown), facts).blocks[0]).toEqual({
      block_id: 'a',
      position: 0,
      outcome: 'human',
      error_code: 'unknown_block_type',
    });
    expect(evaluated(compilePipeline(shapeless), facts).blocks[0]).toEqual({
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
    const evaluation = evaluated(
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
        evaluated(compiled, {
          ...facts,
          request: { tool: 't', arguments: parseExact(`{"n":${n}}`) },
        }).outcome,
    );
    expect(outcomes).toEqual(['approve', 'next', 'approve', 'next']);
  });
});

describe('a branch', () => {
  test('is skipped by a request that does not meet its condition', () => {
    const blocks = [branch('b', [always('c', 'deny')], { matches: false }), always('d', 'approve')];
    expect(evaluated(pipeline(blocks), facts)).toEqual({
      outcome: 'approve',
      reason_code: 'block_outcome',
      terminal_block_id: 'd',
      reason: 'd says so.',
      escalation_path_source: 'no_escalation',
      blocks: [
        { block_id: 'b', position: 0, outcome: 'next', reason: 'The condition does not hold.' },
        { block_id: 'd', position: 2, outcome: 'approve', reason: 'd says so.' },
      ],
    });
  });

  test('answers with the first of its blocks that decides', () => {
    const blocks = [
      branch('b', [
        cel('c', 'deny', { matches: false }),
        branch('d', [cel('e', 'next'), always('f', 'human', { escalation_path: 'own' })], {
          escalation_path: 'inner',
        }),
        always('g', 'approve'),
      ]),
      always('h', 'approve'),
    ];
    expect(evaluated(pipeline(blocks, 'ops'), facts)).toEqual({
      outcome: 'human',
      reason_code: 'block_outcome',
      terminal_block_id: 'f',
      reason: 'f says so.',
      escalation_path: 'own',
      escalation_path_source: 'block_escalation',
      blocks: [
        { block_id: 'b', position: 0, outcome: 'enter', reason: 'The condition holds.' },
        { block_id: 'c', position: 1, outcome: 'next', reason: 'The condition does not hold.' },
        { block_id: 'd', position: 2, outcome: 'enter', reason: 'The condition holds.' },
        { block_id: 'e', position: 3, outcome: 'next', reason: 'e says so.' },
        { block_id: 'f', position: 4, outcome: 'human', reason: 'f says so.' },
      ],
    });
  });

  test('ends a request that runs out of it, with its own reason and path, and nothing behind it runs', () => {
    const blocks = [
      branch('b', [branch('c', [cel('d', 'next')], { escalation_path: 'inner' })], {
        escalation_path: 'outer',
      }),
      always('e', 'approve'),
    ];
    expect(evaluated(pipeline(blocks, 'ops'), facts)).toEqual({
      outcome: 'human',
      reason_code: 'end_of_branch',
      terminal_block_id: 'c',
      reason: 'c ended.',
      escalation_path: 'inner',
      escalation_path_source: 'block_escalation',
      blocks: [
        { block_id: 'b', position: 0, outcome: 'enter', reason: 'The condition holds.' },
        { block_id: 'c', position: 1, outcome: 'enter', reason: 'The condition holds.' },
        { block_id: 'd', position: 2, outcome: 'next', reason: 'd says so.' },
        { block_id: 'c', position: 1, outcome: 'human', reason: 'c ended.', end_of_branch: true },
      ],
    });
  });

  test('without a path takes the default of the pipeline, not that of the branch around it', () => {
    const path = (blocks: object[], fallback?: string) => {
      const evaluation = evaluated(pipeline(blocks, fallback), facts);
      return [evaluation.escalation_path, evaluation.escalation_path_source];
    };
    const inner = branch('c', [cel('d', 'next')]);
    const outer = branch('b', [inner], { escalation_path: 'outer' });
    expect(path([outer], 'ops')).toEqual(['ops', 'pipeline_default']);
    expect(path([outer])).toEqual([undefined, 'no_escalation']);
    const asking = branch('b', [always('c', 'human')], { escalation_path: 'outer' });
    expect(path([asking], 'ops')).toEqual(['ops', 'pipeline_default']);
  });

  test('is not entered when it is disabled, and ends at once when all of its blocks are', () => {
    const off = { ...branch('b', [always('c', 'deny')]), enabled: false };
    expect(evaluated(pipeline([off, always('d', 'approve')]), facts).blocks).toEqual([
      { block_id: 'd', position: 2, outcome: 'approve', reason: 'd says so.' },
    ]);
    const empty = branch('b', [{ ...always('c', 'approve'), enabled: false }]);
    expect(evaluated(pipeline([empty, always('d', 'approve')]), facts)).toMatchObject({
      outcome: 'human',
      reason_code: 'end_of_branch',
      terminal_block_id: 'b',
    });
  });

  test('with a condition that fails asks a person, and so does a failing block in it', () => {
    const [broke] = stored([branch('b', [always('c', 'approve')])]).map(
      (block) =>
        ({ ...block, config: { ...block.config, when: { id: 'x', all: [] } } }) as StoredBlock,
    );
    const failing = broke ? [broke] : [];
    expect(evaluated(compilePipeline(failing, 'ops'), facts)).toMatchObject({
      outcome: 'human',
      reason_code: 'block_error',
      terminal_block_id: 'b',
      escalation_path: 'ops',
      blocks: [{ block_id: 'b', outcome: 'human', error_code: 'condition_invalid' }],
    });
    const inside = stored([branch('b', [always('c', 'deny')])]).map(
      (block) =>
        ({ ...block, config: { ...block.config, blocks: broken('c') } }) as unknown as StoredBlock,
    );
    expect(evaluated(compilePipeline(inside), facts)).toMatchObject({
      outcome: 'human',
      reason_code: 'block_error',
      terminal_block_id: 'c',
    });
  });
});
