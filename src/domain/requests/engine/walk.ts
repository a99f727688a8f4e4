/**
 * The walk's part of a step: who is notified now, and when to look again. At most one level is notified; levels without
 * anyone to ask are skipped. While someone claims the request, no one is asked.
 */
import { requestEvent } from '../../audit/events.ts';
import { recipients } from '../../escalation/recipients.ts';
import { PATHLESS_STEP } from '../../escalation/step-keys.ts';
import {
  arrive,
  enterLevel,
  startWalk,
  type WalkEvent,
  type WalkInput,
} from '../../escalation/walk.ts';
import {
  dueAt,
  waitsForPeople,
  walkFromJson,
  walkToJson,
  type WalkState,
} from '../../escalation/walk-state.ts';
import { buildRequest, WAKE_HEAD_START_MS, type ApprovalRequest } from '../approval-requests.ts';
import { noticed, recorded, routingOf, type Effects } from './effects.ts';
import { notified, personOf, withWalkEvent } from './notify.ts';
import { unreachableSteps, withOwnersTold } from './unreachable.ts';
import type { Documents, PathRevision, RequestView } from './view.ts';
import { describeWait } from './wait-details.ts';

/** How late the workflow may be with a step before the reconciler takes it. */
const WAKE_MARGIN_MS = 1_000;

/** Who makes a step: the request's workflow, the reconciler, or the call that has just created the request. */
export type StepBy = 'workflow' | 'reconciler' | 'create';

/** What a request waits for after a step. */
export interface StepWait {
  readonly kind: 'wait';
  /** When the next step is due. */
  readonly until: Date;
  /** When the reconciler looks, as the row says. */
  readonly wakeAt: Date;
  /** Why, in one line. */
  readonly summary: string;
  /** For operators: level, who is asked, deadline. Markdown. */
  readonly details: string;
  /** The key of its escalation path. */
  readonly path?: string;
}

export interface WalkResult {
  readonly effects: Effects;
  readonly wait: StepWait;
}

/** Where the walk of a request is; at its start before the first step. */
export function stateOf({ walk }: ApprovalRequest, { document }: PathRevision): WalkState {
  return walk === undefined ? startWalk(document) : walkFromJson(JSON.parse(walk));
}

/** Does everything due at the instant of the view. */
export function walkOn(effects: Effects, documents: Documents, by: StepBy): WalkResult {
  const { path } = documents;
  if (!path) return waiting(askEveryone(effects), { by, path });
  const state = stateOf(effects.request, path);
  if (effects.request.claim) return waiting(effects, { by, path, state });
  const walkResult = follow(effects, { ...documents, path }, state);
  return waiting(walkResult.effects, { by, path, state: walkResult.state });
}

/** A request without a path: everyone who may decide is asked. */
function askEveryone(effects: Effects): Effects {
  if (effects.request.claim) return effects;
  const { deciders } = routingOf(effects).people;
  const membershipIds = deciders.flatMap(({ membershipId, isReachable }) =>
    isReachable ? [membershipId] : [],
  );
  const asked = notified(effects, {
    stepKey: PATHLESS_STEP,
    run: 1,
    kind: 'notified',
    membershipIds,
  });
  if (asked.sentTo.length === 0) {
    const told = withOwnersTold(effects, { path: undefined });
    return told === effects ? effects : noticed(told);
  }
  const entries = asked.sentTo.map((id) =>
    requestEvent(effects.request.id, 'level_notified', personOf(effects, id)),
  );
  return noticed(recorded(asked.effects, ...entries));
}

type PathDocuments = Documents & { readonly path: PathRevision };

function follow(
  effects: Effects,
  documents: PathDocuments,
  from: WalkState,
): { readonly effects: Effects; readonly state: WalkState } {
  const { path } = documents;
  const { state, urgency, events } = followPath(effects, documents, from);
  const request = buildRequest({ ...effects.request, urgency });
  let next: Effects = { ...effects, request };
  for (const event of events) next = withWalkEvent(next, { event, path });
  if (!waitsForPeople(state)) next = withOwnersTold(next, { path, state });
  const isNoticeable =
    next.events.length > effects.events.length ||
    events.some(({ kind }) => kind !== 'branch_taken');
  return { effects: isNoticeable ? noticed(next) : next, state };
}

function followPath(effects: Effects, { path, policy, matches }: PathDocuments, from: WalkState) {
  const { now } = effects.view;
  const { deciders, teams } = routingOf(effects).people;
  const reachable = {
    deciders: deciders.flatMap(({ membershipId, isReachable }) =>
      isReachable ? [membershipId] : [],
    ),
    teams,
  };
  const isMidway = from.place.phase === 'level' && now < from.place.nextAt;
  const input: WalkInput = {
    document: path.document,
    policy,
    matches,
    urgency: effects.request.urgency,
    ...(isMidway && { isUnreachable: unreachableSteps(effects, from, path) }),
  };
  let { urgency } = input;
  let state = from;
  const events: WalkEvent[] = [];
  for (;;) {
    const arrival = arrive({ ...input, urgency }, state, now);
    const asked = arrival.entry ? recipients(arrival.entry, reachable) : NO_ONE;
    const step = enterLevel({ ...input, urgency }, arrival, { now, asked });
    ({ state, urgency } = step);
    events.push(...step.events);
    if (!step.nextAt || step.nextAt > now) return { state, urgency, events };
  }
}

const NO_ONE = { membershipIds: [], teams: [] };

interface Waiting {
  readonly by: StepBy;
  readonly path: PathRevision | undefined;
  /** Absent without a path. */
  readonly state?: WalkState;
}

/** When to look again, and what the row says until then. */
export function waiting(effects: Effects, { by, path, state }: Waiting): WalkResult {
  const { view } = effects;
  const walk = state && JSON.stringify(walkToJson(state));
  const nextAt = state && dueAt(state);
  const request = buildRequest({ ...effects.request, walk, nextAt });
  const until = earliest(request.claim ? request.claim.expiresAt : nextAt, request.deadlineAt);
  const wakeAt = wakeAfter(until, { by, view });
  const wakeAttempts = by === 'workflow' ? 0 : view.wakeAttempts;
  const described = describeWait({ request, ...(path && state && { path, state }) });
  return {
    effects: { ...effects, request, wakeAt, wakeAttempts },
    wait: { kind: 'wait', until, wakeAt, ...described, ...(path && { path: path.pathKey }) },
  };
}

/** When the reconciler looks after a request whose workflow has a timer until then. */
export function wakeOfTimer(until: Date): Date {
  return new Date(until.getTime() + WAKE_MARGIN_MS);
}

/** A request that was just created has no workflow yet, so the reconciler soon looks for one. */
function wakeAfter(
  until: Date,
  { by, view: { now } }: { readonly by: StepBy; readonly view: RequestView },
): Date {
  const soon = by === 'create' ? new Date(now.getTime() + WAKE_HEAD_START_MS) : undefined;
  return earliest(soon, wakeOfTimer(until));
}

function earliest(one: Date | undefined, other: Date): Date {
  return one && one < other ? one : other;
}
