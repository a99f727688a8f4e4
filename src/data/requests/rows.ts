/** How a row of approval_requests (with its decision) becomes the domain's ApprovalRequest. */
import {
  buildRequest,
  withoutNulls,
  type ApprovalRequest,
  type Claim,
  type Decision,
  type PipelineScope,
  type RequestState,
  type Route,
  type RouteSource,
  type TerminalState,
} from '../../domain/requests/approval-requests.ts';
import type { AuthContext } from '../../domain/people/authorization.ts';
import { JsonText } from '../../platform/exact-json.ts';

/** What every read of a request reads from. `d` is its decision and `c` its live claim, if any. */
export const REQUEST_TABLES = `
  approval_requests r
  left join decisions d on d.request_id = r.id
  left join claims c on c.request_id = r.id and c.ended_at is null`;

/** The columns of REQUEST_TABLES. */
export const REQUEST_COLUMNS = `
  r.id, r.organization_id, r.agent_slug, r.agent_name, r.agent_instance_id, r.agent_instance_name, r.agent_credential_id,
  r.tool, r.server, r.arguments, r.agent_reasoning, r.context, r.timeout, r.state, r.created_at, r.deadline_at, r.updated_at,
  r.organization_pipeline_revision_id, r.agent_pipeline_revision_id, r.routed_at, r.route_source, r.route_scope,
  r.route_block_id, r.route_reason, r.escalation_path_revision_id, r.urgency, r.walk, r.next_at,
  d.id as decision_id, d.membership_id as decision_membership_id, d.status as decision_status, d.note as decision_note,
  d.channel as decision_channel, d.reviewer_display_name, d.reviewer_email, d.authentication as decision_authentication,
  d.idempotency_key as decision_idempotency_key, d.decided_at, d.expires_at as decision_expires_at,
  c.id as claim_id, c.membership_id as claim_membership_id, c.display_name as claim_display_name, c.claimed_at,
  c.expires_at as claim_expires_at, c.expires_at <= greatest(clock_timestamp(), r.last_at) as claim_lapsed`;

export interface RequestRow {
  id: string;
  organization_id: string;
  agent_slug: string;
  agent_name: string;
  agent_instance_id: string;
  agent_instance_name: string;
  agent_credential_id: string;
  tool: string;
  server: string | null;
  arguments: string;
  agent_reasoning: string | null;
  context: string | null;
  timeout: string;
  state: RequestState;
  created_at: Date;
  deadline_at: Date;
  updated_at: Date;
  organization_pipeline_revision_id: string | null;
  agent_pipeline_revision_id: string | null;
  routed_at: Date | null;
  route_source: RouteSource | null;
  route_scope: PipelineScope | null;
  route_block_id: string | null;
  route_reason: string | null;
  escalation_path_revision_id: string | null;
  urgency: 'standard' | 'interrupt';
  walk: string | null;
  next_at: Date | null;
  decision_id: string | null;
  decision_membership_id: string | null;
  decision_status: TerminalState | null;
  decision_note: string | null;
  decision_channel: string | null;
  reviewer_display_name: string | null;
  reviewer_email: string | null;
  decision_authentication: string | null;
  decision_idempotency_key: string | null;
  decided_at: Date | null;
  decision_expires_at: Date | null;
  claim_id: string | null;
  claim_membership_id: string | null;
  claim_display_name: string | null;
  claimed_at: Date | null;
  claim_expires_at: Date | null;
  claim_lapsed: boolean | null;
}

export function toRequest(row: RequestRow): ApprovalRequest {
  return buildRequest({
    id: row.id,
    organizationId: row.organization_id,
    agentSlug: row.agent_slug,
    agentName: row.agent_name,
    agentInstanceId: row.agent_instance_id,
    agentInstanceName: row.agent_instance_name,
    agentCredentialId: row.agent_credential_id,
    tool: row.tool,
    server: row.server,
    arguments: new JsonText(row.arguments),
    agentReasoning: row.agent_reasoning === null ? null : new JsonText(row.agent_reasoning),
    context: row.context === null ? null : new JsonText(row.context),
    timeout: row.timeout,
    state: row.state,
    createdAt: row.created_at,
    deadlineAt: row.deadline_at,
    updatedAt: row.updated_at,
    organizationPipelineRevisionId: row.organization_pipeline_revision_id,
    agentPipelineRevisionId: row.agent_pipeline_revision_id,
    route: toRoute(row),
    urgency: row.urgency,
    walk: row.walk,
    nextAt: row.next_at,
    claim: toClaim(row),
    decision: toDecision(row),
  });
}

function toRoute(row: RequestRow): Route | null {
  if (row.routed_at === null || row.route_source === null || row.route_scope === null) return null;
  return withoutNulls<Route>({
    routedAt: row.routed_at,
    source: row.route_source,
    scope: row.route_scope,
    blockId: row.route_block_id,
    reason: row.route_reason,
    pathRevisionId: row.escalation_path_revision_id,
  });
}

function toClaim({
  claim_id: id,
  claim_membership_id: membershipId,
  claim_display_name: displayName,
  claimed_at: claimedAt,
  claim_expires_at: expiresAt,
  claim_lapsed: lapsed,
}: RequestRow): Claim | null {
  if (id === null || membershipId === null || claimedAt === null || expiresAt === null) return null;
  return {
    id,
    membershipId,
    displayName: displayName ?? '',
    claimedAt,
    expiresAt,
    lapsed: lapsed === true,
  };
}

function toDecision(row: RequestRow): Decision | null {
  if (row.decision_id === null || row.decision_status === null || row.decided_at === null)
    return null;
  return withoutNulls<Decision>({
    id: row.decision_id,
    requestId: row.id,
    organizationId: row.organization_id,
    membershipId: row.decision_membership_id,
    status: row.decision_status,
    note: row.decision_note,
    channel: row.decision_channel ?? '',
    reviewerDisplayName: row.reviewer_display_name,
    reviewerEmail: row.reviewer_email,
    authentication: toAuthContext(
      JSON.parse(row.decision_authentication ?? '{}') as StoredAuthContext,
      row.decided_at,
    ),
    idempotencyKey: row.decision_idempotency_key ?? '',
    decidedAt: row.decided_at,
    expiresAt: row.decision_expires_at,
  });
}

/** As stored. Without an instant of its own, the authentication took place at the decision. */
export type StoredAuthContext = Omit<AuthContext, 'authenticated_at'> & {
  readonly authenticated_at?: Date | string;
};

/** Sorted by member, so that every answer has the same text. */
export function toAuthContext(stored: StoredAuthContext, decidedAt: Date): AuthContext {
  const { method, assurance, authenticated_at: at, session_id, credential_id } = stored;
  return {
    method,
    assurance,
    authenticated_at: at === undefined ? decidedAt : new Date(at),
    ...(session_id !== undefined && { session_id }),
    ...(credential_id !== undefined && { credential_id }),
  };
}
