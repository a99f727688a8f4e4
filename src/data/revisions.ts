/**
 * Documents with numbered, immutable revisions, of which at most one is active. Every kind has the
 * same two tables, named by a `RevisionTables`, so this module serves them all.
 */
import type { RevisionedDocument, Revision, RevisionActor } from '../domain/revisions.ts';
import { v7 } from 'uuid';
import type { Db, Trx } from '../platform/postgres.ts';
import type { LongList } from '../platform/long-list.ts';
import { queryOne, queryRow, queryRows } from '../platform/rows.ts';
import { bytesOf, documentAtOnce, longPage, type SizedRow } from './long-pages.ts';
import { ACCESS_LOCKED_SHARED } from './organization/organizations.ts';

export interface RevisionTables {
  readonly documents: string;
  readonly revisions: string;
  /** Column of the revisions that points to their document. */
  readonly documentId: string;
  /** The document has a member `name`, shown in summaries. */
  readonly named: boolean;
  /** The document has a member `url`, shown in summaries. */
  readonly located?: true;
  /** A key listed before all others. The rest is in the order of the keys. */
  readonly firstKey?: string;
}

interface NewRevision {
  /** Exact JSON text. */
  readonly document: string;
  readonly createdByActorId: string;
  readonly comment?: string | undefined;
}

export interface DocumentRow {
  id: string;
  documentKey: string;
  activeRevision: number | null;
  latestRevision: number;
  archivedAt: Date | null;
}

interface RevisionRow {
  id: string;
  documentId: string;
  documentKey: string;
  revision: number;
  isActive: boolean;
  document: string;
  createdByActorId: string;
  createdBy: RevisionActor;
  createdAt: Date;
  activatedBy: RevisionActor | null;
  activatedAt: Date | null;
  comment: string | null;
  archivedAt: Date | null;
}

/** SQL: the member, or the key of the organization, with this id. */
const actor = (id: string) => `(
  select jsonb_build_object('id', m.id, 'kind', 'member', 'displayName', u.display_name)
    from memberships m join users u on u.id = m.user_id where m.id = ${id}
  union all
  select jsonb_build_object('id', k.id, 'kind', 'api_key', 'displayName', k.name) from api_keys k where k.id = ${id})`;

const revisionColumns = (document: string) =>
  `r.id, d.id as document_id, d.document_key, r.revision, r.revision is not distinct from d.active_revision as is_active,
  ${document}, r.created_by_actor_id, ${actor('r.created_by_actor_id')} as created_by, r.created_at,
  ${actor('r.activated_by_actor_id')} as activated_by, r.activated_at, r.comment, d.archived_at`;
const REVISION_COLUMNS = revisionColumns('r.document');

export function toDocument({
  activeRevision,
  archivedAt,
  ...document
}: DocumentRow): RevisionedDocument {
  return {
    ...document,
    ...(activeRevision !== null && { activeRevision }),
    ...(archivedAt !== null && { archivedAt }),
  };
}

function toRevision(row: RevisionRow): Revision {
  const { id, documentId, documentKey, revision, isActive, document, archivedAt } = row;
  const { createdByActorId, createdBy, createdAt, activatedBy, activatedAt, comment } = row;
  return {
    id,
    documentId,
    documentKey,
    revision,
    isActive,
    document,
    createdByActorId,
    createdBy,
    createdAt,
    ...(activatedBy && { activatedBy }),
    ...(activatedAt && { activatedAt }),
    ...(comment !== null && { comment }),
    ...(archivedAt !== null && { archivedAt }),
  };
}

const documentOf = ({ documents }: RevisionTables): string => `
  select id, document_key, active_revision, latest_revision, archived_at
    from ${documents}
   where organization_id = :organizationId and document_key = :documentKey`;

/**
 * Creates a document with its revision 1, active at once if asked, and holds the organization's
 * access. Undefined when the key is taken, archived or not.
 */
