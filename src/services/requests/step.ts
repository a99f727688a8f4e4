/**
 * The one function that moves a request forward: settle, evaluate, hand over, notify the next
 * level, plan. The request's workflow calls it; the reconciler does when the workflow is missing.
 * Idempotent.
 */
import { planAsking } from '../../data/pipelines/block-results.ts';
import { recordDecision, recordVerdict } from '../../data/requests/decide.ts';
import { lockRequest, type LockedRequest } from '../../data/requests/lock.ts';
import { findRequest, type ReadRequest } from '../../data/requests/read.ts';
import { clearWake } from '../../data/requests/wake.ts';
import {
  isTerminal,
  WAKE_HEAD_START_MS,
  type ApprovalRequest,
  type TerminalState,
} from '../../domain/requests/approval-requests.ts';
import { leaseOf, type RemoteBlock } from '../../domain/pipelines/remote.ts';
import type { PipelineScope } from '../../domain/pipelines/types.ts';
import type { Question } from '../../domain/pipelines/verdict.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import type { PlannedWait } from '../ports.ts';
import { loadEscalationPathRevision } from '../escalation/escalation-paths.ts';
import { announceDecided } from './announce.ts';
import type { AfterBlock } from './evaluation/ask-block.ts';
import { decisionOf, evaluatePinned, stepsOf, type Evaluated } from './evaluation/evaluate.ts';
import { handOver } from './hand-over.ts';
import { handOverUnchanged } from './hand-over-unchanged.ts';
import { refuseAtCap } from './pending-caps.ts';
import { expireIfDue, lapseIfDue } from './settle.ts';
import { releaseIfLost } from './unreachable.ts';
import { withHeavyAnswers, type HeavyAnswers } from './walk/condition-answers.ts';
import { plannedWait } from './walk/planned-wait.ts';
import { walkOn, type StepBy } from './walk/walk.ts';

export type RequestStep =
  | { readonly kind: 'done'; readonly status?: TerminalState; readonly automatic: boolean }
  | ({ readonly kind: 'wait'; readonly wakeAt: Date } & PlannedWait)
  | RemoteStep;

/** Another system is to be asked, which only an activity of the request's workflow does. */
export interface RemoteStep {
  readonly kind: 'remote';
  readonly scope: PipelineScope;
  readonly block: RemoteBlock;
  readonly deadlineAt: Date;
}

export interface StepOptions {
  /** An instant known to have passed: the row's clock is never behind it. */
  readonly floor: Date;
  readonly by: StepBy;
}

const GONE: RequestStep = { kind: 'done', automatic: false };

export async function stepRequest(
  context: ServiceContext,
  id: string,
  options: StepOptions,
): Promise<RequestStep> {
  const read = await findRequest(context.db, id);
  if (!read) return GONE;
  return (
    (await waitAsPlanned(context, read, options)) ?? (await advance(context, read.request, options))
  );
}

/** The first step of a request that this call has just created, with the verdict if that is known. */
export async function stepCreated(
  context: ServiceContext,
  created: ApprovalRequest,
  evaluated: Evaluated | Question | undefined,
): Promise<RequestStep> {
  // The row's clock is never behind its creation.
  const options: StepOptions = { floor: created.createdAt, by: 'door' };
  return await advance(context, created, { ...options, evaluated });
}

/** The step after a block whose result this call has just written. */
export async function stepBehind(
  context: ServiceContext,
  { request, progress }: AfterBlock,
): Promise<RequestStep> {
  const evaluated = await evaluatePinned(context, request, progress);
  // The row's clock is never behind the result.
  return await advance(context, request, { floor: new Date(0), by: 'workflow', evaluated });
}

type KnownEvaluation = Evaluated | Question | undefined;

async function advance(
  context: ServiceContext,
  request: ApprovalRequest,
  { evaluated: known, ...options }: StepOptions & { readonly evaluated?: KnownEvaluation },
): Promise<RequestStep> {
  const { id } = request;
  // A final answer never changes, so no lock is needed to see that nothing is left to do.
  if (isTerminal(request.state)) {
    await clearWake(context.db, id);
    return ended(request);
  }
  const evaluated =
    request.state === 'evaluating'
      ? (known ?? (await evaluatePinned(context, request)))
      : undefined;
  if (evaluated && 'ask' in evaluated)
    return await planToAsk(context, { request, question: evaluated }, options);
  if (evaluated && evaluated.verdict.outcome !== 'human') {
    const decision = decisionOf(request.id, evaluated);
    const decided = await recordVerdict(context.db, { request, floor: options.floor }, decision);
    if (decided) {
      announceDecided(context, decided);
      return ended(decided);
    }
  }
  return await withHeavyAnswers(context, stepsOf(request), async (answers) => {
    const handedOver =
      evaluated && (await handOverUnchanged(context, request, { ...options, evaluated, answers }));
    if (!handedOver) return await stepLocked(context, id, { ...options, evaluated, answers });
    context.changes.publish(id);
    return { kind: 'wait', ...handedOver };
  });
}

