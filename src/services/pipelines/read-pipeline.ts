/** Reads the body of a pipeline revision into the text to store. */
import { v7 } from 'uuid';
import type { Edition } from '../../domain/people/permissions.ts';
import {
  namedEndpoints,
  namedEscalationPaths,
  namedModels,
  parsePipelineDocument,
} from '../../domain/pipelines/parse.ts';
import { placedBlocks } from '../../domain/pipelines/nesting.ts';
import { contradictions, takeReadBack } from '../../domain/read-back.ts';
import { staleHashes, storeBlocks } from '../../domain/pipelines/store.ts';
import { findPipelineWarnings } from '../../domain/pipelines/warnings/find.ts';
import type { PipelineWarning } from '../../domain/pipelines/warnings/types.ts';
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import type { StoredPipeline } from '../evaluation/compiled-pipelines.ts';
import { SPELLED, type DocumentReader } from '../read-documents.ts';

/** The escalation paths, webhook endpoints and models that a pipeline names, and where. */
export interface PipelineNames {
  readonly paths: ReturnType<typeof namedEscalationPaths>;
  readonly endpoints: ReturnType<typeof namedEndpoints>;
  /** Of its judges. */
  readonly models: ReturnType<typeof namedModels>;
  /** What the text of the document alone shows. */
  readonly warnings: readonly PipelineWarning[];
}

export function namesOf(document: Parameters<typeof namedEscalationPaths>[0]): PipelineNames {
  return {
    paths: namedEscalationPaths(document),
    endpoints: namedEndpoints(document),
    models: namedModels(document),
    warnings: findPipelineWarnings(document),
  };
}

/** The names in a stored document, read in a thread of the worker pool where it is large. */
export function namesInStored(text: string): PipelineNames {
  return namesOf(parseExact(text) as unknown as StoredPipeline);
}

/**
 * Every block gets a new `snapshot_id`. The number of all blocks is stored, so that readers need not
 * count what lies in branches.
 */
export const readPipeline: DocumentReader<PipelineNames> = (body) => read(body, 'open');

/** The same for the hosted edition. */
export const readHostedPipeline: DocumentReader<PipelineNames> = (body) => read(body, 'hosted');

function read(body: string, edition: Edition): ReturnType<DocumentReader<PipelineNames>> {
  const given = takeReadBack(parseExact(body, SPELLED), ['scope', 'agent_slug', 'block_count']);
  const { block_count: stated_count, ...stated } = given.stated;
  const parsed = parsePipelineDocument(given.document, edition);
  if (!parsed.ok) return { issues: parsed.issues };
  const { comment, ...document } = parsed.document;
  const blocks = storeBlocks(document, v7);
  const block_count = placedBlocks(blocks).length;
  const counted = stated_count === undefined ? {} : { block_count: stated_count };
  const issues = [...contradictions(counted, { block_count }), ...staleHashes(document, blocks)];
  if (issues.length > 0) return { issues };
  return {
    ...{ comment, stated },
    text: stringifyExact({ ...document, blocks, block_count }),
    names: namesOf(document),
  };
}
