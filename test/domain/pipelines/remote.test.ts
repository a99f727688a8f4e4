/** Evaluations that stop to ask another system go on as if the block had known its answer all along. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Verdict } from '../../../src/domain/pipelines/verdict.ts';
import { evaluateRequest } from '../../../src/domain/pipelines/verdict.ts';
import {
  addMetadata,
  remoteVerdict,
  counting,
  knownMetadata,
  LONGEST_METADATA,
  longestAsking,
  pauseAfter,
  type BlockResult,
  type RemoteBlock,
  type WebhookBlock,
  type RemoteResult,
} from '../../../src/domain/pipelines/remote.ts';
import type { PipelineScope } from '../../../src/domain/pipelines/types.ts';
import { JsonText } from '../../../src/platform/json/exact-json.ts';
import { always, branch, cel, facts, pipeline, stored, verdictOn } from './blocks.ts';

const webhook = (id: string, config: object = {}, operation: object = {}): object => ({
  id,
  name: `Ask ${id}`,
  type: 'webhook',
  ...operation,
  config: { endpoint_key: 'rules', reason: `${id} says so.`, ...config },
});

/** A block of a made-up pipeline, and what its endpoint answers. */
type Made =
  | { readonly kind: 'cel'; readonly outcome: string; readonly matches: boolean }
  | { readonly kind: 'webhook'; readonly outcome: string }
  | { readonly kind: 'branch'; readonly matches: boolean; readonly blocks: readonly Made[] };

const outcome = fc.constantFrom('next', 'next', 'next', 'approve', 'deny', 'human');
const { list } = fc.letrec<{ made: Made; list: readonly Made[] }>((tie) => ({
  made: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ kind: fc.constant('webhook' as const), outcome }),
    fc.record({ kind: fc.constant('cel' as const), outcome, matches: fc.boolean() }),
    fc.record({
      kind: fc.constant('branch' as const),
      matches: fc.boolean(),
      blocks: fc.array(tie('made'), { minLength: 1, maxLength: 4 }),
    }),
  ),
  list: fc.array(tie('made'), { maxLength: 6 }),
}));

/** `asking`: with blocks that ask; otherwise each is a condition with the same answer. */
function documentOf(
  blocks: readonly Made[],
  { asking, prefix }: { asking: boolean; prefix: string },
): object[] {
  return blocks.map((made, index) => {
    const id = `${prefix}${index}`;
    if (made.kind === 'branch')
      return branch(id, documentOf(made.blocks, { asking, prefix: `${id}.` }), {
        matches: made.matches,
      });
    if (made.kind === 'webhook' && asking) return webhook(id);
    return cel(id, made.outcome, { matches: made.kind === 'cel' ? made.matches : true });
  });
}

function answersOf(blocks: readonly Made[], prefix: string): [string, string][] {
  return blocks.flatMap((made, index): [string, string][] => {
    const id = `${prefix}${index}`;
    if (made.kind === 'branch') return answersOf(made.blocks, `${id}.`);
    return made.kind === 'webhook' ? [[id, made.outcome]] : [];
  });
}

/** Asks until there is a verdict. */
function asked(
  organization: readonly Made[],
  agent: readonly Made[],
): { verdict: Verdict; calls: string[] } {
  const pipelines = {
    organization: pipeline(documentOf(organization, { asking: true, prefix: 'o' }), 'ours'),
    agent: pipeline(documentOf(agent, { asking: true, prefix: 'a' }), 'mine'),
  };
  const answers = new Map([...answersOf(organization, 'o'), ...answersOf(agent, 'a')]);
  const calls: string[] = [];
  let last: BlockResult | undefined;
  for (;;) {
    const result = evaluateRequest({ ...pipelines, facts }, last);
    if (!('ask' in result)) return { verdict: result, calls };
    const blockId = result.ask.id;
    calls.push(`${result.scope}/${blockId}`);
    last = {
      scope: result.scope,
      blockId,
      result: { outcome: answers.get(blockId) } as RemoteResult,
    };
  }
}

const summary = ({ organization: _o, agent: _a, ...verdict }: Verdict) => verdict;

