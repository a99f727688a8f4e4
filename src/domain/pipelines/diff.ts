/**
 * What one revision of a pipeline has changed from another: which blocks were added, removed and
 * moved, and what changed inside the others. Numbers keep every digit.
 */
import { exactEquals, isExactObject, type ExactValue } from '../../platform/json/exact-values.ts';
import { pointerOf } from '../pointers.ts';
import { placedBlocks } from './nesting.ts';
import { blockSentence } from './sentences.ts';
import type { StoredBlock } from './types.ts';

/** A revision, as far as people write it. */
export interface DiffedPipeline {
  readonly blocks: readonly StoredBlock[];
  readonly default_escalation_path?: string;
}

export interface PlacedBlock {
  readonly block_id: string;
  readonly name: string;
  readonly type: string;
  /** What it does, for people. */
  readonly sentence: string;
  /** Where the block is in its document. */
  readonly pointer: string;
}

export interface MovedBlock {
  readonly block_id: string;
  readonly from: string;
  readonly to: string;
}

export interface ChangedMember {
  /** Relative to the block. */
  readonly pointer: string;
  /** Absent for a member that was added. */
  readonly before?: ExactValue;
  /** Absent for a member that was removed. */
  readonly after?: ExactValue;
}

export interface ChangedBlock {
  readonly block_id: string;
  /** What it did and does, for people. They are equal where only other members differ. */
  readonly sentence_before: string;
  readonly sentence_after: string;
  readonly changes: readonly ChangedMember[];
}

export interface PipelineDiff {
  /** With their pointers in the later document. */
  readonly added: readonly PlacedBlock[];
  /** With their pointers in the earlier one. */
  readonly removed: readonly PlacedBlock[];
  readonly moved: readonly MovedBlock[];
  readonly changed: readonly ChangedBlock[];
  /** Present when it differs. */
  readonly default_escalation_path?: { readonly before?: string; readonly after?: string };
}

export function diffPipelines(before: DiffedPipeline, after: DiffedPipeline): PipelineDiff {
  const [earlier, later] = [placesOf(before), placesOf(after)];
  const stayed = [...later.keys()].filter((id) => earlier.has(id));
  const { default_escalation_path: from } = before;
  const { default_escalation_path: to } = after;
  return {
    added: [...later.values()].filter(({ id }) => !earlier.has(id)).map(placed),
    removed: [...earlier.values()].filter(({ id }) => !later.has(id)).map(placed),
    moved: movedBlocks(earlier, later),
    changed: stayed.flatMap((block_id) => {
      const changes = changesOf(ownMembers(earlier, block_id), ownMembers(later, block_id));
      if (changes.length === 0) return [];
      const sentence_before = sentenceIn(earlier, block_id);
      const sentence_after = sentenceIn(later, block_id);
      return [{ block_id, sentence_before, sentence_after, changes }];
    }),
    ...(from !== to && {
      default_escalation_path: {
        ...(from !== undefined && { before: from }),
        ...(to !== undefined && { after: to }),
      },
    }),
  };
}

interface Place {
  readonly id: string;
  readonly block: StoredBlock;
  readonly path: readonly PropertyKey[];
  /** The branch that has it; absent at the top. */
  readonly parent: string | undefined;
}

type Places = ReadonlyMap<string, Place>;

/** By block id, in reading order. */
function placesOf({ blocks }: DiffedPipeline): Places {
  const all = placedBlocks(blocks);
  const parents = new Map<string, string>();
  for (const { block } of all)
    if (block.type === 'branch')
      for (const inner of block.config.blocks) parents.set(inner.id, block.id);
  return new Map(
    all.map(({ block, path }) => [
      block.id,
      { id: block.id, block, path, parent: parents.get(block.id) },
    ]),
  );
}

const sentenceIn = (places: Places, id: string): string => {
  const block = places.get(id)?.block;
  return block ? blockSentence(block) : '';
};

const placed = ({ id, block, path }: Place): PlacedBlock => ({
  ...{ block_id: id, name: block.name, type: block.type, sentence: blockSentence(block) },
  pointer: pointerOf([...path]),
});

/**
 * Blocks with another parent, and those out of order among the blocks that stayed with theirs. As
 * few as possible count as moved.
 */
function movedBlocks(earlier: Places, later: Places): MovedBlock[] {
  const order = new Map([...earlier.keys()].map((id, index) => [id, index]));
  const siblings = new Map<string | undefined, string[]>();
  const moved = new Set<string>();
  for (const { id, parent } of later.values()) {
    const before = earlier.get(id);
    if (!before) continue;
    if (before.parent === parent) siblings.set(parent, [...(siblings.get(parent) ?? []), id]);
    else moved.add(id);
  }
  for (const ids of siblings.values()) {
    const kept = longestRising(ids.map((id) => order.get(id) ?? 0));
    for (const [index, id] of ids.entries()) if (!kept.has(index)) moved.add(id);
  }
  return [...later.values()]
    .filter(({ id }) => moved.has(id))
    .map(({ id, path }) => ({
      block_id: id,
      from: pointerOf([...(earlier.get(id)?.path ?? [])]),
      to: pointerOf([...path]),
    }));
}

/** The indexes of a longest part of the numbers that rises. */
function longestRising(numbers: readonly number[]): ReadonlySet<number> {
  // By length: the index at which the rising part of that length with the smallest end ends.
  const ends: number[] = [];
  const previous = numbers.map((value, index) => {
    let low = 0;
    for (let high = ends.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    ends[low] = index;
    return ends[low - 1];
  });
  const rising = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) rising.add(at);
  return rising;
}

/** What people write of a block, without its id and the blocks in it, which are compared themselves. */
function ownMembers(places: Places, id: string): ExactValue {
  const block = places.get(id)?.block;
  if (!block) return null;
  const { name, type, enabled, timeout, max_attempts } = block;
  // Documents consist of exact values, although their types allow more.
  const config = { ...block.config } as Record<string, unknown>;
  if (type === 'branch') delete config['blocks'];
  return { name, type, enabled, timeout, max_attempts, config } as ExactValue;
}

/** The members that differ. Lists of different lengths differ as a whole. */
function changesOf(
  before: ExactValue,
  after: ExactValue,
  path: readonly string[] = [],
): ChangedMember[] {
  if (isExactObject(before) && isExactObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name): ChangedMember[] => {
      const at = [...path, name];
      const [had, has] = [memberOf(before, name), memberOf(after, name)];
      if (had === undefined || has === undefined) return had === has ? [] : [changed(at, had, has)];
      return changesOf(had, has, at);
    });
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, index) =>
      changesOf(item, after[index] ?? null, [...path, String(index)]),
    );
  return exactEquals(before, after) ? [] : [changed(path, before, after)];
}

const memberOf = (object: Readonly<Record<string, ExactValue>>, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const changed = (
  path: readonly string[],
  before: ExactValue | undefined,
  after: ExactValue | undefined,
): ChangedMember => ({
  pointer: pointerOf([...path]),
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
});
