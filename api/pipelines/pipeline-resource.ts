/** The two pipelines, as their endpoints are declared. */
import type { PipelineKey } from '../../src/domain/pipelines/request-approval-pipelines.ts';
import type { PipelineNames } from '../../src/services/pipelines/read-pipeline.ts';
import type { PipelineRevision } from '../../src/services/pipelines/request-approval-pipelines.ts';
import type { RevisionedResource } from '../revisions.ts';

export type PipelineResource = Omit<
  RevisionedResource<PipelineNames, PipelineRevision>,
  'documentKey'
> & {
  readonly documentKey: (params: Readonly<Record<string, string>>) => PipelineKey;
};
