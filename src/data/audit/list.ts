/**
 * Reads audit events page by page: those that are indexed by their index, the others, the tail, as they are. A transaction that
 * reads one snapshot sees every event once, because events are indexed in one transaction with the note that they are.
 */
import type { StoredEvent } from '../../domain/audit/chain.ts';
import type { CountedDays } from '../../domain/audit/counted-days.ts';
import type { AuditFilter } from '../../domain/audit/filters.ts';
import type { AuditOrder } from '../../domain/audit/reading.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows, type Bindings } from '../../platform/rows.ts';
import { EVENT_COLUMNS } from './chain.ts';
import { INDEXED, INDEX_ROWS } from './event-index.ts';
import { filterSql, type FilterSql } from './filters.ts';
import { needsPairs, PAIRED } from './pairs.ts';

/** What events are sorted by. */
const SORT_KEYS = {
  occurred: 'e.occurred_at',
  event_type: 'e.event_type',
  actor: 'e.actor',
} as const satisfies Record<AuditOrder['sort'], string>;

/** Where an event stands in an order. */
export interface EventPlace {
  readonly key: string | Date;
  readonly occurredAt: Date;
  readonly sequence: number;
}

/** Where the tail begins, at least. As values, because Postgres cannot estimate what a statement reads itself. */
export interface TailStart {
  /** Events up to this sequence are sealed. */
  readonly sealedTo: number;
  /** Entries of the chain up to this position are indexed. */
  readonly indexedTo: number;
  /** Blocks of pairs before this one are written. */
  readonly pairedTo: number;
}

export async function readTailStart(db: Db, organizationId: string): Promise<TailStart> {
  return await queryOne<TailStart>(
    db,
    `select sealed_to, coalesce((select position from audit_indexed where organization_id = :organizationId), 0) as indexed_to,
            coalesce((select max(block) + 1 from audit_pairs where organization_id = :organizationId), 0) as paired_to
       from audit_horizon`,
    { organizationId },
  );
}

/** SQL: the rows that the index does not have yet, in the snapshot in which `TailStart` was read. */
const TAIL = `(
  select ${INDEXED} from audit_events e
   where e.organization_id = :organizationId and e.sequence > :sealedTo
     and not exists (select from audit_index x where x.sequence = e.sequence and x.sequence > :sealedTo)
  union all
  select ${INDEXED} from audit_chain c join audit_events e on e.sequence = c.event_sequence
   where c.organization_id = :organizationId and c.position > :indexedTo and c.event_sequence <= :sealedTo)`;

/** Undefined when the organization has no such event. */
export async function findEventPlace(
  db: Db,
  organizationId: string,
  { sort, sequence }: Pick<AuditOrder, 'sort'> & { readonly sequence: number },
): Promise<EventPlace | undefined> {
  return await queryRow<EventPlace>(
    db,
    `select ${SORT_KEYS[sort]} as key, e.occurred_at, e.sequence
       from (select ${INDEXED} from audit_events e where e.organization_id = :organizationId and e.sequence = :sequence) e`,
    { organizationId, sequence },
  );
}

/** Which events of an organization are wanted. */
export interface Wanted {
  readonly organizationId: string;
  readonly tail: TailStart;
  readonly filter: FilterSql;
  /** The text to look for, which the filter has too. */
  readonly q: string | undefined;
}

export interface AuditPage extends AuditOrder {
  /** The last event of the page before. */
  readonly after: EventPlace | undefined;
  readonly limit: number;
}

export function indexFilter(filter: AuditFilter, actorIds: readonly string[]): FilterSql {
  return filterSql(filter, actorIds, INDEX_ROWS);
}

const bindingsOf = ({ organizationId, tail, filter }: Wanted): Bindings => ({
  ...filter.bindings,
  organizationId,
  ...tail,
});

/** SQL of rows from the index and from the tail. */
const both = (select: (from: string) => string, index = 'audit_index'): string =>
  `(${select(`${index} e where e.organization_id = :organizationId`)}) union all (${select(`${TAIL} e where true`)})`;

