/**
 * The reconciler's queries for overdue requests. A lease keeps two processes from the same request.
 */
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, queryOne, queryRows, runPrepared } from '../../platform/rows.ts';

export interface OverdueRequest {
  readonly id: string;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly tool: string;
  /** It has its final answer, but its workflow has not seen it yet. */
  readonly settled: boolean;
  /** A step of its walk is due. */
  readonly late: boolean;
  /** How often the reconciler has tried since the workflow's last step. */
  readonly attempts: number;
  /** Its wake-up passed long ago: no process was running. */
  readonly longOverdue: boolean;
}

/**
 * Leases up to `limit` requests whose wake-up has passed, oldest first, for `leaseMs`. For settled
 * requests each try leases longer, up to `longestLeaseMs`, so that others come first.
 */
export async function leaseOverdue(
  db: Db,
  options: {
    readonly limit: number;
    readonly leaseMs: number;
    readonly longestLeaseMs: number;
    readonly longOverdueMs: number;
  },
): Promise<OverdueRequest[]> {
  return await queryRows<OverdueRequest>(
    db,
    `with due as materialized (
       select id, wake_at, state not in ('evaluating', 'pending') as settled from approval_requests
        where wake_at <= statement_timestamp()
        order by wake_at limit :limit for update skip locked
     )
     update approval_requests r
        set wake_at = clock_timestamp() + interval '1 millisecond'
              * case when due.settled then least(:leaseMs * power(2, least(wake_attempts, 16)), :longestLeaseMs) else :leaseMs end,
            wake_attempts = wake_attempts + 1
       from due where r.id = due.id
     returning r.id, r.organization_id, r.agent_slug, r.tool, due.settled, r.wake_attempts - 1 as attempts,
       r.state = 'pending' and coalesce(r.next_at <= clock_timestamp(), false) as late,
       due.wake_at < clock_timestamp() - :longOverdueMs * interval '1 millisecond' as long_overdue`,
    { ...options },
  );
}

/** How many open requests are past their deadline. Stops counting at `atMost`. */
export async function countPastDeadline(db: Db, atMost: number): Promise<number> {
  const row = await queryOne<{ count: number }>(
    db,
    `select count(*) as count from (
       select 1 from approval_requests where state in ('evaluating', 'pending') and deadline_at <= statement_timestamp() limit :atMost
     ) as due`,
    { atMost },
  );
  return row.count;
}

const CLEAR: PreparedStatement = {
  name: 'clear-wake',
  sql: `update approval_requests set wake_at = null, wake_attempts = 0 where id = :id and wake_at is not null`,
};

/** Ends the reconciler's work on a settled request. */
export async function clearWake(db: Db, id: string): Promise<void> {
  await runPrepared(db, CLEAR, { id });
}

/**
 * Makes requests due for the reconciler, with no tries counted: those it tried in vain, or all open
 * ones. Every process calls this at once, so rows are locked in the order of `lockOpenRequests`.
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
