/** A reviewer asks colleagues for help with one request: the candidates, and adding them. */
import { findTeamRosters } from '../../data/escalation/team-escalation-policies.ts';
import { findAddedReviewers, findNotified } from '../../data/requests/added-reviewers.ts';
import { listDeciders } from '../../data/requests/deciders.ts';
import { AppError } from '../../domain/errors.ts';
import type { TeamRoster } from '../../domain/escalation/recipients.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import type { AddedReviewer } from '../../domain/requests/added-reviewers.ts';
import { requireForAgent } from '../../domain/requests/agent-permission.ts';
import type { Decider } from '../../domain/requests/deciders.ts';
import { planAddReviewers } from '../../domain/requests/engine/reviewers.ts';
import { isInAudience, mayDecide, type Audience } from '../../domain/requests/request-access.ts';
import type { ServiceContext } from '../context.ts';
import { announceChange } from '../engine/announce.ts';
import { changeRequest } from '../engine/change.ts';
import { outcomeOf } from '../engine/drive.ts';
import { readSettled } from '../engine/settle.ts';
import { readPage } from '../pages.ts';
import { readAudience } from './audience.ts';

export interface ReviewerCandidate extends Decider {
  readonly email: string;
  /** On the path already, or added before. */
  readonly alreadyRouted: boolean;
  /** When they were first notified. People on a level that is not reached yet were not. */
  readonly notifiedAt: Date | undefined;
}

export interface ReviewerCandidatePage {
  readonly candidates: readonly ReviewerCandidate[];
  /** The membership after which the next page starts; absent on the last one. */
  readonly next?: string;
}

/**
 * Active members who may decide for the agent, by name. Throws `not_found`, and
 * `request_not_routed` unless the caller may decide it.
 */
export async function listReviewerCandidates(
  context: ServiceContext,
  principal: MemberPrincipal,
  {
    id,
    ...page
  }: {
    readonly id: string;
    readonly q: string;
    readonly limit: number;
    readonly after: string | undefined;
  },
): Promise<ReviewerCandidatePage> {
  const request = await readSettled(context, id);
  if (request?.organizationId !== principal.organizationId) throw new AppError('not_found');
  requireForAgent(principal, 'request.decide', request.agentSlug);
  const audience = await readAudience(context.db, request);
  if (!mayDecide(principal, request, audience)) throw new AppError('request_not_routed');
  const { organizationId, agentSlug } = request;
  const { items, last } = await readPage(page.limit, (limit) =>
    listDeciders(context.db, organizationId, { ...page, agentSlug, limit }),
  );
  const notified = await findNotified(context.db, id);
  const rosters = await findTeamRosters(context.db, organizationId, namedTeams(audience));
  const candidates = items.map((each) => {
    const candidate = {
      membershipId: each.membershipId,
      teamIds: teamsOf(each.membershipId, rosters),
    };
    return {
      ...each,
      alreadyRouted: isInAudience(candidate, audience),
      notifiedAt: notified.get(each.membershipId),
    };
  });
  return { candidates, ...(last && { next: last.membershipId }) };
}

/** The teams that a path targets. */
function namedTeams({ targets = [] }: Pick<Audience, 'targets'>): readonly string[] {
  return targets.flatMap((target) => (target.type === 'team' ? [target.id] : []));
}

/** The teams of the rosters (live teams only) that a member belongs to. */
function teamsOf(
  membershipId: string,
  rosters: ReadonlyMap<string, TeamRoster>,
): readonly string[] {
  return [...rosters].flatMap(([teamId, { members }]) =>
    members.some((each) => each.membershipId === membershipId) ? [teamId] : [],
  );
}

interface AddInput {
  readonly id: string;
  readonly membershipIds: readonly string[];
}

/**
 * All reviewers added to the request so far. New ones are notified once, even if the path targets
 * them or the request is claimed. Throws `not_found`, 403 `membership_inactive`,
 * `request_not_routed`, 409 `request_evaluating`, `request_not_pending`, and 400 for people who may
 * not decide for the agent.
 */
export async function addReviewers(
  context: ServiceContext,
  caller: MemberPrincipal,
  { id, membershipIds }: AddInput,
): Promise<AddedReviewer[]> {
  const people = { pathKeys: [], cap: context.limits.pendingRequests };
  const changed = await changeRequest(context, {
    id,
    caller,
    need: { texts: true, people },
    plan: ({ view, path, caller: principal, decisionId }) =>
      planAddReviewers(view, { principal, path, membershipIds, decisionId }),
  });
  announceChange(context, changed, 'changed');
  outcomeOf(changed);
  return await findAddedReviewers(context.db, id);
}
