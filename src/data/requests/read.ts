/** Reads of single requests. */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRow, queryRows, runPrepared } from '../../platform/rows.ts';
import {
  DOCUMENT_COLUMNS,
  REQUEST_COLUMNS,
  REQUEST_TABLES,
  toRequest,
  type RequestRow,
} from './rows.ts';

export interface ReadRequest {
  readonly request: ApprovalRequest;
  /** It is still open, although the database's clock has passed its deadline. */
  readonly isPastDeadline: boolean;
}

const FIND: PreparedStatement = {
  name: 'find-approval-request',
  sql: `select ${REQUEST_COLUMNS}, d.id is null and clock_timestamp() >= r.deadline_at as is_past_deadline
       from ${REQUEST_TABLES}
      where r.id = :id`,
};

export async function findRequest(db: Db, id: string): Promise<ReadRequest | undefined> {
  const [row] = await runPrepared<RequestRow & { isPastDeadline: boolean }>(db, FIND, { id });
  return row && { request: toRequest(row), isPastDeadline: row.isPastDeadline };
}

/** The request the instance made with this key before. */
export async function findByIdempotencyKey(
  db: Db,
  agentInstanceId: string,
  key: string,
): Promise<ApprovalRequest | undefined> {
  const row = await queryRow<RequestRow>(
    db,
    `select ${REQUEST_COLUMNS}
       from ${REQUEST_TABLES}
      where r.agent_instance_id = :agentInstanceId and r.idempotency_key = :key`,
    { agentInstanceId, key },
  );
  return row && toRequest(row);
}

/** What the agent sent with these requests, for lists that read it in batches. */
export async function findDocuments(db: Db, organizationId: string, ids: string[]) {
  return await queryRows<Pick<RequestRow, 'id' | 'arguments' | 'agentReasoning' | 'context'>>(
    db,
    `select id, ${DOCUMENT_COLUMNS.join(', ')} from approval_requests
      where organization_id = :organizationId and id = any(:ids)`,
    { organizationId, ids },
  );
}

/** Which of these requests have changed since a reviewer saw them. Parked waits ask this every second. */
export async function findChangedIds(
  db: Db,
  seen: readonly { readonly id: string; readonly at: Date }[],
): Promise<string[]> {
  if (seen.length === 0) return [];
  const rows = await queryRows<{ id: string }>(
    db,
    `select distinct r.id
       from unnest(cast(:ids as uuid[]), cast(:at as timestamptz[])) as w (id, at)
       join approval_requests r on r.id = w.id and r.updated_at <> w.at`,
    { ids: seen.map(({ id }) => id), at: seen.map(({ at }) => at) },
  );
  return rows.map((row) => row.id);
}

/** Which of these requests are decided, or gone. Parked waits ask this every second. */
export async function findFinalIds(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await queryRows<{ id: string }>(
    db,
    `select w.id from unnest(cast(:ids as uuid[])) as w (id)
       left join approval_requests r on r.id = w.id
      where r.id is null or r.state not in ('evaluating', 'pending')`,
    { ids: [...ids] },
  );
  return rows.map((row) => row.id);
}

/** Those of the ids that no request has. */
export async function unknownRequests(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    db,
    `select given.id from unnest(cast(:ids as uuid[])) as given (id)
      where not exists (select from approval_requests r where r.id = given.id)`,
    { ids },
  );
  return rows.map(({ id }) => id);
}
