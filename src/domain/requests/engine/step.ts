/**
 * A step moves a request forward: it settles, records the verdict of the rules or hands the request to people, notifies the
 * next level, and says when to look again. Its workflow usually takes it; the reconciler does when the workflow is missing.
 */
import { requestEvent, SYSTEM } from '../../audit/events.ts';
import { dueAt, type WalkState } from '../../escalation/walk-state.ts';
import { leaseOf, type RemoteBlock } from '../../pipelines/remote.ts';
import type { EscalationPathSource, PipelineScope } from '../../pipelines/types.ts';
import type { Question, Verdict } from '../../pipelines/verdict.ts';
import type { JsonText } from '../../../platform/json/exact-json.ts';
import {
  buildRequest,
  isTerminal,
  SYSTEM_AUTHENTICATION,
  WAKE_HEAD_START_MS,
  type ApprovalRequest,
  type Route,
  type TerminalState,
} from '../approval-requests.ts';
import {
  decided,
  isEmpty,
  recorded,
  unchanged,
  type Effects,
  type NewDecision,
} from './effects.ts';
import { withLapseTold } from './lapsed.ts';
import { refused, roomFor } from './pending-cap.ts';
import { settled } from './settle.ts';
import { withoutLostClaim } from './unreachable.ts';
import type { Documents, RequestView } from './view.ts';
import { stateOf, waiting, walkOn, type StepBy, type StepWait } from './walk.ts';

export interface Evaluated {
  readonly verdict: Verdict;
  /** The escalation paths to try, in order; empty unless the outcome is `human`. */
  readonly paths: readonly PathToTry[];
  /** What the evaluation saw, for the conditions of the path. */
  readonly previousMetadata?: JsonText;
}

export interface PathToTry {
  readonly key: string;
  readonly source: EscalationPathSource;
}

export type RequestStep = StepDone | StepWait | RemoteStep;

export interface StepDone {
  readonly kind: 'done';
  /** The final status; absent when the request is gone. */
  readonly status?: TerminalState;
  /** Decided by the pipeline. */
  readonly automatic: boolean;
}

/** Another system is to be asked, which only an activity of the request's workflow does. */
export interface RemoteStep {
  readonly kind: 'remote';
  readonly scope: PipelineScope;
  readonly block: RemoteBlock;
  readonly deadlineAt: Date;
}

/** The view lacks what the plan depends on. */
export interface Incomplete {
  readonly kind: 'incomplete';
  /** `verdict`: of the rules. `exact_count`: of pending requests, under the lock that makes hand-overs take turns. */
  readonly lacks: 'verdict' | 'people' | 'exact_count';
}

interface StepAct {
  readonly by: StepBy;
  readonly decisionId: string;
  /** Of a request that is evaluated. */
  readonly evaluated: Evaluated | Question | undefined;
  readonly documents: Documents;
  /** The count of pending requests cannot change before the commit. */
  readonly isExactCount: boolean;
}

export interface StepPlan {
  readonly effects?: Effects;
  readonly step: RequestStep | Incomplete;
}

/** Its rules have to be evaluated before its step is planned. */
export function isToEvaluate({ request, now }: RequestView): boolean {
  return request.state === 'evaluating' && now < request.deadlineAt;
}

export const GONE: StepDone = { kind: 'done', automatic: false };

export function planStep(view: RequestView, act: StepAct): StepPlan {
  const { request } = view;
  if (isTerminal(request.state)) return planEnd(view);
  const effects = settled(view, { decisionId: act.decisionId, wakes: false });
  if (isTerminal(effects.request.state)) return { effects, step: ended(effects.request) };
  if (request.state === 'evaluating') return planVerdict(effects, act);
  return planAtRest(view, act) ?? planWalk(effects, act);
}

/** Nothing is left to do: the reconciler need not look again. */
function planEnd(view: RequestView): StepPlan {
  const effects = { ...unchanged(view), wakeAt: undefined, wakeAttempts: 0 };
  return { effects, step: ended(view.request) };
}

function ended({ state, decision }: ApprovalRequest): StepDone {
  return {
    kind: 'done',
    ...(isTerminal(state) && { status: state }),
    automatic: decision?.channel === 'pipeline',
  };
}

function planVerdict(effects: Effects, act: StepAct): StepPlan {
  const { evaluated, decisionId } = act;
  if (!evaluated) return { step: { kind: 'incomplete', lacks: 'verdict' } };
  if (isDecisive(evaluated)) {
    const final = decided(effects, verdictDecision(effects.request.id, { evaluated, decisionId }));
    return { effects: final, step: ended(final.request) };
  }
  const { view } = effects;
  if (!view.isAdmitted && !view.pending) return { step: { kind: 'incomplete', lacks: 'people' } };
  const room = roomFor(view);
  if (room !== 'enough') {
    // A question is not asked in vain; asking takes no room yet.
    if (!act.isExactCount && !('ask' in evaluated && room === 'near'))
      return { step: { kind: 'incomplete', lacks: 'exact_count' } };
    if (room !== 'near') return { effects: refused(effects, room), step: GONE };
  }
  return 'ask' in evaluated
    ? planQuestion(effects, { question: evaluated, by: act.by })
    : planHandOver(effects, { ...act, evaluated });
}

