/** The comparison of two revisions of a pipeline. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  diffPipelines,
  type DiffedPipeline,
  type PipelineDiff,
} from '../../../src/domain/pipelines/diff.ts';
import { placedBlocks } from '../../../src/domain/pipelines/nesting.ts';
import type { StoredBlock } from '../../../src/domain/pipelines/types.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import {
  canonicalJson,
  type ExactObject,
  type ExactValue,
} from '../../../src/platform/json/exact-values.ts';
import { exactValue } from '../conditions/arbitraries.ts';
import { always, branch, stored } from './blocks.ts';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

interface Node {
  readonly id: string;
  /** Among the branches before it, and the top. */
  readonly parent: number;
  readonly isBranch: boolean;
  readonly enabled: boolean;
  readonly value: ExactValue;
}

/** Blocks with few ids, so that two documents share many. */
const document = fc
  .tuple(
    fc.shuffledSubarray(IDS),
    fc.array(
      fc.record({
        parent: fc.nat(7),
        isBranch: fc.boolean(),
        enabled: fc.boolean(),
        value: exactValue,
      }),
      { minLength: IDS.length, maxLength: IDS.length },
    ),
    fc.constantFrom(undefined, 'night', 'day'),
  )
  .map(([ids, nodes, path]): DiffedPipeline => {
    const placed = ids.flatMap((id, index): Node[] =>
      nodes[index] ? [{ id, ...nodes[index] }] : [],
    );
    return { blocks: treeOf(placed), ...(path !== undefined && { default_escalation_path: path }) };
  });

function treeOf(nodes: readonly Node[]): StoredBlock[] {
  const top: object[] = [];
  const lists = [top];
  for (const [index, { id, parent, isBranch, enabled, value }] of nodes.entries()) {
    const inner: object[] = [];
    const when = { id: `w-${id}`, field: '/request/arguments', operator: 'equals', value };
    const config = { when, reason: id, ...(isBranch && { blocks: inner }) };
    const kept = { snapshot_id: `of ${index}`, config_version: 1, content_hash: 'hash' };
    const own = { id, name: id, enabled, timeout: '5s', max_attempts: 1 };
    (lists[parent % lists.length] ?? top).push({
      ...{ ...own, ...kept, config },
      type: isBranch ? 'branch' : 'cel',
    });
    if (isBranch) lists.push(inner);
  }
  return top as StoredBlock[];
}

const idsIn = ({ blocks }: DiffedPipeline) => placedBlocks(blocks).map(({ block }) => block.id);
const idsOf = (list: readonly { readonly block_id: string }[]) =>
  list.map(({ block_id: id }) => id);

/** By parent, the ids of blocks in order. */
function families({ blocks }: DiffedPipeline): Map<string, string[]> {
  const all = new Map([['top', blocks.map(({ id }) => id)]]);
  for (const { block } of placedBlocks(blocks))
    if (block.type === 'branch')
      all.set(
        block.id,
        block.config.blocks.map(({ id }) => id),
      );
  return all;
}

const at = (root: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, token) =>
        (value as Record<string, unknown>)[token.replaceAll('~1', '/').replaceAll('~0', '~')],
      root,
    );

/** The block without what the server adds, and without the blocks in it. */
function written(block: StoredBlock | undefined): ExactObject {
  const { id, name, type, enabled, timeout, max_attempts, config } = parseExact(
    stringifyExact(block),
  ) as ExactObject;
  const own = config as ExactObject;
  if (type === 'branch') delete own['blocks'];
  return { id, name, type, enabled, timeout, max_attempts, config: own } as ExactObject;
}

function patched(block: ExactObject, changes: PipelineDiff['changed'][number]['changes']) {
  for (const { pointer, after } of changes) {
    const end = pointer.lastIndexOf('/');
    const holder = at(block, pointer.slice(0, end)) as Record<string, ExactValue>;
    const name = pointer
      .slice(end + 1)
      .replaceAll('~1', '/')
      .replaceAll('~0', '~');
    if (after === undefined) Reflect.deleteProperty(holder, name);
    else holder[name] = after;
  }
  return block;
}

const block = ({ blocks }: DiffedPipeline, id: string) =>
  placedBlocks(blocks).find((each) => each.block.id === id)?.block;

