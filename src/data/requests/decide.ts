/**
 * Records the one final answer in one statement: state, decision, audit event and messages.
 * `decisions.request_id` is unique and the update checks the state, so no second answer is
 * possible.
 */
import { v7 } from 'uuid';
import {
  EXECUTION_WINDOW_MS,
  WAKE_HEAD_START_MS,
  buildRequest,
  withoutNulls,
  type ApprovalRequest,
  type Decision,
  type RequestState,
  type TerminalState,
} from '../../domain/requests/approval-requests.ts';
import { auditDataOf, type AuditActor } from '../../domain/audit.ts';
import { stringifyExact } from '../../platform/json/exact-json.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRow, queryRows, runPrepared } from '../../platform/rows.ts';
import { toAuthContext, type StoredAuthContext } from './rows.ts';

export interface NewDecision {
  readonly status: TerminalState;
  readonly channel: string;
  readonly note?: string;
  readonly membershipId?: string;
  readonly reviewerDisplayName?: string;
  readonly reviewerEmail?: string;
  /** Without `authenticated_at`, the authentication took place at the instant of the decision. */
  readonly authentication: StoredAuthContext;
  readonly idempotencyKey: string;
  readonly seenArgumentsDigest?: string;
  readonly actor: AuditActor;
  readonly auditData?: Readonly<Record<string, unknown>>;
  /** States this answer may end. */
  readonly from: readonly RequestState[];
  /** Whether the workflow still has to notice. False when the workflow's own step decides. */
  readonly wake: boolean;
}

/** Records the answer for `decided (id, organization_id, now, key, decision_id)`. */
export const DECISION = `
  decision as (
    insert into decisions (id, request_id, organization_id, membership_id, status, note, channel, reviewer_display_name, reviewer_email,
                           authentication, idempotency_key, seen_arguments_digest, decided_at, expires_at)
    select decision_id, id, organization_id, cast(:membership as uuid), :status, :note, :channel, :display_name, :email,
           cast(:authentication as json), key, :seen_arguments_digest, now,
           case when :status = 'approved' then now + :window_ms * interval '1 millisecond' end
      from decided
  )`;

/**
 * Ends with `select decided_at, id`. `clock (id, now, key, decision_id, event_id)` names each
 * locked row, its instant and what to write.
 * Messages that wait to ask for an answer are withdrawn. The sender of a leased message checks the
 * request itself. Each channel on which a message was tried or is being sent gets the outcome. A
 * message dropped in its first attempt was never sent. `last_error` remains when the attempts start
 * from 0 again.
 */
export const DECIDE = `
  decided as (
    update approval_requests r
       set state = :status, updated_at = clock.now, last_at = clock.now, next_at = null, wake_attempts = 0,
           wake_at = case when :wake then clock.now + :head_start_ms * interval '1 millisecond' end
      from clock
     where r.id = clock.id and r.state = any(cast(:from_states as text[]))
    returning r.id, r.organization_id, r.routed_at, clock.now, clock.key, clock.decision_id, clock.event_id
  ),
  ${DECISION},
  audited as (
    insert into audit_events (id, organization_id, event_type, actor_type, actor_id, actor_display_name, subject_type, subject_id, data, occurred_at)
    select event_id, organization_id, 'approval_request.' || cast(:status as text), :actor_type, :actor_id, :actor_name,
           'approval_request', cast(id as text), cast(:audit_data as json), now
      from decided
  ),
  withdrawn as (
    update notification_deliveries
       set next_attempt_at = null, dropped_at = clock_timestamp(), dropped_reason = 'request_closed'
     where id in (
       select n.id from decided join notification_deliveries n on n.request_id = decided.id
        where decided.routed_at is not null and n.event = 'notified' and n.next_attempt_at is not null and n.lease is null
          for update of n skip locked)
  ),
  announced as (
    insert into notification_deliveries (id, organization_id, channel_id, request_id, event, next_attempt_at, created_at)
    select gen_random_uuid(), c.organization_id, c.id, decided.id, 'decided', clock_timestamp(), clock_timestamp()
      from decided join notification_channels c on c.organization_id = decided.organization_id
     where decided.routed_at is not null and c.kind not in ('email', 'push') and c.enabled and c.deleted_at is null
       and exists (select 1 from notification_deliveries n
                    where n.request_id = decided.id and n.channel_id = c.id and n.event = 'notified'
                      and (n.last_error is not null or n.attempts > case when n.dropped_at is null then 0 else 1 end))
  )
  select id, now as decided_at from decided`;

