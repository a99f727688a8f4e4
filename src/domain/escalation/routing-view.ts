/** What a reviewer sees of a request's walk: its state, and each level with its status. */
import { nodeOf } from './node-order.ts';
import { take, walkAhead, type PlannedStep } from './preview.ts';
import { stepKey } from './step-keys.ts';
import { allLevels, type LevelNode, type Target } from './types.ts';
import { totalRuns, type Asked, type LevelEntry, type WalkInput } from './walk.ts';
import { dueAt, type Place, type WalkState } from './walk-state.ts';

export const ROUTING_STATES = [
  'evaluating',
  'waiting',
  'deferred',
  'paused',
  'exhausted',
  'unrouted',
  'finished',
] as const;

export type RoutingStateWord = (typeof ROUTING_STATES)[number];

export type LevelStatus = 'done' | 'current' | 'upcoming' | 'skipped';

/** A level that the walk reached, as recorded with the request. */
export type RecordedStep =
  | {
      readonly kind: 'notified';
      readonly nodeId: string;
      readonly run: number;
      readonly at: Date;
      readonly escalateAt?: Date;
    }
  | { readonly kind: 'skipped'; readonly nodeId: string; readonly run: number; readonly at: Date };

export interface RoutingLevel {
  readonly nodeId: string;
  readonly run: number;
  readonly status: LevelStatus;
  readonly notifiedAt?: Date;
  readonly escalateAt?: Date;
  /** When an upcoming level is reached if no one decides before. Absent while a claim pauses the walk. */
  readonly plannedAt?: Date;
  readonly targets: readonly Target[];
}

/**
 * The next step that people notice. `at` is absent while a claim pauses the walk. `team` is a step
 * of a team's policy inside the current level.
 */
export type NextStep = { readonly at?: Date } & (
  | { readonly kind: 'level' | 'team'; readonly nodeId: string }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'exhausted' }
);

export interface RoutingView {
  readonly state: RoutingStateWord;
  readonly run?: number;
  readonly runs?: number;
  readonly nextStep?: NextStep;
  readonly levels: readonly RoutingLevel[];
}

/**
 * `route` is the pinned path and its walk. It is absent while the pipeline decides, and for
 * requests without a path.
 */
export interface RoutingInput {
  readonly request: 'evaluating' | 'pending' | 'terminal';
  readonly route?: {
    readonly input: WalkInput;
    readonly walk: WalkState;
    readonly policies: ReadonlyMap<string, string>;
  };
  /** In any order. */
  readonly steps: readonly RecordedStep[];
  readonly claimed: boolean;
  readonly now: Date;
}

/** How many levels ahead a view lists at most. The walk itself has no such limit. */
const MAX_UPCOMING = 500;

/**
 * The routing of a request. Levels come in the order of the walk, earlier runs first. The
 * `upcoming` levels are those the current run would reach under the conditions of now. A finished
 * request lists only the levels it reached.
 */
export function routingView(facts: RoutingInput): RoutingView {
  const { request, route, steps } = facts;
  const finished = request === 'terminal';
  const state = routingState({ ...facts, phase: route?.walk.place.phase });
  if (!route) return { state, levels: [] };
  const { input, walk } = route;
  const levels = reachedLevels(input, walk, { steps, finished });
  const common = { run: walk.place.run, runs: totalRuns(input.document) };
  if (finished) return { state, ...common, levels };
  if (walk.place.phase === 'exhausted') return { state, ...common, levels };
  const ahead = upcoming(facts, route);
  return {
    state,
    ...common,
    nextStep: ahead.next,
    levels: [...levels, ...ahead.levels],
  };
}

/** `phase`: of the walk; undefined without a path. */
export function routingState({
  request,
  phase,
  claimed,
}: Pick<RoutingInput, 'request' | 'claimed'> & {
  readonly phase: Place['phase'] | undefined;
}): RoutingStateWord {
  if (request === 'evaluating') return 'evaluating';
  if (request === 'terminal') return 'finished';
  if (claimed) return 'paused';
  return phase === undefined ? 'unrouted' : stateIn(phase);
}

