/** The index of audit events for readers, filled after sealing: `audit_index`, `audit_counts`, `audit_indexed`. */
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRows } from '../../platform/rows.ts';
import { BLOCK, writeNextBlocks } from './pairs.ts';
import { OUTCOME, SEARCHED, type SearchedRows } from './filters.ts';

/**
 * SQL: the row of `audit_index` for an event `e`. No text that a reader looks for has the character that separates columns in
 * `words`. The database's own collation may know no letters beyond ASCII. */
export const INDEXED = `e.sequence, e.organization_id, e.occurred_at, e.event_type collate "C" as event_type, e.actor_type, e.actor_id,
  left(lower(coalesce(e.actor_display_name, e.actor_id, '') collate "pg_c_utf8"), 300) collate "C" as actor,
  e.subject_type, e.subject_id, ${OUTCOME} as outcome,
  lower(concat_ws(chr(1), ${SEARCHED.join(', ')}) collate "pg_c_utf8") collate "C" as words`;

/** Chains with entries that are not indexed. It looks at all organizations. */
export async function findChainsToIndex(db: Db): Promise<readonly string[]> {
  const rows = await queryRows<{ id: string }>(
    db,
    `select o.id
       from organizations o
       cross join lateral (select position from audit_chain where organization_id = o.id order by position desc limit 1) c
       left join audit_indexed i on i.organization_id = o.id
      where c.position > coalesce(i.position, 0)`,
  );
  return rows.map(({ id }) => id);
}

/** When the earliest of the sealed events happened that come next in these chains. Undefined when all are indexed. */
export async function oldestUnindexed(
  db: Db,
  organizationIds: readonly string[],
): Promise<Date | undefined> {
  const { oldest } = await queryOne<{ oldest: Date | null }>(
    db,
    `select min(e.occurred_at) as oldest
       from unnest(cast(:organizationIds as uuid[])) as o (id)
       left join audit_indexed i on i.organization_id = o.id
       join audit_chain c on c.organization_id = o.id and c.position = coalesce(i.position, 0) + 1
       join audit_events e on e.sequence = c.event_sequence`,
    { organizationIds },
  );
  return oldest ?? undefined;
}

/**
 * Indexes the next sealed events of these chains, and returns how many. Chains that another process is indexing are left out.
 */
export async function indexNext(
  trx: Trx,
  {
    organizationIds,
    limit,
  }: { readonly organizationIds: readonly string[]; readonly limit: number },
): Promise<number> {
  // The index of trigrams merges what it collected: the more at once, the faster. A search reads through what is not merged.
  // Without memory for all of it, it would go through the whole index once for each part.
  await trx.raw(`set local gin_pending_list_limit = '64MB'; set local work_mem = '128MB'`);
  await trx.raw(
    `insert into audit_indexed (organization_id, position)
     select id, 0 from unnest(cast(:organizationIds as uuid[])) as o (id) order by id on conflict do nothing`,
    { organizationIds },
  );
  // In a statement after the locks, so that it sees what their last holders committed.
  const locked = await queryRows<{ organizationId: string }>(
    trx,
    `select organization_id from audit_indexed where organization_id = any (cast(:organizationIds as uuid[]))
      order by organization_id for update skip locked`,
    { organizationIds },
  );
  const ids = locked.map(({ organizationId }) => organizationId);
  const { count } = await queryOne<{ count: number }>(
    trx,
    `with next as materialized (
       select c.organization_id, c.position, c.event_sequence
         from audit_indexed i
         cross join lateral (select c.* from audit_chain c
                              where c.organization_id = i.organization_id and c.position > i.position
                              order by c.position limit :limit) c
        where i.organization_id = any (cast(:locked as uuid[]))
        order by c.organization_id, c.position limit :limit
     ), events as materialized (
       select ${INDEXED} from next n join audit_events e on e.sequence = n.event_sequence
     ), indexed as (
       insert into audit_index (sequence, organization_id, occurred_at, event_type, actor_type, actor_id, actor, subject_type, subject_id, outcome, words)
       select sequence, organization_id, occurred_at, event_type, actor_type, actor_id, actor, subject_type, subject_id, outcome, words from events
     ), counted as (
       insert into audit_counts as counts (organization_id, day, event_type, actor_type, subject_type, outcome, count)
       select organization_id, cast(occurred_at at time zone 'UTC' as date), event_type, actor_type, subject_type, coalesce(outcome, ''), count(*)
         from events group by 1, 2, 3, 4, 5, 6
       on conflict on constraint audit_counts_pkey do update set count = counts.count + excluded.count
     ), moved as (
       update audit_indexed i set position = n.position
         from (select organization_id, max(position) as position from next group by 1) n where i.organization_id = n.organization_id
     )
     select count(*) as count from next`,
    { locked: ids, limit },
  );
  const blocks = await writeNextBlocks(trx, { locked: ids, limit: Math.ceil(limit / BLOCK) + 1 });
  return Math.max(count, blocks * BLOCK);
}

/** Renews what Postgres knows about the sizes and values of these tables. */
export async function analyzeIndex(db: Db): Promise<void> {
  await db.raw('analyze audit_index, audit_pairs');
}

/** Of `audit_index`, and of rows with the columns of `INDEXED`. */
export const INDEX_ROWS: SearchedRows = {
  outcome: 'e.outcome',
  contains: `e.words like lower(cast(:pattern as text) collate "pg_c_utf8") collate "C"`,
};
