/** One revision, a list of revisions, a list of documents. */
import { AppError, invalid } from '../../domain/errors.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import type { ArchiveStatus, RevisionSummary } from '../../domain/revisions.ts';
import * as data from '../../data/revisions.ts';
import type { RevisionTables } from '../../data/revisions.ts';
import { listSummaries as findSummaries } from '../../data/revision-summaries.ts';
import { LongList } from '../../platform/long-list.ts';
import type { ServiceContext } from '../context.ts';
import { readPage } from '../pages.ts';
import type { DocumentRef } from './kind.ts';

/** One revision, or the active one. Throws 404. */
export async function getRevision<N, V>(
  context: ServiceContext,
  { organizationId }: ProductPrincipal,
  { kind, documentKey, revision }: DocumentRef<N, V> & { readonly revision: number | 'active' },
): Promise<{ readonly revision: V; readonly number: number }> {
  const found = await data.findRevision(context.db, organizationId, {
    tables: kind.tables,
    documentKey,
    revision,
  });
  if (!found) throw new AppError('not_found');
  return { revision: kind.view(found), number: found.revision };
}

/** The last revision of the previous page, and its document. */
export interface RevisionPosition {
  readonly documentId: string;
  readonly revision: number;
}

export interface RevisionList<View> {
  readonly revisions: LongList<View>;
  /** The start of the next page; absent on the last one. */
  readonly next?: RevisionPosition;
  readonly totalCount: number;
}

/**
 * Newest first; empty when the document's owner exists without it. Throws 404, and 400 for a
 * position in another document.
 */
export async function listRevisions<N, V>(
  context: ServiceContext,
  { organizationId }: ProductPrincipal,
  {
    kind,
    documentKey,
    after,
    limit,
  }: DocumentRef<N, V> & { readonly after?: RevisionPosition | undefined; readonly limit: number },
): Promise<RevisionList<V>> {
  const document = await data.findDocument(context.db, organizationId, {
    tables: kind.tables,
    documentKey,
  });
  if (!document && !(await kind.ownerExists?.(context.db, organizationId, documentKey)))
    throw new AppError('not_found');
  if (after && after.documentId !== document?.id) {
    throw invalid([
      {
        pointer: '/query/cursor',
        code: 'invalid_cursor',
        message: 'must be a next_cursor of this list',
      },
    ]);
  }
  if (!document) return { revisions: new LongList<V>([]), totalCount: 0 };
  const page = {
    tables: kind.tables,
    documentId: document.id,
    before: after?.revision,
    limit,
  };
  const { revisions, last } = await data.listRevisions(context.db, organizationId, page);
  return {
    revisions: await revisions.map(kind.view),
    ...(last !== undefined && { next: { documentId: document.id, revision: last } }),
    totalCount: document.latestRevision,
  };
}

export interface SummaryQuery {
  readonly status: ArchiveStatus;
  /** Part of the key or name, ignoring case. */
  readonly q?: string | undefined;
  readonly limit: number;
  /** Key of the last document on the previous page. */
  readonly after?: string | undefined;
}

/**
 * Summaries by key; only of `documentKeys` when given. `next` is the start of the next page, absent
 * on the last one.
 */
export async function listSummaries(
  context: ServiceContext,
  { organizationId }: ProductPrincipal,
  {
    tables,
    documentKeys,
    query,
  }: { tables: RevisionTables; documentKeys?: readonly string[] | undefined; query: SummaryQuery },
): Promise<{ readonly summaries: readonly RevisionSummary[]; readonly next?: string }> {
  const { items: summaries, last } = await readPage(query.limit, (limit) =>
    findSummaries(context.db, organizationId, { ...query, tables, documentKeys, limit }),
  );
  return { summaries, ...(last && { next: last.documentKey }) };
}
