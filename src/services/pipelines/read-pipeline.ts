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
import { storeBlocks } from '../../domain/pipelines/store.ts';
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import type { DocumentReader } from '../read-documents.ts';

/** The escalation paths, webhook endpoints and models that a pipeline names, and where. */
export interface PipelineNames {
  readonly paths: ReturnType<typeof namedEscalationPaths>;
  readonly endpoints: ReturnType<typeof namedEndpoints>;
  /** Of its judges. */
  readonly models: ReturnType<typeof namedModels>;
}

export function namesOf(document: Parameters<typeof namedEscalationPaths>[0]): PipelineNames {
  return {
    paths: namedEscalationPaths(document),
    endpoints: namedEndpoints(document),
    models: namedModels(document),
  };
}

/**
 * Every block gets a new `snapshot_id`. The number of all blocks is stored, so that readers need not
 * count what lies in branches.
 */
export const readPipeline: DocumentReader<PipelineNames> = (body) => read(body, 'open');

/** The same for the hosted edition. */
export const readHostedPipeline: DocumentReader<PipelineNames> = (body) => read(body, 'hosted');

function read(body: string, edition: Edition): ReturnType<DocumentReader<PipelineNames>> {
  const parsed = parsePipelineDocument(parseExact(body), edition);
  if (!parsed.ok) return { issues: parsed.issues };
  const { comment, ...document } = parsed.document;
  return {
    comment,
    text: stringifyExact({
      ...document,
      blocks: storeBlocks(document, v7),
      block_count: placedBlocks(document.blocks).length,
    }),
    names: namesOf(document),
  };
}
