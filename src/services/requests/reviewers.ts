/** A reviewer asks colleagues for help with one request: the candidates, and adding them. */
import type { AddedReviewer } from '../../domain/requests/added-reviewers.ts';
import type { Decider } from '../../domain/requests/deciders.ts';
import { findAddedReviewers, insertAddedReviewers } from '../../data/requests/added-reviewers.ts';
import { touchRequest } from '../../data/requests/touch.ts';
import type { LockedRequest } from '../../data/requests/lock.ts';
import { insertAuditEvents } from '../../data/audit-events.ts';
import { findDeciders, listDeciders } from '../../data/requests/deciders.ts';
import { findTeamRosters } from '../../data/escalation/team-escalation-policies.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { actorOf, requestEvent } from '../../domain/audit.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError, invalid, type Issue } from '../../domain/errors.ts';
import { ADDED_STEP } from '../../domain/escalation/step-keys.ts';
import { isInAudience, mayDecide } from '../../domain/requests/request-access.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { readPage } from '../pages.ts';
import { announceChanged } from './announce.ts';
import { lockRequestAndRereadMember } from '../people/current-callers.ts';
import { requireForAgent } from './agent-permission.ts';
import { requireRights, requireState, tooLate } from './pending.ts';
import { namedTeams, readAudience, teamsOf } from './audience.ts';
import { expireIfDue, lapseIfDue, readSettled } from './settle.ts';
import { recordStep } from './walk/walk-record.ts';

export interface ReviewerCandidate extends Decider {
  readonly email: string;
  /** On the path already, or added before. */
  readonly alreadyRouted: boolean;
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
  const rosters = await findTeamRosters(context.db, organizationId, namedTeams(audience));
  const candidates = items.map((each) => {
    const candidate = {
      membershipId: each.membershipId,
      teamIds: teamsOf(each.membershipId, rosters),
    };
    return { ...each, alreadyRouted: isInAudience(candidate, audience) };
  });
  return { candidates, ...(last && { next: last.membershipId }) };
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
  principal: MemberPrincipal,
  input: AddInput,
): Promise<AddedReviewer[]> {
  const outcome = await context.db.transaction(
    async (trx) => await addLocked(trx, context, { principal, ...input }),
  );
  if ('expired' in outcome) throw tooLate(context, outcome.expired);
  if (outcome.changed) announceChanged(context, input.id, 'changed');
  return outcome.reviewers;
}

type AddOutcome =
  | { readonly expired: ApprovalRequest }
  | { readonly reviewers: AddedReviewer[]; readonly changed: boolean };

async function addLocked(
  trx: Trx,
  runtime: Runtime,
  { principal: caller, id, membershipIds }: AddInput & { readonly principal: MemberPrincipal },
): Promise<AddOutcome> {
  const { principal, locked } = await lockRequestAndRereadMember(trx, caller, id);
  const { request } = locked;
  const audience = await readAudience(trx, request);
  requireRights('add_reviewers', { principal, request, audience });
  const expired = await expireIfDue(trx, locked, { wake: true });
  if (expired) return { expired };
  requireState('add_reviewers', { principal, request });
  const deciders = await findDeciders(trx, request.organizationId, request.agentSlug);
  refuseUnlessDeciders(membershipIds, deciders);
  const settled = await lapseIfDue(trx, locked);
  const added = await insertAddedReviewers(trx, {
    requestId: id,
    membershipIds,
    addedBy: principal.membershipId,
    at: locked.now,
  });
  if (added.length > 0)
    await notifyAdded(trx, runtime, { locked: settled, principal, added, deciders });
  return {
    reviewers: await findAddedReviewers(trx, id),
    changed: added.length > 0 || settled !== locked,
  };
}

function refuseUnlessDeciders(
  membershipIds: readonly string[],
  deciders: readonly Decider[],
): void {
  const known = new Set(deciders.map(({ membershipId }) => membershipId));
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

interface Added {
  readonly locked: LockedRequest;
  readonly principal: MemberPrincipal;
  readonly added: readonly string[];
  readonly deciders: readonly Decider[];
}

async function notifyAdded(
  trx: Trx,
  runtime: Runtime,
  { locked: { request, now }, principal, added, deciders }: Added,
): Promise<void> {
  const notified = deciders.filter(({ membershipId }) => added.includes(membershipId));
  await recordStep(trx, runtime, {
    requestId: request.id,
    organizationId: request.organizationId,
    stepKey: ADDED_STEP,
    run: 1,
    kind: 'notified',
    at: now,
    membershipIds: notified.map(({ membershipId }) => membershipId),
  });
  const people = notified.map(({ membershipId, displayName }) => ({
    membership_id: membershipId,
    display_name: displayName,
  }));
  const data = { added: people, by: principal.membershipId };
  const event = { ...requestEvent(request.id, 'reviewers_added', data), actor: actorOf(principal) };
  await insertAuditEvents(trx, request.organizationId, { events: [event], occurredAt: now });
  // The walk continues unchanged, so the workflow needs no signal.
  await touchRequest(trx, request.id, { now, wake: false });
}
