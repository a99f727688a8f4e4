/** Approval pipelines: the rules of an organization and of each of its agents. */
import type { PipelineKey } from '../../domain/pipelines/request-approval-pipelines.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow, queryRows } from '../../platform/rows.ts';
import { insertDocument, type RevisionTables } from '../revisions.ts';

export const pipelineTables: RevisionTables = {
  documents: 'request_approval_pipelines',
  revisions: 'request_approval_pipeline_revisions',
  documentId: 'request_approval_pipeline_id',
  named: false,
  firstKey: 'organization',
};

/** Gives a new organization or agent its pipeline: revision 1, active and empty, which passes every request to a person. */
export async function createPipeline(
  trx: Trx,
  organizationId: string,
  {
    documentKey,
    createdByActorId,
  }: { readonly documentKey: PipelineKey; readonly createdByActorId: string },
): Promise<void> {
  const revision = { document: '{"blocks":[]}', createdByActorId };
  const created = await insertDocument(trx, organizationId, {
    tables: pipelineTables,
    documentKey,
    revision,
    active: true,
  });
  if (!created) throw new Error(`there is a pipeline of ${documentKey} already`);
}

/** Archives the pipeline of an agent. Returns the revision that was active. */
export async function archivePipeline(
  trx: Trx,
  organizationId: string,
  documentKey: PipelineKey,
): Promise<number | undefined> {
  const row = await queryRow<{ archivedRevision: number | null }>(
    trx,
    `update request_approval_pipelines
        set archived_at = clock_timestamp(), archived_revision = active_revision, active_revision = null
      where organization_id = :organizationId and document_key = :documentKey and archived_at is null
     returning archived_revision`,
    { organizationId, documentKey },
  );
  return row?.archivedRevision ?? undefined;
}

/** Brings an archived pipeline back. Returns the revision that is active again. */
export async function restorePipeline(
  trx: Trx,
  organizationId: string,
  documentKey: PipelineKey,
): Promise<number | undefined> {
  const row = await queryRow<{ activeRevision: number | null }>(
    trx,
    `update request_approval_pipelines
        set archived_at = null, active_revision = archived_revision, archived_revision = null
      where organization_id = :organizationId and document_key = :documentKey and archived_at is not null
     returning active_revision`,
    { organizationId, documentKey },
  );
  return row?.activeRevision ?? undefined;
}

/** Records which escalation paths a new revision names. */
export async function insertNamedPaths(
  trx: Trx,
  { revisionId, pathKeys }: { readonly revisionId: string; readonly pathKeys: readonly string[] },
): Promise<void> {
  if (pathKeys.length === 0) return;
  await trx('request_approval_pipeline_paths').insert(
    pathKeys.map((path_key) => ({ request_approval_pipeline_revision_id: revisionId, path_key })),
  );
}

/** Records which blocks of a new revision post to which endpoints. */
export async function insertNamedEndpoints(
  trx: Trx,
  {
    revisionId,
    endpoints,
  }: {
    readonly revisionId: string;
    readonly endpoints: readonly { readonly endpointKey: string; readonly blockKey: string }[];
  },
): Promise<void> {
  if (endpoints.length === 0) return;
  await trx('request_approval_pipeline_endpoints').insert(
    endpoints.map(({ endpointKey, blockKey }) => ({
      request_approval_pipeline_revision_id: revisionId,
      block_key: blockKey,
      endpoint_key: endpointKey,
    })),
  );
}

/** An active pipeline revision that names a path. */
export interface PathUse {
  readonly pipelineId: string;
  readonly documentKey: string;
  readonly revision: number;
  /** The pipeline's document, exact JSON text. */
  readonly document: string;
}

/** The active pipeline revisions that name the path, by pipeline; only of `documentKeys` when given. */
export async function listActiveUsesOfPath(
  db: Db,
  organizationId: string,
  {
    pathKey,
    documentKeys,
    limit,
  }: {
    readonly pathKey: string;
    readonly documentKeys?: readonly PipelineKey[] | undefined;
    readonly limit?: number;
  },
): Promise<PathUse[]> {
  return await queryRows<PathUse>(
    db,
    `select d.id as pipeline_id, d.document_key, r.revision, r.document
       from request_approval_pipeline_paths p
       join request_approval_pipeline_revisions r on r.id = p.request_approval_pipeline_revision_id
       join request_approval_pipelines d on d.id = r.request_approval_pipeline_id and d.active_revision = r.revision
      where d.organization_id = :organizationId and p.path_key = :pathKey
        and (cast(:documentKeys as text[]) is null or d.document_key = any(:documentKeys))
      order by d.document_key collate "C"
      limit :limit`,
    {
      ...{ organizationId, pathKey, limit: limit ?? null },
      documentKeys: documentKeys ? [...documentKeys] : null,
    },
  );
}
