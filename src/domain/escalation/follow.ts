/** Follows one document: a path or a team's policy. The walk (walk.ts) finds the people of its levels. */
import type { Condition } from '../conditions/document.ts';
import type { ConditionErrorCode } from '../conditions/types.ts';
import { parseDuration } from '../durations.ts';
import { nodeAfter, nodeOf } from './node-order.ts';
import type {
  DeferNode,
  EscalationDocument,
  EscalationNode,
  IfElseNode,
  LevelNode,
  PathCondition,
  Urgency,
} from './types.ts';
import type { EnterPlace, ExhaustedPlace, Place, RepeatPlace } from './walk-state.ts';
import { isActive, nextOpening } from './working-hours.ts';

/** What the nodes between levels depend on. */
export interface FollowInput {
  readonly urgency: Urgency;
  /** Whether a condition about the request holds, or why it cannot be evaluated. Then it counts as not met. */
  readonly matches: (when: Condition) => boolean | ConditionErrorCode;
}

/** Why an `if_else` took its branch. `condition` is the first one that was not met. */
export type BranchReason =
  | { readonly reason: 'conditions_met' }
  | {
      readonly reason: 'condition_not_met' | 'condition_failed';
      readonly condition: { readonly index: number; readonly type: PathCondition['type'] };
    };

/** Something that happened in one document: that of the path, or of a team. */
export type Note = { readonly nodeId: string; readonly run: number } & NoteDetails;

export type NoteDetails =
  | { readonly kind: 'deferred'; readonly until: Date; readonly workingHoursId: string }
  /** The condition counts as not met. */
  | { readonly kind: 'condition_failed'; readonly code: ConditionErrorCode }
  | ({ readonly kind: 'branch_taken'; readonly branch: 'then' | 'else' } & BranchReason)
  /** `run` is the run that starts; `nodeId` its first node. */
  | { readonly kind: 'path_repeated' }
  | { readonly kind: 'path_exhausted' };

interface Following {
  readonly place: Place;
  readonly now: Date;
}

/** Passes waits that are over and nodes without people. Stops at a level to enter, a running wait, or the end. */
export function follow(
  input: FollowInput,
  document: EscalationDocument,
  { place, now }: Following,
): { place: Place; notes: readonly Note[] } {
  const notes: Note[] = [];
  let at = place;
  for (;;) {
    const next = move(input, document, { place: at, now });
    if (!next) return { place: at, notes };
    at = next.place;
    notes.push(...next.notes);
  }
}

interface Move {
  readonly place: Place;
  readonly notes: readonly Note[];
}

/** One move at `now`. Undefined when the walk has to wait, needs people, or is over. */
function move(
  input: FollowInput,
  document: EscalationDocument,
  { place, now }: Following,
): Move | undefined {
  switch (place.phase) {
    case 'exhausted':
      return undefined;
    case 'repeat':
      return now < place.nextAt ? undefined : restart(document, place.run + 1, now);
    case 'level':
    case 'defer':
      return now < place.nextAt
        ? undefined
        : goOn(document, place.run, { nodeId: place.nodeId, at: place.nextAt });
    case 'enter':
      return place.nodeId === undefined
        ? end(document, place.run, now)
        : pass(input, document, { place, now });
  }
}

/** Passes a node without people, at the instant it was due even if the step is late. The caller enters levels. */
function pass(
  input: FollowInput,
  document: EscalationDocument,
  { place, now }: { place: EnterPlace; now: Date },
): Move | undefined {
  const node = nodeOf(document, place.nodeId ?? '');
  const { run, since: at = now } = place;
  switch (node.type) {
    case 'level':
      return undefined;
    case 'if_else': {
      const { branch, notes } = choose(input, document, { node, run, now });
      const [first] = node[branch];
      const next = first
        ? { place: enter(run, first, at), notes: [] }
        : goOn(document, run, { nodeId: node.id, at });
      return { ...next, notes: [...notes, ...next.notes] };
    }
    case 'defer':
      return defer(input, document, { node, run, at, now });
  }
}

interface Deferring {
  readonly node: DeferNode;
  readonly run: number;
  /** When the node was due. */
  readonly at: Date;
  readonly now: Date;
}

