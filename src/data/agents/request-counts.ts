/**
 * Counts of requests by agent, instance and UTC day. A create writes none of them: a counter in its
 * statement would make the creates of an agent wait for each other. Instead, each process adds what
 * was created since the last time, twice a minute, and readers count the rest by an index.
 */
import type { Db, Pool } from '../../platform/postgres.ts';
import { queryOne, queryRow } from '../../platform/rows.ts';

/** The days that a trend shows. The last one is today. */
export const TREND_DAYS = 7;

/** SQL: the UTC day of an instant. */
const dayOf = (instant: string) => `cast(${instant} at time zone 'UTC' as date)`;

/** SQL: today. */
const TODAY = dayOf('statement_timestamp()');

/** SQL: a day that the trend shows. */
export const IN_TREND = `day > ${TODAY} - ${TREND_DAYS}`;

/**
 * The instant before which all requests are counted, as text, because it may be before all time. It
 * only ever grows.
 */
export async function readCountedUntil(db: Db): Promise<string> {
  const { countedUntil } = await queryOne<{ countedUntil: string }>(
    db,
    'select cast(counted_until as text) as counted_until from request_count_mark',
  );
  return countedUntil;
}

/**
 * Adds the requests that no count has yet. Does nothing while another process does, or within
 * `everyMs` of a round.
 */
export async function addToRequestCounts(
  db: Pool,
  { everyMs }: { readonly everyMs: number },
): Promise<void> {
  await db.transaction(async (trx) => {
    const mark = await queryRow<{ from: string }>(
      trx,
      `select cast(counted_until as text) as from from request_count_mark
        where counted_until < clock_timestamp() - :everyMs * interval '1 millisecond' for update skip locked`,
      { everyMs },
    );
    if (!mark) return;
    // A create takes locks, and so a transaction id, before it reads the clock. So once the
    // transactions that run now have ended, no request appears before the oldest of them. What the
    // pending cap may still remove is left for later, a minute at most: a stuck request must not
    // stop all counts.
    const { until } = await queryOne<{ until: string }>(
      trx,
      `select cast(date_trunc('milliseconds', least(
                clock_timestamp(),
                (select min(xact_start) from pg_stat_activity
                  where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()),
                (select min(created_at) from approval_requests where state = 'evaluating' and not admitted
                    and created_at > clock_timestamp() - interval '1 minute'))) as text) as until`,
    );
    // A separate statement, with a later snapshot: it sees what has ended meanwhile.
    await trx.raw(mark.from === '-infinity' ? ADD_ALL : ADD_NEW, { from: mark.from, until });
  });
}

/** SQL: the days of the requests of `where`, by instance. */
const daysOf = (where: string) => `
  select organization_id, agent_slug, agent_instance_id, ${dayOf('created_at')} as day, count(*) as requests
    from approval_requests
   where ${where} and created_at >= cast(:from as timestamptz) and created_at < cast(:until as timestamptz)
   group by 1, 2, 3, 4`;

/** SQL: adds the days of a query. */
const adding = (counted: string) => `
  with counted as materialized (${counted}),
  of_agents as (
    insert into agent_request_days as d (organization_id, agent_slug, day, requests)
    select organization_id, agent_slug, day, sum(requests) from counted group by 1, 2, 3 order by 1, 2, 3
    on conflict on constraint agent_request_days_pkey do update set requests = d.requests + excluded.requests
  ),
  of_instances as (
    insert into agent_instance_request_days as d (agent_instance_id, day, requests)
    select agent_instance_id, day, requests from counted where ${IN_TREND} order by 1, 2
    on conflict on constraint agent_instance_request_days_pkey do update set requests = d.requests + excluded.requests
  ),
  past as (delete from agent_instance_request_days where day <= ${TODAY} - ${TREND_DAYS})
  update request_count_mark set counted_until = greatest(counted_until, cast(:until as timestamptz))`;

/** By an index of each agent. */
const ADD_NEW = adding(
  `select r.* from agents a
    cross join lateral (${daysOf('organization_id = a.organization_id and agent_slug = a.slug')}) r`,
);

/** The first time, in the order of the table. */
const ADD_ALL = adding(daysOf('true'));

/**
 * SQL: requests that no day counts yet. Binding `since`, of `readCountedUntil`: it is not later than
 * the mark, and tells the planner how few they are.
 */
const NOT_COUNTED = `created_at >= cast(:since as timestamptz) and created_at >= (select counted_until from request_count_mark)`;

/**
 * SQL: `day` and `requests` of an agent, where a day may come twice. `which`: the days that are
 * wanted.
 */
export const requestsByDay = (organization: string, agent: string, which = 'true'): string => `
  select day, requests from agent_request_days
   where organization_id = ${organization} and agent_slug = ${agent} and ${which}
  union all
  select ${dayOf('created_at')}, count(*)
    from approval_requests
   where organization_id = ${organization} and agent_slug = ${agent} and ${NOT_COUNTED}
   group by 1`;

/** SQL: the same of the agent's instances in `ids`, with `agent_instance_id`. */
export const instanceRequestsByDay = (organization: string, agent: string, ids: string): string => `
  select agent_instance_id, day, requests from agent_instance_request_days where agent_instance_id in (${ids})
  union all
  select agent_instance_id, ${dayOf('created_at')}, count(*)
    from approval_requests
   where organization_id = ${organization} and agent_slug = ${agent} and ${NOT_COUNTED}
   group by 1, 2`;

/** SQL: the requests of each day of the trend, oldest first, from rows with `day` and `requests`. */
export const TREND = `cast(array[${Array.from(
  { length: TREND_DAYS },
  (_, index) =>
    `coalesce(sum(requests) filter (where day = ${TODAY} - ${TREND_DAYS - 1 - index}), 0)`,
).join(', ')}] as integer[])`;
