/**
 * Nobody is waited for who can answer no longer: a claim whose holder may not decide the request any more ends, and a level goes on
 * when nobody it told is left. Whoever takes rights away wakes such requests (`wakeStranded`), so that they are stepped at once.
 */
import { endClaim, touchRequest } from '../../data/approval-requests/claims.ts';
import type { LockedRequest } from '../../data/approval-requests/lock.ts';
import { findToldSteps, mayStillDecide } from '../../data/approval-requests/stranded.ts';
import { insertAuditEvents } from '../../data/audit-events.ts';
import { requestEvent } from '../../domain/audit.ts';
import { stepKey } from '../../domain/escalation-paths/step-keys.ts';
import type { WalkInput } from '../../domain/escalation-paths/walk.ts';
import type { WalkState } from '../../domain/escalation-paths/walk-state.ts';
import type { Db } from '../../platform/postgres.ts';

/** Inside the locking transaction: a claim whose holder may decide the request no longer ends, and the walk goes on. */
export async function releaseIfLost(db: Db, locked: LockedRequest): Promise<LockedRequest> {
  const { request, now } = locked;
  const { claim, ...unclaimed } = request;
  if (!claim || (await mayStillDecide(db, request.id, claim.membershipId))) return locked;
  await endClaim(db, claim.id, now);
  const { id: claim_id, membershipId: membership_id, displayName: display_name } = claim;
  const event = requestEvent(request.id, 'claim_released', { claim_id, membership_id, display_name, reason: 'holder_cannot_decide' });
  await insertAuditEvents(db, request.organizationId, { events: [event], occurredAt: now });
  await touchRequest(db, request.id, { now, wake: false });
  return { ...locked, request: unclaimed };
}

/** For a walk that is in the middle of a level. */
export async function lostSteps(db: Db, id: string, { place }: WalkState): Promise<NonNullable<WalkInput['isLost']>> {
  if (place.nodeId === undefined) return () => false;
  const level = stepKey({ nodeId: place.nodeId, run: place.run });
  const told = await findToldSteps(db, { id, level });
  const lost = new Set(told.flatMap((step) => (step.lost ? [step.stepKey] : [])));
  const isEmpty = told.length > 0 && lost.size === told.length;
  // Only of this level: everybody told at one that is entered in this very step may decide.
  return (step) => (step.team ? lost.has(stepKey(step)) : isEmpty && stepKey(step) === level);
}
