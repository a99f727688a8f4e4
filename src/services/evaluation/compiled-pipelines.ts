/** Pipelines as they are stored, and ready to run. */
import { compilePipeline, type CompiledPipeline } from '../../domain/pipelines/compile.ts';
import type { StoredBlock } from '../../domain/pipelines/types.ts';
import { pipelineTables } from '../../data/pipelines/request-approval-pipelines.ts';
import { findRevisionById } from '../../data/revisions.ts';
import { parseInSlices } from '../../platform/json/parse-in-slices.ts';
import type { Db } from '../../platform/postgres.ts';
import { revisionCache } from '../revisions/cache.ts';

export interface StoredPipeline {
  readonly blocks: readonly StoredBlock[];
  readonly default_escalation_path?: string;
}

/** `readPipeline` wrote the stored revision, so it is not checked again. */
export async function storedPipeline(text: string): Promise<StoredPipeline> {
  return (await parseInSlices(text)) as unknown as StoredPipeline;
}

export interface LoadedPipeline extends CompiledPipeline {
  readonly revision: number;
}

/** The pipeline that a request is pinned to, ready to run. Throws when no revision has that id. */
export const loadCompiledPipeline = revisionCache<LoadedPipeline>(async (db: Db, revisionId) => {
  const found = await findRevisionById(db, revisionId, pipelineTables);
  if (!found) throw new Error(`pipeline revision ${revisionId} is missing`);
  const { document, revision } = found;
  const { blocks, default_escalation_path: path } = await storedPipeline(document);
  return { value: { ...compilePipeline(blocks, path), revision }, size: document.length };
});
