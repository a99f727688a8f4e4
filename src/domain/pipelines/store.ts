/**
 * Blocks as stored in a revision, with an identity that survives unchanged revisions, and a hash of
 * their behavior.
 */
import { createHash } from 'node:crypto';
import { canonicalJson, type ExactValue } from '../../platform/json/exact-values.ts';
import type { Issue } from '../errors.ts';
import { pointerOf } from '../pointers.ts';
import { placedBlocks } from './nesting.ts';
import type { Block, PipelineDocument, StoredBlock } from './types.ts';

/** Adds the members that the server sets, in branches, too. */
export function storeBlocks(
  { blocks }: Pick<PipelineDocument, 'blocks'>,
  newId: () => string,
): StoredBlock[] {
  return blocks.map((block) => storeBlock(block, newId).stored);
}

/** The stored block, and the canonical JSON of the block as sent. */
interface Kept {
  readonly stored: StoredBlock;
  readonly text: string;
}

function storeBlock(sent: Block, newId: () => string): Kept {
  const block = withoutKept(sent);
  const snapshotId = newId();
  const inner =
    block.type === 'branch' ? block.config.blocks.map((each) => storeBlock(each, newId)) : [];
  // The texts of inner blocks are reused, or the deepest would be printed once for each level.
  const config =
    block.type === 'branch'
      ? printed(block.config, { blocks: `[${inner.map(({ text }) => text).join(',')}]` })
      : canonicalJson(block.config as ExactValue);
  const hash = createHash('sha256')
    .update(printed({ type: block.type }, { config }))
    .digest('hex');
  const kept = { snapshot_id: snapshotId, config_version: 1, content_hash: hash };
  const stored: StoredBlock =
    block.type === 'branch'
      ? {
          ...block,
          ...kept,
          config: { ...block.config, blocks: inner.map((each) => each.stored) },
        }
      : { ...block, ...kept };
  return { stored, text: printed(block, { config }) };
}

/** A block without what the service added, which a block of a revision as read still has. */
function withoutKept(block: Block): Block {
  const { snapshot_id: _id, config_version: _version, content_hash: _hash, ...sent } = block;
  return sent as Block;
}

/** The blocks that come with the hash of another type or config. */
export function staleHashes(
  { blocks }: Pick<PipelineDocument, 'blocks'>,
  stored: readonly StoredBlock[],
): Issue[] {
  const hashes = placedBlocks(stored).map(({ block }) => block.content_hash);
  return placedBlocks(blocks).flatMap(({ block: { content_hash: hash }, path }, index) =>
    hash === undefined || hash === hashes[index]
      ? []
      : [
          {
            pointer: pointerOf([...path, 'content_hash']),
            code: 'invalid_value' as const,
            message:
              'must be absent or the hash of this type and config: leave it out of a block that you changed',
          },
        ],
  );
}

/**
 * Canonical JSON of an object with some members printed already. Documents consist of exact values,
 * although their types allow more.
 */
function printed(object: object, texts: Readonly<Record<string, string>>): string {
  const values = object as Readonly<Record<string, ExactValue>>;
  const given = Object.keys(object).filter((name) => values[name] !== undefined);
  const names = [...new Set([...given, ...Object.keys(texts)])].sort();
  const members = names.map(
    (name) => `${JSON.stringify(name)}:${texts[name] ?? canonicalJson(values[name] ?? null)}`,
  );
  return `{${members.join(',')}}`;
}

const SNAPSHOT_ID = /"snapshot_id":"([^"\\]+)"/g;

/**
 * The stored document. A block that equals the block with its id in the previous document keeps its
 * `snapshot_id`.
 */
export function keepSnapshots(stored: string, previous: string): string {
  const earlier = new Map(blocksIn(previous).map((block) => [block.id, block]));
  const kept = new Map<string, string>();
  for (const block of blocksIn(stored)) {
    const same = earlier.get(block.id);
    if (same && definition(same) === definition(block))
      kept.set(block.snapshot_id, same.snapshot_id);
  }
  // The ids are new, so that they occur nowhere else in the document. What else looks like one is a
  // value of a condition, which stays as it is.
  return stored.replaceAll(SNAPSHOT_ID, (found, id: string) => {
    const earlierId = kept.get(id);
    return earlierId === undefined ? found : `"snapshot_id":"${earlierId}"`;
  });
}

/** All blocks, whose numbers may have lost digits. */
function blocksIn(stored: string): readonly StoredBlock[] {
  const { blocks } = JSON.parse(stored) as { readonly blocks: readonly StoredBlock[] };
  return placedBlocks(blocks).map(({ block }) => block);
}

/** The hash covers the exact numbers. */
function definition(block: StoredBlock): string {
  const { id, name, type, enabled, timeout, max_attempts, content_hash } = block;
  return JSON.stringify([id, name, type, enabled, timeout, max_attempts, content_hash]);
}
