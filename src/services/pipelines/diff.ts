/** What a revision of a pipeline changes. */
import { callerIdOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import type { PipelineKey } from '../../domain/pipelines/request-approval-pipelines.ts';
import { pipelineTables } from '../../data/pipelines/request-approval-pipelines.ts';
import { findRevision } from '../../data/revisions.ts';
import type { ServiceContext } from '../context.ts';
import { isLarge } from '../heavy-work.ts';
import { diffRevisionTexts } from './diff-texts.ts';

export interface RevisionDiff {
  readonly revision: number;
  readonly against: number;
  /** A `PipelineDiff` as JSON. */
  readonly text: string;
}

/**
 * From `against`, or else the active revision. Throws 404 for an unknown revision, and 400 when
 * there is nothing to compare with.
 */
export async function diffPipelineRevision(
  { db, workerPool }: ServiceContext,
  principal: ProductPrincipal,
  {
    documentKey,
    revision,
    against = 'active',
  }: {
    readonly documentKey: PipelineKey;
    readonly revision: number;
    readonly against?: number | undefined | 'active';
  },
): Promise<RevisionDiff> {
  const find = async (wanted: number | 'active') =>
    await findRevision(db, principal.organizationId, {
      tables: pipelineTables,
      documentKey,
      revision: wanted,
    });
  const [after, before] = [await find(revision), await find(against)];
  if (!after) throw new AppError('not_found');
  if (!before && against === 'active')
    throw invalid([
      {
        pointer: '/query/against',
        code: 'required',
        message: 'must name a revision, because none is active',
      },
    ]);
  if (!before) throw new AppError('not_found');
  const texts = { before: before.document, after: after.document };
  const text = isLarge([texts.before, texts.after])
    ? await workerPool.run(diffRevisionTexts, texts, callerIdOf(principal))
    : diffRevisionTexts(texts);
  return { revision: after.revision, against: before.revision, text };
}
