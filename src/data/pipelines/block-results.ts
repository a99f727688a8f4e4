/**
 * What came of the blocks that ask other systems. An attempt begins in one statement, which counts
 * it, and the result is written once. So no killed worker, replaced workflow or second process asks
 * more often than allowed, or changes a result. Both lock the request first, as does a cap that removes
 * it with its results.
 */
import { v7 } from 'uuid';
import {
  storedResult,
  type BlockRef,
  type BlockResult,
  type RemoteSuccess,
  type RemoteErrorCode,
  type RemoteFailure,
  type RemoteResult,
} from '../../domain/pipelines/remote.ts';
import type { ErrorCause } from '../../domain/error-causes.ts';
import { JsonText, stringifyExact } from '../../platform/json/exact-json.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRow, runPrepared } from '../../platform/rows.ts';
import { wakeAfter, wakeAfterResult } from '../requests/wake.ts';

/** An attempt that has begun. */
export interface BlockAttempt {
  /** The same for all attempts. */
  readonly deliveryId: string;
  /** From 1. */
  readonly attempt: number;
}

export interface BegunAttempt extends BlockAttempt {
  /** Milliseconds until the request's deadline. */
  readonly msLeft: number;
}

export interface NewAttempt extends BlockRef {
  readonly requestId: string;
  readonly contentHash: string;
  /** Of the first attempt. */
  readonly deliveryId: string;
  readonly maxAttempts: number;
  /** How long the attempt belongs to its process. */
  readonly leaseMs: number;
}

const BEGIN: PreparedStatement = {
  name: 'begin-block-attempt',
  sql: `
    with open as materialized (
      select r.id, r.organization_id, r.deadline_at, greatest(date_trunc('milliseconds', clock_timestamp()), r.last_at) as now,
             clock_timestamp() + :lease_ms * interval '1 millisecond' as leased_until,
             (select count(*) + 1 from pipeline_block_results b where b.request_id = r.id) as place
        from approval_requests r
       where r.id = cast(:request as uuid) and r.state = 'evaluating' and greatest(clock_timestamp(), r.last_at) < r.deadline_at
         for no key update
    ),
    begun as (
      insert into pipeline_block_results as b (request_id, scope, block_id, place, content_hash, delivery_id, attempts, leased_until, asked_at)
      select id, :scope, :block, place, :content_hash, cast(:delivery as uuid), 1, leased_until, clock_timestamp() from open
      on conflict on constraint pipeline_block_results_pkey do update
        set attempts = b.attempts + 1, leased_until = excluded.leased_until
        where b.answered_at is null and b.attempts < :max_attempts
          and (b.leased_until is null or b.leased_until <= clock_timestamp())
      returning request_id, delivery_id, attempts, leased_until
    ),
    planned as (${wakeAfter('begun', 'begun.leased_until')}
    ),
    told as (
      insert into audit_events (id, organization_id, event_type, actor_type, subject_type, subject_id, data, occurred_at)
      select cast(:event_id as uuid), open.organization_id, 'approval_request.block_attempt_begun', 'system', 'approval_request',
             cast(open.id as text), json_build_object('scope', cast(:scope as text), 'block_id', cast(:block as text), 'attempt', begun.attempts), open.now
        from begun join open on open.id = begun.request_id
    )
    select delivery_id, attempts as attempt,
           cast(greatest(0, floor(extract(epoch from open.deadline_at - clock_timestamp()) * 1000)) as integer) as ms_left
      from begun join open on open.id = begun.request_id`,
};

/**
 * Undefined when there is no further attempt now. The request has its decision, or the block its
 * result, or another attempt is under way, or all were made.
 */
export async function beginAttempt(db: Db, attempt: NewAttempt): Promise<BegunAttempt | undefined> {
  const [begun] = await runPrepared<BegunAttempt>(db, BEGIN, {
    event_id: v7(),
    request: attempt.requestId,
    scope: attempt.scope,
    block: attempt.blockId,
    content_hash: attempt.contentHash,
    delivery: attempt.deliveryId,
    max_attempts: attempt.maxAttempts,
    lease_ms: attempt.leaseMs,
  });
  return begun;
}

/** How far the asking of a block is. */
export interface AskingState extends BlockAttempt {
  readonly hasResult: boolean;
  /** Milliseconds until the attempt under way has to be over; 0 when none is. */
  readonly leasedMs: number;
}

export async function findAskingState(
  db: Db,
  requestId: string,
  { scope, blockId }: BlockRef,
): Promise<AskingState | undefined> {
  return await queryRow<AskingState>(
    db,
    `select delivery_id, attempts as attempt, answered_at is not null as has_result,
            greatest(0, coalesce(ceil(extract(epoch from leased_until - clock_timestamp()) * 1000), 0))::integer as leased_ms
       from pipeline_block_results
      where request_id = :requestId and scope = :scope and block_id = :blockId`,
    { requestId, scope, blockId },
  );
}

