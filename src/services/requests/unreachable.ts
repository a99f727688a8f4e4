/**
 * Unreachable approvers: a claim ends when its holder may no longer decide, and a level ends when
 * none of the people it notified may. A change that takes rights away wakes such requests
 * (`wakeUnreachable`), so that they are stepped at once.
 */
import type { LockedRequest } from '../../data/requests/lock.ts';
import { findNotifiedSteps, mayStillDecide } from '../../data/requests/unreachable.ts';
import { stepKey } from '../../domain/escalation/step-keys.ts';
import type { WalkInput } from '../../domain/escalation/walk.ts';
import type { WalkState } from '../../domain/escalation/walk-state.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { withoutClaim } from './settle.ts';

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