const PLACE = '(cast(:occurredAt as timestamptz), cast(:sequence as bigint))';

function afterSql({ order, after }: AuditPage, key: string): string {
  if (!after) return '';
  // All descend, so that one comparison finds the place in the index.
  if (order === 'desc')
    return `and (${key}, e.occurred_at, e.sequence) < (:key, cast(:occurredAt as timestamptz), cast(:sequence as bigint))`;
  return `and ${key} >= :key and (${key} > :key or (e.occurred_at, e.sequence) < ${PLACE})`;
}

/**
 * SQL: rows of the index in ascending order of a key. The index has the oldest first among equals there, so each key is a search
 * of its own, from the newest on. It ends with the page, because keys are found one by one.
 */
function keyByKey(wanted: Wanted, page: AuditPage, key: string): string {
  const next = (condition: string): string =>
    `(select ${key} as key from audit_index e where e.organization_id = :organizationId ${condition} order by ${key} limit 1)`;
  const rest = page.after
    ? `and (e.occurred_at, e.sequence) < (case when k.key = :key then cast(:occurredAt as timestamptz) else 'infinity' end, cast(:sequence as bigint))`
    : '';
  return `with recursive keys (key) as (
      ${next(page.after ? `and ${key} >= :key` : '')}
      union all select ${next(`and ${key} > k.key`)} from keys k where k.key is not null)
    select r.* from keys k cross join lateral (
      select ${key} as key, e.occurred_at, e.sequence from audit_index e
       where e.organization_id = :organizationId and ${key} = k.key ${wanted.filter.sql} ${rest}
       order by e.occurred_at desc, e.sequence desc limit :limit) r
    limit :limit`;
}

/** The sequences of a page, for lists in which most rows match: along the index of the order. */
export async function walkPage(
  db: Db,
  wanted: Wanted,
  { isDense, ...page }: AuditPage & { readonly isDense: boolean },
): Promise<number[]> {
  const key = SORT_KEYS[page.sort];
  const order = `order by key ${page.order}, occurred_at desc, sequence desc limit :limit`;
  const straight = (from: string): string =>
    `select ${key} as key, e.occurred_at, e.sequence from ${from} ${wanted.filter.sql} ${afterSql(page, key)} ${order}`;
  const parts =
    isDense && page.order === 'asc' && page.sort !== 'occurred'
      ? `(${keyByKey(wanted, page, key)}) union all (${straight(`${TAIL} e where true`)})`
      : both(straight);
  const rows = await queryRows<{ sequence: number }>(
    db,
    `select sequence from (${parts}) p ${order}`,
    { ...bindingsOf(wanted), limit: page.limit, ...page.after },
  );
  return rows.map(({ sequence }) => sequence);
}

/** All that match, when they are at most `most`: how many, and the sequences of a page. */
export async function searchPage(
  db: Db,
  wanted: Wanted,
  { most, ...page }: AuditPage & { readonly most: number },
): Promise<{ readonly count: number; readonly sequences: readonly number[] }> {
  const key = SORT_KEYS[page.sort];
  const rows = await queryRows<{ count: number; sequence: number | null }>(
    db,
    `with matches as materialized (${both(
      (from) =>
        `select ${key} as key, e.occurred_at, e.sequence from ${from} ${wanted.filter.sql} limit :most`,
      needsPairs(wanted.q) ? PAIRED : undefined,
    )})
     select c.count, p.sequence
       from (select count(*) as count from matches) c
       left join lateral (
         select e.sequence from matches e where true ${afterSql(page, 'e.key')}
          order by e.key ${page.order}, e.occurred_at desc, e.sequence desc limit :limit) p on true`,
    { ...bindingsOf(wanted), most, limit: page.limit, ...page.after },
  );
  return {
    count: rows[0]?.count ?? 0,
    sequences: rows.flatMap(({ sequence }) => (sequence === null ? [] : [sequence])),
  };
}

