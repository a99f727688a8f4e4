/**
 * The walk's part of a step: who is notified now, and when to look again. It runs inside the
 * transaction that locks the request.
 */
import { conditionFacts } from '../../../domain/requests/condition-facts.ts';
import type { Decider } from '../../../domain/requests/deciders.ts';
import { planNext, type WalkPlan } from '../../../data/requests/escalate.ts';
import { tryRightsLockShared } from '../../../data/requests/unreachable.ts';
import { findAskedDeciders } from '../../../data/requests/deciders.ts';
import { findTeamRosters } from '../../../data/escalation/team-escalation-policies.ts';
import {
  WAKE_HEAD_START_MS,
  type ApprovalRequest,
} from '../../../domain/requests/approval-requests.ts';
import { recipients } from '../../../domain/escalation/recipients.ts';
import {
  arrive,
  enterLevel,
  startWalk,
  type Asked,
  type LevelEntry,
  type WalkEvent,
  type WalkInput,
} from '../../../domain/escalation/walk.ts';
import {
  dueAt,
  waitsForPeople,
  walkFromJson,
  walkToJson,
  type WalkState,
} from '../../../domain/escalation/walk-state.ts';
import type { Db, Trx } from '../../../platform/postgres.ts';
import type { Runtime } from '../../context.ts';
import type { LoadedEscalationPath } from '../../escalation/escalation-paths.ts';
import { tellIfUnreachable, unreachableSteps } from '../unreachable.ts';
import { describeWait } from './walk-details.ts';
import type { HeavyAnswers } from './condition-answers.ts';
import { walkInput } from './walk-input.ts';
import { recordPathless, recordWalk } from './walk-record.ts';

/** How late the workflow may be with a step before the reconciler takes it. */
const WAKE_MARGIN_MS = 1_000;
/** When to look again while another transaction revokes rights. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Who makes a step: the request's workflow, the reconciler, or the call that has just created the
 * request.
 */
export type StepBy = 'workflow' | 'reconciler' | 'door';

export interface WalkTask {
  readonly request: ApprovalRequest;
  readonly now: Date;
  readonly by: StepBy;
  readonly path: LoadedEscalationPath | undefined;
  readonly answers: HeavyAnswers;
}

export interface WalkResult {
  readonly until: Date;
  readonly summary: string;
  readonly details: string;
  /** When the reconciler looks, as the row says. */
  readonly wakeAt: Date;
}

/** Where the walk of a request is; at its start before the first step. */
export function stateOf({ walk }: ApprovalRequest, { document }: LoadedEscalationPath): WalkState {
  return walk === undefined ? startWalk(document) : walkFromJson(JSON.parse(walk));
}

/**
 * Does everything due at `now`. At most one level is notified; levels without anyone to ask are
 * skipped. While someone claims the request, no one is asked. `db` is the locking transaction.
 */
export async function walkOn(trx: Trx, runtime: Runtime, walk: WalkTask): Promise<WalkResult> {
  const { plan, walked } = planOf(walk, await advance(trx, runtime, walk));
  await planNext(trx, walk.request.id, plan);
  return walked;
}

/** When to look again, and what the row says until then. */
export function planOf(
  { request, now, by, path }: Omit<WalkTask, 'answers'>,
  { state, noticeable, urgency, rightsChanging }: WalkProgress,
): { readonly plan: WalkPlan; readonly walked: WalkResult } {
  const again = rightsChanging ? new Date(now.getTime() + LOOK_AGAIN_MS) : undefined;
  const dueNext = state && dueAt(state);
  const nextAt = again && dueNext ? earliest([again, dueNext]) : (again ?? dueNext);
  const until = earliest([request.claim ? request.claim.expiresAt : nextAt, request.deadlineAt]);
  const plan: WalkPlan = {
    now,
    ...(state && { walk: JSON.stringify(walkToJson(state)) }),
    ...(nextAt && { nextAt }),
    wakeAt: again ? until : wakeAfter(until, { by, now }),
    urgency,
    noticeable,
    byWorkflow: by === 'workflow',
  };
  const described = describeWait({ request, urgency, ...(path && state && { path, state }) });
  return { plan, walked: { until, ...described, wakeAt: plan.wakeAt } };
}

/** When the reconciler looks after a request whose workflow has a timer until then. */
export function wakeOfTimer(until: Date): Date {
  return new Date(until.getTime() + WAKE_MARGIN_MS);
}

/** A request from the door has no workflow yet, so the reconciler soon looks for one. */
function wakeAfter(until: Date, { by, now }: { readonly by: StepBy; readonly now: Date }): Date {
  const soon = by === 'door' ? new Date(now.getTime() + WAKE_HEAD_START_MS) : undefined;
  return earliest([wakeOfTimer(until), soon]);
}

