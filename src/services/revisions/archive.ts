/** Archives a revisioned document. */
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import * as data from '../../data/revisions.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { audit, lockAndRereadCaller, requireActive } from './change.ts';
import type { DocumentRef } from './kind.ts';

/**
 * Archives a document, for good unless its kind says otherwise. A repeat is not an error. `refuse`
 * throws 409 while something needs it. With `expected`, throws 412 unless that revision is active.
 * Throws what `rereadCaller` throws, and 404.
 */
export async function archiveDocument<N, V>(
  context: ServiceContext,
  principal: ProductPrincipal,
  {
    kind,
    documentKey,
    expected,
    refuse,
  }: DocumentRef<N, V> & {
    readonly expected?: number;
    readonly refuse: (trx: Trx) => Promise<void>;
  },
): Promise<void> {
  await context.db.transaction(async (trx) => {
    const { document: locked } = await lockAndRereadCaller(trx, principal, {
      kind,
      documentKey,
      needs: 'activate',
    });
    if (expected !== undefined) requireActive(locked, expected);
    if (locked.archivedAt) return;
    await refuse(trx);
    await data.archiveDocument(trx, principal.organizationId, {
      tables: kind.tables,
      documentId: locked.id,
    });
    await audit(trx, principal, {
      kind,
      documentKey,
      eventType: `${kind.subject}.archived`,
      more: { previous_revision: locked.activeRevision },
    });
  });
}
