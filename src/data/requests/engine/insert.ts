/**
 * Writes a new request with its idempotency key, its timeline and, where rules have decided it, its decision. One statement
 * saves round trips.
 */
import { callDigest } from '../../../domain/requests/call-marks.ts';
import {
  withoutNulls,
  type ApprovalRequest,
  type Facts,
  type RuleRevisions,
} from '../../../domain/requests/approval-requests.ts';
import {
  createdRequest,
  type CreateEffects,
  type Inserted,
} from '../../../domain/requests/engine/create.ts';
import type { Db } from '../../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../../platform/rows.ts';
import { accessTurn } from '../../organization/organizations.ts';
import { IS_WITHDRAWN } from '../withdrawn-keys.ts';
import { decisionRow, DECISIONS, eventRows, EVENTS } from './commit-tables.ts';
import { recordDecisions, recordEvents } from './records.ts';
import { READY } from './tables.ts';

/**
 * `live_agent`: one row if organization, agent and instance are active and the credential has not ended, which stays so until the
 * statement ends. `clock` is read once these rows are locked.
 *
 * The lock of the agent conflicts with `lockAgent`, so the statement reads the agent again after it. On instance and
 * credential, a key share lock leaves updates of `last_seen_at` free. It notices a change only by those who take
 * `for update` before they write. Such a transaction must lock no request afterwards (ADR 23): deleting an
 * instance cancels its requests first.
 *
 * The statement does not see a key that is withdrawn after it began. But the count in the locked row then differs.
 */
const LIVE = `
  ${accessTurn(':organization')},
  live_organization as materialized (
    select from organizations o, access_turn where o.id = :organization and o.deleted_at is null for share of o),
  live_agent as materialized (
    select from agents a join agent_instances i on i.organization_id = a.organization_id and i.agent_slug = a.slug
      join agent_credentials c on c.agent_instance_id = i.id
     where a.organization_id = :organization and a.slug = :agent_slug and a.status = 'active'
       and i.id = :instance and i.status = 'active'
       and c.id = :credential and c.revoked_at is null and c.expires_at > clock_timestamp()
       and i.withdrawals = (select withdrawals from agent_instances where id = :instance)
       and exists (select from live_organization)
       for share of a for key share of i, c
  ),
  clock as materialized (select date_trunc('milliseconds', clock_timestamp()) as now from live_agent where not ${IS_WITHDRAWN})`;

/** The active rules. */
const PINNED = `
  pinned as materialized (
    select (select v.id from request_approval_pipelines p
              join request_approval_pipeline_revisions v on v.request_approval_pipeline_id = p.id and v.revision = p.active_revision
             where p.organization_id = :organization and p.document_key = 'organization') as organization_revision,
           (select v.id from request_approval_pipelines p
              join request_approval_pipeline_revisions v on v.request_approval_pipeline_id = p.id and v.revision = p.active_revision
             where p.organization_id = :organization and p.document_key = :agent_pipeline) as agent_revision
  )`;

/** A verdict is written only if it is that of the active rules. */
const UNCHANGED = `
  unchanged as materialized (
    select from pinned
     where organization_revision is not distinct from cast(:organization_revision as uuid)
       and agent_revision is not distinct from cast(:agent_revision as uuid)
  )`;

const insertFrom = (source: string): string => `
  created as (
    insert into approval_requests (
      id, organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id,
      tool, server, arguments, call_digest, agent_reasoning, context, timeout, idempotency_key,
      organization_pipeline_revision_id, agent_pipeline_revision_id,
      state, created_at, deadline_at, updated_at, last_at, wake_at)
    select cast(:id as uuid), :organization, :agent_slug, :agent_name, :instance, :instance_name, :credential,
           :tool, :server, cast(:arguments as json), :call_digest, cast(:agent_reasoning as json), cast(:context as json), :timeout, :key,
           organization_revision, agent_revision,
           :state, now, now + :timeout_ms * interval '1 millisecond', now, now, now + :wake_ms * interval '1 millisecond'
      from ${source}
    on conflict on constraint approval_requests_idempotency_key do nothing
    returning id, organization_id, agent_instance_id, created_at, deadline_at
  ),
  ${READY.table} as materialized (select id, organization_id, agent_instance_id, created_at as now from created)`;