export interface WalkProgress {
  /** Absent for a request without a path. */
  readonly state?: WalkState;
  readonly noticeable: boolean;
  readonly urgency: ApprovalRequest['urgency'];
  /** Another transaction was revoking rights while this step read who may decide. */
  readonly rightsChanging: boolean;
}

async function advance(trx: Trx, runtime: Runtime, walk: WalkTask): Promise<WalkProgress> {
  const { request, path, now } = walk;
  const { urgency } = request;
  const state = path && stateOf(request, path);
  if (request.claim)
    return { ...(state && { state }), noticeable: false, urgency, rightsChanging: false };
  const holds: boolean[] = [];
  const hold = async (): Promise<void> =>
    void holds.push(await tryRightsLockShared(trx, request.organizationId));
  const deciders = lazily(async () => {
    await hold();
    return await findAskedDeciders(trx, request.organizationId, request.agentSlug);
  });
  if (!path || !state) {
    const people = await deciders();
    const noticeable =
      people.length > 0
        ? await recordPathless(trx, runtime, { request, now, deciders: people })
        : await tellIfUnreachable(trx, runtime, { request, now });
    return { noticeable, urgency, rightsChanging: holds.includes(false) };
  }
  const isMidway = state.place.phase === 'level' && now < state.place.nextAt;
  if (isMidway) await hold();
  const isUnreachable = isMidway ? await unreachableSteps(trx, request.id, state) : undefined;
  const followed = await followPath(
    trx,
    { ...walk, path },
    { state, deciders, ...(isUnreachable && { isUnreachable }) },
  );
  const { events } = followed;
  const names = events.length > 0 ? await deciders() : [];
  await recordWalk(trx, runtime, { request, now, path, events, deciders: names });
  let noticeable = isNoticeable(events);
  if (!waitsForPeople(followed.state)) {
    if (holds.length === 0) await hold();
    const alone = { request, now, path, state: followed.state };
    noticeable = (await tellIfUnreachable(trx, runtime, alone)) || noticeable;
  }
  return { ...followed, noticeable, rightsChanging: holds.includes(false) };
}

/** Whether a reviewer should notice what happened. */
export function isNoticeable(events: readonly WalkEvent[]): boolean {
  return events.some(({ kind }) => kind !== 'branch_taken');
}

/** The live teams among these, with their members. */
export type FindRosters = (teamIds: readonly string[]) => ReturnType<typeof findTeamRosters>;

interface WalkStart {
  readonly state: WalkState;
  readonly deciders: () => Promise<Decider[]>;
  /** Reads from the database when absent. */
  readonly rosters?: FindRosters;
  readonly isUnreachable?: NonNullable<WalkInput['isUnreachable']>;
}

/**
 * Everything due on the path at `now`. It reads team rosters and policies from the database, and
 * writes nothing.
 */
export async function followPath(
  db: Db,
  {
    request,
    path: { document },
    now,
    answers,
  }: Omit<WalkTask, 'by'> & { readonly path: LoadedEscalationPath },
  from: WalkStart,
): Promise<PathProgress> {
  let { state } = from;
  let { urgency } = request;
  const { input: known, learn } = await walkInput(db, {
    document,
    state,
    facts: conditionFacts(request),
    answers,
    urgency,
  });
  const input: WalkInput = {
    ...known,
    ...(from.isUnreachable && { isUnreachable: from.isUnreachable }),
  };
  const rosters: FindRosters =
    from.rosters ?? ((teamIds) => findTeamRosters(db, request.organizationId, teamIds));
  const events: WalkEvent[] = [];
  for (;;) {
    const arrival = arrive({ ...input, urgency }, state, now);
    const asked = arrival.entry
      ? await findAsked(arrival.entry, await from.deciders(), rosters)
      : NO_ONE;
    for (const { revisionId } of asked.teams) await learn(revisionId);
    const step = enterLevel({ ...input, urgency }, arrival, { now, asked });
    ({ state, urgency } = step);
    events.push(...step.events);
    if (!step.nextAt || step.nextAt > now) return { state, urgency, events };
  }
}

interface PathProgress {
  readonly state: WalkState;
  readonly urgency: ApprovalRequest['urgency'];
  readonly events: readonly WalkEvent[];
}

const NO_ONE: Asked = { membershipIds: [], teams: [] };

async function findAsked(
  entry: LevelEntry,
  deciders: readonly Decider[],
  rosters: FindRosters,
): Promise<Asked> {
  const targeted = entry.level.targets.flatMap((target) =>
    target.type === 'team' ? [target.id] : [],
  );
  const teams = await rosters(entry.team ? [entry.team.teamId] : targeted);
  return recipients(entry, { deciders: deciders.map(({ membershipId }) => membershipId), teams });
}

function earliest(instants: readonly (Date | undefined)[]): Date {
  return new Date(Math.min(...instants.flatMap((at) => (at ? [at.getTime()] : []))));
}

function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
