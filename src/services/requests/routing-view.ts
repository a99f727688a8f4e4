/** The reviewer's view of the escalation: levels with their people, and the timeline. */
import { listAuditEventsOf } from '../../data/audit/events.ts';
import { findTargetNames } from '../../data/escalation/target-names.ts';
import { findAddedReviewers } from '../../data/requests/added-reviewers.ts';
import { readView } from '../../data/requests/engine/view.ts';
import { findSteps } from '../../data/requests/steps.ts';
import { findNotifiedMembers } from '../../data/requests/unreached.ts';
import type { AuditEvent } from '../../domain/audit/events.ts';
import { AppError } from '../../domain/errors.ts';
import {
  routingView,
  type RecordedStep,
  type RoutingInput,
  type RoutingView,
} from '../../domain/escalation/routing-view.ts';
import { callerIdOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import type { EscalationPathSource } from '../../domain/pipelines/types.ts';
import type { AddedReviewer } from '../../domain/requests/added-reviewers.ts';
import { isTerminal, type ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import {
  decidersOfRequest,
  type PathRevision,
  type RequestView,
  type Routing,
} from '../../domain/requests/engine/view.ts';
import { stateOf } from '../../domain/requests/engine/walk.ts';
import { withPeople, type RoutedLevel } from '../../domain/requests/routed-people.ts';
import { timelineOf, type TimelineEvent } from '../../domain/requests/timeline.ts';
import type { LongList } from '../../platform/long-list.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { evaluateDocuments, loadDocuments } from '../engine/documents.ts';
import { readSettled } from '../engine/settle.ts';
import {
  loadEscalationPathRevision,
  type LoadedEscalationPath,
} from '../escalation/escalation-paths.ts';
import { getRequest, refuseOutside } from './queue.ts';

/**
 * `source`: `pipeline` when the pipeline decided by itself; absent for a request that ended before
 * the pipeline concluded.
 */
export type RequestRouting = Omit<RoutingView, 'levels'> & {
  readonly pathKey?: string;
  readonly pathName?: string;
  readonly revision?: number;
  readonly source?: EscalationPathSource | 'pipeline';
  readonly blockId?: string;
  readonly reason?: string;
  readonly urgency: ApprovalRequest['urgency'];
  readonly levels: readonly RoutedLevel[];
  readonly added: readonly AddedReviewer[];
};

/** Throws as `getRequest` does: `not_found`, `request_not_routed`. */
export async function getRouting(
  context: ServiceContext,
  principal: ProductPrincipal,
  id: string,
): Promise<RequestRouting> {
  const settled = await readSettled(context, id);
  if (settled?.organizationId !== principal.organizationId) throw new AppError('not_found');
  const facts = await readFacts(context, id);
  const { request, now } = facts.view;
  const path = await pathOf(context.db, facts.view);
  const audience = { targets: path?.targets, added: facts.view.added };
  refuseOutside(audience, { principal, request });
  const shown = routingView({
    request: stageOf(request),
    ...(path && { route: await routeOf(context, facts, { path, principal }) }),
    steps: facts.steps,
    claimed: request.claim !== undefined && !request.claim.lapsed,
    now,
  });
  return {
    ...shown,
    ...(path && { pathKey: path.pathKey, pathName: path.name, revision: path.revision }),
    ...(request.route
      ? originOfRoute(request.route)
      : await decidedByPipeline(context.db, request)),
    urgency: request.urgency,
    levels: path ? await levelsWithPeople(context.db, facts, { path, ...shown }) : [],
    added: facts.added,
  };
}

/** The audit events of one request, with the people they did not reach, oldest first. Throws as `getRequest` does. */
export async function getTimeline(
  context: ServiceContext,
  principal: ProductPrincipal,
  id: string,
): Promise<LongList<TimelineEvent>> {
  await getRequest(context, principal, id);
  const events = await listEvents(context.db, { id, organizationId: principal.organizationId });
  return await events.map(timelineOf(await findNotifiedMembers(context.db, id)));
}

async function listEvents(
  db: Db,
  { id, organizationId }: Pick<ApprovalRequest, 'id' | 'organizationId'>,
): Promise<LongList<AuditEvent>> {
  return await listAuditEventsOf(db, organizationId, { type: 'approval_request', id });
}

interface RoutingFacts {
  readonly view: RequestView;
  readonly routing: Routing;
  readonly steps: readonly RecordedStep[];
  readonly added: readonly AddedReviewer[];
}

async function pathOf(
  db: Db,
  { pathRevisionId: id }: RequestView,
): Promise<LoadedEscalationPath | undefined> {
  return id === undefined ? undefined : await loadEscalationPathRevision(db, id);
}

/** Reads one instant, so that a concurrent walk cannot show a level as both current and done. */
async function readFacts({ db, limits }: ServiceContext, id: string): Promise<RoutingFacts> {
  const need = { texts: true, people: { pathKeys: [], cap: limits.pendingRequests } };
  return await db.transaction(
    async (trx) => {
      const view = await readView(trx, id, need);
      if (!view?.routing) throw new AppError('not_found');
      return {
        view,
        routing: view.routing,
        steps: await findSteps(trx, id),
        added: await findAddedReviewers(trx, id),
      };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

export function stageOf({ state }: Pick<ApprovalRequest, 'state'>): RoutingInput['request'] {
  return isTerminal(state) ? 'terminal' : state;
}

async function routeOf(
  context: ServiceContext,
  { view, routing }: RoutingFacts,
  { path, principal }: { readonly path: PathRevision; readonly principal: ProductPrincipal },
): Promise<NonNullable<RoutingInput['route']>> {
  const loaded = await loadDocuments(context.db, view);
  const onBehalfOf = callerIdOf(principal);
  const { policy, matches } = await evaluateDocuments(context, loaded, { view, onBehalfOf });
  const policies = [...routing.people.teams].flatMap(
    ([teamId, { policyRevisionId: revisionId }]): [string, string][] =>
      revisionId === undefined ? [] : [[teamId, revisionId]],
  );
  return {
    input: { document: path.document, policy, matches, urgency: view.request.urgency },
    walk: stateOf(view.request, path),
    policies: new Map(policies),
  };
}

/** With the people that the engine would ask, and whether it would let them decide. */
async function levelsWithPeople(
  db: Db,
  { view, routing: { people, notified } }: RoutingFacts,
  { path, levels }: Pick<RoutingView, 'levels'> & { readonly path: PathRevision },
): Promise<readonly RoutedLevel[]> {
  const idsOf = (type: 'user' | 'team') =>
    path.targets.flatMap((target) => (target.type === type ? [target.id] : []));
  const members = [...notified, ...[...people.teams.values()].flatMap((team) => team.members)];
  const names = await findTargetNames(db, view.request.organizationId, {
    membershipIds: [...idsOf('user'), ...members.map(({ membershipId }) => membershipId)],
    teamIds: idsOf('team'),
  });
  const mayDecide = decidersOfRequest(view, path);
  return withPeople(levels, { people, notified, mayDecide, names });
}

type Origin = Pick<RequestRouting, 'source' | 'blockId' | 'reason'>;

function originOfRoute({ source, blockId, reason }: NonNullable<ApprovalRequest['route']>): Origin {
  return {
    source,
    ...(blockId !== undefined && { blockId }),
    ...(reason !== undefined && { reason }),
  };
}

/** The row does not store the deciding block; the audit event of the decision does. */
async function decidedByPipeline(db: Db, request: ApprovalRequest): Promise<Origin> {
  const { decision } = request;
  if (decision?.channel !== 'pipeline') return {};
  // A request that a rule decides has only few events.
  const { first } = await listEvents(db, request);
  const event = first.find(({ eventType }) => eventType === `approval_request.${decision.status}`);
  const blockId = event?.data?.['block_id'];
  return {
    source: 'pipeline',
    ...(typeof blockId === 'string' && { blockId }),
    ...(decision.note !== undefined && { reason: decision.note }),
  };
}