export async function countMatches(db: Db, wanted: Wanted): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    db,
    `select cast(sum(count) as bigint) as count from (${both(
      (from) => `select count(*) as count from ${from} ${wanted.filter.sql}`,
    )}) c`,
    bindingsOf(wanted),
  );
  return count;
}

/** Whether `countByDays` can count what the filter finds. */
export const hasCounts = ({ q, actorId, subjectId }: AuditFilter): boolean =>
  q === undefined && actorId === undefined && subjectId === undefined;

/** The same by the counts of whole days, for the filter without its range of time. Only the other days are read. */
export async function countByDays(
  db: Db,
  wanted: Wanted,
  { days, rest, filter }: CountedDays & { readonly filter: AuditFilter },
): Promise<number> {
  const counted = filterSql({ ...filter, fromAt: undefined, toAt: undefined }, [], INDEX_ROWS);
  const parts = [
    `select count(*) as count from ${TAIL} e where true ${wanted.filter.sql}`,
    ...(days
      ? [
          `select coalesce(sum(e.count), 0) from audit_counts e
            where e.organization_id = :organizationId ${counted.sql}
              ${days.from ? 'and e.day >= cast(:firstDay as date)' : ''} ${days.to ? 'and e.day < cast(:endDay as date)' : ''}`,
        ]
      : []),
    ...rest.map(
      (_, index) => `select count(*) from audit_index e
        where e.organization_id = :organizationId ${counted.sql}
          and e.occurred_at >= :restFrom${index} and e.occurred_at < :restTo${index}`,
    ),
  ];
  const { count } = await queryOne<{ count: number }>(
    db,
    `select cast(sum(count) as bigint) as count from (${parts.join(' union all ')}) c`,
    {
      ...bindingsOf(wanted),
      firstDay: dayOf(days?.from),
      endDay: dayOf(days?.to),
      ...Object.fromEntries(
        rest.flatMap(({ from, to }, index) => [
          [`restFrom${index}`, from ?? null],
          [`restTo${index}`, to ?? null],
        ]),
      ),
    },
  );
  return count;
}

const dayOf = (instant: Date | undefined): string | null =>
  // After the year 9999, ISO 8601 has a sign and more digits.
  instant?.toISOString().replace(/^\+0|T.*/g, '') ?? null;

/** In the order of their sequences here. */
export async function readEventsOf(
  db: Db,
  organizationId: string,
  sequences: readonly number[],
): Promise<StoredEvent[]> {
  return await queryRows<StoredEvent>(
    db,
    `select ${EVENT_COLUMNS}
       from unnest(cast(:sequences as bigint[])) with ordinality as s (sequence, place)
       join audit_events e on e.sequence = s.sequence and e.organization_id = :organizationId
      order by s.place`,
    { organizationId, sequences },
  );
}

/** Its place in the chain is null until it is sealed. */
export type PlacedEvent = StoredEvent & {
  readonly position: number | null;
  readonly hash: Buffer | null;
};

export async function findEvent(
  db: Db,
  organizationId: string,
  id: string,
): Promise<PlacedEvent | undefined> {
  return await queryRow<PlacedEvent>(
    db,
    `select ${EVENT_COLUMNS}, c.position, c.hash
       from audit_events e left join audit_chain c on c.event_sequence = e.sequence
      where e.organization_id = :organizationId and e.id = :id`,
    { organizationId, id },
  );
}

/** Sorted. */
export async function listEventTypes(
  db: Db,
  organizationId: string,
  tail: TailStart,
): Promise<string[]> {
  const rows = await queryRows<{ eventType: string }>(
    db,
    `select e.event_type from audit_counts e where e.organization_id = :organizationId
     union select e.event_type from ${TAIL} e order by event_type`,
    { organizationId, ...tail },
  );
  return rows.map(({ eventType }) => eventType);
}
