/** Reading the audit log. */
import type { StoredEvent } from '../../domain/audit/chain.ts';
import { countedDays } from '../../domain/audit/counted-days.ts';
import { MOST_COUNTED_EVENTS, type AuditFilter } from '../../domain/audit/filters.ts';
import type { AuditOrder } from '../../domain/audit/reading.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { actorIdsOf } from '../../data/audit/filters.ts';
import {
  countByDays,
  countMatches,
  findEvent,
  findEventPlace,
  hasCounts,
  indexFilter,
  listEventTypes,
  readEventsOf,
  readTailStart,
  searchPage,
  walkPage,
  type AuditPage,
  type PlacedEvent,
  type Wanted,
} from '../../data/audit/list.ts';
import type { Db } from '../../platform/postgres.ts';
import type { AuditContext } from '../context.ts';

export interface AuditLogPage {
  readonly filter: AuditFilter;
  readonly order: AuditOrder;
  /** The sequence of the last event of the page before. */
  readonly after: number | undefined;
  readonly limit: number;
}

export interface AuditLogEvents {
  readonly events: readonly StoredEvent[];
  /** The sequence of the last event of this page; undefined on the last page. */
  readonly next: number | undefined;
  readonly total: number;
}

export async function listAuditEvents(
  { db }: AuditContext,
  { organizationId }: ProductPrincipal,
  page: AuditLogPage,
): Promise<AuditLogEvents> {
  return await inSnapshot(db, async (trx) => await readPage(trx, organizationId, page));
}

/** Events are indexed meanwhile. In one snapshot, they are either in the index or in the tail. */
const inSnapshot = async <Result>(db: Db, read: (trx: Db) => Promise<Result>): Promise<Result> =>
  await db.transaction(read, { isolationLevel: 'repeatable read', readOnly: true });

async function readPage(
  db: Db,
  organizationId: string,
  { filter, order, after: sequence, limit }: AuditLogPage,
): Promise<AuditLogEvents> {
  const after =
    sequence === undefined
      ? undefined
      : await findEventPlace(db, organizationId, { sort: order.sort, sequence });
  if (sequence !== undefined && !after) throw unknownCursor();
  const actorIds = await actorIdsOf(db, organizationId, filter.actorId);
  const tail = await readTailStart(db, organizationId);
  const wanted = { organizationId, tail, filter: indexFilter(filter, actorIds), q: filter.q };
  const { sequences, total } = await findPage(
    db,
    { filter, wanted },
    {
      ...order,
      after,
      // One more only shows that another page follows.
      limit: limit + 1,
    },
  );
  const shown = sequences.slice(0, limit);
  return {
    events: await readEventsOf(db, organizationId, shown),
    next: sequences.length > limit ? shown.at(-1) : undefined,
    total,
  };
}

interface FoundPage {
  readonly sequences: readonly number[];
  readonly total: number;
}

/** Few matches are read and sorted. Where there are many, the next ones in the order are near. */
async function findPage(
  db: Db,
  { filter, wanted }: { readonly filter: AuditFilter; readonly wanted: Wanted },
  page: AuditPage,
): Promise<FoundPage> {
  const known = hasCounts(filter)
    ? await countByDays(db, wanted, {
        ...countedDays({ from: filter.fromAt, to: filter.toAt }),
        filter,
      })
    : undefined;
  if (known === undefined || known <= MOST_COUNTED_EVENTS) {
    const found = await searchPage(db, wanted, { ...page, most: MOST_COUNTED_EVENTS + 1 });
    if (found.count <= MOST_COUNTED_EVENTS)
      return { sequences: found.sequences, total: found.count };
  }
  const { q: _q, ...others } = filter;
  const isDense = Object.values(others).every((each) => each === undefined);
  const sequences = await walkPage(db, wanted, { ...page, isDense });
  if (filter.q !== undefined) return { sequences, total: MOST_COUNTED_EVENTS };
  return { sequences, total: known ?? (await countMatches(db, wanted)) };
}

const unknownCursor = (): AppError =>
  invalid([
    {
      pointer: '/query/cursor',
      code: 'invalid_cursor',
      message: 'must be a next_cursor of this list with these filters',
    },
  ]);

export async function getAuditEvent(
  { db }: AuditContext,
  { organizationId }: ProductPrincipal,
  id: string,
): Promise<PlacedEvent> {
  const event = await findEvent(db, organizationId, id);
  if (!event) throw new AppError('not_found', { detail: 'There is no such audit event.' });
  return event;
}

/** The types that the organization has recorded, sorted. */
export async function listAuditEventTypes(
  { db }: AuditContext,
  { organizationId }: ProductPrincipal,
): Promise<readonly string[]> {
  return await inSnapshot(
    db,
    async (trx) =>
      await listEventTypes(trx, organizationId, await readTailStart(trx, organizationId)),
  );
}
