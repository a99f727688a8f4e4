/**
 * The walk along an escalation path as pure functions of (document, state, facts, now). `arrive` follows what is due up to
 * a wait, or up to a level; `enterLevel` takes the people the caller found for it. The caller continues while something is
 * due:
 *
 *     for (;;) {
 *       const arrival = arrive(input, state, now);
 *       const step = arrival.entry ? enterLevel(input, arrival, { now, asked: await find(arrival.entry) }) : arrival;
 *       state = step.state; …record step.events…
 *       if (!step.nextAt || step.nextAt > now) break;
 *     }
 *
 * A level's wait counts from its notification, so late steps never come in a burst. It ends at once when none of the people
 * it notified may decide any more.
 */
import {
  enter,
  follow,
  later,
  leave,
  levelAt,
  type FollowInput,
  type Note,
  type NoteDetails,
} from './follow.ts';
import { nodeOf } from './node-order.ts';
import type { StepPlace } from './step-keys.ts';
import type {
  EscalationDocument,
  EscalationNode,
  LevelNode,
  TeamPolicyDocument,
  Urgency,
} from './types.ts';
import { dueAt, type Place, type TeamWalk, type WaitPlace, type WalkState } from './walk-state.ts';

/** What a walk needs besides its state. */
export interface WalkInput extends FollowInput {
  readonly document: EscalationDocument;
  /** The policy revision a team walks by. */
  readonly policy: (revisionId: string) => TeamPolicyDocument;
  /**
   * Whether none of the people notified at this step, or inside this level, may decide any more. Asked of steps that wait
   * for people. Absent: all may.
   */
  readonly isUnreachable?: (step: StepPlace) => boolean;
}

/** There was no one to notify at the level; or of the people it notified, none may decide any more. */
export type SkipReason = 'nobody_to_ask' | 'nobody_left';

export type WalkEvent = StepPlace & { readonly at: Date } & (
    | {
        readonly kind: 'level_notified';
        readonly membershipIds: readonly string[];
        readonly escalateAt: Date;
      }
    | { readonly kind: 'level_skipped'; readonly reason: SkipReason }
    | { readonly kind: 'urgency_raised' }
    | NoteDetails
  );

/** `nextAt` is when to continue (at once if it is not in the future); undefined when the walk is over. */
export interface WalkStep {
  readonly state: WalkState;
  readonly events: readonly WalkEvent[];
  readonly nextAt: Date | undefined;
  readonly urgency: Urgency;
}

/** A level to enter, once the caller has found its people. */
export interface LevelEntry extends StepPlace {
  readonly level: LevelNode;
}

/** `entry` is absent when there is nothing more to do before `nextAt`. */
export interface Arrival extends WalkStep {
  readonly entry?: LevelEntry;
}

/** The people a level notifies at once, and the teams that follow their policies (in a path's level only). */
export interface Asked {
  readonly membershipIds: readonly string[];
  readonly teams: readonly { readonly teamId: string; readonly revisionId: string }[];
}

/** How often a document is walked at most: once, plus its repeats. */
export function totalRuns(document: EscalationDocument): number {
  return 1 + (document.repeat?.times ?? 0);
}

/** The state of a request that was just handed to this path. */
export function startWalk(document: EscalationDocument): WalkState {
  return { place: enter(1, document.nodes[0]), teams: [], notified: false };
}

/** Follows what is due at `now`: up to the next wait, the end, or a level to enter. */
export function arrive(input: WalkInput, state: WalkState, now: Date): Arrival {
  const { place } = state;
  if (place.phase === 'level' && now < place.nextAt)
    return arriveInside(input, { ...state, place }, now);
  const { place: reached, notes } = follow(input, input.document, { place, now });
  const moved: WalkState =
    reached === place ? state : { place: reached, teams: [], notified: false };
  const events = notes.map((note) => ({ ...note, nodeId: note.nodeId, at: now }));
  const level = levelAt(input.document, reached);
  return {
    ...step(input, moved, events),
    ...(level && { entry: { level, nodeId: level.id, run: reached.run } }),
  };
}

type LevelWalk = WalkState & { readonly place: WaitPlace<'level'> };

