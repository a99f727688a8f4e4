/**
 * The one function that moves a request forward. The request's workflow calls it; the reconciler does when the workflow is
 * missing, and the call that creates a request for its first step. Idempotent.
 */
import { v7 } from 'uuid';
import { lockAccessShared } from '../../data/organization/organizations.ts';
import { commit, type Guard } from '../../data/requests/engine/commit.ts';
import { lockPathOf, lockRequests, lockRequestToRemove } from '../../data/requests/engine/lock.ts';
import { readView, type Need } from '../../data/requests/engine/view.ts';
import { lockPendingCount } from '../../data/requests/pending-caps.ts';
import type { Question } from '../../domain/pipelines/verdict.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import {
  isEmpty,
  isFinalNow,
  isShown,
  type Effects,
} from '../../domain/requests/engine/effects.ts';
import { refusedButKept } from '../../domain/requests/engine/pending-cap.ts';
import {
  GONE,
  planStep,
  type Evaluated,
  type Incomplete,
  type RequestStep,
  type StepPlan,
} from '../../domain/requests/engine/step.ts';
import type { RequestView } from '../../domain/requests/engine/view.ts';
import type { StepBy } from '../../domain/requests/engine/walk.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import type { AfterBlock } from './ask-block.ts';
import type { KnownMatches } from '../evaluation/conditions.ts';
import { evaluatePinned } from '../evaluation/evaluate.ts';
import { announceDecided } from './announce.ts';
import { TRIES_WITHOUT_LOCKS, untilCommitted } from './change.ts';
import { evaluateDocuments, loadDocuments } from './documents.ts';
import { observeLevel } from './lateness.ts';

export interface StepOptions {
  /** An instant known to have passed: the row's clock is never before it. */
  readonly floor: Date;
  readonly by: StepBy;
}

export async function stepRequest(
  context: ServiceContext,
  id: string,
  options: StepOptions,
): Promise<RequestStep> {
  return await stepFrom(context, id, options);
}

/** The first step of a request that this call has just created, with the verdict if that is known. */
export async function stepCreated(
  context: ServiceContext,
  { id, createdAt }: ApprovalRequest,
  evaluated: Evaluated | Question | undefined,
): Promise<RequestStep> {
  // The row's clock is never before its creation.
  return await stepFrom(context, id, { floor: createdAt, by: 'create', evaluated });
}

/** The step after a block whose result this call has just written. */
export async function stepAfterBlock(
  context: ServiceContext,
  { request, progress }: AfterBlock,
): Promise<RequestStep> {
  const evaluated = await evaluatePinned(context, request, progress);
  // The row's clock is never before the result.
  return await stepFrom(context, request.id, { floor: new Date(0), by: 'workflow', evaluated });
}

/** What a step has found out, and keeps for its further tries. */
interface Stepping extends StepOptions {
  evaluated?: Evaluated | Question | undefined;
  organizationId?: string;
  readonly matches: KnownMatches;
}

async function stepFrom(
  context: ServiceContext,
  id: string,
  options: StepOptions & Pick<Stepping, 'evaluated'>,
): Promise<RequestStep> {
  const stepping: Stepping = { ...options, matches: new Map() };
  for (let tries = 1; tries <= TRIES_WITHOUT_LOCKS; tries += 1) {
    // The block may have its result by now. Under locks no rules run; asking a block that has its result leads to another step.
    if (tries > 1 && stepping.evaluated && 'ask' in stepping.evaluated)
      stepping.evaluated = undefined;
    const taken = await attempt(context.db, context, { id, stepping });
    if (taken === 'exact_count') break;
    if (taken) return announced(context, taken);
  }
  return announced(context, await stepLocked(context, { id, stepping }));
}

interface Taken {
  readonly step: RequestStep;
  /** Committed. Absent when nothing was to be written. */
  readonly effects?: Effects | undefined;
}

interface Attempt {
  readonly id: string;
  readonly stepping: Stepping;
  /** The transaction that holds the locks of access, of the request, and of the count of pending requests. */
  readonly locked?: Trx | undefined;
}

/** Undefined when something has changed meanwhile. */
async function attempt(
  db: Db,
  context: ServiceContext,
  { id, stepping, locked }: Attempt,
): Promise<Taken | 'exact_count' | undefined> {
  let people = waitsForPeople(stepping.evaluated);
  for (;;) {
    const view = await readView(db, id, needOf(context, stepping, people));
    if (!view) return { step: GONE };
    stepping.organizationId = view.request.organizationId;
    let plan = await planOf(db, context, { view, stepping, locked });
    if (isLacking(plan, 'verdict')) {
      if (locked) throw new Error('a request cannot return to the state evaluating');
      stepping.evaluated = await evaluatePinned(context, view.request);
      plan = await planOf(db, context, { view, stepping, locked });
    }
    const { step, effects } = plan;
    if (step.kind !== 'incomplete') return await write(db, context, { step, effects, locked });
    if (step.lacks === 'exact_count') return 'exact_count';
    people = true;
  }
}

