/** Writes a request with its idempotency key and audit event. One statement saves round trips. */
import { v7 } from 'uuid';
import {
  WAKE_HEAD_START_MS,
  buildRequest,
  type ApprovalRequest,
} from '../../domain/requests/approval-requests.ts';
import { callDigest } from '../../domain/requests/call-marks.ts';
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRows, runPrepared } from '../../platform/rows.ts';

export interface NewApprovalRequest extends Pick<
  ApprovalRequest,
  'id' | 'tool' | 'server' | 'arguments' | 'agentReasoning' | 'context' | 'timeout'
> {
  readonly timeoutMs: number;
  readonly idempotencyKey: string;
}

/**
 * The new request. Undefined when the instance has used the key before, and when the organization
 * is deleted, the agent or instance is no longer active, or the credential ended. Who ends one of these holds its row
 * until the requests are cancelled, so none can follow.
 */
export async function insertRequest(
  db: Db,
  principal: AgentPrincipal,
  input: NewApprovalRequest,
): Promise<ApprovalRequest | undefined> {
  const [created] = await runPrepared<Created>(db, INSERT, {
    ...insertBindings(principal, input),
    head_start_ms: WAKE_HEAD_START_MS,
  });
  return created && asRequest(principal, input, created);
}

/** The bindings of the fragments below. */
export function insertBindings(principal: AgentPrincipal, input: NewApprovalRequest) {
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
    event_id: v7(),
  };
}

/** The columns that the database fills in. */
export interface Created {
  createdAt: Date;
  deadlineAt: Date;
  organizationPipelineRevisionId: string | null;
  agentPipelineRevisionId: string | null;
}

/**
 * `pinned`: the active rules. `live_agent`: one row if organization, agent and instance are active and the credential has not ended,
 * which stays so until the statement ends. `clock` is read once these rows are locked.
 *
 * The lock of the agent conflicts with `lockAgent`, so the statement reads the agent again after it. On instance and
 * credential, a key share lock leaves updates of `last_seen_at` free. It notices a change only by those who take
 * `for update` before they write. Such a transaction must lock no request afterwards: see `lockAgent`.
 */
export const READ_TO_INSERT = `
  live_organization as materialized (select from organizations where id = :organization and deleted_at is null for share),
  live_agent as materialized (
    select from agents a join agent_instances i on i.organization_id = a.organization_id and i.agent_slug = a.slug
      join agent_credentials c on c.agent_instance_id = i.id
     where a.organization_id = :organization and a.slug = :agent_slug and a.status = 'active'
       and i.id = :instance and i.status = 'active'
       and c.id = :credential and c.revoked_at is null and c.expires_at > clock_timestamp()
       and exists (select from live_organization)
       for share of a for key share of i, c
  ),
  clock as materialized (select date_trunc('milliseconds', clock_timestamp()) as now from live_agent),
  pinned as materialized (
    select (select v.id from request_approval_pipelines p
              join request_approval_pipeline_revisions v on v.request_approval_pipeline_id = p.id and v.revision = p.active_revision
             where p.organization_id = :organization and p.document_key = 'organization') as organization_revision,
           (select v.id from request_approval_pipelines p
              join request_approval_pipeline_revisions v on v.request_approval_pipeline_id = p.id and v.revision = p.active_revision
             where p.organization_id = :organization and p.document_key = :agent_pipeline) as agent_revision
  )`;

/** `state` and `wakeAt` are SQL expressions, and `source` joins the above. */
export const insertFrom = ({
  state,
  wakeAt,
  source,
}: Readonly<Record<'state' | 'wakeAt' | 'source', string>>): string => `
    insert into approval_requests (
      id, organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id,
      tool, server, arguments, call_digest, agent_reasoning, context, timeout, idempotency_key,
      organization_pipeline_revision_id, agent_pipeline_revision_id,
      state, created_at, deadline_at, updated_at, last_at, wake_at)
    select cast(:id as uuid), :organization, :agent_slug, :agent_name, :instance, :instance_name, :credential,
           :tool, :server, cast(:arguments as json), :call_digest, cast(:agent_reasoning as json), cast(:context as json), :timeout, :key,
           organization_revision, agent_revision,
           ${state}, now, now + :timeout_ms * interval '1 millisecond', now, now, ${wakeAt}
      from ${source}
    on conflict on constraint approval_requests_idempotency_key do nothing
    returning id, organization_id, created_at, deadline_at, organization_pipeline_revision_id, agent_pipeline_revision_id`;

/** What the audit event of a creation holds besides its subject. */
export const CREATED_DATA = `json_build_object('agent_slug', cast(:agent_slug as text), 'agent_instance_id', cast(:instance as uuid),
             'tool', cast(:tool as text), 'server', cast(:server as text))`;

const INSERT: PreparedStatement = {
  name: 'insert-approval-request',
  sql: `
  with ${READ_TO_INSERT},
  created as (${insertFrom({
    state: `'evaluating'`,
    wakeAt: `now + :head_start_ms * interval '1 millisecond'`,
    source: 'clock, pinned',
  })}
  ),
  audited as (
    insert into audit_events (id, organization_id, event_type, actor_type, actor_id, actor_display_name, subject_type, subject_id, data, occurred_at)
    select cast(:event_id as uuid), :organization, 'approval_request.created', 'agent', :agent_slug, :agent_name,
           'approval_request', :id, ${CREATED_DATA}, created_at
      from created
  )
  select created_at, deadline_at, organization_pipeline_revision_id, agent_pipeline_revision_id from created`,
};

export function asRequest(
  principal: AgentPrincipal,
  input: NewApprovalRequest,
  created: Created,
): ApprovalRequest {
  return buildRequest({
    id: input.id,
    organizationId: principal.organizationId,
    agentSlug: principal.agentSlug,
    agentName: principal.agentName,
    agentInstanceId: principal.instanceId,
    agentInstanceName: principal.instanceName,
    agentCredentialId: principal.credentialId,
    tool: input.tool,
    server: input.server,
    arguments: input.arguments,
    agentReasoning: input.agentReasoning,
    context: input.context,
    timeout: input.timeout,
    state: 'evaluating',
    createdAt: created.createdAt,
    deadlineAt: created.deadlineAt,
    updatedAt: created.createdAt,
    organizationPipelineRevisionId: created.organizationPipelineRevisionId,
    agentPipelineRevisionId: created.agentPipelineRevisionId,
    urgency: 'standard',
  });
}

/**
 * Marks that the caller got 201 before the pipeline concluded: the pending cap no longer applies.
 * False when the cap refused the request meanwhile and removed it.
 */
export async function admitRequest(db: Db, id: string): Promise<boolean> {
  const rows = await queryRows<unknown>(
    db,
    `update approval_requests set admitted = true where id = :id returning id`,
    { id },
  );
  return rows.length === 1;
}
