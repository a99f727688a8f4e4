/** How blocks are stored: their snapshot ids and their hashes. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { placedBlocks } from '../../../src/domain/pipelines/nesting.ts';
import { keepSnapshots, storeBlocks } from '../../../src/domain/pipelines/store.ts';
import type { StoredBlock } from '../../../src/domain/pipelines/types.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import { canonicalJson, type ExactValue } from '../../../src/platform/json/exact-values.ts';
import { always, branch, cel, parsed } from './documents.ts';

describe('storeBlocks', () => {
  const ids = (prefix = 'id'): (() => string) => {
    let count = 0;
    return () => `${prefix}-${(count += 1)}`;
  };
  const successor = (document: unknown, first: readonly StoredBlock[]) => {
    const stored = stringifyExact({ blocks: storeBlocks(parsed(document), ids('new')) });
    const kept = keepSnapshots(stored, stringifyExact({ blocks: first }));
    return (parseExact(kept) as unknown as { blocks: StoredBlock[] }).blocks;
  };
  const snapshots = (blocks: readonly StoredBlock[]) => blocks.map((block) => block.snapshot_id);

  test('an unchanged block keeps its snapshot id when it moves; a changed or new one gets another', () => {
    const first = storeBlocks(parsed({ blocks: [always, cel] }), ids());
    expect(snapshots(first)).toEqual(['id-1', 'id-2']);
    const next = { blocks: [cel, { ...always, name: 'Other' }, { ...always, id: 'new' }] };
    expect(snapshots(successor(next, first))).toEqual(['id-2', 'new-2', 'new-3']);
    for (const change of [
      { enabled: false },
      { timeout: '6s' },
      { max_attempts: 2 },
      { config: { outcome: 'deny', reason: 'Because.' } },
    ])
      expect(snapshots(successor({ blocks: [{ ...always, ...change }] }, first))).toEqual([
        'new-1',
      ]);
  });

  test('a changed block in a branch gets another snapshot id, and so do the branches around it', () => {
    const document = (reason: string) => ({
      blocks: [
        branch('outer', [
          branch('inner', [{ ...always, config: { outcome: 'human', reason } }]),
          cel,
        ]),
      ],
    });
    const all = (blocks: readonly StoredBlock[]) =>
      placedBlocks(blocks).map(({ block }) => `${block.id} ${block.snapshot_id}`);
    const first = storeBlocks(parsed(document('Because.')), ids());
    expect(all(first)).toEqual(['outer id-1', 'inner id-2', 'gate id-3', 'small id-4']);
    expect(all(successor(document('Because.'), first))).toEqual(all(first));
    expect(all(successor(document('Other.'), first))).toEqual([
      'outer new-1',
      'inner new-2',
      'gate new-3',
      'small id-4',
    ]);
    // A block that leaves its branch is the same block.
    expect(all(successor({ blocks: [cel] }, first))).toEqual(['small id-4']);
  });

  test('numbers that differ beyond the digits of a double are a change, and a snapshot id in a literal is not', () => {
    const literal = (value: string) =>
      `{"blocks":[{"id":"b","name":"B","type":"cel","config":{"when":{"id":"c","field":"/request/arguments/x","operator":"equals","value":${value}},"on_match":"next","reason":"r"}}]}`;
    const first = storeBlocks(parsed(literal('1.00000000000000000001')), ids());
    expect(snapshots(successor(literal('1.00000000000000000001'), first))).toEqual(['id-1']);
    expect(snapshots(successor(literal('1.00000000000000000002'), first))).toEqual(['new-1']);
    const named = literal('{"snapshot_id":"mine"}');
    const [block] = successor(named, storeBlocks(parsed(named), ids()));
    expect(block).toMatchObject({
      snapshot_id: 'id-1',
      config: { when: { value: { snapshot_id: 'mine' } } },
    });
  });

  test.each([
    '{"snapshot_id":"$$x"}',
    '{"snapshot_id":"$`"}',
    `{"snapshot_id":"$',$'snapshot_id$':$'"}`,
    `{"snapshot_id":"$'}},$'on_match$':$'approve$',$'reason$':$'r$'},$'x$':{$'y$':{$'z$':{$'w$':$'"}`,
  ])('a value of a condition that looks like a snapshot id stays as sent: %s', (value) => {
    const block = `{"id":"b","name":"B","type":"cel","config":{"when":{"id":"c","field":"/request/arguments/x","operator":"equals","value":${value}},"on_match":"deny","reason":"r"}}`;
    const stored = stringifyExact({
      blocks: storeBlocks(parsed(`{"blocks":[${block}]}`), ids('new')),
    });
    const first = stringifyExact({
      blocks: storeBlocks(parsed(`{"blocks":[${block}]}`), ids()),
    });
    expect(keepSnapshots(stored, first)).toBe(stored.replace('new-1', () => 'id-1'));
    expect(stored).toContain(value);
  });

  test('the hash of a branch is that of its type and its config as sent', () => {
    const sent = parsed({ blocks: [branch('b', [branch('c', [cel]), always], { reason: 'r' })] });
    const [first] = storeBlocks(sent, ids());
    const { type, config } = sent.blocks[0] as object as { type: string; config: ExactValue };
    const text = canonicalJson({ type, config });
    expect(first?.content_hash).toBe(createHash('sha256').update(text).digest('hex'));
  });

  test('notation and key order make no difference to a block', () => {
    const block =
      '{"id":"b","name":"B","type":"cel","config":{"when":{"id":"c","field":"/request/tool","operator":"equals","value":100},"on_match":"next","reason":"r"}}';
    const first = storeBlocks(parsed(`{"blocks":[${block}]}`), ids());
    const respelled =
      '{"config":{"reason":"r","when":{"value":1e2,"operator":"equals","id":"c","field":"/request/tool"},"on_match":"next"},"type":"cel","id":"b","name":"\\u0042","timeout":"5s"}';
    expect(successor(`{"blocks":[${respelled}]}`, first)).toEqual([
      {
        ...first[0],
        config: {
          when: { id: 'c', field: '/request/tool', operator: 'equals', value: 100 },
          on_match: 'next',
          reason: 'r',
        },
      },
    ]);
  });

  test('the content hash covers only type and config', () => {
    const [one, two, three] = storeBlocks(
      parsed({
        blocks: [
          always,
          { ...always, id: 'b', name: 'B', timeout: '9s' },
          { ...always, id: 'c', config: { outcome: 'human', reason: 'Other.' } },
        ],
      }),
      ids(),
    );
    expect(one?.content_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(two?.content_hash).toBe(one?.content_hash);
    expect(three?.content_hash).not.toBe(one?.content_hash);
    expect(one?.config_version).toBe(1);
  });
});
