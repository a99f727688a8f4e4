/** What judges read, what they may answer, and what that costs. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BlockOutcome } from '../../../src/domain/pipelines/types.ts';
import { readJudgeResult } from '../../../src/domain/pipelines/judge/result.ts';
import { costOf } from '../../../src/domain/pipelines/judge/cost.ts';
import { judgePrompt, mostTokens, promptText } from '../../../src/domain/pipelines/judge/prompt.ts';
import { parsePipelineDocument } from '../../../src/domain/pipelines/parse.ts';
import { remoteVerdict, type JudgeBlock } from '../../../src/domain/pipelines/remote.ts';
import { storeBlocks } from '../../../src/domain/pipelines/store.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import { isExactObject } from '../../../src/platform/json/exact-values.ts';

const POLICY = 'Refunds up to 100 may pass.';
const parse = (config: object, edition: 'open' | 'hosted' = 'hosted') =>
  parsePipelineDocument(
    parseExact(
      stringifyExact({
        blocks: [
          {
            id: 'policy',
            name: 'Policy',
            type: 'llm_judge',
            config: { policy: POLICY, ...config },
          },
        ],
      }),
    ),
    edition,
  );
const judge = (config: object = {}): JudgeBlock => {
  const parsed = parse(config);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return storeBlocks(parsed.document, () => 'snapshot')[0] as JudgeBlock;
};
const OUTCOMES: readonly BlockOutcome[] = ['approve', 'deny', 'human', 'next'];

describe('the block of a judge', () => {
  test('has its defaults', () => {
    expect(judge()).toMatchObject({
      ...{ timeout: '15s', max_attempts: 1 },
      config: { outcomes: ['approve', 'human'], min_confidence: 0.8, include: ['arguments'] },
    });
  });

  test('is no type of the open edition, in branches neither', () => {
    const parsed = parse({}, 'open');
    expect(parsed.ok ? [] : parsed.issues).toEqual([
      {
        pointer: '/blocks/0/type',
        code: 'unknown_block_type',
        message: 'must be one of always, cel, branch, webhook',
      },
    ]);
    const when = { id: 'any', field: '/request/tool', operator: 'exists' };
    const inner = { id: 'policy', name: 'Policy', type: 'llm_judge', config: { policy: POLICY } };
    const config = { when, reason: 'None.', blocks: [inner] };
    const branch = { id: 'branch', name: 'Branch', type: 'branch', config };
    const nested = parsePipelineDocument(parseExact(JSON.stringify({ blocks: [branch] })));
    expect(nested.ok ? [] : nested.issues).toMatchObject([
      { pointer: '/blocks/0/config/blocks/0/type', code: 'unknown_block_type' },
    ]);
  });

  test.each<[object, string]>([
    [{ policy: '' }, 'policy'],
    [{ policy: 'x'.repeat(8_001) }, 'policy'],
    [{ outcomes: [] }, 'outcomes'],
    [{ outcomes: ['approve', 'approve'] }, 'outcomes'],
    [{ outcomes: ['enter'] }, 'outcomes/0'],
    [{ min_confidence: 1.1 }, 'min_confidence'],
    [{ min_confidence: -0.1 }, 'min_confidence'],
    [{ min_confidence: '0.5' }, 'min_confidence'],
    [{ include: ['previous_metadata'] }, 'include/0'],
    [{ on_error: 'deny' }, 'on_error'],
  ])('refuses %j', (config, pointer) => {
    const parsed = parse(config);
    expect(parsed.ok ? [] : parsed.issues.map((issue) => issue.pointer)).toEqual([
      `/blocks/0/config/${pointer}`,
    ]);
  });

  test('decides with its own reason, never with the words of the model', () => {
    const said = { reason: 'The model says so.' };
    expect(remoteVerdict(judge(), { outcome: 'deny', ...said })).toEqual({
      outcome: 'deny',
      reason: 'Decided by Policy.',
    });
    expect(remoteVerdict(judge(), { outcome: 'human', ...said })).toEqual({ outcome: 'human' });
    expect(remoteVerdict(judge({ reason: 'Ours.' }), { outcome: 'approve', ...said })).toEqual({
      outcome: 'approve',
      reason: 'Ours.',
    });
    expect(remoteVerdict(judge(), { errorCode: 'judge_unavailable' })).toEqual({
      outcome: 'human',
      error_code: 'judge_unavailable',
    });
  });
});

describe('the answer of a judge', () => {
  const anyAnswer = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        outcome: fc.oneof(fc.constantFrom(...OUTCOMES, 'Approve', 'enter'), fc.jsonValue()),
        confidence: fc.oneof(fc.double({ min: -1, max: 2, noNaN: true }), fc.jsonValue()),
        reason: fc.oneof(fc.string(), fc.jsonValue()),
        approve: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );

  test('is never outside its outcomes, and never sure without enough confidence', () => {
    fc.assert(
      fc.property(
        anyAnswer,
        fc.subarray([...OUTCOMES], { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (value, outcomes, least) => {
          const answered = parseExact(JSON.stringify(value));
          const read = readJudgeResult(answered, { outcomes, min_confidence: least });
          if (!read || read.outcome === 'human') return;
          expect(outcomes).toContain(read.outcome);
          expect(isExactObject(answered) && answered['outcome']).toBe(read.outcome);
          expect(Number(stringifyExact(read.confidence))).toBeGreaterThanOrEqual(least);
        },
      ),
    );
  });

  test.each([
    ['0.8', 'approve'],
    ['8e-1', 'approve'],
    ['0.79999999999999999999', 'human'],
    ['0', 'human'],
    ['1', 'approve'],
  ])('with confidence %s is %s', (confidence, outcome) => {
    const value = parseExact(`{"outcome":"approve","confidence":${confidence},"reason":""}`);
    expect(readJudgeResult(value, judge().config)?.outcome).toBe(outcome);
  });

  test.each([
    '{"outcome":"approve","confidence":1}',
    '{"outcome":"approve","confidence":1,"reason":"","tool":"x"}',
    '{"outcome":"deny","confidence":1,"reason":""}',
    '{"outcome":"approve","confidence":1.00000000000000000001,"reason":""}',
    '{"outcome":"approve","confidence":-1,"reason":""}',
    '{"outcome":"approve","confidence":1,"reason":"\\u0000"}',
    '[]',
    'null',
  ])('%s is none', (text) => {
    expect(readJudgeResult(parseExact(text), judge().config)).toBeUndefined();
  });
});

describe('the prompt of a judge', () => {
  const request = (text: string) => ({
    request: { tool: 'refund', arguments: parseExact(text), context: parseExact('{"secret":1}') },
  });

  test('escapes what people would not see, and means the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const prompt = judgePrompt(judge(), request(JSON.stringify({ value })));
        expect(JSON.parse(prompt?.user ?? '')).toEqual({ tool: 'refund', arguments: { value } });
        expect(prompt?.user).not.toMatch(/[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  test('ends at 64 KiB of what the model would read', () => {
    const fits = (text: string) => judgePrompt(judge(), request(`{"t":"${text}"}`)) !== undefined;
    const frame = Buffer.byteLength('{"tool":"refund","arguments":{"t":""}}');
    expect(fits('x'.repeat(65_536 - frame))).toBe(true);
    expect(fits('x'.repeat(65_537 - frame))).toBe(false);
    expect(fits('\u202e'.repeat(11_000))).toBe(false);
  });

  test('reserves at least a token for each byte', () => {
    const prompt = judgePrompt(judge(), request('{"t":"ä"}'));
    if (!prompt) throw new Error('no prompt');
    expect(mostTokens(prompt)).toBeGreaterThan(Buffer.byteLength(promptText(prompt)) + 2_048);
  });
});

test.each([
  [{ inputTokens: 412, outputTokens: 38 }, '0.25', '2.00', '0.000179'],
  [{ inputTokens: 1_000_000, outputTokens: 0 }, '3', '15', '3'],
  [{ inputTokens: 1, outputTokens: 1 }, '0.000001', '0', '0.000000000001'],
  [{ inputTokens: 0, outputTokens: 0 }, '3', '15', '0'],
])('the cost of %j at %s and %s is %s', (usage, input, output, amount) => {
  expect(costOf(usage, { input, output, currency: 'EUR' })).toEqual({
    ...{ input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
    ...{ amount, currency: 'EUR' },
  });
});