const DECISION = DECISIONS.ofRows(1);
const CREATED = EVENTS.ofRows(1);
const CREATED_AND_DECIDED = EVENTS.ofRows(2);

function statementOf(name: string, { decides }: { readonly decides: boolean }): PreparedStatement {
  const tables = [
    LIVE,
    PINNED,
    decides && UNCHANGED,
    insertFrom(decides ? 'clock, pinned, unchanged' : 'clock, pinned'),
    decides && recordDecisions(DECISION.sql),
    recordEvents(decides ? CREATED_AND_DECIDED.sql : CREATED.sql),
  ];
  const sql = `
  with ${tables.filter((table) => table !== false).join(',')}
  select created.created_at, created.deadline_at, pinned.organization_revision as organization_pipeline_revision_id,
         pinned.agent_revision as agent_pipeline_revision_id,
         ${decides ? 'exists (select from unchanged)' : 'true'} as is_current
    from pinned left join created on true`;
  return { name, sql };
}

const INSERT = statementOf('insert-approval-request', { decides: false });
const INSERT_DECIDED = statementOf('insert-decided-approval-request', { decides: true });

export interface Insertion {
  /** Absent when nothing was written. */
  readonly request?: ApprovalRequest;
  /** The active rules. */
  readonly active: RuleRevisions;
  /** False when the verdict is of other rules than the active ones. Then nothing was written. */
  readonly isCurrent: boolean;
}

/**
 * If `isCurrent` is true and `request` is absent, nothing was written, for one of these reasons: the instance has already used or
 * withdrawn the key, it withdraws another one at this moment, the organization is deleted, the agent or instance is not active, or the
 * credential has ended.
 */
export async function insertRequest(db: Db, effects: CreateEffects): Promise<Insertion> {
  const { verdict, input } = effects;
  const [row] = await runPrepared<InsertRow>(db, verdict ? INSERT_DECIDED : INSERT, {
    ...requestBindings(effects),
    ...(verdict ? CREATED_AND_DECIDED : CREATED).bindings(eventRows(effects)),
    ...(verdict && {
      ...DECISION.bindings([
        decisionRow(input.id, verdict.decision, {
          isRouted: false,
          window: effects.principal.approvalWindow,
        }),
      ]),
      organization_revision: verdict.rules.organizationPipelineRevisionId ?? null,
      agent_revision: verdict.rules.agentPipelineRevisionId ?? null,
    }),
  });
  if (!row) throw new Error('a statement that always has a row had none');
  const { createdAt, deadlineAt, isCurrent, ...pinned } = row;
  const active = withoutNulls<RuleRevisions>(pinned);
  if (!createdAt || !deadlineAt) return { active, isCurrent };
  const request = createdRequest(effects, { createdAt, deadlineAt, ...pinned });
  return { request, active, isCurrent };
}

interface InsertRow extends Facts<RuleRevisions> {
  createdAt: Inserted['createdAt'] | null;
  deadlineAt: Inserted['deadlineAt'] | null;
  isCurrent: boolean;
}

function requestBindings({ principal, input, state, wakeMs }: CreateEffects) {
  return {
    id: input.id,
    organization: principal.organizationId,
    agent_slug: principal.agentSlug,
    agent_name: principal.agentName,
    instance: principal.instanceId,
    instance_name: principal.instanceName,
    credential: principal.credentialId,
    agent_pipeline: `agent:${principal.agentSlug}`,
    tool: input.tool,
    server: input.server ?? null,
    arguments: input.arguments.text,
    call_digest: callDigest({ ...principal, ...input }),
    agent_reasoning: input.agentReasoning?.text ?? null,
    context: input.context?.text ?? null,
    timeout: input.timeout,
    timeout_ms: input.timeoutMs,
    key: input.idempotencyKey,
    state,
    wake_ms: wakeMs ?? null,
  };
}
