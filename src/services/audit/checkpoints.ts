/** The checkpoints of an organization's chain, for those who keep some of them elsewhere. */
import type { Checkpoint } from '../../domain/audit/checkpoints.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { listCheckpoints } from '../../data/audit/checkpoints.ts';
import type { ServiceContext } from '../context.ts';
import { readPage } from '../pages.ts';

/** Newest first. `next` is the position of the last one, when more follow. */
export async function listAuditCheckpoints(
  { db }: ServiceContext,
  { organizationId }: ProductPrincipal,
  { limit, before }: { readonly limit: number; readonly before: number | undefined },
): Promise<{ readonly checkpoints: readonly Checkpoint[]; readonly next: number | undefined }> {
  const { items, last } = await readPage(limit, (most) =>
    listCheckpoints(db, organizationId, { before, limit: most }),
  );
  return { checkpoints: items, next: last?.position };
}
