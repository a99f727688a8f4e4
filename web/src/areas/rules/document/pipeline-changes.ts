/** What one text of a pipeline changes from another, and what is probably not meant in it. */
import { diffPipelines, type PipelineDiff } from '../../../../../src/domain/pipelines/diff.ts';
import type { StoredBlock } from '../../../../../src/domain/pipelines/types.ts';
import { findPipelineWarnings } from '../../../../../src/domain/pipelines/warnings/find.ts';
import type { PipelineWarning } from '../../../../../src/domain/pipelines/warnings/types.ts';
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { readDocument } from '../../../shared/editor/problems.ts';
import type { Named } from '../editing.ts';
import { drawnBlock } from './drawn-blocks.ts';

/** Undefined where a part cannot be drawn. */
function drawnBlocks(list: ExactValue | undefined): readonly StoredBlock[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const blocks: StoredBlock[] = [];
  for (const each of list) {
    const { value: block } = drawnBlock(each);
    if (!block) return undefined;
    const drawn = block as unknown as StoredBlock;
    if (block.type !== 'branch') {
      blocks.push(drawn);
      continue;
    }
    const inner = drawnBlocks(block.config.blocks as unknown as ExactValue);
    if (!inner) return undefined;
    blocks.push({ ...drawn, config: { ...block.config, blocks: inner } } as StoredBlock);
  }
  return blocks;
}

interface ReadPipeline {
  readonly blocks: readonly StoredBlock[];
  readonly default_escalation_path?: string;
}

export function readPipeline(document: ExactValue | undefined): ReadPipeline | undefined {
  if (!isExactObject(document)) return undefined;
  const { default_escalation_path: path } = document;
  const blocks = drawnBlocks(document['blocks']);
  if (!blocks || (path !== undefined && typeof path !== 'string')) return undefined;
  return { blocks, ...(path !== undefined && { default_escalation_path: path }) };
}

/** Undefined where one of them cannot be drawn. */
export function changesBetween(before: string, after: string): PipelineDiff | undefined {
  const [earlier, later] = [before, after].map((text) => readPipeline(readDocument(text).value));
  return earlier && later && diffPipelines(earlier, later);
}

export const countOf = ({ added, removed, moved, changed, ...more }: PipelineDiff): number =>
  added.length +
  removed.length +
  moved.length +
  changed.length +
  (more.default_escalation_path ? 1 : 0);

/** The service says the same of a revision. Here it is said while people type. */
export function warningsOf(
  pipeline: ReadPipeline,
  { paths, endpoints }: { readonly paths: readonly Named[]; readonly endpoints: readonly Named[] },
): readonly PipelineWarning[] {
  const inactive = new Set(
    [...paths, ...endpoints].filter((each) => !each.isActive).map(({ key }) => key),
  );
  return [...findPipelineWarnings(pipeline), ...inactiveNames(pipeline.blocks, inactive)];
}

function inactiveNames(
  blocks: readonly StoredBlock[],
  inactive: ReadonlySet<string>,
): readonly PipelineWarning[] {
  return blocks.flatMap((block): readonly PipelineWarning[] => {
    const { escalation_path: path } = block.config;
    return [
      ...(path !== undefined && inactive.has(path)
        ? [{ code: 'escalation_path_inactive' as const, blockId: block.id }]
        : []),
      ...(block.type === 'webhook' && inactive.has(block.config.endpoint_key)
        ? [{ code: 'webhook_endpoint_inactive' as const, blockId: block.id }]
        : []),
      ...(block.type === 'branch'
        ? inactiveNames(block.config.blocks as unknown as readonly StoredBlock[], inactive)
        : []),
    ];
  });
}
