/**
 * What changed in a queue since a snapshot of the database. A row names the transaction that last
 * changed it, and a snapshot tells whether it has seen a transaction. So a change that commits late
 * is found late, but never missed.
 */
import type { ListAccess } from '../../../domain/requests/request-access.ts';
import type { RequestState } from '../../../domain/requests/approval-requests.ts';
import type { Db } from '../../../platform/postgres.ts';
import { queryOne, queryRows } from '../../../platform/rows.ts';
import {
  FEW_NOTIFICATIONS,
  inScope,
  MEMBER_PATHS,
  partsOf,
  READER_TABLES,
  readPart,
  type Bindings,
  type QueueReader,
  type QueueScope,
} from './access.ts';

/** A snapshot is `xmin:xmax:` and the transactions between that were in progress. */
const SNAPSHOT = 'cast(pg_current_snapshot() as text)';

/** SQL: a request `r` that the snapshot has not seen as it is now. */
const changedSince = (snapshot: string): string => `
  r.routed_at is not null and r.changed_in >= pg_snapshot_xmin(cast(${snapshot} as pg_snapshot))
  and not pg_visible_in_snapshot(r.changed_in, cast(${snapshot} as pg_snapshot))`;

export async function readSnapshot(db: Db): Promise<string> {
  return (await queryOne<{ snapshot: string }>(db, `select ${SNAPSHOT} as snapshot`)).snapshot;
}

export interface FoundChanges {
  /** What this look has seen. */
  readonly snapshot: string;
  /** The given snapshot is of a later time: the database was restored since. */
  readonly isForeign: boolean;
  readonly found: readonly { readonly id: string; readonly state: RequestState }[];
}

interface ChangeRow {
  snapshot: string;
  isForeign: boolean;
  id: string | null;
  state: RequestState | null;
}

/** Requests of the reader's scope, in any state, that changed since the snapshot. */
export async function findChanges(
  db: Db,
  organizationId: string,
  { reader, after, limit }: { reader: QueueReader; after: string; limit: number },
): Promise<FoundChanges> {
  const { sql, bindings } = changesQuery(organizationId, { reader, after, limit });
  const rows = await queryRows<ChangeRow>(db, sql, bindings as never);
  const [first] = rows;
  if (!first) throw new Error('a statement that always has a row had none');
  const { snapshot, isForeign } = first;
  const found = rows.flatMap(({ id, state }) => (id && state ? [{ id, state }] : []));
  return { snapshot, isForeign, found };
}

/** The statement and its bindings, without running it: a test reads its plan. */
export function changesQuery(
  organizationId: string,
  { reader, after, limit }: { reader: QueueReader; after: string; limit: number },
): { sql: string; bindings: Bindings } {
  const bindings: Bindings = { organization: organizationId, after, limit };
  const sql = `
    with member_paths as materialized (${MEMBER_PATHS})
    select s.snapshot, s.is_foreign, f.id, f.state
      from (select ${SNAPSHOT} as snapshot,
                   pg_snapshot_xmax(cast(:after as pg_snapshot)) > pg_snapshot_xmax(pg_current_snapshot()) as is_foreign) as s
      left join lateral (
        select r.id, r.state from approval_requests r
         where r.organization_id = :organization and ${changedSince(':after')} and ${inScope(reader, bindings)}
         limit :limit) as f on true`;
  return { sql, bindings };
}

/** SQL: the ids of pending requests that the reader's scope has, at most `:reach`. */
function pendingIds(reader: QueueReader, bindings: Bindings): string {
  const parts = partsOf(reader, bindings).map((part) =>
    readPart(
      part,
      (where) => `select r.id from approval_requests r
       where r.organization_id = :organization and r.routed_at is not null and r.state = 'pending' and ${where}
       limit :reach`,
    ),
  );
  return `select found.id from (${parts.join('\n union ')}) as found limit :reach`;
}

const pendingBindings = (organizationId: string, reach: number): Bindings => ({
  organization: organizationId,
  reach,
  few: FEW_NOTIFICATIONS,
});

/** The ids of pending requests in the reader's scope, at most `limit`, in any order. */
export async function listPendingIds(
  db: Db,
  organizationId: string,
  { reader, limit }: { readonly reader: QueueReader; readonly limit: number },
): Promise<string[]> {
  const bindings = pendingBindings(organizationId, limit);
  const sql = `with ${READER_TABLES} ${pendingIds(reader, bindings)}`;
  return (await queryRows<{ id: string }>(db, sql, bindings as never)).map(({ id }) => id);
}

export type QueueCounts = Readonly<Record<QueueScope, number>>;

/** The statement and its bindings, without running it: a test reads its plan. */
export function countsQuery(
  organizationId: string,
  { access, atMost }: { readonly access: ListAccess; readonly atMost: number },
): { sql: string; bindings: Bindings } {
  const bindings = pendingBindings(organizationId, atMost);
  const count = (scope: QueueScope) =>
    `(select cast(count(*) as integer) from (${pendingIds({ access, scope }, bindings)}) as ids) as ${scope}`;
  const sql = `with ${READER_TABLES} select ${count('notified')}, ${count('decidable')}, ${count('visible')}`;
  return { sql, bindings };
}

/** How many pending requests each scope has. It counts up to `atMost`. */
export async function countQueue(
  db: Db,
  organizationId: string,
  counted: { readonly access: ListAccess; readonly atMost: number },
): Promise<QueueCounts> {
  const { sql, bindings } = countsQuery(organizationId, counted);
  return await queryOne<QueueCounts>(db, sql, bindings as never);
}

/** An organization whose requests are watched, as of the last look. */
export interface WatchedOrganization {
  readonly id: string;
  /** Undefined before the first look, which then finds a change. */
  readonly snapshot: string | undefined;
}

export interface SeenOrganization {
  readonly id: string;
  readonly snapshot: string;
  readonly accessVersion: number;
  /** Requests have changed. */
  readonly hasChanged: boolean;
}

/** One look at all watched organizations. */
export async function lookAtOrganizations(
  db: Db,
  watched: readonly WatchedOrganization[],
): Promise<SeenOrganization[]> {
  const rows = await queryRows<Omit<SeenOrganization, 'accessVersion'> & { accessVersion: string }>(
    db,
    `select o.id, ${SNAPSHOT} as snapshot, o.access_version,
            w.after is null or exists (
              select from approval_requests r where r.organization_id = w.id and ${changedSince('w.after')}) as has_changed
       from unnest(cast(:ids as uuid[]), cast(:after as text[])) as w (id, after)
       join organizations o on o.id = w.id`,
    {
      ids: watched.map(({ id }) => id),
      after: watched.map(({ snapshot }) => snapshot ?? null),
    },
  );
  return rows.map((row) => ({ ...row, accessVersion: Number(row.accessVersion) }));
}
