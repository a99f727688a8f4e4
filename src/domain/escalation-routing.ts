/** What a reviewer sees of a request's way along its escalation path: one state word, and each level with its status. */
import type { EscalationPathDocument, LevelNode, Target } from './escalation-paths.ts';
import { stepKey, totalRuns } from './escalation-walk.ts';
import type { WalkState } from './escalation-walk.ts';

export type RoutingStateWord = 'evaluating' | 'waiting' | 'exhausted' | 'unrouted' | 'finished';

export type LevelStatus = 'done' | 'current' | 'upcoming' | 'skipped';

/** A step that happened, as recorded with the request. */
export type RecordedStep =
  | { readonly kind: 'notified'; readonly nodeId: string; readonly run: number; readonly at: Date; readonly escalateAt?: Date }
  | { readonly kind: 'skipped'; readonly nodeId: string; readonly run: number; readonly at: Date };

export interface RoutingLevel {
  readonly nodeId: string;
  readonly run: number;
  readonly status: LevelStatus;
  readonly notifiedAt?: Date;
  readonly escalateAt?: Date;
  readonly targets: readonly Target[];
}

/** What happens at `nextAt`. */
export type NextStep = { readonly kind: 'level'; readonly nodeId: string } | { readonly kind: 'repeat' } | { readonly kind: 'exhausted' };

export interface RoutingView {
  readonly state: RoutingStateWord;
  readonly run?: number;
  readonly runs?: number;
  readonly nextAt?: Date;
  readonly nextStep?: NextStep;
  readonly levels: readonly RoutingLevel[];
}

/** `route` is the pinned document and the walk on it; absent while the pipeline decides and for requests without a path. */
export interface RoutingInput {
  readonly request: 'evaluating' | 'pending' | 'terminal';
  readonly route?: { readonly document: EscalationPathDocument; readonly walk: WalkState };
  readonly steps: readonly RecordedStep[];
}

/**
 * The routing of a request. Levels come in the order of the walk, earlier runs first; `upcoming` are those the current run
 * has not reached yet. Of a finished request only the levels that were reached are listed: the others never come.
 */
export function routingState({ request, route, steps }: RoutingInput): RoutingView {
  const finished = request === 'terminal';
  if (request === 'evaluating') return { state: 'evaluating', levels: [] };
  if (!route) return { state: finished ? 'finished' : 'unrouted', levels: [] };
  const { document, walk } = route;
  const state = finished ? 'finished' : walk.phase === 'exhausted' ? 'exhausted' : 'waiting';
  const levels = levelsOf(document, state === 'waiting' ? walk : { ...walk, phase: 'exhausted' }, steps);
  const common = { state, run: walk.run, runs: totalRuns(document), levels } as const;
  if (state !== 'waiting') return common;
  return { ...common, ...(walk.nextAt && { nextAt: walk.nextAt }), nextStep: nextStepOf(document, walk) };
}

type Place = Pick<WalkState, 'run' | 'phase' | 'nodeId'>;

function levelsOf(document: EscalationPathDocument, walk: Place, steps: readonly RecordedStep[]): readonly RoutingLevel[] {
  const byKey = new Map(steps.map((step) => [stepKey(step.nodeId, step.run), step]));
  const runs = Array.from({ length: walk.run }, (_, index) => index + 1);
  return runs.flatMap((run) =>
    document.nodes.flatMap((node) => {
      const step = byKey.get(stepKey(node.id, run));
      if (step) return [reached(node, step, walk)];
      const isAhead = run === walk.run && (walk.phase === 'enter' || walk.phase === 'level');
      return isAhead ? [{ nodeId: node.id, run, status: 'upcoming' as const, targets: node.targets }] : [];
    }),
  );
}

function reached(node: LevelNode, step: RecordedStep, walk: Place): RoutingLevel {
  const place = { nodeId: node.id, run: step.run, targets: node.targets };
  if (step.kind === 'skipped') return { ...place, status: 'skipped' };
  const isCurrent = walk.phase === 'level' && walk.run === step.run && walk.nodeId === node.id;
  const status = isCurrent ? 'current' : 'done';
  return { ...place, status, notifiedAt: step.at, ...(step.escalateAt && { escalateAt: step.escalateAt }) };
}

/** Assumes that somebody can be notified at the next level; a level nobody can be notified at is known only on entering it. */
function nextStepOf(document: EscalationPathDocument, walk: WalkState): NextStep {
  if (walk.phase === 'enter' && walk.nodeId !== undefined) return { kind: 'level', nodeId: walk.nodeId };
  if (walk.phase === 'repeat') return { kind: 'repeat' };
  const behind = walk.phase === 'level' ? document.nodes[document.nodes.findIndex(({ id }) => id === walk.nodeId) + 1] : undefined;
  if (behind) return { kind: 'level', nodeId: behind.id };
  return walk.run < totalRuns(document) ? { kind: 'repeat' } : { kind: 'exhausted' };
}
