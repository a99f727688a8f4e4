/**
 * The walk along an escalation path as a pure function of (document, state, recipients, now). The caller stores the state,
 * loads recipients only for the level about to be entered, and calls `advance` again when `nextAt` is due:
 *
 *     do {
 *       const targets = pendingTargets(document, state, now);
 *       const resolved = targets ? recipients(targets, await facts(targets)) : [];
 *       ({ state, events, nextAt } = advance(document, state, { now, resolved }));
 *     } while (nextAt && nextAt <= now);
 */
import { parseDuration } from './durations.ts';
import type { EscalationNode, EscalationPathDocument, Target } from './escalation-paths.ts';

/** The next thing to do is to enter `nodeId` (absent in a path without nodes), at once. `since`: when it became due. */
export interface EnterState {
  readonly phase: 'enter';
  readonly run: number;
  readonly nodeId?: string;
  readonly since?: Date;
  readonly nextAt?: Date;
}

/** The level was notified at `since` and waits until `nextAt`. */
export interface LevelState {
  readonly phase: 'level';
  readonly run: number;
  readonly nodeId: string;
  readonly since: Date;
  readonly nextAt: Date;
}

/** The run ended at `since`; the next one starts at `nextAt`. */
export interface RepeatState {
  readonly phase: 'repeat';
  readonly run: number;
  readonly nodeId?: undefined;
  readonly since: Date;
  readonly nextAt: Date;
}

/** The last run ended at `since`; everybody notified stays so. */
export interface ExhaustedState {
  readonly phase: 'exhausted';
  readonly run: number;
  readonly nodeId?: undefined;
  readonly since: Date;
  readonly nextAt?: undefined;
}

/** Where the walk is. Runs count from 1; the place is named by node, never by index, and holds for one document revision. */
export type WalkState = EnterState | LevelState | RepeatState | ExhaustedState;

export type WalkEvent =
  | {
      readonly kind: 'level_notified';
      readonly nodeId: string;
      readonly run: number;
      readonly stepKey: string;
      readonly membershipIds: readonly string[];
      readonly at: Date;
      readonly escalateAt: Date;
    }
  | { readonly kind: 'level_skipped'; readonly nodeId: string; readonly run: number; readonly stepKey: string; readonly at: Date }
  /** `run` is the run that starts. */
  | { readonly kind: 'path_repeated'; readonly run: number; readonly at: Date }
  | { readonly kind: 'path_exhausted'; readonly at: Date };

/** `nextAt` is when to call again (at once if it is not in the future); undefined when the walk is over. */
export interface WalkStep {
  readonly state: WalkState;
  readonly events: readonly WalkEvent[];
  readonly nextAt: Date | undefined;
}

/** `deciders`: memberships that are active and may decide for the agent; all of them for a broadcast, else those targeted. */
export interface Facts {
  readonly deciders: readonly string[];
}

/** The unique key of one notification step of a request. */
export function stepKey(nodeId: string, run: number): string {
  return `${nodeId}:${run}`;
}

/** How often the path is walked at most: once, and its repeats. */
export function totalRuns(document: EscalationPathDocument): number {
  return 1 + (document.repeat?.times ?? 0);
}

/** The state of a request that was just handed to this path. */
export function startWalk(document: EscalationPathDocument): WalkState {
  return enter(1, document.nodes[0]);
}

/** Who must be resolved before `advance` at `now`; undefined when that call would notify nobody anyway. */
export function pendingTargets(document: EscalationPathDocument, state: WalkState, now: Date): readonly Target[] | undefined {
  const reached = arrive(document, state, now).state;
  return reached.phase === 'enter' && reached.nodeId !== undefined ? nodeOf(document, reached.nodeId).targets : undefined;
}

/** The memberships to notify for these targets, in their order, each once. */
export function recipients(targets: readonly Target[], facts: Facts): readonly string[] {
  const able = new Set(facts.deciders);
  const asked = targets.flatMap((target) => (target.type === 'broadcast' ? facts.deciders : [target.id]));
  return [...new Set(asked.filter((id) => able.has(id)))];
}

/**
 * One step of the walk: at most one level is notified or skipped. `resolved` are the memberships to notify for
 * `pendingTargets` (ignored when that is undefined); with none the level is skipped and the next one is due at once. A
 * level's wait counts from `now`, so steps that come late are never made up for in a burst.
 */
export function advance(
  document: EscalationPathDocument,
  state: WalkState,
  { now, resolved }: { readonly now: Date; readonly resolved: readonly string[] },
): WalkStep {
  const { state: reached, events } = arrive(document, state, now);
  if (reached.phase !== 'enter' || reached.nodeId === undefined) return step(reached, events);
  const node = nodeOf(document, reached.nodeId);
  const place = { nodeId: node.id, run: reached.run, stepKey: stepKey(node.id, reached.run), at: now };
  const membershipIds = [...new Set(resolved)];
  if (membershipIds.length > 0) {
    const escalateAt = later(now, node.escalate_after);
    const next: LevelState = { phase: 'level', run: reached.run, nodeId: node.id, since: now, nextAt: escalateAt };
    return step(next, [...events, { kind: 'level_notified', ...place, membershipIds, escalateAt }]);
  }
  const left = leave(document, reached.run, { nodeId: node.id, at: now });
  return step(left, [...events, { kind: 'level_skipped', ...place }, ...exhaustion(left, now)]);
}

