/** Activates and deactivates the revisions of a document. */
import { actorIdOf } from '../../domain/audit/events.ts';
import { AppError } from '../../domain/errors.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import * as data from '../../data/revisions.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import {
  withWarnings,
  audit,
  lockAndRereadCaller,
  requireActive,
  type ChangedRevision,
  type LockedByCaller,
} from './change.ts';
import type { DocumentRef } from './kind.ts';

/**
 * Makes a revision the active one, if `expected` is active now (0: none is). Activating the active
 * one changes nothing. Throws what `rereadCaller` and `requireMayActivate` throw, 404, 409 when archived or when something
 * it names is inactive or gone, 412 `revision_conflict`.
 */
export async function activateRevision<N, V>(
  context: ServiceContext,
  principal: ProductPrincipal,
  {
    kind,
    documentKey,
    revision: number,
    expected,
  }: DocumentRef<N, V> & { readonly revision: number; readonly expected: number },
): Promise<ChangedRevision<V>> {
  const { organizationId } = principal;
  const { tables } = kind;
  const named = { tables, documentKey, revision: number };
  const stored = kind.readNames && (await data.findRevision(context.db, organizationId, named));
  const names = stored && (await kind.readNames?.(context, principal, stored));
  return await context.db.transaction(async (trx) => {
    const { document: locked, caller } = await lockToActivate(trx, principal, {
      kind,
      documentKey,
    });
    const find = async () => {
      const revision = await data.findRevision(trx, organizationId, named);
      if (!revision) throw new AppError('not_found');
      return revision;
    };
    const revision = await find();
    if (locked.archivedAt && kind.archivedCode) throw new AppError(kind.archivedCode);
    if (requireActive(locked, expected) !== number) {
      await kind.requireMayActivate?.(trx, caller, documentKey);
      await kind.checkActivation?.(trx, organizationId, revision);
      await data.setActiveRevision(trx, organizationId, {
        tables,
        documentId: locked.id,
        revision: number,
        actorId: actorIdOf(principal),
      });
      await audit(trx, principal, {
        kind,
        documentKey,
        eventType: `${kind.subject}.revision_activated`,
        more: { revision: number, previous_revision: locked.activeRevision },
      });
    }
    return {
      revision: await withWarnings(trx, organizationId, { kind, names, revision: await find() }),
      activeRevision: number,
    };
  });
}

async function lockToActivate<N, V>(
  trx: Trx,
  principal: ProductPrincipal,
  { kind, documentKey }: DocumentRef<N, V>,
): Promise<LockedByCaller> {
  const refusal = await kind.lockFirst?.(trx, principal.organizationId, documentKey);
  return await lockAndRereadCaller(trx, principal, {
    kind,
    documentKey,
    needs: 'activate',
    refusal,
  });
}

/**
 * Deactivates the document, if `expected` is active now (0: none is, and nothing changes). Throws
 * what `rereadCaller` throws, 404, 409, 412 `revision_conflict`.
 */
export async function deactivateRevision<N, V>(
  context: ServiceContext,
  principal: ProductPrincipal,
  { kind, documentKey, expected }: DocumentRef<N, V> & { readonly expected: number },
): Promise<void> {
  await context.db.transaction(async (trx) => {
    const { document } = await lockToActivate(trx, principal, { kind, documentKey });
    requireActive(document, expected);
    await deactivateWith(trx, principal, { kind, documentKey });
  });
}

/**
 * The same as part of a larger change, for any active revision, if there is one and the document
 * exists.
 */
export async function deactivateWith<N, V>(
  trx: Trx,
  principal: ProductPrincipal,
  { kind, documentKey }: DocumentRef<N, V>,
): Promise<void> {
  const { organizationId } = principal;
  const locked = await data.lockDocument(trx, organizationId, { tables: kind.tables, documentKey });
  if (locked?.activeRevision === undefined) return;
  await data.clearActiveRevision(trx, organizationId, {
    tables: kind.tables,
    documentId: locked.id,
  });
  await audit(trx, principal, {
    kind,
    documentKey,
    eventType: `${kind.subject}.revision_deactivated`,
    more: { previous_revision: locked.activeRevision },
  });
}
