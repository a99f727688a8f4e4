/** The outbox of receivers: events to post, the leases of their senders, and the outcomes. */
import type { StoredSecret } from '../../domain/sealed-secrets.ts';
import type { Db, Pool, Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, queryOne, queryRows, runPrepared } from '../../platform/rows.ts';
import { DELIVERY_HOURS, KEPT_HOURS } from '../../domain/receivers/retries.ts';
import { waitingQueues } from '../outbox.ts';

/** When attempts at the event `e` end. */
const windowEnd = (e: string): string => `${e}.decided_at + interval '${DELIVERY_HOURS} hours'`;

/** How long an event `e` that ended `now` is kept. */
export const PURGE_AT = `greatest(${windowEnd('e')}, now + interval '${KEPT_HOURS} hours')`;

const WAITING = waitingQueues({ table: 'receiver_events', queue: 'queue_id' });

const DUE: PreparedStatement = {
  name: 'has-due-receiver-events',
  sql: `with ${WAITING} select exists (select from waiting w where w.since <= statement_timestamp()) as is_due`,
};

export async function hasDueEvents(db: Db): Promise<boolean> {
  const [row] = await runPrepared<{ isDue: boolean }>(db, DUE, {});
  return row?.isDue ?? false;
}

export interface EventLease {
  /** Identifies the holder of the events leased by this call. */
  readonly lease: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** Most under way to a host. */
  readonly perHost: number;
  /** Events under way in this process, by host. */
  readonly inFlight: ReadonlyMap<string, number>;
}

/** Events without a receiver have a separate queue, and so use its id as their host. */
const HOST = 'coalesce(r.host, cast(e.queue_id as text))';

const LEASE: PreparedStatement = {
  name: 'lease-due-receiver-events',
  sql: `
    with ${WAITING},
    queued as (
      select w.queue, w.since, coalesce(b.in_hand, 0) as in_hand, :perHost - coalesce(b.in_hand, 0) as room,
             count(*) over same_host as queues, row_number() over (same_host order by w.since) as place
        from waiting w
        left join receivers r on r.queue_id = w.queue
        left join unnest(cast(:hosts as text[]), cast(:counts as integer[])) as b (host, in_hand)
               on b.host = coalesce(r.host, cast(w.queue as text))
       where w.since <= statement_timestamp()
      window same_host as (partition by coalesce(r.host, cast(w.queue as text)))
    ),
    due as materialized (
      select picked.id
        from (select * from queued where place <= room order by in_hand, since limit :limit) as q
       cross join lateral (
         select e.id from receiver_events e
          where e.queue_id = q.queue and e.next_attempt_at <= statement_timestamp()
          order by e.next_attempt_at limit greatest(q.room / q.queues, 1) for update skip locked
       ) as picked
       limit :limit
    )
    update receiver_events e
       set lease = cast(:lease as uuid), attempts = attempts + 1, destinations = null,
           next_attempt_at = clock_timestamp() + :leaseMs * interval '1 millisecond'
     where e.id = any(array(select due.id from due))
    returning e.id`,
};

/**
 * Leases due events: of each host no more than may be under way, in turns of its receivers, beginning with the hosts that have
 * the fewest under way.
 */
export async function leaseDueEvents(
  db: Db,
  { lease, leaseMs, limit, perHost, inFlight }: EventLease,
): Promise<string[]> {
  const hosts = [...inFlight.keys()];
  const counts = hosts.map((host) => String(inFlight.get(host) ?? 0));
  const given = { lease, leaseMs, limit, perHost, hosts, counts };
  return (await runPrepared<{ id: string }>(db, LEASE, given)).map(({ id }) => id);
}

export interface LeasedEvent {
  readonly id: string;
  readonly host: string;
  readonly body: string;
  /** With this one. */
  readonly attempts: number;
  /** Until attempts end. */
  readonly leftMs: number;
  /** As it is now. Undefined once it is removed. */
  readonly receiver: EventReceiver | undefined;
}

export interface EventReceiver {
  readonly instanceId: string;
  readonly url: string;
  readonly secret: StoredSecret;
}

interface LeasedRow {
  readonly id: string;
  readonly host: string;
  readonly body: string;
  readonly attempts: number;
  readonly leftMs: number;
  readonly instanceId: string | null;
  readonly url: string;
  readonly sealed: Buffer;
  readonly keyId: string;
}

const LOAD: PreparedStatement = {
  name: 'load-leased-receiver-events',
  sql: `
    select e.id, ${HOST} as host, e.body, e.attempts,
           cast(extract(epoch from ${windowEnd('e')} - clock_timestamp()) * 1000 as double precision) as left_ms,
           r.agent_instance_id as instance_id, r.url, r.signing_secret as sealed, r.signing_secret_key_id as key_id
      from receiver_events e left join receivers r on r.queue_id = e.queue_id
     where e.id = any(cast(:ids as uuid[])) and e.lease = cast(:lease as uuid)`,
};

export async function loadLeasedEvents(
  db: Db,
  { lease, ids }: { readonly lease: string; readonly ids: readonly string[] },
): Promise<LeasedEvent[]> {
  if (ids.length === 0) return [];
  const rows = await runPrepared<LeasedRow>(db, LOAD, { lease, ids });
  return rows.map(({ instanceId, url, sealed, keyId, ...event }) => ({
    ...event,
    receiver: instanceId === null ? undefined : { instanceId, url, secret: { sealed, keyId } },
  }));
}

export interface Heading {
  readonly id: string;
  readonly lease: string;
  /** The host, and each address it has now. */
  readonly destinations: readonly string[];
}

