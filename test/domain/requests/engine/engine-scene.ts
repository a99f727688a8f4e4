/** A request in memory: views of it, and what commits of its plans leave. Instants are minutes after a fixed start. */
import { randomUUID } from 'node:crypto';
import type { EscalationPathDocument, Target } from '../../../../src/domain/escalation/types.ts';
import { allLevels, distinctTargets } from '../../../../src/domain/escalation/types.ts';
import type { MemberPrincipal } from '../../../../src/domain/people/authorization.ts';
import { grantsFromPolicies } from '../../../../src/domain/people/authorization.ts';
import {
  buildRequest,
  type ApprovalRequest,
} from '../../../../src/domain/requests/approval-requests.ts';
import {
  isEmpty,
  validUntil,
  type Effects,
} from '../../../../src/domain/requests/engine/effects.ts';
import {
  planStep,
  type Evaluated,
  type StepPlan,
} from '../../../../src/domain/requests/engine/step.ts';
import type {
  Documents,
  NotifiedMember,
  PathRevision,
  People,
  RequestDecider,
  RequestView,
} from '../../../../src/domain/requests/engine/view.ts';
import type { StepBy } from '../../../../src/domain/requests/engine/walk.ts';
import { JsonText } from '../../../../src/platform/json/exact-json.ts';

const MINUTE = 60_000;
export const start = new Date('2026-03-01T12:00:00.000Z');
export const at = (minutes: number) => new Date(start.getTime() + minutes * MINUTE);
export const minutesOf = (instant: Date | undefined) =>
  instant && (instant.getTime() - start.getTime()) / MINUTE;

const PATH_ID = randomUUID();

export function pathOf(document: EscalationPathDocument): PathRevision {
  const targets = allLevels(document).flatMap((level): readonly Target[] => level.targets);
  return { id: PATH_ID, pathKey: 'on-call', document, targets: distinctTargets(targets) };
}

export const human: Evaluated = {
  verdict: {
    outcome: 'human',
    scope: 'organization',
    reason_code: 'end_of_pipeline',
    escalation_path_source: 'pipeline_default',
  },
  paths: [{ key: 'on-call', source: 'pipeline_default' }],
};
export const approving: Evaluated = {
  verdict: { ...human.verdict, outcome: 'approve', reason_code: 'block_outcome', reason: 'Small.' },
  paths: [],
};

export const decider = (
  membershipId: string,
  more: Partial<RequestDecider> = {},
): RequestDecider => ({
  membershipId,
  displayName: membershipId,
  isReachable: true,
  decidesRoutedToOthers: false,
  isOwner: false,
  ...more,
});

/** May decide the requests of every agent, and claim them. */
export const principal = (
  membershipId: string,
  more: Partial<MemberPrincipal> = {},
): MemberPrincipal => ({
  kind: 'member',
  organizationId: 'organization',
  membershipId,
  userId: membershipId,
  displayName: membershipId,
  email: `${membershipId}@example.com`,
  isOwner: false,
  grants: grantsFromPolicies(
    [
      {
        scope_kind: 'organization',
        resource_ids: [],
        permissions: ['request.read', 'request.decide', 'request.claim'],
      },
    ],
    false,
  ),
  teamIds: [],
  requiresMfa: false,
  accessVersion: 1,
  via: { kind: 'api_key', keyId: randomUUID(), scopedTo: null },
  auth: { method: 'api_key', assurance: 'single_factor', authenticated_at: start },
  ...more,
});

export interface Stored {
  request: ApprovalRequest;
  version: number;
  wakeAt: Date | undefined;
  wakeAttempts: number;
  lastAt: Date;
  added: readonly string[];
  notified: readonly NotifiedMember[];
  isToldUnreachable: boolean;
  isRemoved: boolean;
  /** Verbs of the timeline, in order. */
  timeline: readonly string[];
}

/** What a path may ask for besides people. Absent: no team is asked, and no condition matches. */
interface Surroundings extends Pick<Documents, 'policy' | 'matches'> {
  readonly teams: People['teams'];
}

export interface World {
  readonly path?: PathRevision;
  readonly around?: Surroundings;
  /** Who may decide now. Tests change it. */
  deciders: readonly RequestDecider[];
  /** Seconds. The setting of the agent, which tests change. */
  approvalWindow: number;
  readonly stored: Stored;
}