/** What `clock` holds of a single request besides its id and instant. */
export const KEYED =
  'cast(:key as text) as key, cast(:decision_id as uuid) as decision_id, cast(:event_id as uuid) as event_id';

export function decisionBindings(decision: Omit<NewDecision, 'idempotencyKey'>) {
  return {
    status: decision.status,
    wake: decision.wake,
    head_start_ms: WAKE_HEAD_START_MS,
    from_states: [...decision.from],
    membership: decision.membershipId ?? null,
    note: decision.note ?? null,
    channel: decision.channel,
    display_name: decision.reviewerDisplayName ?? null,
    email: decision.reviewerEmail ?? null,
    authentication: stringifyExact(decision.authentication),
    seen_arguments_digest: decision.seenArgumentsDigest ?? null,
    window_ms: EXECUTION_WINDOW_MS,
    actor_type: decision.actor.type,
    actor_id: decision.actor.id ?? null,
    actor_name: decision.actor.displayName ?? null,
    audit_data: stringifyExact(
      auditDataOf({
        actor: decision.actor,
        data: { channel: decision.channel, ...decision.auditData },
      }),
    ),
  };
}

const RECORD_DECISION: PreparedStatement = {
  name: 'record-decision',
  sql: `with clock as materialized (select cast(:id as uuid) as id, cast(:now as timestamptz) as now, ${KEYED}), ${DECIDE}`,
};

const RECORD_VERDICT: PreparedStatement = {
  name: 'record-verdict',
  sql: `
    with locked as materialized (
      select id, last_at, deadline_at from approval_requests where id = cast(:id as uuid) and state = 'evaluating' for no key update
    ),
    ticked as materialized (
      select id, deadline_at, greatest(date_trunc('milliseconds', clock_timestamp()), cast(:floor as timestamptz), last_at) as now from locked
    ),
    clock as materialized (select id, now, ${KEYED} from ticked where now < deadline_at),
    ${DECIDE}`,
};

/**
 * Call it inside the transaction that locked the row at `now`. Returns the decided request, or
 * undefined when its state is not in `from`.
 */
export async function recordDecision(
  trx: Trx,
  { request, now }: { readonly request: ApprovalRequest; readonly now: Date },
  decision: NewDecision,
): Promise<ApprovalRequest | undefined> {
  return await runDecision(trx, RECORD_DECISION, {
    request,
    decision,
    values: { id: request.id, now },
  });
}

/**
 * The pipeline's own verdict: one statement locks, reads the clock and writes. Undefined when the
 * request is no longer evaluating or its deadline has passed.
 */
export async function recordVerdict(
  db: Db,
  { request, floor }: { readonly request: ApprovalRequest; readonly floor: Date },
  decision: NewDecision,
): Promise<ApprovalRequest | undefined> {
  return await runDecision(db, RECORD_VERDICT, {
    request,
    decision,
    values: { id: request.id, floor },
  });
}

interface DecisionRun {
  readonly request: ApprovalRequest;
  readonly decision: NewDecision;
  readonly values: Readonly<Record<string, string | number | Date | null>>;
}

/** Runs a statement that ends with `DECIDE` for one request. */
export async function runDecision(
  db: Db,
  statement: PreparedStatement,
  { request, decision, values }: DecisionRun,
): Promise<ApprovalRequest | undefined> {
  const own = { key: decision.idempotencyKey, decision_id: v7(), event_id: v7() };
  const [row] = await runPrepared<{ decidedAt: Date }>(db, statement, {
    ...decisionBindings(decision),
    ...values,
    ...own,
  });
  return row && asDecided(request, { decision, id: own.decision_id, decidedAt: row.decidedAt });
}

