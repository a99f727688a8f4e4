/**
 * Moves a request forward by one step: the call of its workflow, of the reconciler when the workflow is missing, and of the call that
 * creates the request. Idempotent. `late-levels.ts` makes the steps of many requests at once.
 */
import { v7 } from 'uuid';
import { lockAccessShared } from '../../data/organization/organizations.ts';
import { lockRequests, lockRequestToRemove } from '../../data/requests/engine/lock.ts';
import type { Need } from '../../data/requests/engine/view.ts';
import { lockPendingCount } from '../../data/requests/pending-caps.ts';
import type { Question } from '../../domain/pipelines/verdict.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import {
  isEmpty,
  isFinalNow,
  isShown,
  type Effects,
  type Plan,
} from '../../domain/requests/engine/effects.ts';
import { refusedButKept } from '../../domain/requests/engine/pending-cap.ts';
import {
  GONE,
  isToEvaluate,
  planStep,
  type Evaluated,
  type Incomplete,
  type RequestStep,
} from '../../domain/requests/engine/step.ts';
import type { Documents, RequestView } from '../../domain/requests/engine/view.ts';
import type { StepBy } from '../../domain/requests/engine/walk.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import type { AfterBlock } from './ask-block.ts';
import type { KnownMatches } from '../evaluation/conditions.ts';
import { evaluatePinned } from '../evaluation/evaluate.ts';
import { announceDecided } from './announce.ts';
import { evaluateDocuments, loadDocuments } from './documents.ts';
import { drive, outcomeOf, type Basis, type Changed, type Source } from './drive.ts';
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
  stepping.evaluated ??= await evaluateCreated(context, id);
  const driven = await drive(context, {
    ids: [id],
    caller: undefined,
    need: (withPeople) => needOf(context, stepping, withPeople),
    load: async (view, from) => await load(context, stepping, { view, ...from }),
    plan: (basis) => planOf(options.by, basis),
    lock: async (trx) => {
      await lockFirst(trx, id, stepping);
    },
    again: () => {
      // The block may have its result by now. Under locks no rules run; asking a block that has its result leads to another step.
      if (stepping.evaluated && 'ask' in stepping.evaluated) stepping.evaluated = undefined;
    },
    // A request that cannot be removed is cancelled.
    unremoved: (effects, error) => {
      context.logger.error(
        { err: error, approvalRequest: id },
        'a refused request could not be removed',
      );
      return refusedButKept(effects, v7());
    },
  });
  const stepped = driven.get(id);
  return stepped ? announced(context, stepped) : GONE;
}

/** The rules of a request that this process has just created. */
async function evaluateCreated(
  context: ServiceContext,
  id: string,
): Promise<Evaluated | Question | undefined> {
  const { created } = context.workflowSync;
  const request = created.get(id);
  created.delete(id);
  return request && (await evaluatePinned(context, request));
}

function waitsForPeople(evaluated: Stepping['evaluated']): boolean {
  return evaluated !== undefined && ('ask' in evaluated || evaluated.verdict.outcome === 'human');
}

function needOf(
  { limits }: ServiceContext,
  { floor, evaluated }: Stepping,
  withPeople: boolean,
): Need {
  if (!withPeople && !waitsForPeople(evaluated)) return { floor, texts: true };
  const paths = evaluated && 'paths' in evaluated ? evaluated.paths : [];
  const pathKeys = paths.map(({ key }) => key);
  return { floor, texts: true, people: { pathKeys, cap: limits.pendingRequests } };
}

interface Facts {
  readonly evaluated: Stepping['evaluated'];
  readonly documents: Documents;
  readonly isLocked: boolean;
}

/** The rules of a request that is evaluated, and what conditions of its path say. */
async function load(
  context: ServiceContext,
  stepping: Stepping,
  { view, db, isLocked }: Source & { readonly view: RequestView },
): Promise<Facts> {
  stepping.organizationId = view.request.organizationId;
  if (!stepping.evaluated && isToEvaluate(view)) {
    if (isLocked) throw new Error('a request cannot return to the state evaluating');
    stepping.evaluated = await evaluatePinned(context, view.request);
  }
  const { evaluated, matches: known } = stepping;
  const metadata = evaluated && 'verdict' in evaluated ? evaluated.previousMetadata : undefined;
  const loaded = await loadDocuments(db, view);
  const documents = await evaluateDocuments(context, loaded, { view, metadata, known });
  return { evaluated, documents, isLocked };
}

interface Stepped {
  readonly step: RequestStep;
  /** The workflow came after the reconciler, whose next look this is. Its tries are cleared in sets. */
  readonly resumedAt?: Date;
}

function planOf(
  by: StepBy,
  { view, facts: { isLocked, ...facts }, decisionId }: Basis<undefined, Facts>,
): Plan<Stepped> | Incomplete {
  const { step, effects } = planStep(view, { by, decisionId, ...facts, isExactCount: isLocked });
  if (step.kind === 'incomplete') return step;
  if (!effects || isEmpty(effects)) return { outcome: { step } };
  return view.wakeAt && isResumed(effects)
    ? { outcome: { step, resumedAt: view.wakeAt } }
    : { effects, outcome: { step } };
}

/** Nothing is due, and only the reconciler's tries are to be cleared. */
function isResumed(effects: Effects): boolean {
  return isEmpty({ ...effects, wakeAttempts: effects.view.wakeAttempts });
}

async function lockFirst(
  trx: Trx,
  id: string,
  { organizationId, evaluated }: Stepping,
): Promise<void> {
  if (organizationId === undefined) throw new Error('a step locks what it has read before');
  await lockAccessShared(trx, organizationId);
  if (!waitsForPeople(evaluated)) await lockRequests(trx, [id]);
  else {
    await lockRequestToRemove(trx, id);
    await lockPendingCount(trx, organizationId);
  }
}

function announced(context: ServiceContext, changed: Changed<Stepped>): RequestStep {
  const { step, resumedAt } = outcomeOf(changed);
  const { effects, view } = changed;
  if (resumedAt) context.workflowSync.resumed.set(view.request.id, resumedAt);
  if (!effects) return step;
  const { request } = effects;
  observeLevel(context, effects);
  if (isFinalNow(effects)) announceDecided(context, request);
  else if (isShown(effects)) context.changes.publish(request.id);
  return step;
}
