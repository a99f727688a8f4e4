/** How a row of approval_requests (with its decision) becomes the domain's ApprovalRequest. */
import {
  buildRequest,
  toAuthContext,
  withoutNulls,
  type ApprovalRequest,
  type CallResult,
  type Claim,
  type Decision,
  type RequestFacts,
  type RequestState,
  type Route,
  type StoredAuthContext,
  type TerminalState,
} from '../../domain/requests/approval-requests.ts';
import type { CallOutcome } from '../../domain/call-outcomes.ts';
import type { EscalationPathSource, PipelineScope } from '../../domain/pipelines/types.ts';
import { JsonText } from '../../platform/json/exact-json.ts';

/** To the request `r`: its decision `d` and its live claim `c`, if any. */
export const REQUEST_JOINS = `
  left join decisions d on d.request_id = r.id
  left join claims c on c.request_id = r.id and c.ended_at is null`;

/** What every read of a request reads from. */
export const requestTables = (requests: string): string => `
  ${requests} r ${REQUEST_JOINS}`;

export const REQUEST_TABLES = requestTables('approval_requests');

/** The columns that hold what the agent sent. They never change. */
export const DOCUMENT_COLUMNS = ['arguments', 'agent_reasoning', 'context'] as const;

/** The columns of requestTables without what may be long. */
export const FACT_COLUMNS = `
  r.id, r.organization_id, r.agent_slug, r.agent_name, r.agent_instance_id, r.agent_instance_name, r.agent_credential_id,
  r.tool, r.server, r.timeout, r.state, r.created_at, r.deadline_at, r.updated_at,
  r.organization_pipeline_revision_id, r.agent_pipeline_revision_id, r.routed_at, r.route_source, r.route_scope,
  r.route_block_id, r.route_reason, r.escalation_path_revision_id, r.urgency, r.next_at, r.started_at, r.started_by_instance_id,
  r.start_key, r.result_outcome, r.result_detail, r.result_arguments_digest, r.result_at,
  d.id as decision_id, d.membership_id as decision_membership_id, d.status as decision_status, d.note as decision_note,
  d.channel as decision_channel, d.reviewer_display_name, d.reviewer_email, d.authentication as decision_authentication,
  d.idempotency_key as decision_idempotency_key, d.seen_arguments_digest, d.decided_at, d.expires_at as decision_expires_at,
  c.id as claim_id, c.membership_id as claim_membership_id, c.display_name as claim_display_name, c.claimed_at,
  c.expires_at as claim_expires_at, c.expires_at <= greatest(clock_timestamp(), r.last_at) as claim_lapsed`;

/** All columns of requestTables. */
export const requestColumns = (document: (column: string) => string): string =>
  `${DOCUMENT_COLUMNS.map(document).join(', ')}, r.walk, ${FACT_COLUMNS}`;

/** Lists do without the metadata of blocks. */
export const REQUEST_COLUMNS = `${requestColumns((column) => `r.${column}`)}, r.previous_metadata`;

export interface RequestRow {
  id: string;
  organizationId: string;
  agentSlug: string;
  agentName: string;
  agentInstanceId: string;
  agentInstanceName: string;
  agentCredentialId: string;
  tool: string;
  server: string | null;
  arguments: string;
  agentReasoning: string | null;
  context: string | null;
  timeout: string;
  state: RequestState;
  createdAt: Date;
  deadlineAt: Date;
  updatedAt: Date;
  organizationPipelineRevisionId: string | null;
  agentPipelineRevisionId: string | null;
  previousMetadata?: string | null;
  routedAt: Date | null;
  routeSource: EscalationPathSource | null;
  routeScope: PipelineScope | null;
  routeBlockId: string | null;
  routeReason: string | null;
  escalationPathRevisionId: string | null;
  urgency: 'standard' | 'interrupt';
  walk: string | null;
  nextAt: Date | null;
  startedAt: Date | null;
  startedByInstanceId: string | null;
  startKey: string | null;
  resultOutcome: CallOutcome | null;
  resultDetail: string | null;
  resultArgumentsDigest: string | null;
  resultAt: Date | null;
  decisionId: string | null;
  decisionMembershipId: string | null;
  decisionStatus: TerminalState | null;
  decisionNote: string | null;
  decisionChannel: string | null;
  reviewerDisplayName: string | null;
  reviewerEmail: string | null;
  decisionAuthentication: string | null;
  decisionIdempotencyKey: string | null;
  seenArgumentsDigest: string | null;
  decidedAt: Date | null;
  decisionExpiresAt: Date | null;
  claimId: string | null;
  claimMembershipId: string | null;
  claimDisplayName: string | null;
  claimedAt: Date | null;
  claimExpiresAt: Date | null;
  claimLapsed: boolean | null;
}

export function toRequest(row: RequestRow): ApprovalRequest {
  return buildRequest({
    ...row,
    arguments: new JsonText(row.arguments),
    agentReasoning: row.agentReasoning === null ? null : new JsonText(row.agentReasoning),
    context: row.context === null ? null : new JsonText(row.context),
    previousMetadata: row.previousMetadata ? new JsonText(row.previousMetadata) : null,
    route: toRoute(row),
    claim: toClaim(row),
    decision: toDecision(row),
    result: toResult(row),
  });
}

/** Of the columns FACT_COLUMNS. */
export type FactRow = Omit<
  RequestRow,
  'arguments' | 'agentReasoning' | 'context' | 'previousMetadata' | 'walk'
>;

export function toFacts(row: FactRow): RequestFacts {
  const { arguments: _, ...facts } = toRequest({
    ...row,
    arguments: '{}',
    agentReasoning: null,
    context: null,
    walk: null,
  });
  return facts;
}

function toRoute(row: RequestRow): Route | null {
  if (row.routedAt === null || row.routeSource === null || row.routeScope === null) return null;
  return withoutNulls<Route>({
    routedAt: row.routedAt,
    source: row.routeSource,
    scope: row.routeScope,
    blockId: row.routeBlockId,
    reason: row.routeReason,
    pathRevisionId: row.escalationPathRevisionId,
  });
}

function toClaim({
  claimId: id,
  claimMembershipId: membershipId,
  claimDisplayName: displayName,
  claimedAt,
  claimExpiresAt: expiresAt,
  claimLapsed: lapsed,
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
  if (row.decisionId === null || row.decisionStatus === null || row.decidedAt === null) return null;
  return withoutNulls<Decision>({
    id: row.decisionId,
    requestId: row.id,
    organizationId: row.organizationId,
    membershipId: row.decisionMembershipId,
    status: row.decisionStatus,
    note: row.decisionNote,
    channel: row.decisionChannel ?? '',
    reviewerDisplayName: row.reviewerDisplayName,
    reviewerEmail: row.reviewerEmail,
    authentication: toAuthContext(
      JSON.parse(row.decisionAuthentication ?? '{}') as StoredAuthContext,
      row.decidedAt,
    ),
    idempotencyKey: row.decisionIdempotencyKey ?? '',
    seenArgumentsDigest: row.seenArgumentsDigest,
    decidedAt: row.decidedAt,
    expiresAt: row.decisionExpiresAt,
  });
}

function toResult(row: RequestRow): CallResult | null {
  if (row.resultOutcome === null || row.resultAt === null) return null;
  return withoutNulls<CallResult>({
    outcome: row.resultOutcome,
    detail: row.resultDetail,
    argumentsDigest: row.resultArgumentsDigest,
    reportedAt: row.resultAt,
  });
}