describe('an evaluation that asks', () => {
  test('ends as one whose blocks answer by themselves, and asks each block at most once', () => {
    fc.assert(
      fc.property(list, list, (organization, agent) => {
        const { verdict, calls } = asked(organization, agent);
        const known = verdictOn(
          pipeline(documentOf(organization, { asking: false, prefix: 'o' }), 'ours'),
          pipeline(documentOf(agent, { asking: false, prefix: 'a' }), 'mine'),
        );
        expect(summary(verdict)).toEqual(summary(known));
        expect(new Set(calls).size).toBe(calls.length);
      }),
      { numRuns: 500 },
    );
  });

  test('never asks a disabled block, nor one behind a decision', () => {
    const blocks = [{ ...webhook('off'), enabled: false }, always('no', 'deny'), webhook('late')];
    expect(verdictOn(pipeline(blocks)).block_id).toBe('no');
  });

  test('goes on behind the last result, though its metadata would have skipped an earlier branch', () => {
    const isNew = {
      id: 'is-new',
      field: '/previous_metadata/organization/ask/known',
      operator: 'not_exists',
    };
    const entered = {
      ...branch('enter', [webhook('ask'), always('inside', 'deny')]),
      config: {
        when: isNew,
        reason: 'It ended.',
        blocks: [webhook('ask'), always('inside', 'deny')],
      },
    };
    const organization = pipeline([entered, always('outside', 'approve')]);
    const seen = {
      organization: new JsonText('{"ask":{"known":true}}'),
      agent: new JsonText('{}'),
    };
    const last = {
      scope: 'organization' as const,
      blockId: 'ask',
      result: { outcome: 'next' as const },
    };
    expect(
      evaluateRequest(
        { organization, agent: undefined, facts: { ...facts, previous_metadata: seen } },
        last,
      ),
    ).toMatchObject({ outcome: 'deny', block_id: 'inside' });
  });

  test('sends a request to a person when the result is of no block of the pipeline', () => {
    const last = { scope: 'agent', blockId: 'gone', result: { outcome: 'approve' } } as const;
    const agent = pipeline([always('yes', 'approve')]);
    expect(evaluateRequest({ organization: pipeline([]), agent, facts }, last)).toMatchObject({
      outcome: 'human',
      reason_code: 'block_error',
    });
  });
});

const [block] = stored([webhook('limit', { escalation_path: 'finance' })]) as [WebhookBlock];

describe('the answer of a block', () => {
  test.each<[RemoteResult, object, object]>([
    [{ outcome: 'approve' }, {}, { outcome: 'approve', reason: 'limit says so.' }],
    [{ outcome: 'deny', reason: 'No.' }, {}, { outcome: 'deny', reason: 'No.' }],
    [{ outcome: 'deny', reason: '' }, {}, { outcome: 'deny', reason: 'limit says so.' }],
    [
      { outcome: 'human' },
      {},
      { outcome: 'human', reason: 'limit says so.', escalation_path: 'finance' },
    ],
    [
      { outcome: 'human', escalationPath: 'night' },
      {},
      { outcome: 'human', reason: 'limit says so.', escalation_path: 'night' },
    ],
    [
      { errorCode: 'timeout' },
      {},
      { outcome: 'human', error_code: 'timeout', escalation_path: 'finance' },
    ],
    [
      { errorCode: 'invalid_answer' },
      { on_error: 'deny' },
      {
        outcome: 'deny',
        error_code: 'invalid_answer',
        reason: 'Ask limit gave no valid answer.',
      },
    ],
  ])('with %j and %j is %j', (result, config, answer) => {
    expect(remoteVerdict({ ...block, config: { ...block.config, ...config } }, result)).toEqual(
      answer,
    );
  });

  test('is awaited for all attempts and the longest pauses between them', () => {
    const [slow] = stored([webhook('slow', {}, { timeout: '30s', max_attempts: 5 })]) as [
      RemoteBlock,
    ];
    expect(longestAsking(slow)).toBe(5 * 35_000 + 4 * 30_000);
    expect([1, 2, 3, 5, 6].map(pauseAfter)).toEqual([500, 1_000, 2_000, 8_000, 10_000]);
  });
});

describe('metadata', () => {
  const add = (previous: JsonText | undefined, scope: PipelineScope, id: string, text: string) =>
    addMetadata(previous, { scope, blockId: id }, new JsonText(text));

  test('of blocks is kept by scope and id, with every digit and key', () => {
    const first = add(undefined, 'organization', 'a', '{"n":1.0,"__proto__":{"x":1e400}}');
    const both = add(first, 'agent', 'a', '{"z":9007199254740993}');
    expect(both?.text).toBe(
      '{"organization":{"a":{"n":1.0,"__proto__":{"x":1e400}}},"agent":{"a":{"z":9007199254740993}}}',
    );
    expect(knownMetadata(both).agent.text).toBe('{"a":{"z":9007199254740993}}');
    expect(knownMetadata(undefined).organization.text).toBe('{}');
  });

  test('is refused beyond its limit', () => {
    const filler = (length: number) => `{"x":"${'y'.repeat(length)}"}`;
    const frame = String(add(undefined, 'agent', 'a', filler(0))?.text).length;
    const fitting = filler(LONGEST_METADATA - frame);
    expect(add(undefined, 'agent', 'a', fitting)?.text).toHaveLength(LONGEST_METADATA);
    expect(add(undefined, 'agent', 'a', `${fitting.slice(0, -2)}y"}`)).toBeUndefined();
    // Bytes count, not characters.
    expect(add(undefined, 'agent', 'a', fitting.replace('yy', 'é'))).toBeDefined();
    expect(add(undefined, 'agent', 'a', fitting.replace('y', 'é'))).toBeUndefined();
    const ref = { scope: 'agent', blockId: 'b' } as const;
    const more = { outcome: 'next', metadata: new JsonText('{}') } as const;
    const full = add(undefined, 'agent', 'a', fitting);
    expect(counting(full, ref, more)).toEqual({ result: { errorCode: 'metadata_too_large' } });
  });
});
