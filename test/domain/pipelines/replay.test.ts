/** Replays: stored results in place of other systems. */
import { describe, expect, test } from '@jest/globals';
import { replayRequest, type StoredResult } from '../../../src/domain/pipelines/replay.ts';
import type { RemoteResult } from '../../../src/domain/pipelines/remote.ts';
import type { StoredBlock } from '../../../src/domain/pipelines/types.ts';
import { compilePipeline } from '../../../src/domain/pipelines/compile.ts';
import { JsonText } from '../../../src/platform/json/exact-json.ts';
import { always, facts, stored } from './blocks.ts';

const ask = (id: string, config: object = {}): object => ({
  id,
  name: id,
  type: 'webhook',
  config: { endpoint_key: 'rules', ...config },
});
const seen = (id: string, pointer: string): object => ({
  id,
  name: id,
  type: 'cel',
  config: {
    when: { id: `when-${id}`, field: `/previous_metadata/${pointer}`, operator: 'exists' },
    on_match: 'approve',
    reason: 'Seen.',
  },
});

const hashOf = (block: object): string => stored([block])[0]?.content_hash ?? '';
const resultOf = (block: object, result: RemoteResult, ref: object = {}): StoredResult => ({
  scope: 'organization',
  blockId: 'then',
  contentHash: hashOf(block),
  result,
  ...ref,
});

const replay = (
  blocks: { organization?: readonly StoredBlock[]; agent?: readonly StoredBlock[] },
  results: readonly StoredResult[] = [],
) =>
  replayRequest({
    organization: compilePipeline(blocks.organization ?? []),
    agent: compilePipeline(blocks.agent ?? []),
    facts,
    results,
  });

describe('a block that asks another system', () => {
  test('without a stored result makes the outcome unknown, where it is reached, and is named', () => {
    expect(replay({ organization: stored([ask('a')]) })).toEqual({
      scope: 'organization',
      blockId: 'a',
    });
    expect(replay({ agent: stored([ask('a')]) })).toEqual({ scope: 'agent', blockId: 'a' });
    expect(replay({ organization: stored([always('b', 'deny'), ask('a')]) })).toMatchObject({
      outcome: 'deny',
    });
  });

  test('takes only the result of the same question', () => {
    const results = [resultOf(ask('a', { reason: 'Other.' }), { outcome: 'approve' })];
    expect(replay({ organization: stored([ask('a')]) }, results)).toMatchObject({ blockId: 'a' });
  });

  test('takes its own result rather than that of another block with the same question', () => {
    const results = [
      resultOf(ask('a'), { outcome: 'deny' }, { scope: 'agent', blockId: 'a' }),
      resultOf(ask('a'), { outcome: 'approve' }, { blockId: 'a' }),
    ];
    expect(replay({ organization: stored([ask('a')]) }, results)).toMatchObject({
      outcome: 'approve',
    });
    expect(replay({ agent: stored([ask('a')]) }, results)).toMatchObject({ outcome: 'deny' });
    expect(replay({ agent: stored([ask('b')]) }, results)).toMatchObject({ outcome: 'deny' });
  });

  test('fails as it failed then', () => {
    const results = [resultOf(ask('a', { on_error: 'deny' }), { errorCode: 'timeout' })];
    expect(
      replay({ agent: stored([ask('a', { on_error: 'deny' }), always('b', 'approve')]) }, results),
    ).toMatchObject({ outcome: 'deny', reason_code: 'block_error', block_id: 'a' });
  });

  test('gives its metadata to later blocks of both pipelines, and none to earlier ones', () => {
    const metadata = new JsonText('{"score":1}');
    const results = [resultOf(ask('a'), { outcome: 'next', metadata })];
    const organization = stored([seen('early', 'organization/a/score'), ask('a')]);
    const agent = stored([seen('late', 'organization/a/score')]);
    expect(replay({ organization, agent }, results)).toMatchObject({
      outcome: 'approve',
      scope: 'agent',
      block_id: 'late',
    });
  });
});
