/** The steps of a path if no one decided, as its timeline would show them. Nothing is written. */
import type { Decider } from '../../domain/requests/deciders.ts';
import { findTargetNames } from '../../data/escalation/target-names.ts';
import { readClock } from '../../data/clock.ts';
import { findTeamRosters } from '../../data/escalation/team-escalation-policies.ts';
import { findStepsOfMembers } from '../../data/notifications/notification-steps.ts';
import type { PersonalStep, PersonalSteps } from '../../domain/notifications/steps.ts';
import { findAskedDeciders } from '../../data/requests/deciders.ts';
import { authorize, callerIdOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import type { ConditionFacts } from '../../domain/conditions/types.ts';
import { AppError, invalid, type Issue } from '../../domain/errors.ts';
import {
  asInTimeline,
  localTimes,
  take,
  walkAhead,
  type LocalTime,
  type PlannedStep,
} from '../../domain/escalation/preview.ts';
import { policyAsPath } from '../../domain/escalation/policy-as-path.ts';
import { recipients, type TeamRoster } from '../../domain/escalation/recipients.ts';
import {
  type EscalationPathDocument,
  type Target,
  type TeamPolicyDocument,
  type Urgency,
} from '../../domain/escalation/types.ts';
import { startWalk } from '../../domain/escalation/walk.ts';
import { mapYielding } from '../../platform/event-loop.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { ExactValue } from '../../platform/json/exact-values.ts';
import type { ServiceContext } from '../context.ts';
import { loadPolicies } from './policies.ts';
import { evaluateConditions } from '../evaluation/conditions.ts';
import { readDocument } from '../read-documents.ts';
import { idsOf, namesIn, readPreviewedPath, readTeamPolicy } from './read-escalation.ts';
import { checkTargets, escalationPathKind, storedPath } from './escalation-paths.ts';
import { findWarnings, tooLongPolicies, type EscalationWarning } from './escalation-warnings.ts';
import { storedPolicy, teamPolicyKind } from './team-escalation-policies.ts';
import { getRevision } from '../revisions/read.ts';

const MAX_STEPS = 500;

/** Instants that the calendars of all time zones cover. */
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(3000, 0, 1);

export interface PreviewRequest {
  /** A document as written or read, or a saved revision. Default: the active one. With `teamId` it is the policy of that team. */
  readonly path:
    | { readonly document: ExactValue | JsonText; readonly teamId?: string }
    | { readonly pathKey: string; readonly revision?: number };
  /** The database's clock when absent. */
  readonly startsAt?: Date;
  readonly urgency: Urgency;
  /** The timeout of the request, in milliseconds. Without it the preview knows no deadline. */
  readonly timeoutMs?: number;
  /**
   * Without them no condition about the request is met, and everyone who may decide for any agent
   * counts.
   */
  readonly facts?: ConditionFacts;
}

export interface NamedTarget {
  readonly type: Target['type'];
  readonly id?: string;
  readonly name?: string;
}

export interface PreviewedMember extends Decider {
  /** When which channels get their messages. Absent: all at once. */
  readonly steps?: readonly PersonalStep[];
}

export interface PreviewedStep {
  readonly step: PlannedStep;
  readonly targets: readonly NamedTarget[];
  /** The people a level notifies. */
  readonly members: readonly PreviewedMember[];
  readonly teamName?: string;
  /** The request has expired by then. */
  readonly afterDeadline: boolean;
  readonly localTimes: readonly LocalTime[];
}

export interface PathPreview {
  readonly startsAt: Date;
  /** Absent for a document without a key. */
  readonly pathKey?: string;
  readonly steps: readonly PreviewedStep[];
  readonly truncated: boolean;
  /** When the request expires; absent without a timeout. */
  readonly expiresAt?: Date;
  readonly warnings: readonly EscalationWarning[];
}

/** Throws 400 for an invalid document, and 404 for a revision or a team that the caller may not see. */
export async function previewEscalationPath(
  context: ServiceContext,
  principal: ProductPrincipal,
  { path, startsAt: given, urgency, timeoutMs, facts }: PreviewRequest,
): Promise<PathPreview> {
  if (given && (given.getTime() < EARLIEST || given.getTime() >= LATEST)) {
    throw invalid([
      {
        pointer: '/starts_at',
        code: 'invalid_value',
        message: 'must be in the years from 1970 to 2999',
      },
    ]);
  }
  const { db } = context;
  const { organizationId } = principal;
  const { document, pathKey, isPolicy = false } = await documentOf(context, principal, path);
  const startsAt = given ?? (await readClock(db));
  const asked = {
    membershipIds: idsOf(namesIn(document), 'user'),
    teamIds: idsOf(namesIn(document), 'team'),
  };
  const rosters = await findTeamRosters(db, organizationId, asked.teamIds);
  // Inside its own policy a team is asked as a whole.
  const teams = isPolicy ? new Map([...rosters].map(withoutPolicy)) : rosters;
  const deciders = await findAskedDeciders(db, organizationId, facts?.agent.slug);
  const onBehalfOf = callerIdOf(principal);
  const walking = { startsAt, document, teams, deciders, facts, urgency, onBehalfOf };
  const { steps, truncated, policies } = await walkFrom(context, walking);
  const names = await namesOf(context, organizationId, [document, ...policies.values()]);
  const expiresAt = timeoutMs === undefined ? undefined : new Date(startsAt.getTime() + timeoutMs);
  const found = await findWarnings(db, organizationId, asked);
  const warnings = [
    ...afterDeadline(steps, expiresAt),
    ...found,
    ...notForAgent(asked.membershipIds, { found, deciders, names, agent: facts?.agent }),
    ...tooLongPolicies(document, { policies, names }),
  ];
  const personal = await findStepsOfMembers(db, notifiedBy(steps));
  const around = { document, policies, names, deciders, expiresAt, personal };
  const urgent = firstUrgent(steps, urgency);
  return {
    startsAt,
    ...(pathKey !== undefined && { pathKey }),
    ...(expiresAt && { expiresAt }),
    truncated,
    // The local times of hundreds of steps in many zones take long.
    steps: await mapYielding(steps, (step) =>
      named(step, { ...around, urgency: step.at >= urgent ? 'interrupt' : 'standard' }),
    ),
    warnings,
  };
}

const notifiedBy = (steps: readonly PlannedStep[]): readonly string[] => [
  ...new Set(steps.flatMap((step) => (step.kind === 'level_notified' ? step.membershipIds : []))),
];

/** From when on the request is urgent. */
function firstUrgent(steps: readonly PlannedStep[], urgency: Urgency): Date {
  const raised = steps.find(({ kind }) => kind === 'urgency_raised');
  return urgency === 'interrupt' ? new Date(0) : (raised?.at ?? new Date(LATEST));
}

const withoutPolicy = ([id, { members }]: readonly [string, TeamRoster]) =>
  [id, { members }] as const;

/** No one would be asked in time. */
function afterDeadline(
  steps: readonly PlannedStep[],
  expiresAt: Date | undefined,
): readonly EscalationWarning[] {
  const first = steps.find(({ kind }) => kind === 'level_notified');
  if (!first || !expiresAt || first.at < expiresAt) return [];
  return [{ code: 'first_level_after_deadline', nodeId: first.nodeId, at: first.at }];
}

interface Asking {
  readonly found: readonly EscalationWarning[];
  readonly deciders: readonly Decider[];
  readonly names: ReadonlyMap<string, string>;
  readonly agent: ConditionFacts['agent'] | undefined;
}

/** The members who can decide, but not for this agent. */
function notForAgent(
  membershipIds: readonly string[],
  { found, deciders, names, agent }: Asking,
): readonly EscalationWarning[] {
  if (!agent) return [];
  const known = new Set([
    ...deciders.map(({ membershipId }) => membershipId),
    // Of the deciders, those without a channel are not asked, and are warned about already.
    ...found.flatMap((each) => ('membershipId' in each ? [each.membershipId] : [])),
  ]);
  return membershipIds
    .filter((id) => !known.has(id))
    .map((id) => ({
      code: 'user_cannot_decide',
      membershipId: id,
      displayName: names.get(id) ?? '',
      agent: { slug: agent.slug, name: agent.name },
    }));
}

interface Walking {
  readonly startsAt: Date;
  readonly document: EscalationPathDocument;
  readonly teams: ReadonlyMap<string, TeamRoster>;
  readonly deciders: readonly Decider[];
  readonly facts: ConditionFacts | undefined;
  readonly urgency: Urgency;
  readonly onBehalfOf: string;
}

async function walkFrom(context: ServiceContext, walking: Walking) {
  const { startsAt, document, teams, deciders, facts, urgency, onBehalfOf } = walking;
  const active = [...teams].flatMap(([teamId, { policyRevisionId: id }]) =>
    id === undefined ? [] : [[teamId, id] as const],
  );
  const revisionIds = active.map(([, id]) => id);
  const { policy, conditions } = await loadPolicies(context.db, { document }, revisionIds);
  const matches = await evaluateConditions(context, { conditions, facts, onBehalfOf });
  const input = { document, policy, matches, urgency };
  const ids = deciders.map(({ membershipId }) => membershipId);
  const ahead = walkAhead(input, {
    from: startWalk(document),
    now: startsAt,
    ask: (entry) => recipients(entry, { deciders: ids, teams }),
  });
  const policies = new Map(active.map(([teamId, id]) => [teamId, policy(id)]));
  return { ...take(asInTimeline(ahead), MAX_STEPS), policies };
}

interface Previewed {
  readonly document: EscalationPathDocument;
  readonly pathKey?: string;
  readonly isPolicy?: boolean;
}

async function documentOf(
  context: ServiceContext,
  principal: ProductPrincipal,
  path: PreviewRequest['path'],
): Promise<Previewed> {
  if ('pathKey' in path) {
    const { pathKey, revision = 'active' } = path;
    const of = { kind: escalationPathKind, documentKey: pathKey };
    const found = await getRevision(context, principal, { ...of, revision });
    return { pathKey, document: await storedPath(found.revision.text) };
  }
  const { document: body, teamId } = path;
  try {
    if (teamId !== undefined) return await policyOf(context, principal, { body, teamId });
    const { text, names } = await readDocument(context, principal, {
      reader: readPreviewedPath,
      body,
    });
    await checkTargets(context.db, principal.organizationId, { names });
    const { pathKey } = names;
    return { document: await storedPath(text), ...(pathKey !== undefined && { pathKey }) };
  } catch (error) {
    if (error instanceof AppError && Array.isArray(error.details?.['issues']))
      throw invalid(underDocument(error.details['issues'] as Issue[]));
    throw error;
  }
}

async function policyOf(
  context: ServiceContext,
  principal: ProductPrincipal,
  { body, teamId }: { readonly body: ExactValue | JsonText; readonly teamId: string },
): Promise<Previewed> {
  const { db } = context;
  const { organizationId } = principal;
  const team = { kind: 'team', id: teamId } as const;
  const [roster] = await findTeamRosters(db, organizationId, [teamId]);
  if (!roster || !authorize(principal, 'team.read', team).allowed) throw new AppError('not_found');
  const { text, names } = await readDocument(context, principal, { reader: readTeamPolicy, body });
  await teamPolicyKind.checkReferences?.(db, organizationId, { documentKey: teamId, names });
  return { document: policyAsPath(await storedPolicy(text), teamId), isPolicy: true };
}

/** Turns pointers into the document into pointers into the body. */
function underDocument(issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, pointer: `/document${issue.pointer}` }));
}