/** What a read would return, without the read. */
export function asDecided(
  request: ApprovalRequest,
  {
    decision,
    id,
    decidedAt,
  }: { readonly decision: NewDecision; readonly id: string; readonly decidedAt: Date },
): ApprovalRequest {
  const {
    auditData: _data,
    actor: _actor,
    from: _from,
    wake: _wake,
    authentication,
    ...stored
  } = decision;
  const executableUntil = new Date(decidedAt.getTime() + EXECUTION_WINDOW_MS);
  return buildRequest({
    ...request,
    state: decision.status,
    updatedAt: decidedAt,
    decision: withoutNulls<Decision>({
      ...stored,
      id,
      requestId: request.id,
      organizationId: request.organizationId,
      authentication: toAuthContext(authentication, decidedAt),
      decidedAt,
      expiresAt: decision.status === 'approved' ? executableUntil : null,
    }),
  });
}

/**
 * Gives the same answer to open requests past their deadline, longest overdue first, at most
 * `limit`. One statement, since many can fall due at one instant. Rows locked by others are
 * skipped: the holder settles them. Each idempotency key is the prefix and the request's id.
 * Returns the ids.
 */
export async function recordPastDeadline(
  db: Db,
  {
    limit,
    keyPrefix,
    ...decision
  }: Omit<NewDecision, 'idempotencyKey'> & { readonly limit: number; readonly keyPrefix: string },
): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    db,
    `with locked as materialized (
       select id, last_at from approval_requests
        where state = any(cast(:from_states as text[])) and state in ('evaluating', 'pending') and deadline_at <= statement_timestamp()
        order by deadline_at limit :limit for no key update skip locked
     ),
     ticked as materialized (
       select id, row_number() over () as place, greatest(date_trunc('milliseconds', clock_timestamp()), last_at) as now from locked
     ),
     clock as materialized (
       select ticked.id, now, :key_prefix || cast(ticked.id as text) as key, ids.decision_id, ids.event_id
         from ticked join unnest(cast(:decision_ids as uuid[]), cast(:event_ids as uuid[])) with ordinality
                          as ids (decision_id, event_id, place) using (place)
     ),
     ${DECIDE}`,
    {
      ...decisionBindings(decision),
      limit,
      key_prefix: keyPrefix,
      decision_ids: Array.from({ length: limit }, () => v7()),
      event_ids: Array.from({ length: limit }, () => v7()),
    },
  );
  return rows.map((row) => row.id);
}

/**
 * Gives the same answer to each of these requests, which the transaction has locked. `due: false`
 * answers only those before their deadline. `due: true` answers all, none earlier than its
 * deadline: the caller has seen it pass. Returns the ids it answered.
 */
export async function recordForEach(
  trx: Trx,
  { ids, due, keyPrefix, ...decision }: Omit<NewDecision, 'idempotencyKey'> & ForEach,
): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    trx,
    `with ticked as materialized (
       select id, deadline_at, row_number() over () as place,
              greatest(date_trunc('milliseconds', clock_timestamp()), last_at, case when :due then deadline_at end) as now
         from approval_requests where id = any(cast(:ids as uuid[]))
     ),
     clock as materialized (
       select ticked.id, now, :key_prefix || cast(ticked.id as text) as key, made.decision_id, made.event_id
         from ticked join unnest(cast(:decision_ids as uuid[]), cast(:event_ids as uuid[])) with ordinality
                          as made (decision_id, event_id, place) using (place)
        where :due or now < deadline_at
     ),
     ${DECIDE}`,
    {
      ...decisionBindings(decision),
      due,
      ids: [...ids],
      key_prefix: keyPrefix,
      decision_ids: ids.map(() => v7()),
      event_ids: ids.map(() => v7()),
    },
  );
  return rows.map((row) => row.id);
}

interface ForEach {
  readonly ids: readonly string[];
  readonly due: boolean;
  readonly keyPrefix: string;
}

interface KeyedDecision {
  readonly requestId: string;
  readonly status: TerminalState;
  readonly note: string | null;
  readonly channel: string;
}

/** The decision a person of this organization made with this idempotency key, on any request. */
export async function findDecisionByKey(
  db: Db,
  organizationId: string,
  key: string,
): Promise<KeyedDecision | undefined> {
  return await queryRow<KeyedDecision>(
    db,
    `select request_id, status, note, channel from decisions
      where organization_id = :organizationId and idempotency_key = :key and membership_id is not null`,
    { organizationId, key },
  );
}
