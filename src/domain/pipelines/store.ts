/** Blocks as a revision keeps them: with an identity that survives unchanged revisions, and a hash of what they do. */
import { createHash } from 'node:crypto';
import { canonicalJson, type ExactValue } from '../../platform/exact-json.ts';
import type { Block, PipelineDocument, StoredBlock } from './types.ts';

/** Adds what the server adds. A block that equals the previous revision's block of that id keeps its `snapshot_id`. */
export function storeBlocks(
  document: PipelineDocument,
  previous: readonly StoredBlock[] | undefined,
  newId: () => string,
): StoredBlock[] {
  const earlier = new Map(previous?.map((block) => [block.id, block]));
  return document.blocks.map((block) => {
    const same = earlier.get(block.id);
    const snapshotId = same && definition(same) === definition(block) ? same.snapshot_id : newId();
    return {
      ...block,
      snapshot_id: snapshotId,
      config_version: 1,
      content_hash: contentHash(block),
    };
  });
}

function definition({ id, name, type, enabled, timeout, max_attempts, config }: Block): string {
  return canonical({ id, name, type, enabled, timeout, max_attempts, config });
}

function contentHash({ type, config }: Block): string {
  return createHash('sha256').update(canonical({ type, config })).digest('hex');
}

/** Documents are made of exact values, though their types say more than that. */
function canonical(part: object): string {
  return canonicalJson(part as ExactValue);
}