/** The level still waits: its teams continue, up to the first that enters a level. */
function arriveInside(input: WalkInput, state: LevelWalk, now: Date): Arrival {
  const { place } = state;
  // All teams first: the caller returns only for what is due, and an unreachable wait becomes due
  // only once it ends here.
  const kept = state.teams.map((team) => ({
    team,
    ...pastUnreachable(input, team, { ...place, now }),
  }));
  const events = kept.flatMap((each) => [...each.events]);
  const teams = kept.map(({ team, place: at }): TeamWalk => ({ ...team, place: at }));
  for (const [index, team] of [...teams].entries()) {
    const document = input.policy(team.revisionId);
    const { place: reached, notes } = follow(input, document, { place: team.place, now });
    teams[index] = { ...team, place: reached };
    events.push(
      ...notes.map((note) => inside({ nodeId: place.nodeId, run: place.run, at: now }, team, note)),
    );
    const level = levelAt(document, reached);
    if (!level) continue;
    const entry = {
      level,
      nodeId: place.nodeId,
      run: place.run,
      team: { teamId: team.teamId, nodeId: level.id, run: reached.run },
    };
    return { ...step(input, { ...state, teams }, events), entry };
  }
  return stay(input, { ...state, teams }, { now, events });
}

/**
 * Keeps waiting inside the level while one of its teams has steps to come. Otherwise it leaves the level at once if it
 * notified no one, or if none of the people it notified may decide any more.
 */
function stay(
  input: WalkInput,
  state: WalkState,
  { now, events }: { now: Date; events: readonly WalkEvent[] },
): WalkStep {
  const { place, teams, notified } = state;
  if (place.nodeId === undefined || teams.some((team) => team.place.phase !== 'exhausted'))
    return step(input, state, events);
  const where = { nodeId: place.nodeId, run: place.run };
  if (!notified) return leaveSkipped(input, where, { now, events, reason: 'nobody_to_ask' });
  return input.isUnreachable?.(where)
    ? leaveSkipped(input, where, { now, events, reason: 'nobody_left' })
    : step(input, state, events);
}

interface Inside {
  readonly nodeId: string;
  readonly run: number;
  readonly now: Date;
}

/** Moves a team on when none of the people that its level notified may decide any more. */
function pastUnreachable(
  input: WalkInput,
  team: TeamWalk,
  { nodeId, run, now }: Inside,
): { place: Place; events: readonly WalkEvent[] } {
  const { place } = team;
  if (place.phase !== 'level' || place.nextAt <= now) return { place, events: [] };
  const where = {
    nodeId,
    run,
    team: { teamId: team.teamId, nodeId: place.nodeId, run: place.run },
  };
  return input.isUnreachable?.(where)
    ? skipInside(input, team, { where, now, reason: 'nobody_left' })
    : { place, events: [] };
}

/** The team moves on after its level, at once. */
function skipInside(
  input: WalkInput,
  { revisionId }: TeamWalk,
  {
    where,
    now: at,
    reason,
  }: { readonly where: TeamStep; readonly now: Date; readonly reason: SkipReason },
): { place: Place; events: readonly WalkEvent[] } {
  const place = leave(input.policy(revisionId), where.team.run, { nodeId: where.team.nodeId, at });
  const over: WalkEvent[] =
    place.phase === 'exhausted' ? [{ kind: 'path_exhausted', ...where, at }] : [];
  return { place, events: [{ kind: 'level_skipped', ...where, reason, at }, ...over] };
}

