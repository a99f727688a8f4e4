/** Revisioned documents of every kind: create, read, list and activate revisions under one set of rules. */
import type {
  ArchiveStatus,
  Revision,
  RevisionedDocument,
  RevisionSummary,
} from '../domain/revisions.ts';
import { LRUCache } from 'lru-cache';
import { actorIdOf, actorOf } from '../domain/audit.ts';
import type { ProductPrincipal } from '../domain/people/authorization.ts';
import { AppError, invalid, type ErrorCode } from '../domain/errors.ts';
import { insertAuditEvents } from '../data/audit-events.ts';
import * as data from '../data/revisions.ts';
import type { RevisionTables } from '../data/revisions.ts';
import type { ExactValue, JsonText } from '../platform/exact-json.ts';
import type { Db } from '../platform/postgres.ts';
import type { ServiceContext } from './context.ts';
import { cutPage } from './pages.ts';
import { readDocument, type DocumentReader, type ReadDocument } from './read-documents.ts';

/** What makes one kind of document differ from the others. `Names` is what its documents name, `View` what callers get to see. */
export interface RevisionedKind<Names, View> {
  readonly tables: RevisionTables;
  /** Subject of its audit events, which name the document by its key. */
  readonly subject: string;
  /** Why nothing can be added to or activated in an archived document. */
  readonly archivedCode: ErrorCode;
  /** What the audit log says about a document besides its key. */
  readonly auditData: (documentKey: string) => Readonly<Record<string, unknown>>;
  readonly reader: DocumentReader<Names>;
  /** Throws 400 for what the document names but does not exist. */
  readonly checkReferences: (
    trx: Db,
    organizationId: string,
    named: { documentKey: string; names: Names },
  ) => Promise<void>;
  /** Makes a document that was read the successor of the latest revision. */
  readonly succeed?: (text: string, latest: Revision) => string;
  /** Records the targets and documents that a new revision names. */
  readonly recordReferences: (
    trx: Db,
    named: { revisionId: string; names: Names },
  ) => Promise<void>;
  /** Throws 409 for what must be active, or still there, before this revision can be active. */
  readonly checkActivation?: (trx: Db, organizationId: string, revision: Revision) => Promise<void>;
  readonly view: (revision: Revision) => View;
  /**
   * Locks, before the document, what it belongs to and what must not be taken away while it changes. Throws 404 and 409 for
   * what is not there or has ended.
   */
  readonly lockFirst?: (trx: Db, organizationId: string, documentKey: string) => Promise<unknown>;
  /** The first revision of a key creates its document. */
  readonly bornByRevision?: true;
  /** Whether the owner of the document exists. A document without revisions is then an empty list instead of a 404. */
  readonly ownerExists?: (db: Db, organizationId: string, documentKey: string) => Promise<boolean>;
  /** Adds advice to what a change answers. */
  readonly advise?: (db: Db, organizationId: string, view: View) => Promise<View>;
}

/** Which document of which kind. */
interface Of<Names, View> {
  readonly kind: RevisionedKind<Names, View>;
  readonly documentKey: string;
}

/** The answer to a change. `activeRevision` is 0 while none is active. */
export interface ChangedRevision<View> {
  readonly revision: View;
  readonly activeRevision: number;
}

async function advised<N, V>(
  trx: Db,
  organizationId: string,
  { kind, revision }: { kind: RevisionedKind<N, V>; revision: Revision },
) {
  const view = kind.view(revision);
  return kind.advise ? await kind.advise(trx, organizationId, view) : view;
}

/** The document, locked; throws 404. */
async function lock<N, V>(
  trx: Db,
  organizationId: string,
  { kind, documentKey }: Of<N, V>,
): Promise<RevisionedDocument> {
  const document = await data.lockDocument(trx, organizationId, {
    tables: kind.tables,
    documentKey,
  });
  if (!document) throw new AppError('not_found');
  return document;
}