function step(state: WalkState, events: readonly WalkEvent[]): WalkStep {
  return { state, events, nextAt: state.nextAt };
}

interface Arrival {
  readonly state: WalkState;
  readonly events: readonly WalkEvent[];
}

/** Follows the waits that are over at `now`, up to the next node to enter, a wait still running, or the end. */
function arrive(document: EscalationPathDocument, state: WalkState, now: Date): Arrival {
  if (state.phase === 'exhausted') return { state, events: [] };
  if (state.phase === 'enter') {
    if (state.nodeId !== undefined) return { state, events: [] };
    const ended = endRun(document, state.run, now);
    return { state: ended, events: exhaustion(ended, now) };
  }
  if (now < state.nextAt) return { state, events: [] };
  if (state.phase === 'level') {
    const left = leave(document, state.run, { nodeId: state.nodeId, at: state.nextAt });
    if (left.phase !== 'repeat' || now < left.nextAt) return { state: left, events: exhaustion(left, now) };
    return restart(document, left.run + 1, now);
  }
  return restart(document, state.run + 1, now);
}

/** The top of the path once more; a path without nodes ends its run there, so that each run waits its turn. */
function restart(document: EscalationPathDocument, run: number, now: Date): Arrival {
  const repeated: WalkEvent = { kind: 'path_repeated', run, at: now };
  const first = document.nodes[0];
  if (first) return { state: enter(run, first, now), events: [repeated] };
  const ended = endRun(document, run, now);
  return { state: ended, events: [repeated, ...exhaustion(ended, now)] };
}

/** Goes on behind a node that was left at `at`. */
function leave(document: EscalationPathDocument, run: number, { nodeId, at }: { nodeId: string; at: Date }): WalkState {
  const next = nodeBehind(document, nodeId);
  return next ? enter(run, next, at) : endRun(document, run, at);
}

function endRun(document: EscalationPathDocument, run: number, at: Date): RepeatState | ExhaustedState {
  const { repeat } = document;
  if (!repeat || run > repeat.times) return { phase: 'exhausted', run, since: at };
  return { phase: 'repeat', run, since: at, nextAt: later(at, repeat.after) };
}

function exhaustion(state: WalkState, now: Date): readonly WalkEvent[] {
  return state.phase === 'exhausted' ? [{ kind: 'path_exhausted', at: now }] : [];
}

function enter(run: number, node: EscalationNode | undefined, at?: Date): EnterState {
  return { phase: 'enter', run, ...(node && { nodeId: node.id }), ...(at && { since: at, nextAt: at }) };
}

function nodeOf(document: EscalationPathDocument, nodeId: string): EscalationNode {
  const node = document.nodes.find(({ id }) => id === nodeId);
  if (!node) throw new Error(`the escalation path has no node ${nodeId}`);
  return node;
}

/** The node the walk goes on with behind this one; undefined when the nodes run out. */
function nodeBehind(document: EscalationPathDocument, nodeId: string): EscalationNode | undefined {
  return document.nodes[document.nodes.indexOf(nodeOf(document, nodeId)) + 1];
}

function later(at: Date, wait: string): Date {
  const ms = parseDuration(wait);
  if (ms === undefined) throw new Error(`the escalation path has a malformed wait ${wait}`);
  return new Date(at.getTime() + ms);
}

/** A state as stored: instants are ISO strings. */
export interface WalkJson {
  readonly run: number;
  readonly phase: WalkState['phase'];
  readonly nodeId?: string;
  readonly since?: string;
  readonly nextAt?: string;
}

export function walkToJson({ run, phase, nodeId, since, nextAt }: WalkState): WalkJson {
  return {
    run,
    phase,
    ...(nodeId !== undefined && { nodeId }),
    ...(since && { since: since.toISOString() }),
    ...(nextAt && { nextAt: nextAt.toISOString() }),
  };
}

/** Reads what `walkToJson` wrote; throws on anything else, since a walk that guesses could notify the wrong people. */
export function walkFromJson(value: unknown): WalkState {
  const json: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {};
  const { run, phase, nodeId } = json;
  const since = instant(json['since']);
  const nextAt = instant(json['nextAt']);
  if (typeof run === 'number' && Number.isSafeInteger(run) && run >= 1 && (nodeId === undefined || typeof nodeId === 'string')) {
    if (phase === 'enter')
      return { phase, run, ...(nodeId !== undefined && { nodeId }), ...(since && { since }), ...(nextAt && { nextAt }) };
    if (phase === 'level' && nodeId !== undefined && since && nextAt) return { phase, run, nodeId, since, nextAt };
    if (phase === 'repeat' && since && nextAt) return { phase, run, since, nextAt };
    if (phase === 'exhausted' && since) return { phase, run, since };
  }
  throw new Error('the stored escalation walk is malformed');
}

function instant(value: unknown): Date | undefined {
  if (value === undefined) return undefined;
  const at = typeof value === 'string' ? new Date(value) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime())) throw new Error('the stored escalation walk has a malformed instant');
  return at;
}
