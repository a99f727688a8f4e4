/**
 * The clockwork of a request's row: all that is written to it besides its insert and its commits. It says when the reconciler
 * looks and how often it has tried, and what the row notes while other systems are asked. A plan made before such a write is
 * not committed, since the row has another version.
 */
import {
  DECISION_STATUSES,
  WAKE_HEAD_START_MS,
  type RequestState,
  type TerminalState,
} from '../../domain/requests/approval-requests.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRows, runPrepared } from '../../platform/rows.ts';

export interface DueWake {
  readonly id: string;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly tool: string;
  /** When it is final, its workflow may not have seen that yet. */
  readonly state: RequestState;
  /** A step of its walk is due. */
  readonly late: boolean;
  /** How often the reconciler has tried since the workflow's last step. */
  readonly attempts: number;
  /** Its wake-up passed long ago: no process was running. */
  readonly longDue: boolean;
}

// Prepared, because each process runs it at each round, with or without requests.
const lease = (name: string, only: string): PreparedStatement => ({
  name,
  sql: `
    with due as materialized (
      select id, wake_at, state not in ('evaluating', 'pending') as is_final from approval_requests
       where wake_at <= statement_timestamp() ${only}
       order by wake_at limit :limit for no key update skip locked
    )
    update approval_requests r
       set wake_at = clock_timestamp() + interval '1 millisecond'
             * case when due.is_final then least(:leaseMs * power(2, least(wake_attempts, 16)), :longestLeaseMs) else :leaseMs end,
           wake_attempts = wake_attempts + 1
      from due where r.id = due.id
    returning r.id, r.organization_id, r.agent_slug, r.tool, r.state, r.wake_attempts - 1 as attempts,
      r.state = 'pending' and coalesce(r.next_at <= clock_timestamp(), false) as late,
      due.wake_at < clock_timestamp() - :longDueMs * interval '1 millisecond' as long_due`,
});
const LEASE_DUE = lease('lease-due-wakes', '');
const LEASE_LATE = lease(
  'lease-late-levels',
  `and state = 'pending' and next_at <= statement_timestamp()`,
);

/**
 * Leases up to `limit` requests whose wake-up has passed, oldest first, for `leaseMs`. Each try leases
 * a decided request longer, up to `longestLeaseMs`, so that others come first.
 * `onlyLate`: only those with a due step of their walk.
 */
export async function leaseDueWakes(
  db: Db,
  options: {
    readonly limit: number;
    readonly leaseMs: number;
    readonly longestLeaseMs: number;
    readonly longDueMs: number;
    readonly onlyLate: boolean;
  },
): Promise<DueWake[]> {
  const { onlyLate, ...bindings } = options;
  return await runPrepared<DueWake>(db, onlyLate ? LEASE_LATE : LEASE_DUE, bindings);
}

const FIND_PAST_DEADLINE: PreparedStatement = {
  name: 'find-past-deadline',
  sql: `
    select id, extract(epoch from deadline_at - statement_timestamp()) * 1000 as in_ms from approval_requests
     where state in ('evaluating', 'pending') and deadline_at <= statement_timestamp() + :withinMs * interval '1 millisecond'
       and id <> all(cast(:without as uuid[]))
     order by deadline_at limit :atMost`,
};

interface DueDeadlines {
  /** Longest overdue first. */
  readonly due: readonly string[];
  /** Milliseconds until the next deadline, if it is within the time. */
  readonly nextInMs: number | undefined;
}

/** Open requests past their deadline, without those given, and when the next ones follow within a time. */
export async function findPastDeadline(
  db: Db,
  {
    atMost,
    withinMs,
    without = [],
  }: {
    readonly atMost: number;
    readonly withinMs: number;
    readonly without?: readonly string[];
  },
): Promise<DueDeadlines> {
  const bindings = { atMost, withinMs, without: [...without] };
  const rows = await runPrepared<{ id: string; inMs: string }>(db, FIND_PAST_DEADLINE, bindings);
  const [later] = rows.filter(({ inMs }) => Number(inMs) > 0);
  return {
    due: rows.flatMap(({ id, inMs }) => (Number(inMs) > 0 ? [] : [id])),
    nextInMs: later && Number(later.inMs),
  };
}

const CLEAR_EACH: PreparedStatement = {
  name: 'clear-wakes',
  sql: `
    with decided as materialized (
      select id from approval_requests
       where id = any(cast(:ids as uuid[])) and wake_at is not null and state = any(cast(:final as text[]))
       order by id for no key update
    )
    update approval_requests r set wake_at = null, wake_attempts = 0 from decided where r.id = decided.id`,
};

/**
 * Ends the reconciler's work on decided requests whose workflows know the decision or are not running. Locks rows in the
 * order of their ids.
 */
export async function clearWakes(db: Db, ids: readonly string[]): Promise<void> {
  await runPrepared(db, CLEAR_EACH, { ids: [...ids], final: [...DECISION_STATUSES] });
}

