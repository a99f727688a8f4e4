/** Tells the people who were asked before a claim that it ended by itself and that the request is still open. */
import type { NewAuditEvent } from '../../audit/events.ts';
import { claimLapsedStep, UNREACHABLE_STEP } from '../../escalation/step-keys.ts';
import { isTerminal } from '../approval-requests.ts';
import { routingOf, type Effects } from './effects.ts';
import { notifiedTogether, personOf } from './notify.ts';
import { decidersOfRequest, type PathRevision } from './view.ts';

/**
 * For effects whose settling may have ended a claim. Call it after everything else that notifies people: anyone who gets another
 * message at this instant is skipped. No one is notified if the request was claimed again or decided.
 */
export function withLapseTold(effects: Effects, path: PathRevision | undefined): Effects {
  const { request, view, events } = effects;
  const { claim } = view.request;
  const lapse = events.find(({ eventType }) => eventType === LAPSED);
  if (!claim || !lapse || request.claim || isTerminal(request.state)) return effects;
  const { people, notified } = routingOf(effects);
  const mayDecide = decidersOfRequest(view, path);
  const asked = new Set(
    notified.flatMap(({ at, stepKey, membershipId }) =>
      at <= claim.claimedAt && stepKey !== UNREACHABLE_STEP ? [membershipId] : [],
    ),
  );
  const askedNow = new Set(effects.notifications.map(({ membershipId }) => membershipId));
  const told = people.deciders.flatMap(({ membershipId: id, isReachable }) =>
    isReachable && asked.has(id) && mayDecide.has(id) && !askedNow.has(id) ? [id] : [],
  );
  if (told.length === 0) return effects;
  const data = { ...lapse.data, told: told.map((id) => personOf(effects, id)) };
  return {
    ...notifiedTogether(effects, { stepKey: claimLapsedStep(claim.id), membershipIds: told }),
    events: events.map((each): NewAuditEvent => (each === lapse ? { ...each, data } : each)),
  };
}

const LAPSED = 'approval_request.claim_lapsed';