/** Waits for working hours. Goes on at once inside them, and where urgent requests need not wait. */
function defer(
  input: FollowInput,
  document: EscalationDocument,
  { node, run, at, now }: Deferring,
): Move {
  const set = document.working_hours.find(({ id }) => id === node.working_hours_id);
  const until = set && nextOpening(set, now);
  const passes = !until || until <= now || (node.standard_only && input.urgency === 'interrupt');
  if (passes) return goOn(document, run, { nodeId: node.id, at });
  return {
    place: { phase: 'defer', run, nodeId: node.id, since: now, nextAt: until },
    notes: [
      { kind: 'deferred', nodeId: node.id, run, until, workingHoursId: node.working_hours_id },
    ],
  };
}

interface Choosing {
  readonly node: IfElseNode;
  readonly run: number;
  readonly now: Date;
}

/** The branch that an `if_else` takes, with its notes. */
function choose(
  input: FollowInput,
  document: EscalationDocument,
  { node, run, now }: Choosing,
): { readonly branch: 'then' | 'else'; readonly notes: readonly Note[] } {
  const place = { nodeId: node.id, run };
  for (const [index, condition] of node.conditions.entries()) {
    const match = holds(input, document, { condition, now });
    if (match === true) continue;
    const failed: Note[] =
      match === false ? [] : [{ kind: 'condition_failed', ...place, code: match }];
    const taken: Note = {
      kind: 'branch_taken',
      ...place,
      branch: 'else',
      reason: match === false ? 'condition_not_met' : 'condition_failed',
      condition: { index, type: condition.type },
    };
    return { branch: 'else', notes: [...failed, taken] };
  }
  const taken: Note = { kind: 'branch_taken', ...place, branch: 'then', reason: 'conditions_met' };
  return { branch: 'then', notes: [taken] };
}

function holds(
  input: FollowInput,
  document: EscalationDocument,
  { condition, now }: { readonly condition: PathCondition; readonly now: Date },
): boolean | ConditionErrorCode {
  switch (condition.type) {
    case 'urgency':
      return input.urgency === condition.urgency;
    case 'request':
      return input.matches(condition.when);
    case 'working_hours': {
      const set = document.working_hours.find(({ id }) => id === condition.working_hours_id);
      return set !== undefined && isActive(set, now) === condition.active;
    }
  }
}

function goOn(
  document: EscalationDocument,
  run: number,
  left: { readonly nodeId: string; readonly at: Date },
): Move {
  return ended(leave(document, run, left), left.nodeId);
}

function end(document: EscalationDocument, run: number, at: Date): Move {
  return ended(endRun(document, run, at), document.nodes.at(-1)?.id ?? '');
}

function ended(place: Place, nodeId: string): Move {
  const notes: readonly Note[] =
    place.phase === 'exhausted' ? [{ kind: 'path_exhausted', nodeId, run: place.run }] : [];
  return { place, notes };
}

function restart(document: EscalationDocument, run: number, now: Date): Move {
  const [first] = document.nodes;
  return {
    place: enter(run, first, now),
    notes: [{ kind: 'path_repeated', nodeId: first?.id ?? '', run }],
  };
}

/** The place after a node that was left at `at`. */
export function leave(
  document: EscalationDocument,
  run: number,
  { nodeId, at }: { nodeId: string; at: Date },
): Place {
  const next = nodeAfter(document, nodeId);
  return next ? enter(run, next, at) : endRun(document, run, at);
}

function endRun(document: EscalationDocument, run: number, at: Date): RepeatPlace | ExhaustedPlace {
  const { repeat } = document;
  if (!repeat || run > repeat.times) return { phase: 'exhausted', run, since: at };
  return { phase: 'repeat', run, since: at, nextAt: later(at, repeat.after) };
}

export function enter(run: number, node: EscalationNode | undefined, at?: Date): EnterPlace {
  return {
    phase: 'enter',
    run,
    ...(node && { nodeId: node.id }),
    ...(at && { since: at, nextAt: at }),
  };
}

export function levelAt(
  document: EscalationDocument,
  { phase, nodeId }: Place,
): LevelNode | undefined {
  const node = phase === 'enter' && nodeId !== undefined ? nodeOf(document, nodeId) : undefined;
  return node?.type === 'level' ? node : undefined;
}

export function later(at: Date, wait: string): Date {
  const ms = parseDuration(wait);
  if (ms === undefined) throw new Error(`the escalation path has a malformed wait ${wait}`);
  return new Date(at.getTime() + ms);
}
