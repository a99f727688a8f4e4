/** Each attempt to post to a webhook endpoint, kept for 30 days. */
import { v7 } from 'uuid';
import {
  RECENT_DELIVERIES,
  type RecentDeliveries,
  type WebhookDelivery,
} from '../../domain/webhooks/deliveries.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRows, runPrepared } from '../../platform/rows.ts';

export type BegunDelivery = Pick<
  WebhookDelivery,
  'deliveryId' | 'type' | 'revision' | 'requestId' | 'attempt'
> & { readonly endpointId: string };

export type DeliveryResult = Pick<
  WebhookDelivery,
  'durationMs' | 'statusCode' | 'outcome' | 'errorCode' | 'errorCause' | 'responseExcerpt'
>;

const INSERT: PreparedStatement = {
  name: 'insert-webhook-delivery',
  sql: `
    insert into webhook_deliveries (id, webhook_endpoint_id, delivery_id, type, revision, request_id, attempt, attempted_at)
    select cast(:id as uuid), cast(:endpointId as uuid), cast(:deliveryId as uuid), :type, :revision,
           (select r.id from approval_requests r where r.id = cast(:requestId as uuid)), :attempt, clock_timestamp()`,
};

/** Records an attempt that begins, so that it leaves a trace however it ends. Returns its id. */
export async function insertWebhookDelivery(db: Db, delivery: BegunDelivery): Promise<string> {
  const id = v7();
  await runPrepared(db, INSERT, { id, ...delivery });
  return id;
}

const END: PreparedStatement = {
  name: 'end-webhook-delivery',
  sql: `
    update webhook_deliveries
       set duration_ms = :durationMs, status_code = :statusCode, outcome = :outcome, error_code = :errorCode,
           error_cause = :errorCause, response_excerpt = :responseExcerpt
     where id = cast(:id as uuid)`,
};

/** Records what came of it. */
export async function endWebhookDelivery(
  db: Db,
  id: string,
  result: DeliveryResult,
): Promise<void> {
  await runPrepared(db, END, { id, ...result });
}

export interface WebhookDeliveryPage {
  readonly endpointId: string;
  /** Only attempts that ended with an error. */
  readonly isFailed: boolean;
  /** The last one of the previous page. */
  readonly before: { readonly attemptedAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listWebhookDeliveries(
  db: Db,
  { endpointId, isFailed, before, limit }: WebhookDeliveryPage,
): Promise<WebhookDelivery[]> {
  return await queryRows<WebhookDelivery>(
    db,
    `select id, delivery_id, type, revision, request_id, attempt, attempted_at, duration_ms, status_code, outcome, error_code,
            error_cause, response_excerpt
       from webhook_deliveries
      where webhook_endpoint_id = :endpointId
        ${isFailed ? 'and error_code is not null' : ''}
        ${before ? 'and (attempted_at, id) < (:attemptedAt, cast(:id as uuid))' : ''}
      order by attempted_at desc, id desc limit :limit`,
    { endpointId, limit, ...before },
  );
}

/** The newest attempt of each endpoint that ended, tests included. Endpoints without one are left out. */
export async function findRecentDeliveries(
  db: Db,
  endpointIds: readonly string[],
): Promise<ReadonlyMap<string, RecentDeliveries>> {
  const ended = `from webhook_deliveries
                  where webhook_endpoint_id = e.id and duration_ms is not null
                  order by attempted_at desc, id desc`;
  const rows = await queryRows<RecentDeliveries & { readonly endpointId: string }>(
    db,
    `select e.id as endpoint_id, newest.*, recent.failed_count
       from unnest(cast(:endpointIds as uuid[])) as e (id)
      cross join lateral (
        select attempted_at, status_code, outcome, error_code, error_cause ${ended} limit 1
      ) newest
      cross join lateral (
        select cast(count(r.error_code) as int) as failed_count
          from (select error_code ${ended} limit ${RECENT_DELIVERIES}) r
      ) recent`,
    { endpointIds: [...endpointIds] },
  );
  return new Map(rows.map((row) => [row.endpointId, row]));
}

/** Purges some attempts of over 30 days ago. Returns their number. */
export async function deleteOldWebhookDeliveries(db: Db, limit: number): Promise<number> {
  const rows = await queryRows<unknown>(
    db,
    `with old as (
       select id from webhook_deliveries where attempted_at < statement_timestamp() - interval '30 days'
        order by attempted_at limit :limit for update skip locked
     )
     delete from webhook_deliveries where id = any(array(select id from old)) returning 1`,
    { limit },
  );
  return rows.length;
}