async function audit<N, V>(
  trx: Db,
  principal: ProductPrincipal,
  {
    kind,
    documentKey,
    change,
    more,
  }: Of<N, V> & { change: string; more?: Readonly<Record<string, unknown>> },
): Promise<void> {
  const event = {
    eventType: `${kind.subject}.${change}`,
    actor: actorOf(principal),
    subjectId: documentKey,
    data: { ...kind.auditData(documentKey), ...more },
  };
  await insertAuditEvents(trx, principal.organizationId, { events: [event] });
}

/** A new document with its revision 1, inactive. Throws 400, and `taken` when any document ever had the key. */
export async function createDocument<N, V>(
  context: ServiceContext,
  principal: ProductPrincipal,
  {
    kind,
    documentKey,
    document,
    taken,
  }: Of<N, V> & { readonly document: ReadDocument<N>; readonly taken: ErrorCode },
): Promise<ChangedRevision<V>> {
  const { organizationId } = principal;
  return await context.db.transaction(async (trx) => {
    await kind.checkReferences(trx, organizationId, {
      documentKey,
      names: document.names,
    });
    const revision = await insertFirst(trx, principal, { kind, documentKey, document });
    if (!revision) throw new AppError(taken);
    await kind.recordReferences(trx, { revisionId: revision.id, names: document.names });
    await audit(trx, principal, { kind, documentKey, change: 'created', more: { revision: 1 } });
    return { revision: await advised(trx, organizationId, { kind, revision }), activeRevision: 0 };
  });
}

