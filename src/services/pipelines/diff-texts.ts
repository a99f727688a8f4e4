/** Compares stored revisions of a pipeline, in a worker thread where they are large. */
import { diffPipelines, type DiffedPipeline } from '../../domain/pipelines/diff.ts';
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import { SPELLED } from '../read-documents.ts';

export interface RevisionTexts {
  readonly before: string;
  readonly after: string;
}

/** Returns a `PipelineDiff` as JSON. */
export function diffRevisionTexts({ before, after }: RevisionTexts): string {
  return stringifyExact(diffPipelines(stored(before), stored(after)));
}

const stored = (text: string) => parseExact(text, SPELLED) as unknown as DiffedPipeline;
