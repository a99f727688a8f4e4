/** Which people a step did not reach, although they may decide. */
import { levelKey, stepKey, type StepPlace } from '../../escalation/step-keys.ts';
import type { DeliveryFailure } from '../../channels.ts';
import { routingOf, type Effects } from './effects.ts';
import { decidersOfRequest, type PathRevision } from './view.ts';

/** A person who may decide and got no message of a step, and why. */
export interface UnreachedReason extends DeliveryFailure {
  readonly membershipId: string;
}

/** Why a step that the walk leaves reached none of those who may decide. Empty when none may. */
export function unreachedReasons(
  effects: Effects,
  { step, path }: { readonly step: StepPlace; readonly path: PathRevision },
): readonly UnreachedReason[] {
  const mayDecide = decidersOfRequest(effects.view, path);
  const key = stepKey(step);
  const there = routingOf(effects).notified.filter(
    (each) => (step.team ? each.stepKey : levelKey(each.stepKey)) === key,
  );
  const first = new Map(there.map((each) => [each.membershipId, each]));
  return [...first.values()].flatMap(({ membershipId, unreached = [] }) =>
    mayDecide.has(membershipId) ? unreached.map((failure) => ({ membershipId, ...failure })) : [],
  );
}
