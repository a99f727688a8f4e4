/** Where the requests of the last days ended in a pipeline. */
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import {
  pipelineOwner,
  type PipelineKey,
} from '../../domain/pipelines/request-approval-pipelines.ts';
import { listAccess } from '../../domain/requests/request-access.ts';
import { countConcludingBlocks } from '../../data/pipelines/concluding-blocks.ts';
import { pipelineTables } from '../../data/pipelines/request-approval-pipelines.ts';
import { findDocument } from '../../data/revisions.ts';
import { requirePermission } from '../access/current-callers.ts';
import type { ServiceContext } from '../context.ts';
import { pipelineKind } from './request-approval-pipelines.ts';

export interface ConcludingBlocks {
  /** How many have a verdict. */
  readonly requests: number;
  /** From when on requests count. Absent without any. */
  readonly from?: Date;
  /** Of this pipeline, the most frequent first. */
  readonly blocks: readonly { readonly blockId: string; readonly requests: number }[];
}

const DAYS = 7;
/** Each takes a look at its decision and audit event: some 10 ms together. */
const MOST_REQUESTS = 2_000;

/** Throws 403 without `request.read` there, and 404 without such a pipeline. */
export async function readConcludingBlocks(
  { db }: ServiceContext,
  principal: ProductPrincipal,
  documentKey: PipelineKey,
): Promise<ConcludingBlocks> {
  const target = pipelineKind.targetOf(documentKey);
  requirePermission(principal, { permission: 'request.read', target });
  const { organizationId } = principal;
  if (!(await findDocument(db, organizationId, { tables: pipelineTables, documentKey })))
    throw new AppError('not_found');
  const { scope, agentSlug } = pipelineOwner(documentKey);
  const found = await countConcludingBlocks(db, organizationId, {
    ...{ access: listAccess(principal), agentSlug, days: DAYS, most: MOST_REQUESTS },
  });
  return {
    requests: found.reduce((sum, each) => sum + each.requests, 0),
    ...(found[0] && { from: found[0].from }),
    blocks: found.flatMap(({ blockId, ...each }) =>
      blockId !== null && each.scope === scope ? [{ blockId, requests: each.requests }] : [],
    ),
  };
}