export function world(
  { path, around, deciders }: Pick<World, 'path' | 'around' | 'deciders'>,
  request: Partial<ApprovalRequest> = {},
): World {
  const created = buildRequest({
    id: randomUUID(),
    organizationId: 'organization',
    agentSlug: 'bot',
    agentName: 'Bot',
    agentInstanceId: 'instance',
    agentInstanceName: 'Instance',
    agentCredentialId: 'credential',
    tool: 'refund',
    arguments: new JsonText('{}'),
    timeout: '1h',
    state: 'evaluating',
    createdAt: start,
    deadlineAt: at(60),
    updatedAt: start,
    urgency: 'standard',
    ...request,
  });
  return {
    ...(path && { path }),
    ...(around && { around }),
    deciders,
    approvalWindow: 300,
    stored: {
      request: created,
      version: 1,
      wakeAt: new Date(start.getTime() + 3_000),
      wakeAttempts: 0,
      lastAt: start,
      added: [],
      notified: [],
      isToldUnreachable: false,
      isRemoved: false,
      timeline: ['created'],
    },
  };
}

interface Read {
  /** False: a view without people, as the first read of a step. */
  readonly people?: boolean;
  readonly pending?: RequestView['pending'];
}

/** A view at this instant. The row's clock is never behind its last change. */
export function viewOf(
  { stored, path, around, deciders, approvalWindow }: World,
  now: Date,
  { people = true, pending }: Read = {},
): RequestView {
  const { request } = stored;
  const isRouted = request.route !== undefined;
  const room = { waiting: 0, limit: 1_000, agentWaiting: 0, agentLimit: 250 };
  const revision = isRouted ? request.route?.pathRevisionId : people ? path?.id : undefined;
  return {
    request,
    version: String(stored.version),
    accessVersion: 1,
    now: now < stored.lastAt ? stored.lastAt : now,
    readAt: now,
    isAdmitted: false,
    wakeAt: stored.wakeAt,
    wakeAttempts: stored.wakeAttempts,
    added: stored.added,
    claimTimeout: 600,
    approvalWindow,
    presentationId: undefined,
    pathRevisionId: revision,
    routing: people
      ? {
          people: { deciders, teams: around?.teams ?? new Map() },
          notified: stored.notified,
          isToldUnreachable: stored.isToldUnreachable,
        }
      : undefined,
    pending: people ? (pending ?? room) : undefined,
  };
}

export function documentsOf({ path, around }: World, view: RequestView): Documents {
  return {
    path: view.pathRevisionId === undefined ? undefined : path,
    policy: () => {
      throw new Error('no team is asked');
    },
    matches: () => false,
    ...around,
  };
}

/** What a commit leaves. Returns false, and changes nothing, for a plan of an older version or past its end. */
export function commit({ stored }: World, effects: Effects, now: Date): boolean {
  const { view, request } = effects;
  const end = validUntil(effects);
  if (view.version !== String(stored.version) || (end && now >= end)) return false;
  stored.request = request;
  stored.version += 1;
  stored.wakeAt = effects.wakeAt;
  stored.wakeAttempts = effects.wakeAttempts;
  stored.lastAt = view.now;
  stored.added = [...stored.added, ...(effects.addedReviewers?.membershipIds ?? [])];
  stored.notified = [
    ...stored.notified,
    ...effects.notifications.map(({ stepKey, membershipId }) => ({
      stepKey,
      membershipId,
      at: view.now,
    })),
  ];
  const verbs = effects.events.map(({ eventType }) => eventType.replace('approval_request.', ''));
  stored.timeline = [...stored.timeline, ...verbs];
  stored.isToldUnreachable ||= verbs.includes('unreachable');
  stored.isRemoved ||= effects.isRemoved;
  return true;
}

export interface Stepping {
  readonly by?: StepBy;
  readonly evaluated?: Evaluated;
  readonly isExactCount?: boolean;
  readonly pending?: RequestView['pending'];
}

export function planFrom(
  here: World,
  view: RequestView,
  { by = 'workflow', evaluated = human, isExactCount = false }: Stepping = {},
): StepPlan {
  const documents = documentsOf(here, view);
  return planStep(view, { by, decisionId: randomUUID(), evaluated, documents, isExactCount });
}

export function plan(here: World, now: Date, stepping: Stepping = {}): StepPlan {
  return planFrom(here, viewOf(here, now, { pending: stepping.pending }), stepping);
}

/** Plans a step at this instant and commits it. */
export function step(here: World, now: Date, stepping: Stepping = {}): StepPlan {
  const planned = plan(here, now, stepping);
  if (planned.effects && !isEmpty(planned.effects)) commit(here, planned.effects, now);
  return planned;
}
