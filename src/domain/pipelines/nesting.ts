/** The blocks of a document with those in branches, in reading order: a branch before its own. */
import type { Block, StoredBlock } from './types.ts';

interface Placed<Each> {
  readonly block: Each;
  /** Where it is in the document. */
  readonly path: readonly PropertyKey[];
}

/** Every block with its path, for example `['blocks', 0, 'config', 'blocks', 1]`. */
export function placedBlocks<Each extends Block | StoredBlock>(
  blocks: readonly Each[],
  path: readonly PropertyKey[] = ['blocks'],
): Placed<Each>[] {
  return blocks.flatMap((block, index) => {
    const at = [...path, index];
    const own = { block, path: at };
    return block.type === 'branch'
      ? [own, ...placedBlocks(block.config.blocks as readonly Each[], [...at, 'config', 'blocks'])]
      : [own];
  });
}
