/** The walk's side of a step: who is asked next, told once, and when to look again. Runs inside the locking transaction. */
import { insertAuditEvents } from '../../data/audit-events.ts';
import { findDeciders, type Decider } from '../../data/deciders.ts';
import { insertStep, planNext } from '../../data/approval-requests/escalate.ts';
import { WAKE_HEAD_START_MS, type ApprovalRequest } from '../../domain/approval-requests.ts';
import { requestEvent, type NewAuditEvent } from '../../domain/audit.ts';
import type { EscalationPathDocument } from '../../domain/escalation-paths.ts';
import {
  advance,
  pendingTargets,
  recipients,
  startWalk,
  walkFromJson,
  walkToJson,
  type WalkEvent,
  type WalkState,
} from '../../domain/escalation-walk.ts';
import type { Db } from '../../platform/postgres.ts';

/** The step key of a request that no path applies to: everybody who may decide is told once. */
export const UNROUTED_STEP = 'unrouted';

/** How far behind the next due step the backstop looks: long when the workflow is alive, soon when it was not there. */
const WAKE_MARGIN_MS = { workflow: 150_000, backstop: WAKE_HEAD_START_MS } as const;

export interface WalkOn {
  readonly request: ApprovalRequest;
  readonly now: Date;
  readonly by: 'workflow' | 'backstop';
  readonly path: { readonly key: string; readonly document: EscalationPathDocument } | undefined;
}

export interface Walked {
  readonly until: Date;
  readonly summary: string;
  readonly details: string;
}

/** Everything due at `now`: at most one level is notified, levels nobody can be asked at are skipped. */
export async function walkOn(db: Db, walk: WalkOn): Promise<Walked> {
  const deciders = lazily(() => findDeciders(db, walk.request.organizationId, walk.request.agentSlug));
  const { state, events } = walk.path ? await followPath(walk, walk.path.document, deciders) : { state: undefined, events: [] };
  let noticeable = false;
  for (const event of events) noticeable = (await record(db, { walk, event, deciders: await deciders() })) || noticeable;
  if (!walk.path) noticeable = await notifyUnrouted(db, walk, await deciders());
  const nextAt = state?.nextAt;
  const until = earlier(nextAt, walk.request.deadlineAt);
  await planNext(db, walk.request.id, {
    now: walk.now,
    ...(state && { walk: JSON.stringify(walkToJson(state)) }),
    ...(nextAt && { nextAt }),
    wakeAt: new Date(until.getTime() + WAKE_MARGIN_MS[walk.by]),
    noticeable,
    byWorkflow: walk.by === 'workflow',
  });
  return { until, ...describe(walk, state) };
}

async function followPath(walk: WalkOn, document: EscalationPathDocument, deciders: () => Promise<Decider[]>) {
  let state = walk.request.walk === undefined ? startWalk(document) : walkFromJson(JSON.parse(walk.request.walk));
  const events: WalkEvent[] = [];
  for (;;) {
    const targets = pendingTargets(document, state, walk.now);
    const able = targets ? (await deciders()).map((decider) => decider.membershipId) : [];
    const step = advance(document, state, { now: walk.now, resolved: targets ? recipients(targets, { deciders: able }) : [] });
    state = step.state;
    events.push(...step.events);
    if (!step.nextAt || step.nextAt > walk.now) return { state, events };
  }
}

/** True when somebody was told or the timeline grew. */
async function record(db: Db, { walk, event, deciders }: { walk: WalkOn; event: WalkEvent; deciders: Decider[] }): Promise<boolean> {
  const { request, now } = walk;
  const audit = (events: NewAuditEvent[]) => insertAuditEvents(db, request.organizationId, { events, occurredAt: now });
  switch (event.kind) {
    case 'level_notified':
    case 'level_skipped': {
      const membershipIds = event.kind === 'level_notified' ? event.membershipIds : [];
      const place = { path_key: walk.path?.key, node_id: event.nodeId, run: event.run };
      const told = await insertStep(db, {
        requestId: request.id,
        organizationId: request.organizationId,
        stepKey: event.stepKey,
        run: event.run,
        nodeId: event.nodeId,
        at: now,
        ...(event.kind === 'level_notified' && { escalateAt: event.escalateAt }),
        membershipIds,
      });
      const people = told.map((id) => requestEvent(request.id, 'level_notified', { ...place, ...person(deciders, id) }));
      await audit(event.kind === 'level_skipped' ? [requestEvent(request.id, 'level_skipped', place)] : people);
      return true;
    }
    case 'path_repeated':
      await audit([requestEvent(request.id, 'path_repeated', { path_key: walk.path?.key, run: event.run })]);
      return true;
    case 'path_exhausted':
      await audit([requestEvent(request.id, 'path_exhausted', { path_key: walk.path?.key })]);
      return true;
  }
}

async function notifyUnrouted(db: Db, { request, now }: WalkOn, deciders: Decider[]): Promise<boolean> {
  const told = await insertStep(db, {
    requestId: request.id,
    organizationId: request.organizationId,
    stepKey: UNROUTED_STEP,
    run: 1,
    at: now,
    membershipIds: deciders.map((decider) => decider.membershipId),
  });
  const events = told.map((id) => requestEvent(request.id, 'level_notified', person(deciders, id)));
  await insertAuditEvents(db, request.organizationId, { events, occurredAt: now });
  return told.length > 0;
}

function person(deciders: readonly Decider[], membershipId: string) {
  return { membership_id: membershipId, display_name: deciders.find((decider) => decider.membershipId === membershipId)?.displayName };
}

/** For the Temporal UI: one line for the timer, some for the current details. */
function describe({ request, path }: WalkOn, state: WalkState | undefined): Pick<Walked, 'summary' | 'details'> {
  const deadline = `deadline ${request.deadlineAt.toISOString()}`;
  if (!path || !state)
    return {
      summary: `until the ${deadline}`,
      details: `**pending**, no escalation path: everyone who may decide is asked\n\n${deadline}`,
    };
  const level = path.document.nodes.findIndex((node) => node.id === state.nodeId) + 1;
  const place =
    state.phase === 'level' ? `level ${level} of ${path.document.nodes.length}, run ${state.run}` : `${state.phase}, run ${state.run}`;
  const next = state.nextAt ? `next step ${state.nextAt.toISOString()}` : 'nobody further to ask';
  const asked =
    state.phase === 'level'
      ? path.document.nodes[level - 1]?.targets.map((target) => (target.type === 'user' ? target.id : 'broadcast'))
      : [];
  return {
    summary: `${path.key}: ${place}`,
    details: `**pending** on path \`${path.key}\`: ${place}\n\nasked: ${asked?.join(', ') ?? ''}\n\n${next}, ${deadline}`.slice(0, 1_500),
  };
}

function earlier(a: Date | undefined, b: Date): Date {
  return a && a < b ? a : b;
}

function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
