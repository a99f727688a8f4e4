/** The backstop's queries: requests nobody looked after in time. A lease keeps processes out of each other's way. */
import type { Db } from '../../platform/postgres.ts';

export interface OverdueRequest {
  readonly id: string;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly tool: string;
  /** How often the backstop has tried since the workflow's last step. */
  readonly attempts: number;
  /** Its wake-up passed long ago: nobody was there to look. */
  readonly longOverdue: boolean;
}

/** Leases up to `limit` requests whose wake-up has passed, oldest first, for `leaseMs`. */
export async function leaseOverdue(
  db: Db,
  options: { readonly limit: number; readonly leaseMs: number; readonly longOverdueMs: number },
): Promise<OverdueRequest[]> {
  const { rows } = await db.raw<{ rows: OverdueRequest[] }>(
    `with due as materialized (
       select id, wake_at from approval_requests
        where wake_at <= clock_timestamp()
        order by wake_at limit :limit for update skip locked
     )
     update approval_requests r
        set wake_at = clock_timestamp() + :leaseMs * interval '1 millisecond', wake_attempts = wake_attempts + 1
       from due where r.id = due.id
     returning r.id, r.organization_id as "organizationId", r.agent_slug as "agentSlug", r.tool, r.wake_attempts - 1 as attempts,
       due.wake_at < clock_timestamp() - :longOverdueMs * interval '1 millisecond' as "longOverdue"`,
    { ...options },
  );
  return rows;
}

/** Ids of open requests whose deadline has passed. */
export async function findPastDeadline(db: Db, limit: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select id from approval_requests
      where state in ('evaluating', 'pending') and deadline_at <= clock_timestamp()
      order by deadline_at limit :limit`,
    { limit },
  );
  return rows.map((row) => row.id);
}

/** Nothing is left to do for the request. */
export async function clearWake(db: Db, id: string): Promise<void> {
  await db('approval_requests').where({ id }).whereNotNull('wake_at').update({ wake_at: null, wake_attempts: 0 });
}