describe('for any two documents', () => {
  const both = fc.tuple(document, document);
  const holds = (property: (before: DiffedPipeline, after: DiffedPipeline) => void) => {
    fc.assert(fc.property(both, ([before, after]) => property(before, after)));
  };

  test('a document differs in nothing from itself, whatever the server adds to it', () => {
    fc.assert(
      fc.property(document, (one) => {
        const text = stringifyExact(one).replaceAll('"content_hash":"', '"content_hash":"another ');
        const other = parseExact(text) as unknown as DiffedPipeline;
        const nothing = { added: [], removed: [], moved: [], changed: [] };
        expect(diffPipelines(one, other)).toEqual(nothing);
      }),
    );
  });

  test('every block was added, was removed, or stayed', () => {
    holds((before, after) => {
      const { added, removed, moved, changed } = diffPipelines(before, after);
      const stayed = idsIn(after).filter((id) => idsIn(before).includes(id));
      expect([...idsOf(added), ...stayed].sort()).toEqual(idsIn(after).sort());
      expect([...idsOf(removed), ...stayed].sort()).toEqual(idsIn(before).sort());
      expect(stayed).toEqual(expect.arrayContaining(idsOf([...moved, ...changed])));
    });
  });

  test('pointers lead to the blocks that they name', () => {
    holds((before, after) => {
      const { added, removed, moved } = diffPipelines(before, after);
      for (const { block_id: id, pointer } of added)
        expect(at(after, pointer)).toMatchObject({ id });
      for (const { block_id: id, pointer } of removed)
        expect(at(before, pointer)).toMatchObject({ id });
      for (const { block_id: id, from, to } of moved) {
        expect(at(before, from)).toMatchObject({ id });
        expect(at(after, to)).toMatchObject({ id });
      }
    });
  });

  test('the changes lead from each block to its later self', () => {
    holds((before, after) => {
      const { changed } = diffPipelines(before, after);
      const changes = new Map(changed.map((each) => [each.block_id, each.changes]));
      for (const id of idsIn(after).filter((each) => idsIn(before).includes(each))) {
        const result = patched(written(block(before, id)), changes.get(id) ?? []);
        expect(canonicalJson(result)).toBe(canonicalJson(written(block(after, id))));
      }
    });
  });

  test('blocks that did not move keep their parent and their order', () => {
    holds((before, after) => {
      const moved = new Set(idsOf(diffPipelines(before, after).moved));
      const [earlier, later] = [families(before), families(after)];
      const known = new Set([...idsIn(before)].filter((id) => idsIn(after).includes(id)));
      const still = (ids: readonly string[] = []) =>
        ids.filter((id) => known.has(id) && !moved.has(id));
      for (const parent of new Set([...earlier.keys(), ...later.keys()]))
        expect(still(later.get(parent))).toEqual(still(earlier.get(parent)));
    });
  });

  test('the way back is the same, the other way around', () => {
    holds((before, after) => {
      const [there, back] = [diffPipelines(before, after), diffPipelines(after, before)];
      expect(back.added).toEqual(there.removed);
      expect(back.removed).toEqual(there.added);
      expect(back.moved).toHaveLength(there.moved.length);
      expect(idsOf(back.changed).sort()).toEqual(idsOf(there.changed).sort());
      expect(back.default_escalation_path?.after).toBe(there.default_escalation_path?.before);
    });
  });
});

describe('a comparison', () => {
  const document = (blocks: object[]): DiffedPipeline => ({ blocks: stored(blocks) });
  const one = (id: string) => always(id, 'deny');

  test('names as few moved blocks as possible', () => {
    const before = document(['a', 'b', 'c', 'd'].map(one));
    const after = document(['d', 'a', 'b', 'c'].map(one));
    expect(diffPipelines(before, after)).toEqual({
      added: [],
      removed: [],
      moved: [{ block_id: 'd', from: '/blocks/3', to: '/blocks/0' }],
      changed: [],
    });
  });

  test('does not count a block as moved because others came or went', () => {
    const before = document(['a', 'b', 'c'].map(one));
    const after = document(['x', 'b', 'y', 'c'].map(one));
    expect(diffPipelines(before, after)).toMatchObject({ moved: [] });
  });

  test('finds a block that went into a branch, and does not repeat it as a change of the branch', () => {
    const condition = { id: 'w', field: '/request/tool', operator: 'exists' };
    const before = document([branch('b', [one('a')], { when: condition } as object), one('c')]);
    const after = document([branch('b', [one('a'), one('c')], { when: condition } as object)]);
    expect(diffPipelines(before, after)).toEqual({
      added: [],
      removed: [],
      moved: [{ block_id: 'c', from: '/blocks/1', to: '/blocks/0/config/blocks/1' }],
      changed: [],
    });
  });
});