/**
 * Whether each attempt may begin: at most `most` are under way to any of its destinations, in all processes. Calls take turns.
 */
export async function claimDestinations(
  db: Pool,
  headings: readonly Heading[],
  most: number,
): Promise<readonly boolean[]> {
  return await db.transaction(async (trx) => {
    await trx.raw(`select pg_advisory_xact_lock(hashtextextended('receiver destinations', 0))`);
    const counts = await countUnderWay(
      trx,
      headings.flatMap(({ destinations }) => destinations),
    );
    const admitted = headings.map(({ destinations }) => {
      if (destinations.some((each) => (counts.get(each) ?? 0) >= most)) return false;
      for (const each of destinations) counts.set(each, (counts.get(each) ?? 0) + 1);
      return true;
    });
    await occupy(
      trx,
      headings.filter((_, index) => admitted[index]),
    );
    return admitted;
  });
}

async function countUnderWay(
  trx: Trx,
  destinations: readonly string[],
): Promise<Map<string, number>> {
  const rows = await queryRows<{ destination: string; count: number }>(
    trx,
    `select destination, cast(count(*) as integer) as count
       from receiver_events e cross join unnest(e.destinations) as destination
      where e.lease is not null and e.next_attempt_at > statement_timestamp()
        and e.destinations && cast(:destinations as text[])
      group by destination`,
    { destinations: [...destinations] },
  );
  return new Map(rows.map(({ destination, count }) => [destination, count]));
}

async function occupy(trx: Trx, headings: readonly Heading[]): Promise<void> {
  if (headings.length === 0) return;
  await trx.raw(
    `update receiver_events e set destinations = array(select json_array_elements_text(cast(h.destinations as json)))
       from unnest(cast(:ids as uuid[]), cast(:leases as uuid[]), cast(:destinations as text[])) as h (id, lease, destinations)
      where e.id = h.id and e.lease = h.lease`,
    {
      ids: headings.map(({ id }) => id),
      leases: headings.map(({ lease }) => lease),
      destinations: headings.map(({ destinations }) => JSON.stringify(destinations)),
    },
  );
}

/**
 * The outcome of an attempt. `later`: nothing was posted, and this does not count as an attempt. A `retry` that would come after
 * the window is `expired`.
 */
export type EventAttempted =
  | { readonly kind: 'delivered' | 'expired' | 'removed' }
  | { readonly kind: 'retry'; readonly error: string; readonly afterMs: number }
  | { readonly kind: 'later'; readonly afterMs: number };

export interface RecordedEvent {
  readonly id: string;
  readonly lease: string;
  readonly attempted: EventAttempted;
}

const RECORD: PreparedStatement = {
  name: 'record-receiver-attempts',
  sql: `
    update receiver_events e
       set lease = null, destinations = null,
           attempts = e.attempts - case a.kind when 'later' then 1 else 0 end,
           next_attempt_at = case when ended.outcome is null then next.at end,
           last_error = case when a.kind = 'delivered' then null else coalesce(a.error, e.last_error) end,
           outcome = ended.outcome,
           ended_at = case when ended.outcome is not null then now end,
           purge_at = case when ended.outcome is not null then ${PURGE_AT} end
      from clock_timestamp() as now,
           unnest(cast(:ids as uuid[]), cast(:leases as uuid[]), cast(:kinds as text[]), cast(:errors as text[]),
                  cast(:delays as double precision[])) as a (id, lease, kind, error, after_ms)
      join receiver_events held on held.id = a.id
     cross join lateral (select clock_timestamp() + a.after_ms * interval '1 millisecond' as at) as next
     cross join lateral (
       select case when a.kind not in ('retry', 'later') then a.kind
                   when next.at >= ${windowEnd('held')} then 'expired' end as outcome) as ended
     where e.id = a.id and e.lease = a.lease and e.next_attempt_at is not null
    returning e.id, coalesce(e.outcome, a.kind) as recorded`,
};

/**
 * Records outcomes for holders of a lease, and returns what was recorded, by event. The result omits events that another
 * process leased meanwhile.
 */
export async function recordEventAttempts(
  db: Db,
  attempts: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, EventAttempted['kind']>> {
  const rows = await runPrepared<{ id: string; recorded: EventAttempted['kind'] }>(db, RECORD, {
    ids: attempts.map(({ id }) => id),
    leases: attempts.map(({ lease }) => lease),
    kinds: attempts.map(({ attempted }) => attempted.kind),
    errors: attempts.map(({ attempted }) => ('error' in attempted ? attempted.error : null)),
    delays: attempts.map(({ attempted }) => ('afterMs' in attempted ? attempted.afterMs : null)),
  });
  return new Map(rows.map(({ id, recorded }) => [id, recorded]));
}

export interface WaitingEvents {
  readonly count: number;
  /** When the oldest of them was decided. */
  readonly since: Date | null;
}

export async function countWaitingEvents(db: Db): Promise<WaitingEvents> {
  return await queryOne<WaitingEvents>(
    db,
    `select cast(count(*) as integer) as count, min(decided_at) as since from receiver_events where next_attempt_at is not null`,
  );
}

/** Purges some events whose time is over. Returns their number. */
export async function deleteFinishedEvents(db: Db, limit: number): Promise<number> {
  const rows = await queryRows<unknown>(
    db,
    `delete from receiver_events where id = any(array(
       select id from receiver_events where purge_at < statement_timestamp() order by purge_at limit :limit for update skip locked))
     returning 1`,
    { limit },
  );
  return rows.length;
}