/** Which of these requests are decided, and their final states. */
export async function findFinalStates(
  db: Db,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly state: TerminalState }[]> {
  return await queryRows(
    db,
    `select id, state from approval_requests
      where id = any(cast(:ids as uuid[])) and state = any(cast(:final as text[]))`,
    { ids: [...ids], final: [...DECISION_STATUSES] },
  );
}

interface PutOff {
  readonly id: string;
  readonly from: Date;
  readonly to: Date;
}

const PUT_OFF: PreparedStatement = {
  name: 'put-off-wakes',
  sql: `
    with waiting as materialized (
      select r.id, w.next_wake
        from unnest(cast(:ids as uuid[]), cast(:planned as timestamptz[]), cast(:later as timestamptz[])) as w (id, wake, next_wake)
        join approval_requests r on r.id = w.id
       where r.wake_at = w.wake and r.wake_attempts = 0 and r.state = 'pending'
       order by r.id for no key update of r
    )
    update approval_requests r set wake_at = waiting.next_wake from waiting where r.id = waiting.id`,
};

/**
 * Postpones wake-ups. A wake-up that has moved has another cause and is left alone. Locks rows in the
 * order of their ids.
 */
export async function putOffWakes(db: Db, wakes: readonly PutOff[]): Promise<void> {
  await runPrepared(db, PUT_OFF, {
    ids: wakes.map(({ id }) => id),
    planned: wakes.map(({ from }) => from.toISOString()),
    later: wakes.map(({ to }) => to.toISOString()),
  });
}

const CLEAR_TRIES: PreparedStatement = {
  name: 'clear-wake-tries',
  sql: `
    with tried as materialized (
      select r.id
        from unnest(cast(:ids as uuid[]), cast(:planned as timestamptz[])) as w (id, wake)
        join approval_requests r on r.id = w.id
       where r.wake_at = w.wake and r.wake_attempts > 0 and r.state = 'pending'
       order by r.id for no key update of r
    )
    update approval_requests r set wake_attempts = 0 from tried where r.id = tried.id`,
};

/**
 * The workflows of these requests are running: the reconciler's tries count from 0 again. Not where
 * the wake-up has moved: the reconciler has tried since. Locks rows in the order of their ids.
 */
export async function clearTries(
  db: Db,
  wakes: readonly Pick<PutOff, 'id' | 'from'>[],
): Promise<void> {
  await runPrepared(db, CLEAR_TRIES, {
    ids: wakes.map(({ id }) => id),
    planned: wakes.map(({ from }) => from.toISOString()),
  });
}

/**
 * Makes requests due for the reconciler, with no tries counted: those it tried in vain, or all open
 * ones. Every process calls this at once, so rows are locked in the order of their ids.
 */
export async function wakeNow(db: Db, which: 'tried' | 'open'): Promise<void> {
  await db.raw(
    `with due as materialized (
       select id from approval_requests
        where ${which === 'open' ? `state in ('evaluating', 'pending') or` : ''} (wake_at is not null and wake_attempts > 0)
        order by id for no key update
     )
     update approval_requests r set wake_at = clock_timestamp(), wake_attempts = 0 from due where r.id = due.id`,
  );
}

/** SQL: makes the pending requests of the table `found (id)` due at once, and returns their ids. The last part of a statement. */
export const makeDue = (found: string): string => `
    locked as materialized (
      select id from approval_requests where id in (select id from ${found}) and state = 'pending' order by id for no key update
    ),
    clock as materialized (select clock_timestamp() as now)
    update approval_requests r set next_at = clock.now, wake_at = clock.now, wake_attempts = 0
      from locked, clock where r.id = locked.id
    returning r.id`;

const HEAD_START = `interval '${WAKE_HEAD_START_MS} milliseconds'`;

/** SQL: for the request of the table `asked (request_id)` while it is evaluated, the reconciler looks soon after this instant. */
export const wakeAfter = (asked: string, instant: string): string =>
  noteOfAsked(asked, `wake_at = ${instant} + ${HEAD_START}`);

/** SQL: the same, with all metadata of the request where the result adds some. `metadata`: an expression, or null. */
export const wakeAfterResult = (
  asked: string,
  { instant, metadata }: { readonly instant: string; readonly metadata: string },
): string =>
  noteOfAsked(
    asked,
    `previous_metadata = coalesce(cast(${metadata} as json), r.previous_metadata), wake_at = ${instant} + ${HEAD_START}`,
  );

const noteOfAsked = (asked: string, values: string): string => `
      update approval_requests r set ${values}
        from ${asked} where r.id = ${asked}.request_id and r.state = 'evaluating'`;

/**
 * Marks that the caller got 201 before the pipeline concluded: the pending cap no longer applies.
 * False when the cap refused the request meanwhile and removed it.
 */
export async function exemptFromPendingCap(db: Db, id: string): Promise<boolean> {
  const rows = await queryRows<unknown>(
    db,
    `update approval_requests set admitted = true where id = :id returning id`,
    { id },
  );
  return rows.length === 1;
}