export async function insertDocument(
  db: Db,
  organizationId: string,
  {
    tables,
    documentKey,
    revision,
    active,
  }: { tables: RevisionTables; documentKey: string; revision: NewRevision; active: boolean },
): Promise<Revision | undefined> {
  const row = await queryRow<RevisionRow>(
    db,
    `with ${ACCESS_LOCKED_SHARED}, d as (
       insert into ${tables.documents} (id, organization_id, document_key, active_revision, latest_revision, created_at)
       select :documentId, access.id, :documentKey, :active, 1, clock_timestamp() from access
       on conflict (organization_id, document_key) do nothing
       returning id, document_key, active_revision, archived_at, created_at
     ), r as (
       insert into ${tables.revisions} (id, ${tables.documentId}, revision, document, comment, created_by_actor_id, created_at,
                          activated_at, activated_by_actor_id)
       select :revisionId, d.id, 1, cast(:document as json), :comment, cast(:createdByActorId as uuid), d.created_at,
              case when :isActive then d.created_at end, case when :isActive then cast(:createdByActorId as uuid) end
         from d
       returning *
     )
     select ${REVISION_COLUMNS} from r cross join d`,
    {
      ...revision,
      documentId: v7(),
      revisionId: v7(),
      organizationId,
      documentKey,
      comment: revision.comment ?? null,
      active: active ? 1 : null,
      isActive: active,
    },
  );
  return row && toRevision(row);
}

/**
 * The document, locked until the end of the transaction, as is the organization's access. Every
 * addition, activation and archiving starts here.
 */
export async function lockDocument(
  trx: Trx,
  organizationId: string,
  { tables, documentKey }: { tables: RevisionTables; documentKey: string },
): Promise<RevisionedDocument | undefined> {
  const row = await queryRow<DocumentRow>(
    trx,
    `with ${ACCESS_LOCKED_SHARED} ${documentOf(tables)} and exists (select from access) for no key update`,
    { organizationId, documentKey },
  );
  return row && toDocument(row);
}

export async function findDocument(
  db: Db,
  organizationId: string,
  { tables, documentKey }: { tables: RevisionTables; documentKey: string },
): Promise<RevisionedDocument | undefined> {
  const row = await queryRow<DocumentRow>(db, documentOf(tables), { organizationId, documentKey });
  return row && toDocument(row);
}

/** Adds the next revision, inactive, to a document the transaction has locked. */
export async function insertRevision(
  trx: Trx,
  organizationId: string,
  {
    tables,
    documentId,
    revision,
  }: { tables: RevisionTables; documentId: string; revision: NewRevision },
): Promise<Revision> {
  const row = await queryOne<RevisionRow>(
    trx,
    `with d as (
       update ${tables.documents} set latest_revision = latest_revision + 1
        where id = :documentId and organization_id = :organizationId
       returning id, document_key, active_revision, latest_revision, archived_at
     ), r as (
       insert into ${tables.revisions} (id, ${tables.documentId}, revision, document, comment, created_by_actor_id, created_at)
       select :revisionId, d.id, d.latest_revision, cast(:document as json), :comment, :createdByActorId, clock_timestamp() from d
       returning *
     )
     select ${REVISION_COLUMNS} from r cross join d`,
    {
      ...revision,
      comment: revision.comment ?? null,
      documentId,
      organizationId,
      revisionId: v7(),
    },
  );
  return toRevision(row);
}

/** Makes a revision of a locked document the active one. An archived document comes back. */
export async function setActiveRevision(
  trx: Trx,
  organizationId: string,
  {
    tables,
    ...change
  }: { tables: RevisionTables; documentId: string; revision: number; actorId: string },
): Promise<void> {
  await trx.raw(
    `with activated as (
       update ${tables.revisions} set activated_at = clock_timestamp(), activated_by_actor_id = :actorId
        where ${tables.documentId} = :documentId and revision = :revision
     )
     update ${tables.documents} set active_revision = :revision, archived_at = null
      where organization_id = :organizationId and id = :documentId`,
    { organizationId, ...change },
  );
}