export interface EndedAttempt extends BlockRef {
  readonly requestId: string;
  readonly attempt: number;
  /** Absent when another attempt follows. */
  readonly result?: RemoteResult;
  /** All metadata of the request, when the result adds some. */
  readonly previousMetadata?: JsonText | undefined;
  /** The pause before the next attempt. */
  readonly pauseMs: number;
}

const END: PreparedStatement = {
  name: 'end-block-attempt',
  sql: `
    with asked as materialized (
      select b.request_id, b.scope, b.block_id, greatest(date_trunc('milliseconds', clock_timestamp()), r.last_at) as now
        from pipeline_block_results b join approval_requests r on r.id = b.request_id
       where b.request_id = cast(:request as uuid) and b.scope = :scope and b.block_id = :block
         and b.answered_at is null and r.state = 'evaluating'
         and (b.attempts = :attempt or cast(:outcome as text) is not null)
         for no key update of r, b
    ),
    ended as (
      update pipeline_block_results b
         set leased_until = null, answered_at = case when :final then asked.now end, outcome = :outcome, reason = :reason,
             metadata = cast(:metadata as json), escalation_path = :escalation_path, error_code = :error_code,
             error_cause = :error_cause, cost = cast(:cost as json)
        from asked
       where b.request_id = asked.request_id and b.scope = asked.scope and b.block_id = asked.block_id
      returning b.request_id, asked.now
    ),
    planned as (${wakeAfterResult('ended', {
      instant: `ended.now + :pause_ms * interval '1 millisecond'`,
      metadata: ':previous_metadata',
    })}
    )
    select now from ended`,
};

/**
 * Writes the result, or frees the block for its next attempt. The first result counts, whichever
 * attempt it is for. A failure counts only for the latest attempt. Returns the instant; undefined
 * when nothing was written, because there is a result already or the request has its decision.
 */
export async function endAttempt(trx: Trx, ended: EndedAttempt): Promise<Date | undefined> {
  const { result } = ended;
  const success: Partial<RemoteSuccess> = result && 'outcome' in result ? result : {};
  const failure: Partial<RemoteFailure> = result && 'errorCode' in result ? result : {};
  const [row] = await runPrepared<{ now: Date }>(trx, END, {
    request: ended.requestId,
    scope: ended.scope,
    block: ended.blockId,
    attempt: ended.attempt,
    final: result !== undefined,
    outcome: success.outcome ?? null,
    reason: success.reason ?? null,
    metadata: success.metadata?.text ?? null,
    escalation_path: success.escalationPath ?? null,
    error_code: failure.errorCode ?? null,
    error_cause: failure.errorCause ?? null,
    cost: result?.cost ? stringifyExact(result.cost) : null,
    previous_metadata: ended.previousMetadata?.text ?? null,
    pause_ms: ended.pauseMs,
  });
  return row?.now;
}

interface ResultRow {
  scope: BlockRef['scope'];
  blockId: string;
  outcome: RemoteSuccess['outcome'] | null;
  reason: string | null;
  escalationPath: string | null;
  errorCode: RemoteErrorCode | null;
  errorCause: ErrorCause | null;
  previousMetadata: string | null;
}

/** How far the evaluation of a request is. */
export interface EvaluationProgress {
  /** The result after which it continues. */
  readonly last: BlockResult;
  /** Of all results so far. */
  readonly previousMetadata: JsonText | undefined;
}

const FIND_PROGRESS: PreparedStatement = {
  name: 'find-evaluation-progress',
  sql: `
    select b.scope, b.block_id, b.outcome, b.reason, b.escalation_path, b.error_code, b.error_cause, r.previous_metadata
      from pipeline_block_results b join approval_requests r on r.id = b.request_id
     where b.request_id = cast(:requestId as uuid) and b.answered_at is not null
     order by b.place desc limit 1`,
};

/**
 * Undefined before the first result. One statement, so that the metadata is never older than the
 * result: a condition could miss what a block has just returned.
 */
export async function findProgress(
  db: Db,
  requestId: string,
): Promise<EvaluationProgress | undefined> {
  const [row] = await runPrepared<ResultRow>(db, FIND_PROGRESS, { requestId });
  if (!row) return undefined;
  const { scope, blockId, previousMetadata } = row;
  return {
    last: {
      scope,
      blockId,
      result: storedResult({
        outcome: row.outcome,
        errorCode: row.errorCode,
        errorCause: row.errorCause,
        ...(row.reason !== null && { reason: row.reason }),
        ...(row.escalationPath !== null && { escalationPath: row.escalationPath }),
      }),
    },
    previousMetadata: previousMetadata === null ? undefined : new JsonText(previousMetadata),
  };
}
