/** The reviewer's view of how a request finds a person: its levels with the people at each, and everything that happened to it. */
import { findDeciders, type Decider } from '../../data/deciders.ts';
import { listAuditEventsOf } from '../../data/audit-events.ts';
import { findRequest } from '../../data/approval-requests/read.ts';
import { findNotified, findSteps, findTargetNames, type Notified } from '../../data/approval-requests/steps.ts';
import { isTerminal, type ApprovalRequest, type RouteSource } from '../../domain/approval-requests.ts';
import type { AuditEvent } from '../../domain/audit.ts';
import type { ProductPrincipal } from '../../domain/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { Target } from '../../domain/escalation-paths.ts';
import { startWalk, stepKey, walkFromJson } from '../../domain/escalation-walk.ts';
import { routingState, type RecordedStep, type RoutingLevel, type RoutingView } from '../../domain/escalation-routing.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { loadEscalationPathRevision, type LoadedEscalationPath } from '../escalation-paths.ts';
import { getRequest, refuseUnlessVisible } from './queue.ts';

/** `canDecide` is as of now, whoever was told then. */
export interface RoutedMember {
  readonly membershipId: string;
  readonly displayName: string;
  readonly notifiedAt?: Date;
  readonly canDecide: boolean;
}

/** `id` and `name` are absent for a broadcast. */
export interface RoutedTarget {
  readonly type: Target['type'];
  readonly id?: string;
  readonly name?: string;
  readonly members: readonly RoutedMember[];
}

export type RoutedLevel = Omit<RoutingLevel, 'targets'> & { readonly targets: readonly RoutedTarget[] };

/** `source`: `pipeline` where the pipeline decided by itself; absent for what ended before the pipeline concluded. */
export type RequestRouting = Omit<RoutingView, 'levels'> & {
  readonly pathKey?: string;
  readonly pathName?: string;
  readonly revision?: number;
  readonly source?: RouteSource | 'pipeline';
  readonly blockId?: string;
  readonly reason?: string;
  readonly urgency: ApprovalRequest['urgency'];
  readonly levels: readonly RoutedLevel[];
};

/** Throws as `getRequest` does: `not_found`, `request_not_routed`. */
export async function getRouting(context: ServiceContext, principal: ProductPrincipal, id: string): Promise<RequestRouting> {
  await getRequest(context, principal, id);
  const facts = await readFacts(context.db, id);
  const { request } = facts;
  // Routed since the first look: it may be somebody else's by now.
  await refuseUnlessVisible(context, principal, request);
  const revisionId = request.route?.pathRevisionId;
  const path = revisionId === undefined ? undefined : await loadEscalationPathRevision(context, revisionId);
  const view = routingState({ request: phaseOf(request), ...(path && { route: routeOf(path, request) }), steps: facts.steps });
  return {
    ...view,
    ...(path && { pathKey: path.pathKey, pathName: path.name, revision: path.revision }),
    ...(request.route ? handedOver(request.route) : await decidedByPipeline(context.db, request)),
    urgency: request.urgency,
    levels: view.levels.map((level) => ({ ...level, targets: level.targets.map((target) => withMembers(target, { level, facts })) })),
  };
}

/** The audit events of one request, oldest first. Throws as `getRequest` does. */
export async function getTimeline(context: ServiceContext, principal: ProductPrincipal, id: string): Promise<AuditEvent[]> {
  await getRequest(context, principal, id);
  return await listEvents(context.db, { id, organizationId: principal.organizationId });
}

async function listEvents(db: Db, { id, organizationId }: Pick<ApprovalRequest, 'id' | 'organizationId'>): Promise<AuditEvent[]> {
  return await listAuditEventsOf(db, organizationId, { type: 'approval_request', id });
}

interface RoutingFacts {
  readonly request: ApprovalRequest;
  readonly steps: readonly RecordedStep[];
  readonly notified: readonly Notified[];
  readonly deciders: readonly Decider[];
  readonly targetNames: ReadonlyMap<string, string>;
}

/** Of one instant: a walk that moves on meanwhile must not show a level both current and behind. */
async function readFacts(db: Db, id: string): Promise<RoutingFacts> {
  return await db.transaction(
    async (trx) => {
      const request = (await findRequest(trx, id))?.request;
      if (!request) throw new AppError('not_found');
      const pathRevisionId = request.route?.pathRevisionId;
      if (pathRevisionId === undefined) return { request, steps: [], notified: [], deciders: [], targetNames: new Map<string, string>() };
      return {
        request,
        steps: await findSteps(trx, id),
        notified: await findNotified(trx, id),
        deciders: await findDeciders(trx, request.organizationId, request.agentSlug),
        targetNames: await findTargetNames(trx, pathRevisionId),
      };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

function phaseOf({ state }: ApprovalRequest): 'evaluating' | 'pending' | 'terminal' {
  return isTerminal(state) ? 'terminal' : state;
}

function routeOf({ document }: LoadedEscalationPath, { walk }: ApprovalRequest) {
  return { document, walk: walk === undefined ? startWalk(document) : walkFromJson(JSON.parse(walk)) };
}

type Origin = Pick<RequestRouting, 'source' | 'blockId' | 'reason'>;

function handedOver({ source, blockId, reason }: NonNullable<ApprovalRequest['route']>): Origin {
  return { source, ...(blockId !== undefined && { blockId }), ...(reason !== undefined && { reason }) };
}

/** The row does not keep which block decided: the audit event of the decision does. */
async function decidedByPipeline(db: Db, request: ApprovalRequest): Promise<Origin> {
  const { decision } = request;
  if (decision?.channel !== 'pipeline') return {};
  const event = (await listEvents(db, request)).find(({ eventType }) => eventType === `approval_request.${decision.status}`);
  const blockId = event?.data?.['block_id'];
  return {
    source: 'pipeline',
    ...(typeof blockId === 'string' && { blockId }),
    ...(decision.note !== undefined && { reason: decision.note }),
  };
}

/** A level ahead has the people it would tell now; one that was reached has those it told, and whoever is named. */
function withMembers(target: Target, { level, facts }: { readonly level: RoutingLevel; readonly facts: RoutingFacts }): RoutedTarget {
  const told = facts.notified.filter((each) => each.stepKey === stepKey(level.nodeId, level.run));
  if (target.type === 'broadcast') {
    const asked = level.status === 'upcoming' ? facts.deciders : told;
    return { type: target.type, members: asked.map((member) => asMember(member, told, facts.deciders)) };
  }
  const displayName = facts.targetNames.get(target.id) ?? '';
  return {
    type: target.type,
    id: target.id,
    name: displayName,
    members: [asMember({ membershipId: target.id, displayName }, told, facts.deciders)],
  };
}

function asMember({ membershipId, displayName }: Decider, told: readonly Notified[], deciders: readonly Decider[]): RoutedMember {
  const notifiedAt = told.find((each) => each.membershipId === membershipId)?.notifiedAt;
  const canDecide = deciders.some((each) => each.membershipId === membershipId);
  return { membershipId, displayName, ...(notifiedAt && { notifiedAt }), canDecide };
}
