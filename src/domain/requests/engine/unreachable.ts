/**
 * Unreachable approvers: a claim ends when its holder may no longer decide. A level ends when none of the people it notified
 * may, or when no message reached those who may. When no one is left to decide at all, the owners are told once. A change
 * that takes rights away and a message that fails for good make such requests due, so that they are stepped at once.
 */
import { requestEvent } from '../../audit/events.ts';
import { levelKey, stepKey, UNREACHABLE_STEP } from '../../escalation/step-keys.ts';
import type { WalkInput } from '../../escalation/walk.ts';
import type { WalkState } from '../../escalation/walk-state.ts';
import { recorded, routingOf, withoutClaim, type Effects } from './effects.ts';
import { notified } from './notify.ts';
import {
  decidersOfRequest,
  targetedMembers,
  type NotifiedMember,
  type PathRevision,
} from './view.ts';

type Path = PathRevision | undefined;

/** Without the claim of a holder who may no longer decide. */
export function withoutLostClaim(effects: Effects, path: Path): Effects {
  const { claim } = effects.request;
  if (!claim || decidersOfRequest(effects.view, path).has(claim.membershipId)) return effects;
  return withoutClaim(effects, { verb: 'claim_released', reason: 'holder_cannot_decide' });
}

/** For a walk that is in the middle of a level. */
export function unreachableSteps(
  effects: Effects,
  { place }: WalkState,
  path: PathRevision,
): NonNullable<WalkInput['isUnreachable']> {
  if (place.nodeId === undefined) return () => false;
  const level = stepKey({ nodeId: place.nodeId, run: place.run });
  const mayDecide = decidersOfRequest(effects.view, path);
  const reachable = new Map<string, boolean>();
  for (const { stepKey: key, membershipId, unreached } of routingOf(effects).notified) {
    if (levelKey(key) !== level) continue;
    const isReached = unreached === undefined && mayDecide.has(membershipId);
    reachable.set(key, (reachable.get(key) ?? false) || isReached);
  }
  const isEmpty = reachable.size > 0 && ![...reachable.values()].includes(true);
  // Only the current level: people notified in this very step may decide.
  return (step) =>
    step.team ? reachable.get(stepKey(step)) === false : isEmpty && stepKey(step) === level;
}

/** The walk asks no one further. */
export const isOver = ({ place }: WalkState): boolean => place.phase === 'exhausted';

/**
 * Tells the owners, once in the life of a request, that no one is left to decide it: none of the people who were asked may,
 * or no message reached them, and no one is to come. For a request that waits for no one it has notified at its level. `state` is absent without a path.
 */
export function withOwnersTold(
  effects: Effects,
  { path, state }: { readonly path: Path; readonly state?: WalkState | undefined },
): Effects {
  const { view, request } = effects;
  const { people, notified: before, isToldUnreachable } = routingOf(effects);
  const mayDecide = decidersOfRequest(view, path);
  const asked: readonly Pick<NotifiedMember, 'membershipId' | 'unreached'>[] = [
    ...before,
    ...effects.notifications,
  ];
  const mayAct = asked.filter(({ membershipId }) => mayDecide.has(membershipId));
  if (isToldUnreachable || mayAct.some(({ unreached }) => unreached === undefined)) return effects;
  const isLast = !path || !state || isOver(state);
  if (!isLast && targetedMembers(people, path.targets).size > 0) return effects;
  const owners = people.deciders.filter(({ isOwner }) => isOwner);
  const told = notified(effects, {
    stepKey: UNREACHABLE_STEP,
    run: 1,
    kind: 'notified',
    membershipIds: owners.map(({ membershipId }) => membershipId),
  });
  const event = requestEvent(request.id, 'unreachable', {
    path_key: path?.pathKey,
    reason: mayAct.length > 0 ? 'not_reached' : reasonOf(state, isLast),
    told: owners.map(({ membershipId, displayName }) => ({
      membership_id: membershipId,
      display_name: displayName,
    })),
  });
  return recorded(told.effects, event);
}

function reasonOf(state: WalkState | undefined, isLast: boolean): string {
  if (!state) return 'no_decider';
  return isLast ? 'path_exhausted' : 'no_decider_on_path';
}