async function namesOf(
  { db }: ServiceContext,
  organizationId: string,
  documents: readonly TeamPolicyDocument[],
): Promise<ReadonlyMap<string, string>> {
  const names = { targets: documents.flatMap((document) => namesIn(document).targets) };
  return await findTargetNames(db, organizationId, {
    membershipIds: idsOf(names, 'user'),
    teamIds: idsOf(names, 'team'),
  });
}

interface Around {
  readonly document: EscalationPathDocument;
  /** By team id. */
  readonly policies: ReadonlyMap<string, TeamPolicyDocument>;
  readonly names: ReadonlyMap<string, string>;
  readonly deciders: readonly Decider[];
  readonly expiresAt: Date | undefined;
  readonly personal: ReadonlyMap<string, PersonalSteps>;
  readonly urgency: Urgency;
}

function named(
  step: PlannedStep,
  { document, policies, names, deciders, expiresAt, personal, urgency }: Around,
): PreviewedStep {
  const policy = step.team && policies.get(step.team.teamId);
  const sets = [...document.working_hours, ...(policy?.working_hours ?? [])];
  const teamName = step.team && names.get(step.team.teamId);
  const notified = new Set(step.kind === 'level_notified' ? step.membershipIds : []);
  return {
    step,
    ...(teamName !== undefined && { teamName }),
    targets: step.targets.map((target) => {
      if (target.type === 'broadcast') return { type: target.type };
      const name = names.get(target.id);
      return { type: target.type, id: target.id, ...(name !== undefined && { name }) };
    }),
    members: deciders.flatMap((decider): PreviewedMember[] => {
      if (!notified.has(decider.membershipId)) return [];
      const own = personal.get(decider.membershipId)?.[urgency];
      return [{ ...decider, ...(own && { steps: own }) }];
    }),
    afterDeadline: expiresAt !== undefined && step.at >= expiresAt,
    localTimes: localTimes({ working_hours: sets, nodes: [] }, step.at),
  };
}
