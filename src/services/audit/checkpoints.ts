/** The checkpoints of an organization's chain, for those who keep some of them elsewhere. */
import type { Checkpoint } from '../../domain/audit/checkpoints.ts';
import { AppError } from '../../domain/errors.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { listCheckpoints } from '../../data/audit/checkpoints.ts';
import type { AuditContext } from '../context.ts';
import { readPage } from '../pages.ts';

/** Throws 404 where nothing is signed yet. */
export async function newestAuditCheckpoint(
  { db }: AuditContext,
  { organizationId }: ProductPrincipal,
): Promise<Checkpoint> {
  const [newest] = await listCheckpoints(db, organizationId, { before: undefined, limit: 1 });
  if (newest) return newest;
  throw new AppError('not_found', {
    detail:
      'There is no checkpoint yet. One is signed within a minute where COUNTERSIGN_AUDIT_KEY is set.',
  });
}

/** Newest first. `next` is the position of the last one, when more follow. */
export async function listAuditCheckpoints(
  { db }: AuditContext,
  { organizationId }: ProductPrincipal,
  { limit, before }: { readonly limit: number; readonly before: number | undefined },
): Promise<{ readonly checkpoints: readonly Checkpoint[]; readonly next: number | undefined }> {
  const { items, last } = await readPage(limit, (most) =>
    listCheckpoints(db, organizationId, { before, limit: most }),
  );
  return { checkpoints: items, next: last?.position };
}
