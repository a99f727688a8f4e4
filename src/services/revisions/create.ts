/** Creates documents and their next revisions. */
import { actorIdOf } from '../../domain/audit/events.ts';
import { AppError, invalid, type ErrorCode } from '../../domain/errors.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { contradictions } from '../../domain/read-back.ts';
import type { Revision, RevisionedDocument } from '../../domain/revisions.ts';
import * as data from '../../data/revisions.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { ExactValue } from '../../platform/json/exact-values.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { readDocument, type ReadDocument } from '../read-documents.ts';
import { withWarnings, audit, lockAndRereadCaller, type ChangedRevision } from './change.ts';
import { rereadCaller } from '../access/current-callers.ts';
import { readerOf, type DocumentRef, type RevisionedKind } from './kind.ts';

/**
 * Creates a document with its revision 1, inactive. Throws what `rereadCaller` throws, 400, and
 * `taken` when any document ever had the key.
 */
export async function createDocument<N, V>(
  context: ServiceContext,
  principal: ProductPrincipal,
  {
    kind,
    documentKey,
    document,
    taken,
  }: DocumentRef<N, V> & { readonly document: ReadDocument<N>; readonly taken: ErrorCode },
): Promise<ChangedRevision<V>> {
  const { organizationId } = principal;
  requireOwn(kind, documentKey, document);
  return await context.db.transaction(async (trx) => {
    const revision = await insertFirst(trx, principal, { kind, documentKey, document });
    const permission = kind.permissions.write;
    await rereadCaller(trx, principal, { permission, target: kind.targetOf(documentKey) });
    await kind.checkReferences?.(trx, organizationId, {
      documentKey,
      names: document.names,
    });
    if (!revision) throw new AppError(taken);
    await kind.recordReferences?.(trx, { revisionId: revision.id, names: document.names });
    await audit(trx, principal, {
      kind,
      documentKey,
      eventType: `${kind.subject}.created`,
      more: { revision: 1 },
    });
    const { names } = document;
    return {
      revision: await withWarnings(trx, organizationId, { kind, revision, names }),
      activeRevision: 0,
    };
  });
}

/**
 * Adds the next revision, inactive. The active revision does not change. Throws what
 * `rereadCaller` throws, 400, 404 (unless the first revision creates documents of this kind), 409
 * when archived.
 */
export async function createRevision<N, V>(
  context: ServiceContext,
  principal: ProductPrincipal,
  { kind, documentKey, body }: DocumentRef<N, V> & { readonly body: ExactValue | JsonText },
): Promise<ChangedRevision<V>> {
  const { organizationId } = principal;
  const reader = readerOf(kind, context);
  const document = await readDocument(context, principal, { reader, body });
  requireOwn(kind, documentKey, document);
  await kind.checkOutside?.(context, document.names);
  return await context.db.transaction(async (trx) => {
    const refusal = await kind.lockFirst?.(trx, organizationId, documentKey);
    const first =
      kind.createdByFirstRevision && !refusal
        ? await insertFirst(trx, principal, { kind, documentKey, document })
        : undefined;
    const { document: locked } = await lockAndRereadCaller(trx, principal, {
      kind,
      documentKey,
      needs: 'write',
      refusal,
    });
    if (locked.archivedAt && kind.archivedCode) throw new AppError(kind.archivedCode);
    await kind.checkReferences?.(trx, organizationId, {
      documentKey,
      names: document.names,
    });
    const revision = first ?? (await insertNext(trx, principal, { kind, locked, document }));
    const added = first && (await kind.addToFirst?.(trx, context, first));
    await kind.recordReferences?.(trx, { revisionId: revision.id, names: document.names });
    await audit(trx, principal, {
      kind,
      documentKey,
      eventType: `${kind.subject}.revision_created`,
      more: { revision: revision.revision },
    });
    const { names } = document;
    const view = await withWarnings(trx, organizationId, { kind, revision, names });
    return { revision: { ...view, ...added }, activeRevision: locked.activeRevision ?? 0 };
  });
}

/** Throws 400 for a body that says it belongs elsewhere. */
function requireOwn<N, V>(
  { identity }: RevisionedKind<N, V>,
  documentKey: string,
  { stated = {} }: ReadDocument<N>,
): void {
  const issues = contradictions(stated, identity(documentKey));
  if (issues.length > 0) throw invalid(issues);
}

/** Undefined when the key is taken. */
async function insertFirst<N, V>(
  trx: Trx,
  principal: ProductPrincipal,
  { kind, documentKey, document }: DocumentRef<N, V> & { readonly document: ReadDocument<N> },
): Promise<Revision | undefined> {
  const revision = {
    document: document.text,
    comment: document.comment,
    createdByActorId: actorIdOf(principal),
  };
  return await data.insertDocument(trx, principal.organizationId, {
    tables: kind.tables,
    documentKey,
    revision,
    active: false,
  });
}

async function insertNext<N, V>(
  trx: Trx,
  principal: ProductPrincipal,
  {
    kind,
    locked,
    document,
  }: Pick<DocumentRef<N, V>, 'kind'> & {
    readonly locked: RevisionedDocument;
    readonly document: ReadDocument<N>;
  },
): Promise<Revision> {
  const { organizationId } = principal;
  const { tables } = kind;
  const latest = await data.findRevision(trx, organizationId, {
    tables,
    documentKey: locked.documentKey,
    revision: 'latest',
  });
  const revision = {
    document: latest && kind.carryOver ? kind.carryOver(document.text, latest) : document.text,
    comment: document.comment,
    createdByActorId: actorIdOf(principal),
  };
  return await data.insertRevision(trx, organizationId, {
    tables,
    documentId: locked.id,
    revision,
  });
}
