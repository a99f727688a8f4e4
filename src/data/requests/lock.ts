/**
 * The reference way to change a request: lock its row, take the clock in the next statement, write.
 * Usual changes have statements of their own (ARCHITECTURE.md, "Ways to change a request").
 * `greatest` keeps a row's clock from running backwards.
 *
 * Rows are locked `for no key update` wherever their keys stay, so that foreign keys can be checked
 * meanwhile. A request that is evaluating is locked `for update`, because a cap may remove it.
 */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRows, runPrepared } from '../../platform/rows.ts';
import { REQUEST_COLUMNS, REQUEST_TABLES, toRequest, type RequestRow } from './rows.ts';

export interface LockedRequest {
  readonly request: ApprovalRequest;
  readonly admitted: boolean;
  /** The instant of everything this transaction does to the request. */
  readonly now: Date;
}

const LOCK: PreparedStatement = {
  name: 'lock-approval-request',
  sql: `select 1 from approval_requests where id = :id for update`,
};

const READ_AND_TICK: PreparedStatement = {
  name: 'read-locked-approval-request',
  sql: `
    select ${REQUEST_COLUMNS}, r.admitted,
           greatest(date_trunc('milliseconds', clock_timestamp()), cast(:floor as timestamptz), r.last_at) as now
      from ${REQUEST_TABLES}
     where r.id = :id`,
};

/**
 * `floor` is an instant known to have come, such as the workflow's time. No decision is earlier.
 */
export async function lockRequest(
  trx: Trx,
  id: string,
  floor?: Date,
): Promise<LockedRequest | undefined> {
  const locked = await runPrepared(trx, LOCK, { id });
  if (locked.length === 0) return undefined;
  const [row] = await runPrepared<RequestRow & { admitted: boolean; now: Date }>(
    trx,
    READ_AND_TICK,
    { id, floor: floor ?? null },
  );
  return row && { request: toRequest(row), admitted: row.admitted, now: row.now };
}

/**
 * Locks every open request of the organization, or of one of its agents, in the common order, and
 * returns the ids. Waits for requests that others are settling, and leaves them out.
 */
export async function lockOpenRequests(
  trx: Trx,
  organizationId: string,
  { agentSlug }: { readonly agentSlug?: string } = {},
): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    trx,
    `select id from approval_requests
      where organization_id = :organizationId and state in ('evaluating', 'pending')
        and (cast(:agentSlug as text) is null or agent_slug = :agentSlug)
      order by id for no key update`,
    { organizationId, agentSlug: agentSlug ?? null },
  );
  return rows.map((row) => row.id);
}
