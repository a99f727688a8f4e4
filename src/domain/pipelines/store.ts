/** Blocks as a revision keeps them: with an identity that survives unchanged revisions, and a hash of what they do. */
import { createHash } from 'node:crypto';
import { canonicalJson, type ExactValue } from '../../platform/exact-json.ts';
import type { Block, PipelineDocument, StoredBlock } from './types.ts';

/** Adds what the server adds. */
export function storeBlocks(document: PipelineDocument, newId: () => string): StoredBlock[] {
  return document.blocks.map((block) => ({
    ...block,
    snapshot_id: newId(),
    config_version: 1,
    content_hash: contentHash(block),
  }));
}

const SNAPSHOT_ID = /"snapshot_id":"([^"\\]+)"/g;

/** The stored document, where a block that equals the previous document's block of that id has its `snapshot_id`. */
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

/** Blocks whose numbers may have lost digits. */
function blocksIn(stored: string): readonly StoredBlock[] {
  return (JSON.parse(stored) as { readonly blocks: readonly StoredBlock[] }).blocks;
}

/** The hash covers the exact numbers. */
function definition(block: StoredBlock): string {
  const { id, name, type, enabled, timeout, max_attempts, content_hash } = block;
  return JSON.stringify([id, name, type, enabled, timeout, max_attempts, content_hash]);
}

function contentHash({ type, config }: Block): string {
  return createHash('sha256').update(canonical({ type, config })).digest('hex');
}

/** Documents are made of exact values, though their types say more than that. */
function canonical(part: object): string {
  return canonicalJson(part as ExactValue);
}
