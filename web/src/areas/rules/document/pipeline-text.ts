/** The JSON text of a pipeline, as people edit it. */
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { readSource, type SourceValue } from '../../../../../src/platform/json/source-values.ts';
import { printedJson } from '../../../shared/editor/printed-json.ts';

/** What the service adds to a block. It writes them again for a block that changed. */
const ADDED = new Set(['snapshot_id', 'config_version', 'content_hash']);

/** `blocks`: the source text of a revision's blocks. */
export function pipelineText(blocks: string, defaultPath: string | undefined): string {
  const list = readSource(blocks);
  const path =
    defaultPath === undefined ? '' : `,"default_escalation_path":${stringifyExact(defaultPath)}`;
  return printedJson(`{"blocks":${list ? withoutAdded(list) : blocks}${path}}`);
}

function withoutAdded(blocks: SourceValue): string {
  if (blocks.kind !== 'array') return blocks.source;
  return `[${blocks.items.map(blockText).join(',')}]`;
}

function blockText(block: SourceValue): string {
  if (block.kind !== 'object') return block.source;
  const members = block.members.flatMap(({ key, keySource, value }) => {
    if (ADDED.has(key)) return [];
    return [`${keySource}:${key === 'config' ? configText(value) : value.source}`];
  });
  return `{${members.join(',')}}`;
}

function configText(config: SourceValue): string {
  if (config.kind !== 'object') return config.source;
  const members = config.members.map(
    ({ key, keySource, value }) =>
      `${keySource}:${key === 'blocks' ? withoutAdded(value) : value.source}`,
  );
  return `{${members.join(',')}}`;
}