/** Leaves a locked document without an active revision. */
export async function clearActiveRevision(
  trx: Trx,
  organizationId: string,
  { tables, documentId }: { tables: RevisionTables; documentId: string },
): Promise<void> {
  await trx(tables.documents)
    .where({ organization_id: organizationId, id: documentId })
    .update({ active_revision: null });
}

/** Archives a locked document: none of its revisions is active any more. */
export async function archiveDocument(
  trx: Trx,
  organizationId: string,
  { tables, documentId }: { tables: RevisionTables; documentId: string },
): Promise<void> {
  await trx(tables.documents)
    .where({ organization_id: organizationId, id: documentId })
    .update({ active_revision: null, archived_at: trx.raw('clock_timestamp()') });
}

/** `revision`: a number, or the active or latest one. Undefined when there is none. */
export async function findRevision(
  db: Db,
  organizationId: string,
  {
    tables,
    documentKey,
    revision,
  }: { tables: RevisionTables; documentKey: string; revision: number | 'active' | 'latest' },
): Promise<Revision | undefined> {
  const wanted =
    typeof revision === 'number'
      ? ':revision'
      : revision === 'active'
        ? 'd.active_revision'
        : 'd.latest_revision';
  const row = await queryRow<RevisionRow>(
    db,
    `select ${REVISION_COLUMNS}
       from ${tables.documents} d join ${tables.revisions} r on r.${tables.documentId} = d.id and r.revision = ${wanted}
      where d.organization_id = :organizationId and d.document_key = :documentKey`,
    { organizationId, documentKey, ...(typeof revision === 'number' && { revision }) },
  );
  return row && toRevision(row);
}

/** A revision by its id, in any organization. For the revision a request has pinned. */
export async function findRevisionById(
  db: Db,
  revisionId: string,
  tables: RevisionTables,
): Promise<Revision | undefined> {
  const row = await queryRow<RevisionRow>(
    db,
    `select ${REVISION_COLUMNS}
       from ${tables.revisions} r join ${tables.documents} d on d.id = r.${tables.documentId}
      where r.id = :revisionId`,
    { revisionId },
  );
  return row && toRevision(row);
}

/**
 * At most `limit` revisions below `before`, newest first. `last` is the number of the last one if
 * there are more.
 */
export async function listRevisions(
  db: Db,
  organizationId: string,
  page: { tables: RevisionTables; documentId: string; before?: number | undefined; limit: number },
): Promise<{ readonly revisions: LongList<Revision>; readonly last: number | undefined }> {
  const { tables, documentId, before, limit } = page;
  // Revisions are numbered without gaps, so one follows unless the page ends with the first.
  const rows = await queryRows<RevisionRow & SizedRow>(
    db,
    `select ${revisionColumns(documentAtOnce('document'))}, r.documents_end
       from ${tables.documents} d
       join (
         select *, sum(${bytesOf(['document'])}) over (order by revision desc rows unbounded preceding) as documents_end
           from (
             select * from ${tables.revisions} where ${tables.documentId} = :documentId and revision < :before
              order by revision desc limit :limit
           ) as page
       ) r on r.${tables.documentId} = d.id
      where d.organization_id = :organizationId and d.id = :documentId
      order by r.revision desc`,
    { organizationId, documentId, before: before ?? Number.MAX_SAFE_INTEGER, limit },
  );
  const read = async (ids: string[]) =>
    await queryRows<{ id: string; document: string }>(
      db,
      `select id, document from ${tables.revisions} where id = any(:ids)`,
      { ids },
    );
  const end = rows.at(-1)?.revision ?? 1;
  return {
    revisions: longPage(rows, { read, build: toRevision }),
    last: end > 1 ? end : undefined,
  };
}
