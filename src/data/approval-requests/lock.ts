/**
 * The one way to change a request: lock its row, take the clock in the next statement, write. `greatest` keeps a row's
 * clock from ever running backwards, whoever writes.
 */
import type { ApprovalRequest } from '../../domain/approval-requests.ts';
import type { Db } from '../../platform/postgres.ts';
import { REQUEST_COLUMNS, toRequest, type RequestRow } from './rows.ts';

export interface LockedRequest {
  readonly request: ApprovalRequest;
  readonly admitted: boolean;
  /** The instant of everything this transaction does to the request. */
  readonly now: Date;
}

/** Inside a transaction. `floor`: an instant known to have come (the workflow's time), never earlier than it is decided by. */
export async function lockRequest(db: Db, id: string, floor?: Date): Promise<LockedRequest | undefined> {
  const locked = await db.raw<{ rows: unknown[] }>(`select 1 from approval_requests where id = :id for update`, { id });
  if (locked.rows.length === 0) return undefined;
  const { rows } = await db.raw<{ rows: (RequestRow & { admitted: boolean; now: Date })[] }>(
    `select ${REQUEST_COLUMNS}, r.admitted,
            greatest(date_trunc('milliseconds', clock_timestamp()), cast(:floor as timestamptz), r.last_at) as now
       from approval_requests r left join decisions d on d.request_id = r.id
      where r.id = :id`,
    { id, floor: floor ?? null },
  );
  const row = rows[0];
  return row && { request: toRequest(row), admitted: row.admitted, now: row.now };
}
