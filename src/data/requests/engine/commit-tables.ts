/** The tables of values in the statement of a commit, and their rows for a plan. */
import { v7 } from 'uuid';
import { auditDataOf } from '../../../domain/audit/events.ts';
import {
  executionWindow,
  isFinalNow,
  isReportedNow,
  isRoutedNow,
  isStartedNow,
  validUntil,
  type DecisionFacts,
  type Effects,
} from '../../../domain/requests/engine/effects.ts';
import { stringifyExact } from '../../../platform/json/exact-json.ts';
import { valueTable } from '../../value-table.ts';

const PLAN = {
  id: 'uuid',
  version: 'text',
  organization_id: 'uuid',
  access_version: 'bigint',
  now: 'timestamptz',
  read_at: 'timestamptz',
  valid_until: 'timestamptz',
  state: 'text',
  walk: 'text',
  next_at: 'timestamptz',
  urgency: 'text',
  wake_at: 'timestamptz',
  wake_attempts: 'integer',
  updated_at: 'timestamptz',
  ended_claim: 'uuid',
};

export const PLANNED = valueTable('planned', PLAN);

/** The same, of requests that are handed over to people. */
export const ROUTED = valueTable('planned', {
  ...PLAN,
  route_source: 'text',
  route_scope: 'text',
  route_block_id: 'text',
  route_reason: 'text',
  path_revision: 'uuid',
});

export const CLAIMS = valueTable('claim', {
  request_id: 'uuid',
  id: 'uuid',
  membership_id: 'uuid',
  display_name: 'text',
  expires_at: 'timestamptz',
});

export const STARTS = valueTable('start', { request_id: 'uuid', instance_id: 'uuid', key: 'text' });

export const RESULTS = valueTable('result', {
  request_id: 'uuid',
  outcome: 'text',
  detail: 'text',
  arguments_digest: 'text',
});

export const REVIEWERS = valueTable('reviewer', {
  request_id: 'uuid',
  membership_id: 'uuid',
  added_by: 'uuid',
});

export const STEPS = valueTable('step', {
  request_id: 'uuid',
  step_key: 'text',
  run: 'integer',
  node_id: 'text',
  team_id: 'uuid',
  kind: 'text',
  escalate_at: 'timestamptz',
});

export const NOTIFICATIONS = valueTable('notification', {
  id: 'uuid',
  request_id: 'uuid',
  step_key: 'text',
  membership_id: 'uuid',
  is_sent: 'boolean',
  is_announced: 'boolean',
});

export const DECISIONS = valueTable('given', {
  id: 'uuid',
  request_id: 'uuid',
  membership_id: 'uuid',
  status: 'text',
  note: 'text',
  channel: 'text',
  reviewer_display_name: 'text',
  reviewer_email: 'text',
  authentication: 'text',
  idempotency_key: 'text',
  seen_arguments_digest: 'text',
  window_ms: 'integer',
  is_routed: 'boolean',
});

export const EVENTS = valueTable('event', {
  id: 'uuid',
  request_id: 'uuid',
  event_type: 'text',
  actor_type: 'text',
  actor_id: 'text',
  actor_name: 'text',
  data: 'text',
});

export const isClaimed = ({ request, view }: Effects) =>
  request.claim !== undefined && request.claim.id !== view.request.claim?.id;

export function plannedRow(effects: Effects) {
  const { view, request } = effects;
  return {
    id: request.id,
    version: view.version,
    organization_id: request.organizationId,
    access_version: view.accessVersion,
    now: view.now,
    read_at: view.readAt,
    valid_until: validUntil(effects),
    state: request.state,
    walk: request.walk,
    next_at: request.nextAt,
    urgency: request.urgency,
    wake_at: effects.wakeAt,
    wake_attempts: effects.wakeAttempts,
    updated_at: request.updatedAt,
    ended_claim: effects.endedClaim,
    ...routeColumns(effects),
  };
}

function routeColumns(effects: Effects) {
  const route = isRoutedNow(effects) ? effects.request.route : undefined;
  return {
    route_source: route?.source,
    route_scope: route?.scope,
    route_block_id: route?.blockId,
    route_reason: route?.reason,
    path_revision: route?.pathRevisionId,
  };
}

export function claimRows(effects: Effects) {
  const { id, claim } = effects.request;
  if (!claim || !isClaimed(effects)) return [];
  return [
    {
      request_id: id,
      id: claim.id,
      membership_id: claim.membershipId,
      display_name: claim.displayName,
      expires_at: claim.expiresAt,
    },
  ];
}

export function startRows(effects: Effects) {
  const { id, startedByInstanceId, startKey } = effects.request;
  if (!isStartedNow(effects)) return [];
  return [{ request_id: id, instance_id: startedByInstanceId, key: startKey }];
}

export function resultRows(effects: Effects) {
  const { id, result } = effects.request;
  if (!result || !isReportedNow(effects)) return [];
  const { outcome, detail, argumentsDigest } = result;
  return [{ request_id: id, outcome, detail, arguments_digest: argumentsDigest }];
}

export function reviewerRows({ request, addedReviewers }: Effects) {
  return (addedReviewers?.membershipIds ?? []).map((membershipId) => ({
    request_id: request.id,
    membership_id: membershipId,
    added_by: addedReviewers?.by,
  }));
}

export function stepRows({ request, steps }: Effects) {
  return steps.map((step) => ({
    request_id: request.id,
    step_key: step.stepKey,
    run: step.run,
    node_id: step.nodeId,
    team_id: step.teamId,
    kind: step.kind,
    escalate_at: step.escalateAt,
  }));
}

export function notificationRows({ request, notifications }: Effects) {
  return notifications.map((each) => ({
    id: v7(),
    request_id: request.id,
    step_key: each.stepKey,
    membership_id: each.membershipId,
    is_sent: each.isSent,
    is_announced: each.isAnnounced,
  }));
}

export function decisionRows(effects: Effects) {
  const { id, decision, route } = effects.request;
  const { approvalWindow: window } = effects.view;
  if (!decision || !isFinalNow(effects)) return [];
  const { authenticated_at: at, ...rest } = decision.authentication;
  // Without the instant of the decision, where that is also the one of the authentication.
  const isSame = at.getTime() === decision.decidedAt.getTime();
  const given = isSame ? { ...decision, authentication: rest } : decision;
  return [decisionRow(id, given, { isRouted: route !== undefined, window })];
}

export function decisionRow(
  requestId: string,
  decision: DecisionFacts,
  { isRouted, window }: { readonly isRouted: boolean; readonly window: number },
) {
  return {
    id: decision.id,
    request_id: requestId,
    membership_id: decision.membershipId,
    status: decision.status,
    note: decision.note,
    channel: decision.channel,
    reviewer_display_name: decision.reviewerDisplayName,
    reviewer_email: decision.reviewerEmail,
    authentication: stringifyExact(decision.authentication),
    idempotency_key: decision.idempotencyKey,
    seen_arguments_digest: decision.seenArgumentsDigest,
    window_ms: executionWindow(decision, window),
    is_routed: isRouted,
  };
}

export function eventRows({ events }: Pick<Effects, 'events'>) {
  return events.map((event) => ({
    id: v7(),
    request_id: event.subjectId,
    event_type: event.eventType,
    actor_type: event.actor.type,
    actor_id: event.actor.id,
    actor_name: event.actor.displayName,
    data: stringifyExact(auditDataOf(event)),
  }));
}