/** Enters the level of an arrival with the people the caller found. Without people the level is skipped at once. */
export function enterLevel(
  input: WalkInput,
  arrival: Arrival,
  { now, asked }: { readonly now: Date; readonly asked: Asked },
): WalkStep {
  const { entry, state } = arrival;
  if (!entry) return arrival;
  const { level, ...where } = entry;
  const raises = level.raise_urgency && input.urgency !== 'interrupt';
  const raised: WalkInput = raises ? { ...input, urgency: 'interrupt' } : input;
  const teams = raises ? state.teams.map((team) => released(input, team, now)) : state.teams;
  const before: WalkEvent[] = raises
    ? [...arrival.events, { kind: 'urgency_raised', ...where, at: now }]
    : [...arrival.events];
  const membershipIds = [...new Set(asked.membershipIds)];
  const escalateAt = later(now, level.escalate_after);
  const waiting = { phase: 'level', nodeId: level.id, since: now, nextAt: escalateAt } as const;
  if (where.team)
    return enterInside(
      raised,
      { state: { ...state, teams }, where: { ...where, team: where.team }, events: before },
      { now, waiting, membershipIds },
    );
  if (membershipIds.length === 0 && asked.teams.length === 0)
    return leaveSkipped(raised, where, { now, events: before, reason: 'nobody_to_ask' });
  const entered = asked.teams.map(({ teamId, revisionId }): TeamWalk => {
    const [first] = raised.policy(revisionId).nodes;
    return { teamId, revisionId, place: enter(1, first, now) };
  });
  const next: WalkState = {
    place: { ...waiting, run: where.run },
    teams: entered,
    notified: membershipIds.length > 0,
  };
  return step(raised, next, [
    ...before,
    { kind: 'level_notified', ...where, membershipIds, escalateAt, at: now },
  ]);
}

/** Ends a wait that is only for requests of urgency `standard`. */
function released(input: WalkInput, team: TeamWalk, now: Date): TeamWalk {
  const { place } = team;
  if (place.phase !== 'defer' || place.nextAt <= now) return team;
  const node = nodeOf(input.policy(team.revisionId), place.nodeId);
  return endsWhenUrgent(node) ? { ...team, place: { ...place, nextAt: now } } : team;
}

/** Whether the wait at this node is only for requests of urgency `standard`. */
function endsWhenUrgent(node: EscalationNode): boolean {
  switch (node.type) {
    case 'defer':
      return node.standard_only;
    case 'level':
    case 'if_else':
      return false;
  }
}

type TeamStep = StepPlace & { readonly team: NonNullable<StepPlace['team']> };

interface InsideEntry {
  readonly state: WalkState;
  readonly where: TeamStep;
  readonly events: readonly WalkEvent[];
}

interface Notifying {
  readonly now: Date;
  readonly waiting: {
    readonly phase: 'level';
    readonly nodeId: string;
    readonly since: Date;
    readonly nextAt: Date;
  };
  readonly membershipIds: readonly string[];
}

function enterInside(
  input: WalkInput,
  { state, where, events }: InsideEntry,
  { now, waiting, membershipIds }: Notifying,
): WalkStep {
  const skipped: WalkEvent[] = [];
  const teams = state.teams.map((team): TeamWalk => {
    if (team.teamId !== where.team.teamId) return team;
    if (membershipIds.length > 0) return { ...team, place: { ...waiting, run: where.team.run } };
    const left = skipInside(input, team, { where, now, reason: 'nobody_to_ask' });
    skipped.push(...left.events);
    return { ...team, place: left.place };
  });
  if (membershipIds.length === 0)
    return stay(input, { ...state, teams }, { now, events: [...events, ...skipped] });
  const notified: WalkEvent = {
    kind: 'level_notified',
    ...where,
    membershipIds,
    escalateAt: waiting.nextAt,
    at: now,
  };
  return step(input, { ...state, teams, notified: true }, [...events, notified]);
}

interface Leaving {
  readonly now: Date;
  readonly events: readonly WalkEvent[];
  readonly reason: SkipReason;
}

/** The walk moves on after the level, at once. */
function leaveSkipped(
  input: WalkInput,
  where: StepPlace,
  { now, events, reason }: Leaving,
): WalkStep {
  const left = leave(input.document, where.run, { nodeId: where.nodeId, at: now });
  const ended: WalkEvent[] =
    left.phase === 'exhausted'
      ? [{ kind: 'path_exhausted', nodeId: where.nodeId, run: left.run, at: now }]
      : [];
  return step(input, { place: left, teams: [], notified: false }, [
    ...events,
    { kind: 'level_skipped', ...where, reason, at: now },
    ...ended,
  ]);
}

function step(input: WalkInput, state: WalkState, events: readonly WalkEvent[]): WalkStep {
  return { state, events, nextAt: dueAt(state), urgency: input.urgency };
}

/** An event in a team's policy, at the level it is inside of. */
function inside(
  level: { nodeId: string; run: number; at: Date },
  { teamId }: TeamWalk,
  { nodeId, run, ...what }: Note,
): WalkEvent {
  return { ...what, ...level, team: { teamId, nodeId, run } };
}
