/**
 * The wait of a request as its row says, if a step would write the same. No lock is needed to see
 * that: a change that makes a step due also moves `next_at` or `wake_at`, or is a claim.
 */
import type { ReadRequest } from '../../../data/requests/read.ts';
import { dueAt, type WalkState } from '../../../domain/escalation/walk-state.ts';
import type { Db } from '../../../platform/postgres.ts';
import { loadEscalationPathRevision } from '../../escalation/escalation-paths.ts';
import { planOf, stateOf, type StepBy, type WalkResult } from './walk.ts';

/** Undefined when something may be due, or the row waits for something else. */
export async function plannedWait(
  db: Db,
  { request, now, wakeAt }: ReadRequest,
  { floor, by }: { readonly floor: Date; readonly by: StepBy },
): Promise<(WalkResult & { readonly path: string }) | undefined> {
  const revisionId = request.route?.pathRevisionId;
  const isWalking = request.state === 'pending' && revisionId !== undefined && !request.claim;
  if (!isWalking || floor > now || now >= request.deadlineAt) return undefined;
  const path = await loadEscalationPathRevision(db, revisionId);
  const state = stateOf(request, path);
  if (!isAtRest(state, now)) return undefined;
  const { urgency } = request;
  const progress = { state, urgency, noticeable: false, rightsChanging: false };
  const { plan, walked } = planOf({ request, now, by, path }, progress);
  const isPlanned =
    plan.nextAt?.getTime() === request.nextAt?.getTime() &&
    plan.wakeAt.getTime() === wakeAt?.getTime();
  return isPlanned ? { ...walked, path: path.pathKey } : undefined;
}

/** It waits until after `now`, or the walk is over. */
function isAtRest(state: WalkState, now: Date): boolean {
  const isEntering = [state, ...state.teams].some(({ place }) => place.phase === 'enter');
  const due = dueAt(state);
  return !isEntering && (due === undefined || due > now);
}