function stateIn(phase: Place['phase']): RoutingStateWord {
  switch (phase) {
    case 'enter':
    case 'level':
    case 'repeat':
      return 'waiting';
    case 'defer':
      return 'deferred';
    case 'exhausted':
      return 'exhausted';
  }
}

function reachedLevels(
  { document }: WalkInput,
  { place }: WalkState,
  { steps, finished }: { readonly steps: readonly RecordedStep[]; readonly finished: boolean },
): readonly RoutingLevel[] {
  const runs = [...new Set(steps.map(({ run }) => run))].sort((a, b) => a - b);
  const byKey = new Map(steps.map((step) => [stepKey(step), step]));
  const levels = allLevels(document);
  // Instants cannot order a level and the skipped one before it. The document can: a run only moves forward.
  return runs.flatMap((run) =>
    levels.flatMap((level) => {
      const step = byKey.get(stepKey({ nodeId: level.id, run }));
      if (!step) return [];
      const isCurrent =
        !finished && place.phase === 'level' && place.run === run && place.nodeId === level.id;
      return [reached(level, step, isCurrent)];
    }),
  );
}

function reached(level: LevelNode, step: RecordedStep, isCurrent: boolean): RoutingLevel {
  const place = { nodeId: level.id, run: step.run, targets: level.targets };
  if (step.kind === 'skipped') return { ...place, status: 'skipped' };
  return {
    ...place,
    status: isCurrent ? 'current' : 'done',
    notifiedAt: step.at,
    ...(step.escalateAt && { escalateAt: step.escalateAt }),
  };
}

/** Assumes that each level has people to notify. Only entering a level shows whether it does. */
function upcoming(
  { steps, now, claimed }: RoutingInput,
  { input, walk, policies }: NonNullable<RoutingInput['route']>,
): { readonly next: NextStep; readonly levels: readonly RoutingLevel[] } {
  const { run } = walk.place;
  const due = dueAt(walk);
  const ahead = walkAhead(input, {
    from: walk,
    now: due && due > now ? due : now,
    ask: (entry) => assumedAt(entry, policies),
  });
  const { steps: planned } = take(ahead, MAX_UPCOMING);
  const known = new Set(steps.map(stepKey));
  const levels = planned
    .filter(
      (step) =>
        step.kind === 'level_notified' &&
        step.run === run &&
        !step.team &&
        !known.has(stepKey(step)),
    )
    .map((step): RoutingLevel => ({
      nodeId: step.nodeId,
      run,
      status: 'upcoming',
      ...(!claimed && { plannedAt: step.at }),
      targets: targetsOf(input, step.nodeId),
    }));
  const first = planned.find(
    (step) =>
      step.kind === 'level_notified' ||
      step.kind === 'path_repeated' ||
      step.kind === 'path_exhausted',
  );
  return { next: { ...nextStepOf(first), ...(first && !claimed && { at: first.at }) }, levels };
}

/** Teams with a policy follow it. Every other target counts as someone to notify. */
function assumedAt({ level, team }: LevelEntry, policies: ReadonlyMap<string, string>): Asked {
  const teams = level.targets.flatMap((target) => {
    const revisionId = target.type === 'team' && !team ? policies.get(target.id) : undefined;
    return target.type === 'team' && revisionId !== undefined
      ? [{ teamId: target.id, revisionId }]
      : [];
  });
  return { membershipIds: teams.length < level.targets.length ? ['assumed'] : [], teams };
}

function targetsOf({ document }: WalkInput, nodeId: string): readonly Target[] {
  const node = nodeOf(document, nodeId);
  return node.type === 'level' ? node.targets : [];
}

function nextStepOf(step: PlannedStep | undefined): NextStep {
  if (!step || step.kind === 'path_exhausted')
    return step?.team ? { kind: 'team', nodeId: step.nodeId } : { kind: 'exhausted' };
  if (step.kind === 'path_repeated')
    return step.team ? { kind: 'team', nodeId: step.nodeId } : { kind: 'repeat' };
  return { kind: step.team ? 'team' : 'level', nodeId: step.nodeId };
}
