/** The tables of values in the statement of a commit, and their rows for a plan. */
import { v7 } from 'uuid';
import { auditDataOf } from '../../../domain/audit.ts';
import type { Decision } from '../../../domain/requests/approval-requests.ts';
import { validUntil, type Effects } from '../../../domain/requests/engine/effects.ts';
import { stringifyExact } from '../../../platform/json/exact-json.ts';
import { valueTable } from '../../value-table.ts';

export const PLANNED = valueTable('planned', {
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
});

export const ROUTES = valueTable('route', {
  request_id: 'uuid',
  source: 'text',
  scope: 'text',
  block_id: 'text',
  reason: 'text',
  path_revision: 'uuid',
});

export const CLAIMS = valueTable('claim', {
  request_id: 'uuid',
  id: 'uuid',
  membership_id: 'uuid',
  display_name: 'text',
  expires_at: 'timestamptz',
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
  expires_at: 'timestamptz',
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

export const isRouted = ({ request, view, isRemoved }: Effects) =>
  !isRemoved && request.route !== undefined && view.request.route === undefined;
export const isDecided = ({ request, view }: Effects) =>
  request.decision !== undefined && view.request.decision === undefined;
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
  };
}

export function routeRows(effects: Effects) {
  const { id, route } = effects.request;
  if (!route || !isRouted(effects)) return [];
  return [
    {
      request_id: id,
      source: route.source,
      scope: route.scope,
      block_id: route.blockId,
      reason: route.reason,
      path_revision: route.pathRevisionId,
    },
  ];
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

/** Without the instant of the decision, where that is also the one of the authentication. */
function storedAuthentication({ authentication, decidedAt }: Decision): string {
  const { authenticated_at: at, ...rest } = authentication;
  return stringifyExact(at.getTime() === decidedAt.getTime() ? rest : authentication);
}

export function decisionRows(effects: Effects) {
  const { request } = effects;
  const { decision } = request;
  if (!decision || !isDecided(effects)) return [];
  return [
    {
      id: decision.id,
      request_id: request.id,
      membership_id: decision.membershipId,
      status: decision.status,
      note: decision.note,
      channel: decision.channel,
      reviewer_display_name: decision.reviewerDisplayName,
      reviewer_email: decision.reviewerEmail,
      authentication: storedAuthentication(decision),
      idempotency_key: decision.idempotencyKey,
      seen_arguments_digest: decision.seenArgumentsDigest,
      expires_at: decision.expiresAt,
      is_routed: request.route !== undefined,
    },
  ];
}

export function eventRows({ request, events }: Effects) {
  return events.map((event) => ({
    id: v7(),
    request_id: request.id,
    event_type: event.eventType,
    actor_type: event.actor.type,
    actor_id: event.actor.id,
    actor_name: event.actor.displayName,
    data: stringifyExact(auditDataOf(event)),
  }));
}
