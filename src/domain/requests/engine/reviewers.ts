/** A reviewer asks colleagues for help with one request. */
import { actorOf, requestEvent } from '../../audit/events.ts';
import { invalid, type Issue } from '../../errors.ts';
import { ADDED_STEP } from '../../escalation/step-keys.ts';
import type { MemberPrincipal } from '../../people/authorization.ts';
import { notPending, requireRights, requireState } from '../refusals.ts';
import { isFinalNow, noticed, recorded, routingOf, type Plan } from './effects.ts';
import { withLapseTold } from './lapsed.ts';
import { notified, personOf } from './notify.ts';
import { settled } from './settle.ts';
import type { PathRevision, RequestView } from './view.ts';

interface AddReviewersAct {
  readonly principal: MemberPrincipal;
  readonly path: PathRevision | undefined;
  readonly membershipIds: readonly string[];
  /** Of the decision, if the request expires. */
  readonly decisionId: string;
}

/**
 * New reviewers are notified once, even if the path targets them or the request is claimed. The walk continues unchanged.
 * Throws what `requireRights` and `requireState` do, and 400 for people who may not decide for the agent.
 */
export function planAddReviewers(
  view: RequestView,
  { principal, path, membershipIds, decisionId }: AddReviewersAct,
): Plan<undefined> {
  const { request } = view;
  const audience = { targets: path?.targets, added: view.added };
  requireRights('add_reviewers', { principal, request, audience });
  const effects = settled(view, { decisionId, wakes: true });
  if (isFinalNow(effects)) return { effects, outcome: notPending(effects.request.state) };
  requireState('add_reviewers', { principal, request });
  const { deciders } = routingOf(effects).people;
  refuseUnlessDeciders(membershipIds, new Set(deciders.map((each) => each.membershipId)));
  const wanted = new Set(membershipIds.filter((id) => !view.added.includes(id)));
  const added = deciders.map((each) => each.membershipId).filter((id) => wanted.has(id));
  if (added.length === 0) return { effects: withLapseTold(effects, path), outcome: undefined };
  const asked = notified(effects, {
    stepKey: ADDED_STEP,
    run: 1,
    kind: 'notified',
    membershipIds: added,
  });
  const data = { added: added.map((id) => personOf(effects, id)), by: principal.membershipId };
  const event = { ...requestEvent(request.id, 'reviewers_added', data), actor: actorOf(principal) };
  const addedReviewers = { by: principal.membershipId, membershipIds: added };
  return {
    effects: withLapseTold(noticed(recorded({ ...asked.effects, addedReviewers }, event)), path),
    outcome: undefined,
  };
}

function refuseUnlessDeciders(membershipIds: readonly string[], known: ReadonlySet<string>): void {
  const issues = membershipIds.flatMap((id, index): Issue[] =>
    known.has(id)
      ? []
      : [
          {
            pointer: `/membership_ids/${index}`,
            code: 'cannot_decide',
            message: 'must be an active member who may decide requests of the agent',
          },
        ],
  );
  if (issues.length > 0) throw invalid(issues);
}