/** Undefined when the key is taken. */
async function insertFirst<N, V>(
  trx: Db,
  principal: ProductPrincipal,
  { kind, documentKey, document }: Of<N, V> & { readonly document: ReadDocument<N> },
): Promise<Revision | undefined> {
  const revision = {
    document: document.text,
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
  trx: Db,
  principal: ProductPrincipal,
  {
    kind,
    locked,
    document,
  }: Pick<Of<N, V>, 'kind'> & {
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
    document: latest && kind.succeed ? kind.succeed(document.text, latest) : document.text,
    createdByActorId: actorIdOf(principal),
  };
  return await data.insertRevision(trx, organizationId, {
    tables,
    documentId: locked.id,
    revision,
  });
}

/**
 * The next revision, inactive; which one is active does not change. Throws 400, 404 (unless the kind's documents are born
 * by their first revision), 409 when archived.
 */
export async function createRevision<N, V>(
  context: ServiceContext,
  principal: ProductPrincipal,
  { kind, documentKey, body }: Of<N, V> & { readonly body: ExactValue | JsonText },
): Promise<ChangedRevision<V>> {
  const { organizationId } = principal;
  const document = await readDocument(context, principal, { reader: kind.reader, body });
  return await context.db.transaction(async (trx) => {
    await kind.lockFirst?.(trx, organizationId, documentKey);
    const first =
      kind.bornByRevision && (await insertFirst(trx, principal, { kind, documentKey, document }));
    const locked = await lock(trx, organizationId, { kind, documentKey });
    if (locked.archivedAt) throw new AppError(kind.archivedCode);
    await kind.checkReferences(trx, organizationId, {
      documentKey,
      names: document.names,
    });
    const revision = first ?? (await insertNext(trx, principal, { kind, locked, document }));
    await kind.recordReferences(trx, { revisionId: revision.id, names: document.names });
    await audit(trx, principal, {
      kind,
      documentKey,
      change: 'revision_created',
      more: { revision: revision.revision },
    });
    return {
      revision: await advised(trx, organizationId, { kind, revision }),
      activeRevision: locked.activeRevision ?? 0,
    };
  });
}

/**
 * Makes a revision the active one, if `expected` is active now (0: none is); the one already active stays so. Throws 404,
 * 409 when archived or when something it names is not active or gone, 412 `revision_conflict`.
 */
export async function activateRevision<N, V>(
  context: ServiceContext,
  principal: ProductPrincipal,
  {
    kind,
    documentKey,
    revision: number,
    expected,
  }: Of<N, V> & { readonly revision: number; readonly expected: number },
): Promise<ChangedRevision<V>> {
  const { organizationId } = principal;
  const { tables } = kind;
  return await context.db.transaction(async (trx) => {
    await kind.lockFirst?.(trx, organizationId, documentKey);
    const locked = await lock(trx, organizationId, { kind, documentKey });
    const revision = await data.findRevision(trx, organizationId, {
      tables,
      documentKey,
      revision: number,
    });
    if (!revision) throw new AppError('not_found');
    if (locked.archivedAt) throw new AppError(kind.archivedCode);
    if (requireActive(locked, expected) !== number) {
      await kind.checkActivation?.(trx, organizationId, revision);
      await data.setActiveRevision(trx, organizationId, {
        tables,
        documentId: locked.id,
        revision: number,
      });
      await audit(trx, principal, {
        kind,
        documentKey,
        change: 'revision_activated',
        more: { revision: number, previous_revision: locked.activeRevision },
      });
    }
    return {
      revision: await advised(trx, organizationId, {
        kind,
        revision: { ...revision, isActive: true },
      }),
      activeRevision: number,
    };
  });
}

/** Which revision is active, 0 when none is; throws 412 unless that is the expected one. */
function requireActive(
  { activeRevision: active = 0 }: RevisionedDocument,
  expected: number,
): number {
  if (active !== expected)
    throw new AppError('revision_conflict', { details: { active_revision: active } });
  return active;
}

/** Leaves no revision active, if `expected` is active now (0: none is, and nothing changes). Throws 404, 409, 412 `revision_conflict`. */
export async function deactivateRevision<N, V>(
  context: ServiceContext,
  principal: ProductPrincipal,
  { kind, documentKey, expected }: Of<N, V> & { readonly expected: number },
): Promise<void> {
  const { organizationId } = principal;
  await context.db.transaction(async (trx) => {
    await kind.lockFirst?.(trx, organizationId, documentKey);
    requireActive(await lock(trx, organizationId, { kind, documentKey }), expected);
    await deactivateWith(trx, principal, { kind, documentKey });
  });
}

/** The same as part of a greater change, whichever revision is active, if any, and if there is such a document. */
export async function deactivateWith<N, V>(
  trx: Db,
  principal: ProductPrincipal,
  { kind, documentKey }: Of<N, V>,
): Promise<void> {
  const { organizationId } = principal;
  const locked = await data.lockDocument(trx, organizationId, { tables: kind.tables, documentKey });
  if (locked?.activeRevision === undefined) return;
  await data.setActiveRevision(trx, organizationId, {
    tables: kind.tables,
    documentId: locked.id,
    revision: null,
  });
  await audit(trx, principal, {
    kind,
    documentKey,
    change: 'revision_deactivated',
    more: { previous_revision: locked.activeRevision },
  });
}

/** Archives a document for good; again is not an error. `refuse` throws 409 while something needs it. Throws 404. */
export async function archiveDocument<N, V>(
  context: ServiceContext,
  principal: ProductPrincipal,
  { kind, documentKey, refuse }: Of<N, V> & { readonly refuse: (trx: Db) => Promise<void> },
): Promise<void> {
  await context.db.transaction(async (trx) => {
    const locked = await lock(trx, principal.organizationId, { kind, documentKey });
    if (locked.archivedAt) return;
    await refuse(trx);
    await data.archiveDocument(trx, principal.organizationId, {
      tables: kind.tables,
      documentId: locked.id,
    });
    await audit(trx, principal, {
      kind,
      documentKey,
      change: 'archived',
      more: { previous_revision: locked.activeRevision },
    });
  });
}

/** One revision, or the active one. Throws 404. */
export async function getRevision<N, V>(
  context: ServiceContext,
  { organizationId }: ProductPrincipal,
  { kind, documentKey, revision }: Of<N, V> & { readonly revision: number | 'active' },
): Promise<{ readonly revision: V; readonly number: number }> {
  const found = await data.findRevision(context.db, organizationId, {
    tables: kind.tables,
    documentKey,
    revision,
  });
  if (!found) throw new AppError('not_found');
  return { revision: kind.view(found), number: found.revision };
}

/** Where a page of revisions ended, and in which document. */
export interface RevisionPosition {
  readonly documentId: string;
  readonly revision: number;
}

export interface RevisionList<View> {
  readonly revisions: readonly View[];
  /** Where the next page starts; absent on the last one. */
  readonly next?: RevisionPosition;
  readonly totalCount: number;
}

/** Newest first; none where what a document would belong to exists without it. Throws 404, and 400 for a position in another document. */
export async function listRevisions<N, V>(
  context: ServiceContext,
  { organizationId }: ProductPrincipal,
  {
    kind,
    documentKey,
    after,
    limit,
  }: Of<N, V> & { readonly after?: RevisionPosition | undefined; readonly limit: number },
): Promise<RevisionList<V>> {
  const document = await data.findDocument(context.db, organizationId, {
    tables: kind.tables,
    documentKey,
  });
  if (!document && !(await kind.ownerExists?.(context.db, organizationId, documentKey)))
    throw new AppError('not_found');
  if (after && after.documentId !== document?.id) {
    throw invalid([
      { pointer: '/query/cursor', code: 'invalid_cursor', message: 'is not a cursor of this list' },
    ]);
  }
  if (!document) return { revisions: [], totalCount: 0 };
  const page = {
    tables: kind.tables,
    documentId: document.id,
    before: after?.revision,
    limit: limit + 1,
  };
  const found = await data.listRevisions(context.db, organizationId, page);
  const { items, last } = cutPage(found, limit);
  return {
    revisions: items.map((revision) => kind.view(revision)),
    ...(last && { next: { documentId: document.id, revision: last.revision } }),
    totalCount: document.latestRevision,
  };
}

export interface SummaryQuery {
  readonly status: ArchiveStatus;
  readonly limit: number;
  /** Key of the document the page before ended with. */
  readonly after?: string | undefined;
}

/** Summaries by key; only of `documentKeys` when given. `next` is where the next page starts, absent on the last one. */
export async function listSummaries(
  context: ServiceContext,
  { organizationId }: ProductPrincipal,
  {
    tables,
    documentKeys,
    query,
  }: { tables: RevisionTables; documentKeys?: readonly string[] | undefined; query: SummaryQuery },
): Promise<{ readonly summaries: readonly RevisionSummary[]; readonly next?: string }> {
  const found = await data.listSummaries(context.db, organizationId, {
    ...query,
    tables,
    documentKeys,
    limit: query.limit + 1,
  });
  const { items: summaries, last } = cutPage(found, query.limit);
  return { summaries, ...(last && { next: last.documentKey }) };
}

/** Text of all documents a cache holds at most, in characters. What is made of a document takes some 16 times as many bytes. */
const CACHED_CHARACTERS = 4 * 1024 * 1024;

/**
 * Caches values derived from revisions, by revision id. Revisions never change, so nothing is invalidated. A caller waits
 * for a load in progress, unless it holds a transaction: the load may need that very connection.
 * `load` answers the value and the size of its document.
 */
export function revisionCache<T extends object>(
  load: (db: Db, revisionId: string) => Promise<{ readonly value: T; readonly size: number }>,
): (db: Db, revisionId: string) => Promise<T> {
  const cache = new LRUCache<string, T>({ max: 2_000, maxSize: CACHED_CHARACTERS });
  const loading = new Map<string, Promise<T>>();
  const keep = async (db: Db, revisionId: string): Promise<T> => {
    const { value, size } = await load(db, revisionId);
    cache.set(revisionId, value, { size: Math.max(size, 1) });
    return value;
  };
  return async (db, revisionId) => {
    const cached = cache.get(revisionId);
    if (cached) return cached;
    if (db.isTransaction) return await keep(db, revisionId);
    const started =
      loading.get(revisionId) ?? keep(db, revisionId).finally(() => loading.delete(revisionId));
    loading.set(revisionId, started);
    return await started;
  };
}
