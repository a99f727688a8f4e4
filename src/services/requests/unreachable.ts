/**
 * Unreachable approvers: a claim ends when its holder may no longer decide, and a level ends when
 * none of the people it notified may. When no one is left to decide at all, owners are told once. A
 * change that takes rights away wakes such requests (`wakeUnreachable`), so that they are stepped
 * at once.
 */
import { insertAuditEvents } from '../../data/audit-events.ts';
import type { LockedRequest } from '../../data/requests/lock.ts';
import { findNotifiedSteps, mayStillDecide } from '../../data/requests/unreachable.ts';
import { findOwners, findUnreachable } from '../../data/requests/unreachable-notices.ts';
import { requestEvent } from '../../domain/audit.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { stepKey, UNREACHABLE_STEP } from '../../domain/escalation/step-keys.ts';
import type { WalkInput } from '../../domain/escalation/walk.ts';
import type { WalkState } from '../../domain/escalation/walk-state.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { Runtime } from '../context.ts';
import type { LoadedEscalationPath } from '../escalation/escalation-paths.ts';
import { withoutClaim } from './settle.ts';
import { recordStep } from './walk/walk-record.ts';

/**
 * Inside the locking transaction: ends a claim whose holder may no longer decide, and the walk
 * continues.
 */
export async function releaseIfLost(trx: Trx, locked: LockedRequest): Promise<LockedRequest> {
  const { id, claim } = locked.request;
  if (!claim || (await mayStillDecide(trx, id, claim.membershipId))) return locked;
  return await withoutClaim(trx, locked, {
    verb: 'claim_released',
    reason: 'holder_cannot_decide',
  });
}

/** For a walk that is in the middle of a level. */
export async function unreachableSteps(
  db: Db,
  id: string,
  { place }: WalkState,
): Promise<NonNullable<WalkInput['isUnreachable']>> {
  if (place.nodeId === undefined) return () => false;
  const level = stepKey({ nodeId: place.nodeId, run: place.run });
  const steps = await findNotifiedSteps(db, { id, level });
  const lost = new Set(steps.flatMap((step) => (step.lost ? [step.stepKey] : [])));
  const isEmpty = steps.length > 0 && lost.size === steps.length;
  // Only the current level: people notified in this very step may decide.
  return (step) => (step.team ? lost.has(stepKey(step)) : isEmpty && stepKey(step) === level);
}

export interface WaitingAlone {
  readonly request: ApprovalRequest;
  readonly now: Date;
  /** Absent, like `state`, for a request without a path. */
  readonly path?: LoadedEscalationPath | undefined;
  readonly state?: WalkState;
}

/**
 * Tells the owners, once in the life of a request, that no one is left to decide it. Call it when
 * the level of the request waits for no one it has notified. False when someone may decide, or
 * owners were told before.
 */
export async function tellIfUnreachable(
  trx: Trx,
  runtime: Runtime,
  { request: { id, organizationId }, now, path, state }: WaitingAlone,
): Promise<boolean> {
  const over = !state || isOver(state);
  if ((await findUnreachable(trx, [{ id, over }])).length === 0) return false;
  const owners = await findOwners(trx, organizationId);
  await recordStep(trx, runtime, {
    requestId: id,
    organizationId,
    stepKey: UNREACHABLE_STEP,
    run: 1,
    kind: 'notified',
    at: now,
    membershipIds: owners.map(({ membershipId }) => membershipId),
  });
  const event = requestEvent(id, 'unreachable', {
    path_key: path?.pathKey,
    reason: state ? (over ? 'path_exhausted' : 'no_decider_on_path') : 'no_decider',
    told: owners.map(({ membershipId, displayName }) => ({
      membership_id: membershipId,
      display_name: displayName,
    })),
  });
  await insertAuditEvents(trx, organizationId, { events: [event], occurredAt: now });
  return true;
}

/** The walk asks no one further. */
export const isOver = ({ place }: WalkState): boolean => place.phase === 'exhausted';
