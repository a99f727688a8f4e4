/**
 * Blocks as stored in a revision, with an identity that survives unchanged revisions, and a hash of
 * their behavior.
 */
import { createHash } from 'node:crypto';
import { canonicalJson, type ExactValue } from '../../platform/json/exact-values.ts';
import { placedBlocks } from './nesting.ts';
import type { Block, PipelineDocument, StoredBlock } from './types.ts';

/** Adds the members that the server sets, in branches, too. */
export function storeBlocks(
  { blocks }: Pick<PipelineDocument, 'blocks'>,
  newId: () => string,
): StoredBlock[] {
  return blocks.map((block) => {
    const kept = { snapshot_id: newId(), config_version: 1, content_hash: contentHash(block) };
    if (block.type !== 'branch') return { ...block, ...kept };
    const inner = storeBlocks(block.config, newId);
    return { ...block, ...kept, config: { ...block.config, blocks: inner } };
  });
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
  // The ids are new, so that they occur nowhere else in the document.
  return stored.replaceAll(SNAPSHOT_ID, (found, id: string) =>
    found.replace(id, kept.get(id) ?? id),
  );
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

function contentHash({ type, config }: Block): string {
  return createHash('sha256').update(canonical({ type, config })).digest('hex');
}

/** Documents consist of exact values, although their types allow more. */
function canonical(part: object): string {
  return canonicalJson(part as ExactValue);
}
