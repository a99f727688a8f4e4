/** The open requests of one instance. */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { LongList } from '../../platform/long-list.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';
import { bytesOf, documentAtOnce, longPage, type SizedRow } from '../long-pages.ts';
import { findDocuments } from './read.ts';
import {
  DOCUMENT_COLUMNS,
  requestColumns,
  requestTables,
  toRequest,
  type RequestRow,
} from './rows.ts';

export interface OpenRequests {
  /** Newest first. */
  readonly requests: LongList<ApprovalRequest>;
  readonly ids: readonly string[];
  /** Those of them that are past their deadline, which no one has recorded yet. */
  readonly pastDeadline: readonly string[];
}

const SIZED = `(
  select r.*, sum(${bytesOf(DOCUMENT_COLUMNS.map((each) => `r.${each}`))})
           over (order by r.created_at desc, r.id desc rows unbounded preceding) as documents_end
    from (select * from approval_requests
           where agent_instance_id = :instanceId and state in ('evaluating', 'pending')
           order by created_at desc, id desc limit :limit) r)`;

export async function listOpenRequests(
  db: Db,
  { organizationId, instanceId }: { readonly organizationId: string; readonly instanceId: string },
  limit: number,
): Promise<OpenRequests> {
  const rows = await queryRows<RequestRow & SizedRow & { readonly isPastDeadline: boolean }>(
    db,
    `select ${requestColumns(documentAtOnce)}, r.documents_end, clock_timestamp() >= r.deadline_at as is_past_deadline
       from ${requestTables(SIZED)}
      order by r.created_at desc, r.id desc`,
    { instanceId, limit },
  );
  return {
    requests: longPage(rows, {
      read: async (ids) => await findDocuments(db, organizationId, ids),
      build: toRequest,
    }),
    ids: rows.map(({ id }) => id),
    pastDeadline: rows.flatMap(({ id, isPastDeadline }) => (isPastDeadline ? [id] : [])),
  };
}