/** The workflow asks. The row wakes the reconciler after the end of the attempt. */
async function planToAsk(
  context: ServiceContext,
  { request, question }: { readonly request: ApprovalRequest; readonly question: Question },
  { by, floor }: StepOptions,
): Promise<RequestStep> {
  const { id } = request;
  // A request from the door has no workflow yet, so the reconciler soon looks for one.
  const wakeMs = WAKE_HEAD_START_MS + (by === 'door' ? 0 : leaseOf(question.ask));
  const { pendingRequests: cap } = context.limits;
  if (await planAsking(context.db, request, { wakeMs, byWorkflow: by === 'workflow', cap }))
    return toAsk(request, question);
  // It has its final answer by now, its deadline has passed, or a cap is reached.
  return await stepLocked(context, id, { floor, by, evaluated: question, answers: new Map() });
}

function toAsk({ deadlineAt }: ApprovalRequest, { scope, ask }: Question): RemoteStep {
  return { kind: 'remote', scope, block: ask, deadlineAt };
}

/**
 * The wait of a request for which nothing is due, as for a workflow that comes after the reconciler.
 * It takes no lock and writes nothing.
 */
async function waitAsPlanned(
  context: ServiceContext,
  read: ReadRequest,
  options: StepOptions,
): Promise<RequestStep | undefined> {
  const wait = await plannedWait(context.db, read, options);
  if (!wait) return undefined;
  if (options.by === 'workflow' && read.wakeAttempts > 0)
    context.cameLate.set(read.request.id, wait.wakeAt);
  return { kind: 'wait', ...wait };
}

interface LockedStep extends StepOptions {
  readonly evaluated: KnownEvaluation;
  readonly answers: HeavyAnswers;
}

function ended({ state, decision }: ApprovalRequest): RequestStep {
  return {
    kind: 'done',
    ...(isTerminal(state) && { status: state }),
    automatic: decision?.channel === 'pipeline',
  };
}

/** The outcome under the lock; `decided` and `changed` are announced after the commit. */
interface LockedOutcome {
  readonly step: RequestStep;
  readonly decided?: ApprovalRequest;
  readonly changed?: true;
}

async function stepLocked(
  context: ServiceContext,
  id: string,
  options: LockedStep,
): Promise<RequestStep> {
  const { step, decided, changed } = await context.db.transaction(
    async (trx) => await actUnderLock(trx, context, { id, ...options }),
  );
  if (decided) announceDecided(context, decided);
  else if (changed) context.changes.publish(id);
  return step;
}

async function actUnderLock(
  trx: Trx,
  runtime: Runtime,
  { id, floor, by, evaluated, answers }: LockedStep & { readonly id: string },
): Promise<LockedOutcome> {
  const locked = await lockRequest(trx, id, floor);
  if (!locked) return { step: GONE };
  const { request } = locked;
  if (isTerminal(request.state)) {
    await clearWake(trx, id);
    return { step: ended(request) };
  }
  const expired = await expireIfDue(trx, locked, { wake: false });
  if (expired) return { step: ended(expired), decided: expired };
  if (request.state === 'pending')
    return { step: await walk(trx, runtime, { locked, by, answers }), changed: true };
  if (!evaluated) throw new Error('a request cannot return to the state evaluating');
  if ('ask' in evaluated)
    return (await refuseAtCap(trx, runtime, locked))
      ? { step: GONE, changed: true }
      : { step: toAsk(request, evaluated) };
  if (evaluated.verdict.outcome !== 'human') {
    const decided = await recordDecision(trx, locked, decisionOf(id, evaluated));
    return decided ? { step: ended(decided), decided } : { step: GONE };
  }
  const routed = await handOver(trx, runtime, { locked, evaluated });
  return {
    step: routed
      ? await walk(trx, runtime, { locked: { ...locked, request: routed }, by, answers })
      : GONE,
    changed: true,
  };
}

async function walk(
  trx: Trx,
  runtime: Runtime,
  { locked, by, answers }: Pick<LockedStep, 'by' | 'answers'> & { readonly locked: LockedRequest },
): Promise<RequestStep> {
  const { request, now } = await releaseIfLost(trx, await lapseIfDue(trx, locked));
  const revisionId = request.route?.pathRevisionId;
  const path =
    revisionId === undefined ? undefined : await loadEscalationPathRevision(trx, revisionId);
  const walked = await walkOn(trx, runtime, { request, now, by, path, answers });
  return { kind: 'wait', ...walked, ...(path && { path: path.pathKey }) };
}
