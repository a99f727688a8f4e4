/** What the pipelines of the organization and of an agent answer, one after the other. */
import { describe, expect, test } from '@jest/globals';
import { compilePipeline, type CompiledPipeline } from '../../../src/domain/pipelines/compile.ts';
import { always, branch, broken, cel, facts, pipeline, verdictOn } from './blocks.ts';

describe('evaluateRequest', () => {
  const summary = (organization: CompiledPipeline, agent?: CompiledPipeline): unknown[] => {
    const verdict = verdictOn(organization, agent, facts);
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
      verdictOn(pipeline([cel('o', 'human')]), pipeline([always('a', 'approve')]), facts).agent,
    ).toBeUndefined();
  });

  test('an enabled always block of the organization keeps the agent pipeline from running, at any position', () => {
    for (const outcome of ['approve', 'deny', 'human']) {
      const organization = pipeline([
        cel('x', 'approve', { matches: false }),
        cel('y', 'next'),
        always('o', outcome),
      ]);
      expect(verdictOn(organization, pipeline([always('a', 'approve')]), facts)).toMatchObject({
        outcome,
        scope: 'organization',
        block_id: 'o',
      });
    }
    const disabled = pipeline([{ ...always('o', 'deny'), enabled: false }]);
    expect(verdictOn(disabled, pipeline([always('a', 'approve')]), facts).scope).toBe('agent');
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
      const verdict = verdictOn(pipeline([], ours), pipeline([...blocks], mine), facts);
      expect([
        verdict.outcome,
        verdict.scope,
        verdict.escalation_path,
        verdict.escalation_path_source,
      ]).toEqual(['human', 'agent', path, source]);
    },
  );

  test('the preview of an agent pipeline stays in its scope: it does not use the default of the organization', () => {
    const verdict = verdictOn(pipeline([], 'ours'), pipeline([]), facts);
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

  test('a branch of the organization that a request enters keeps the pipeline of its agent from running', () => {
    const organization = pipeline([branch('b', [cel('c', 'next')])], 'ours');
    const verdict = verdictOn(organization, pipeline([always('a', 'approve')]), facts);
    expect(verdict).toMatchObject({
      outcome: 'human',
      scope: 'organization',
      reason_code: 'end_of_branch',
      block_id: 'b',
      reason: 'b ended.',
      escalation_path: 'ours',
    });
    expect(verdict.agent).toBeUndefined();
  });
});
