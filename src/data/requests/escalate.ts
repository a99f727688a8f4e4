/** Writes of the walk: the hand-over to people, levels, notifications, and the next step. */
import { v7 } from 'uuid';
import type { ApprovalRequest, Route } from '../../domain/requests/approval-requests.ts';
import { ADDED_STEP } from '../../domain/escalation/step-keys.ts';
import type { Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import { OUTBOX } from './levels.ts';

/** `evaluating` becomes `pending`. */
export async function markRouted(trx: Trx, id: string, route: Route): Promise<void> {
  await trx('approval_requests')
    .where({ id })
    .update({
      state: 'pending',
      routed_at: route.routedAt,
      route_source: route.source,
      route_scope: route.scope,
      route_block_id: route.blockId ?? null,
      route_reason: route.reason ?? null,
      escalation_path_revision_id: route.pathRevisionId ?? null,
      updated_at: route.routedAt,
      last_at: route.routedAt,
    });
}

export interface WalkPlan {
  readonly now: Date;
  /** JSON text of the walk. Absent for a request without a path. */
  readonly walk?: string;
  readonly nextAt?: Date;
  /** When the reconciler should look if the workflow has not. */
  readonly wakeAt: Date;
  readonly urgency: ApprovalRequest['urgency'];
  /** Whether a reviewer should notice. */
  readonly noticeable: boolean;
  /**
   * The request's own workflow did this step, so it is alive. The reconciler's tries count from 0
   * again.
   */
  readonly byWorkflow: boolean;
}

const PLAN: PreparedStatement = {
  name: 'plan-next-step',
  sql: `
    update approval_requests
       set walk = :walk, next_at = :next_at, urgency = :urgency, wake_at = :wake_at, last_at = :now,
           wake_attempts = case when :by_workflow then 0 else wake_attempts end,
           updated_at = case when :noticeable then :now else updated_at end
     where id = :id`,
};

export async function planNext(trx: Trx, id: string, plan: WalkPlan): Promise<void> {
  await runPrepared(trx, PLAN, {
    id,
    now: plan.now,
    walk: plan.walk ?? null,
    next_at: plan.nextAt ?? null,
    urgency: plan.urgency,
    wake_at: plan.wakeAt,
    by_workflow: plan.byWorkflow,
    noticeable: plan.noticeable,
  });
}

export interface EscalationStep {
  readonly requestId: string;
  readonly organizationId: string;
  readonly stepKey: string;
  readonly run: number;
  readonly kind: 'notified' | 'skipped';
  /** Absent when the step is no level of a path. */
  readonly nodeId?: string;
  /** Set for a level of this team's policy, inside the path's level. */
  readonly teamId?: string;
  readonly at: Date;
  /** When the level ends without an answer. Absent when the step is no level of a path. */
  readonly escalateAt?: Date;
  /** The members that this step notifies. */
  readonly membershipIds: readonly string[];
  /** Whether this deployment sends email. */
  readonly byEmail: boolean;
}

const INSERT_STEP: PreparedStatement = {
  name: 'insert-escalation-step',
  sql: `
    with step as (
      insert into escalation_steps (request_id, step_key, run, node_id, team_id, kind, at, escalate_at)
      values (cast(:request as uuid), :step_key, :run, :node, cast(:team as uuid), :kind, :at, :escalate_at)
      on conflict on constraint escalation_steps_pkey do update
        set kind = excluded.kind, escalate_at = null where excluded.kind = 'skipped'
      returning 1
    ),
    notified as (
      insert into notifications (id, organization_id, request_id, step_key, membership_id, created_at)
      select n.id, cast(:organization as uuid), cast(:request as uuid), :step_key, n.membership_id, :at
        from unnest(cast(:ids as uuid[]), cast(:members as uuid[])) as n (id, membership_id)
      on conflict on constraint notifications_key do nothing
      returning id, membership_id
    ),
    notified_elsewhere as (
      select o.membership_id
        from notifications o join escalation_steps s on s.request_id = o.request_id and s.step_key = o.step_key
       where o.request_id = cast(:request as uuid) and o.created_at = :at and o.step_key <> :step_key and s.node_id = :node and s.run = :run
    ),
    newly_notified as (
      select n.id, n.membership_id, cast(:request as uuid) as request_id, cast(:organization as uuid) as organization_id
        from notified n where n.membership_id not in (select membership_id from notified_elsewhere)
    ),
    announcing as (
      select id, request_id, organization_id from newly_notified
       where not exists (select from notified_elsewhere) and (exists (select from step) or :step_key = '${ADDED_STEP}')
       order by id limit 1
    ),
    ${OUTBOX}
    select membership_id from newly_notified`,
};

/**
 * Returns the members that this step notifies. It omits members it notified before, and those that
 * another step of the same level notifies at this instant. Their messages are in the outbox. A new
 * step also gets one message that announces it in Slack. Each request for help is announced. Of
 * several steps at one instant, the first one that notifies is announced.
 */
export async function insertStep(trx: Trx, step: EscalationStep): Promise<string[]> {
  const rows = await runPrepared<{ membershipId: string }>(trx, INSERT_STEP, {
    organization: step.organizationId,
    request: step.requestId,
    step_key: step.stepKey,
    run: step.run,
    node: step.nodeId ?? null,
    team: step.teamId ?? null,
    kind: step.kind,
    at: step.at,
    escalate_at: step.escalateAt ?? null,
    ids: step.membershipIds.map(() => v7()),
    members: [...step.membershipIds],
    by_email: step.byEmail,
  });
  return rows.map((row) => row.membershipId);
}
