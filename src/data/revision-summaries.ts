/** Lists of revisioned documents, without their content. */
import type { ArchiveStatus, RevisionSummary } from '../domain/revisions.ts';
import type { Db } from '../platform/postgres.ts';
import { queryRows } from '../platform/rows.ts';
import { anyNameContains } from './names.ts';
import { toDocument, type DocumentRow, type RevisionTables } from './revisions.ts';

interface SummaryPage {
  readonly tables: RevisionTables;
  readonly status: ArchiveStatus;
  /** Only these documents; all of the organization when absent. */
  readonly documentKeys?: readonly string[] | undefined;
  /** Part of the key or name, ignoring case. */
  readonly q?: string | undefined;
  /** The last key of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Of the latest revision. */
interface SummaryColumns {
  name: string | null;
  url: string | null;
  latestCreatedAt: Date;
}

export async function listSummaries(
  db: Db,
  organizationId: string,
  page: SummaryPage,
): Promise<RevisionSummary[]> {
  const { tables, status, documentKeys, q, after, limit } = page;
  // The key that comes first sorts before all others.
  const order = (key: string) => `(${key} is distinct from :firstKey), ${key} collate "C"`;
  const rows = await queryRows<DocumentRow & SummaryColumns>(
    db,
    `select d.id, d.document_key, d.active_revision, d.latest_revision, d.archived_at, latest.created_at as latest_created_at,
            ${tables.named ? "latest.document ->> 'name'" : 'null'} as name,
            ${tables.located ? "latest.document ->> 'url'" : 'null'} as url
       from ${tables.documents} d
       join ${tables.revisions} latest on latest.${tables.documentId} = d.id and latest.revision = d.latest_revision
      where d.organization_id = :organizationId
        and (:status = 'all' or (d.archived_at is not null) = (:status = 'archived'))
        ${documentKeys ? 'and d.document_key = any(:documentKeys)' : ''}
        ${q === undefined ? '' : `and ${anyNameContains(['d.document_key', "(latest.document ->> 'name')"])}`}
        ${after === undefined ? '' : `and (${order('d.document_key')}) > (${order('cast(:after as text)')})`}
      order by ${order('d.document_key')}
      limit :limit`,
    {
      organizationId,
      status,
      firstKey: tables.firstKey ?? null,
      limit,
      ...(documentKeys && { documentKeys: [...documentKeys] }),
      ...(q !== undefined && { q }),
      ...(after !== undefined && { after }),
    },
  );
  return rows.map(({ name, url, ...row }) => ({
    ...toDocument(row),
    ...(name !== null && { name }),
    ...(url !== null && { url }),
    latestCreatedAt: row.latestCreatedAt,
  }));
}