/** The verdict is a decision: no person and no other system is asked. */
export function isDecisive(evaluated: Evaluated | Question): evaluated is Evaluated {
  return !('ask' in evaluated) && evaluated.verdict.outcome !== 'human';
}

/** The verdict of the pipelines as a decision. */
export function verdictDecision(
  requestId: string,
  {
    evaluated: { verdict },
    decisionId,
  }: { readonly evaluated: Evaluated; readonly decisionId: string },
): NewDecision {
  return {
    id: decisionId,
    status: verdict.outcome === 'approve' ? 'approved' : 'denied',
    channel: 'pipeline',
    ...(verdict.reason !== undefined && { note: verdict.reason }),
    authentication: SYSTEM_AUTHENTICATION,
    idempotencyKey: `pipeline:${requestId}`,
    actor: SYSTEM,
    auditData: {
      scope: verdict.scope,
      block_id: verdict.block_id,
      reason_code: verdict.reason_code,
    },
    wakes: false,
  };
}

/** The workflow asks. The row wakes the reconciler after the end of the attempt. */
function planQuestion(
  effects: Effects,
  { question: { scope, ask }, by }: { readonly question: Question; readonly by: StepBy },
): StepPlan {
  const { view, request } = effects;
  // A request that was just created has no workflow yet, so the reconciler soon looks for one.
  const wakeMs = WAKE_HEAD_START_MS + (by === 'create' ? 0 : leaseOf(ask));
  return {
    effects: {
      ...effects,
      wakeAt: new Date(view.now.getTime() + wakeMs),
      wakeAttempts: by === 'workflow' ? 0 : view.wakeAttempts,
    },
    step: { kind: 'remote', scope, block: ask, deadlineAt: request.deadlineAt },
  };
}

/** The pipeline hands the request to people, and the first level is notified. */
function planHandOver(
  effects: Effects,
  { by, evaluated, documents }: StepAct & { readonly evaluated: Evaluated },
): StepPlan {
  const { view } = effects;
  if (!view.routing) return { step: { kind: 'incomplete', lacks: 'people' } };
  const { verdict, paths } = evaluated;
  const { path } = documents;
  const route: Route = {
    routedAt: view.now,
    source: paths.find(({ key }) => key === path?.pathKey)?.source ?? 'no_escalation',
    scope: verdict.scope,
    ...(verdict.block_id !== undefined && { blockId: verdict.block_id }),
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(path && { pathRevisionId: path.id }),
  };
  const data = {
    source: route.source,
    scope: route.scope,
    block_id: route.blockId,
    reason_code: verdict.reason_code,
    path_key: path?.pathKey,
  };
  const request = buildRequest({
    ...effects.request,
    state: 'pending',
    route,
    updatedAt: view.now,
  });
  const { id } = request;
  const routed = recorded(
    { ...effects, request },
    requestEvent(id, 'pipeline_concluded', data),
    requestEvent(id, 'routed', data),
  );
  const walkResult = walkOn(routed, documents, by);
  return { effects: walkResult.effects, step: walkResult.wait };
}

function planWalk(effects: Effects, { by, documents }: StepAct): StepPlan {
  if (!effects.view.routing) return { step: { kind: 'incomplete', lacks: 'people' } };
  const { path } = documents;
  const walkResult = walkOn(withoutLostClaim(effects, path), documents, by);
  return { effects: withLapseTold(walkResult.effects, path), step: walkResult.wait };
}

/**
 * The wait of a request as its row says, if a step would write the same. People are not needed to see that: a change that
 * makes a step due also moves `nextAt` or `wakeAt`, or is a claim.
 */
function planAtRest(view: RequestView, { by, documents: { path } }: StepAct): StepPlan | undefined {
  const { request, now } = view;
  if (view.routing || !path || request.claim) return undefined;
  const state = stateOf(request, path);
  if (!isAtRest(state, now)) return undefined;
  const { effects, wait } = waiting(unchanged(view), { by, path, state });
  return isEmpty({ ...effects, wakeAttempts: view.wakeAttempts })
    ? { effects, step: wait }
    : undefined;
}

/** It waits until after `now`, or the walk is over. */
function isAtRest(state: WalkState, now: Date): boolean {
  const isEntering = [state, ...state.teams].some(({ place }) => place.phase === 'enter');
  const due = dueAt(state);
  return !isEntering && (due === undefined || due > now);
}