function waitsForPeople(evaluated: Stepping['evaluated']): boolean {
  return evaluated !== undefined && ('ask' in evaluated || evaluated.verdict.outcome === 'human');
}

function isLacking({ step }: StepPlan, what: Incomplete['lacks']): boolean {
  return step.kind === 'incomplete' && step.lacks === what;
}

function needOf(
  { limits }: ServiceContext,
  { floor, evaluated }: Stepping,
  withPeople: boolean,
): Need {
  if (!withPeople) return { floor, texts: true };
  const paths = evaluated && 'paths' in evaluated ? evaluated.paths : [];
  const pathKeys = paths.map(({ key }) => key);
  return { floor, texts: true, people: { pathKeys, cap: limits.pendingRequests } };
}

async function planOf(
  db: Db,
  context: ServiceContext,
  { view, stepping, locked }: Omit<Attempt, 'id'> & { readonly view: RequestView },
): Promise<StepPlan> {
  const { by, evaluated, matches: known } = stepping;
  const metadata = evaluated && 'verdict' in evaluated ? evaluated.previousMetadata : undefined;
  const loaded = await loadDocuments(db, view);
  const documents = await evaluateDocuments(context, loaded, { view, metadata, known });
  const isExactCount = locked !== undefined;
  return planStep(view, { by, decisionId: v7(), evaluated, documents, isExactCount });
}

interface Planned extends Taken {
  readonly locked: Trx | undefined;
}

async function write(
  db: Db,
  context: ServiceContext,
  { step, effects, locked }: Planned,
): Promise<Taken | undefined> {
  if (!effects || isEmpty(effects)) return { step };
  const { view, request } = effects;
  if (view.wakeAt && isResumed(effects)) {
    context.workflowSync.resumed.set(request.id, view.wakeAt);
    return { step };
  }
  const guard: Guard = {
    depends: view.routing ? 'access' : 'row',
    byEmail: context.mailer !== undefined,
    ...(!locked && { cap: context.limits.pendingRequests }),
  };
  if (locked && effects.isRemoved) return await remove(locked, context, { step, effects, guard });
  if (locked && view.pathRevisionId !== undefined) await lockPathOf(locked, view.pathRevisionId);
  return (await commit(db, [effects], guard)).size > 0 ? { step, effects } : undefined;
}

/** Nothing is due, and the workflow has come after the reconciler. Its tries are cleared in sets. */
function isResumed(effects: Effects): boolean {
  return isEmpty({ ...effects, wakeAttempts: effects.view.wakeAttempts });
}

/** A request that cannot be removed is cancelled. */
async function remove(
  trx: Trx,
  { logger }: ServiceContext,
  { step, effects, guard }: Taken & { readonly effects: Effects; readonly guard: Guard },
): Promise<Taken | undefined> {
  try {
    const done = await trx.transaction(
      async (savepoint) => await commit(savepoint, [effects], guard),
    );
    return done.size > 0 ? { step, effects } : undefined;
  } catch (error) {
    const { id } = effects.request;
    logger.error({ err: error, approvalRequest: id }, 'a refused request could not be removed');
    const kept = refusedButKept(effects, v7());
    return (await commit(trx, [kept], guard)).size > 0 ? { step, effects: kept } : undefined;
  }
}

async function stepLocked(context: ServiceContext, { id, stepping }: Attempt): Promise<Taken> {
  const { organizationId } = stepping;
  if (organizationId === undefined) return { step: GONE };
  return await context.db.transaction(async (trx) => {
    await lockAccessShared(trx, organizationId);
    if (waitsForPeople(stepping.evaluated)) {
      await lockRequestToRemove(trx, id);
      await lockPendingCount(trx, organizationId);
    } else await lockRequests(trx, [id]);
    return await untilCommitted(async () => {
      const taken = await attempt(trx, context, { id, stepping, locked: trx });
      return taken === 'exact_count' ? undefined : taken;
    });
  });
}

function announced(context: ServiceContext, { step, effects }: Taken): RequestStep {
  if (!effects) return step;
  const { request } = effects;
  observeLevel(context, effects);
  if (isFinalNow(effects)) announceDecided(context, request);
  else if (isShown(effects)) context.changes.publish(request.id);
  return step;
}
