/** The reviewer's view of the escalation: levels with their people, and the timeline. */
import { conditionFacts } from '../../domain/requests/condition-facts.ts';
import type { Decider } from '../../domain/requests/deciders.ts';
import type { AddedReviewer } from '../../domain/requests/added-reviewers.ts';
import { findDeciders, findDecidersOfRoutedToOthers } from '../../data/requests/deciders.ts';
import { listAuditEventsOf } from '../../data/audit-events.ts';
import { findRequest } from '../../data/requests/read.ts';
import { findAddedReviewers } from '../../data/requests/added-reviewers.ts';
import {
  findNotified,
  findSteps,
  findTargetNames,
  type Notified,
} from '../../data/requests/steps.ts';
import { readClock } from '../../data/clock.ts';
import { findTeamRosters } from '../../data/escalation/team-escalation-policies.ts';
import { isTerminal, type ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { AuditEvent } from '../../domain/audit.ts';
import { callerIdOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { TeamRoster } from '../../domain/escalation/recipients.ts';
import {
  routingView,
  type RecordedStep,
  type RoutingInput,
  type RoutingLevel,
  type RoutingView,
} from '../../domain/escalation/routing-view.ts';
import { isInside, levelKey, stepKey } from '../../domain/escalation/step-keys.ts';
import type { Target } from '../../domain/escalation/types.ts';
import type { LongList } from '../../platform/long-list.ts';
import type { Db } from '../../platform/postgres.ts';
import { stateOf } from '../../domain/requests/engine/walk.ts';
import type { ServiceContext } from '../context.ts';
import { loadPolicies } from '../escalation/policies.ts';
import { evaluateConditions } from '../evaluation/conditions.ts';
import {
  loadEscalationPathRevision,
  type LoadedEscalationPath,
} from '../escalation/escalation-paths.ts';
import { isInAudience, type Audience } from '../../domain/requests/request-access.ts';
import type { EscalationPathSource } from '../../domain/pipelines/types.ts';
import { getRequest, refuseUnlessVisible } from './queue.ts';
import { namedTeams, teamsOf } from './audience.ts';

/** `canDecide`: whether they may decide this request now, independent of past notifications. */
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

export type RoutedLevel = Omit<RoutingLevel, 'targets'> & {
  readonly targets: readonly RoutedTarget[];
};

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
  await getRequest(context, principal, id);
  const facts = await readFacts(context, id);
  const { request } = facts;
  // The audience may have changed since the first check.
  await refuseUnlessVisible(context, principal, request);
  const revisionId = request.route?.pathRevisionId;
  const path =
    revisionId === undefined ? undefined : await loadEscalationPathRevision(context.db, revisionId);
  const onBehalfOf = callerIdOf(principal);
  const view = routingView({
    request: stageOf(request),
    ...(path && { route: await routeOf(context, path, { ...facts, onBehalfOf }) }),
    steps: facts.steps,
    claimed: request.claim !== undefined && !request.claim.lapsed,
    now: facts.now,
  });
  return {
    ...view,
    ...(path && { pathKey: path.pathKey, pathName: path.name, revision: path.revision }),
    ...(request.route ? handedOver(request.route) : await decidedByPipeline(context.db, request)),
    urgency: request.urgency,
    levels: view.levels.map((level) => ({
      ...level,
      targets: level.targets.map((target) => withMembers(target, { level, facts })),
    })),
    added: facts.added,
  };
}

/** The audit events of one request, oldest first. Throws as `getRequest` does. */
export async function getTimeline(
  context: ServiceContext,
  principal: ProductPrincipal,
  id: string,
): Promise<LongList<AuditEvent>> {
  await getRequest(context, principal, id);
  return await listEvents(context.db, { id, organizationId: principal.organizationId });
}

async function listEvents(
  db: Db,
  { id, organizationId }: Pick<ApprovalRequest, 'id' | 'organizationId'>,
): Promise<LongList<AuditEvent>> {
  return await listAuditEventsOf(db, organizationId, { type: 'approval_request', id });
}

interface RoutingFacts {
  readonly request: ApprovalRequest;
  readonly steps: readonly RecordedStep[];
  /** By the key of the level. A long walk notified thousands of people at thousands of levels. */
  readonly notified: ReadonlyMap<string, readonly Notified[]>;
  /** The people a broadcast would notify. */
  readonly deciders: readonly Decider[];
  /** Memberships that may decide this request now. */
  readonly mayDecide: ReadonlySet<string>;
  readonly targetNames: ReadonlyMap<string, string>;
  readonly rosters: ReadonlyMap<string, TeamRoster>;
  readonly added: readonly AddedReviewer[];
  readonly now: Date;
}

const NOTHING = {
  steps: [],
  notified: new Map<string, readonly Notified[]>(),
  deciders: [],
  mayDecide: new Set<string>(),
  targetNames: new Map<string, string>(),
  rosters: new Map<string, TeamRoster>(),
};

/** Reads one instant, so that a concurrent walk cannot show a level as both current and done. */
async function readFacts(context: ServiceContext, id: string): Promise<RoutingFacts> {
  return await context.db.transaction(
    async (trx) => {
      const request = (await findRequest(trx, id))?.request;
      if (!request) throw new AppError('not_found');
      const common = {
        request,
        added: await findAddedReviewers(trx, id),
        now: await readClock(trx),
      };
      const pathRevisionId = request.route?.pathRevisionId;
      if (pathRevisionId === undefined) return { ...common, ...NOTHING };
      const { targets } = await loadEscalationPathRevision(trx, pathRevisionId);
      const audience = { targets, added: common.added.map(({ membershipId }) => membershipId) };
      const rosters = await findTeamRosters(trx, request.organizationId, namedTeams(audience));
      const deciders = await findDeciders(trx, request.organizationId, request.agentSlug);
      const routedToOthers = await findDecidersOfRoutedToOthers(
        trx,
        request.organizationId,
        request.agentSlug,
      );
      return {
        ...common,
        steps: await findSteps(trx, id),
        notified: byLevel(await findNotified(trx, id)),
        deciders,
        mayDecide: new Set([...routedToOthers, ...inAudience(deciders, { audience, rosters })]),
        targetNames: await findTargetNames(trx, pathRevisionId),
        rosters,
      };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

function byLevel(notified: readonly Notified[]): ReadonlyMap<string, readonly Notified[]> {
  const levels = new Map<string, Notified[]>();
  for (const each of notified) {
    const key = levelKey(each.stepKey);
    const level = levels.get(key);
    if (level) level.push(each);
    else levels.set(key, [each]);
  }
  return levels;
}

function inAudience(
  deciders: readonly Decider[],
  {
    audience,
    rosters,
  }: { readonly audience: Audience; readonly rosters: ReadonlyMap<string, TeamRoster> },
): readonly string[] {
  const ids = deciders.map(({ membershipId }) => membershipId);
  return ids.filter((membershipId) =>
    isInAudience({ membershipId, teamIds: teamsOf(membershipId, rosters) }, audience),
  );
}

export function stageOf({ state }: Pick<ApprovalRequest, 'state'>): RoutingInput['request'] {
  return isTerminal(state) ? 'terminal' : state;
}

async function routeOf(
  { db, workerPool }: ServiceContext,
  path: LoadedEscalationPath,
  { request, rosters, onBehalfOf }: RoutingFacts & { readonly onBehalfOf: string },
): Promise<NonNullable<RoutingInput['route']>> {
  const walk = stateOf(request, path);
  const policies = new Map(
    [...rosters].flatMap(([teamId, { policyRevisionId: id }]) =>
      id === undefined ? [] : [[teamId, id] as const],
    ),
  );
  const entered = walk.teams.map(({ revisionId }) => revisionId);
  const { policy, conditions } = await loadPolicies(db, path, [...entered, ...policies.values()]);
  const facts = conditionFacts(request);
  const matches = await evaluateConditions({ workerPool }, { conditions, facts, onBehalfOf });
  const input = { document: path.document, policy, matches, urgency: request.urgency };
  return { input, walk, policies };
}

type Origin = Pick<RequestRouting, 'source' | 'blockId' | 'reason'>;

function handedOver({ source, blockId, reason }: NonNullable<ApprovalRequest['route']>): Origin {
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

/**
 * A future level lists the people it would notify now. A reached level lists the people it notified
 * and its targets.
 */
function withMembers(
  target: Target,
  { level, facts }: { readonly level: RoutingLevel; readonly facts: RoutingFacts },
): RoutedTarget {
  const notified = facts.notified.get(stepKey(level)) ?? [];
  if (target.type === 'team') return withRoster(target.id, { level, notified, facts });
  if (target.type === 'broadcast') {
    const asked = level.status === 'upcoming' ? facts.deciders : notified;
    return {
      type: target.type,
      members: asked.map((member) => asMember(member, notified, facts.mayDecide)),
    };
  }
  const displayName = facts.targetNames.get(target.id) ?? '';
  return {
    type: target.type,
    id: target.id,
    name: displayName,
    members: [asMember({ membershipId: target.id, displayName }, notified, facts.mayDecide)],
  };
}

interface TeamFacts {
  readonly level: RoutingLevel;
  readonly notified: readonly Notified[];
  readonly facts: RoutingFacts;
}

/** The current members of the team, and the people notified through it. */
function withRoster(id: string, { level, notified, facts }: TeamFacts): RoutedTarget {
  const people = [
    ...(facts.rosters.get(id)?.members ?? []),
    ...formerMembersOf(id, { level, notified, facts }),
  ];
  const members = people.map((each) => asMember(each, notified, facts.mayDecide));
  return { type: 'team', id, name: facts.targetNames.get(id) ?? '', members };
}

/**
 * People who were notified through a team they have left. With a team policy the team is on record;
 * otherwise the first team of the level shows them.
 */
function formerMembersOf(
  id: string,
  { level: { targets, ...place }, notified, facts: { rosters } }: TeamFacts,
): readonly Notified[] {
  if (targets.some(({ type }) => type === 'broadcast')) return [];
  const key = stepKey(place);
  const teams = targets.filter((target) => target.type === 'team');
  const inTeams = teams.flatMap((team) =>
    (rosters.get(team.id)?.members ?? []).map(({ membershipId }) => membershipId),
  );
  const named = new Set([
    ...inTeams,
    ...targets.flatMap((target) => (target.type === 'user' ? [target.id] : [])),
  ]);
  const isOurs = ({ stepKey: at }: Notified): boolean =>
    at === key ? teams[0]?.id === id : isInside(at, place, id);
  const left = notified.filter((each) => isOurs(each) && !named.has(each.membershipId));
  return [...new Map(left.map((each) => [each.membershipId, each])).values()];
}

function asMember(
  { membershipId, displayName }: Decider,
  notified: readonly Notified[],
  mayDecide: ReadonlySet<string>,
): RoutedMember {
  const notifiedAt = notified.find((each) => each.membershipId === membershipId)?.notifiedAt;
  return {
    membershipId,
    displayName,
    ...(notifiedAt && { notifiedAt }),
    canDecide: mayDecide.has(membershipId),
  };
}
