/** What a change of a request writes. `src/data/requests/engine/commit.ts` writes it. */
import type { AuditActor, NewAuditEvent } from '../../audit/events.ts';
import { SYSTEM, requestEvent } from '../../audit/events.ts';
import type { AppError } from '../../errors.ts';
import {
  buildRequest,
  isTerminal,
  SYSTEM_AUTHENTICATION,
  toAuthContext,
  WAKE_HEAD_START_MS,
  withoutNulls,
  type ApprovalRequest,
  type Claim,
  type Decision,
  type StoredAuthContext,
} from '../approval-requests.ts';
import type { RequestView, Routing } from './view.ts';

/** A step of a walk: people it notified, or a level that it skipped. */
export interface StepVisit {
  readonly stepKey: string;
  readonly run: number;
  readonly kind: 'notified' | 'skipped';
  /** Absent when the step is no level of a path. */
  readonly nodeId?: string;
  /** Set for a level of this team's policy, inside the path's level. */
  readonly teamId?: string;
  /** When the level ends without a decision. */
  readonly escalateAt?: Date;
}

/** A member that a step notifies for the first time. */
export interface NewNotification {
  readonly stepKey: string;
  readonly membershipId: string;
  /** They get messages. Otherwise another step of the same level has just sent them. */
  readonly isSent: boolean;
  /** The message in Slack's default channel announces the step. */
  readonly isAnnounced: boolean;
}

/** Everything that one change writes, at the instant of its view. */
export interface Effects {
  readonly view: RequestView;
  /** The request afterwards. */
  readonly request: ApprovalRequest;
  /** When the reconciler looks. */
  readonly wakeAt: Date | undefined;
  readonly wakeAttempts: number;
  /** The claim that ends, by its id. */
  readonly endedClaim: string | undefined;
  readonly steps: readonly StepVisit[];
  readonly notifications: readonly NewNotification[];
  /** Reviewers that this member adds. */
  readonly addedReviewers:
    { readonly by: string; readonly membershipIds: readonly string[] } | undefined;
  /** The timeline, in order. */
  readonly events: readonly NewAuditEvent[];
  /** The row is removed. */
  readonly isRemoved: boolean;
}

export function routingOf({ view }: Pick<Effects, 'view'>): Routing {
  if (!view.routing) throw new Error('the view was read without people');
  return view.routing;
}

/** The outcome of a plan: what to write, and then what to return or throw. */
export interface Plan<Outcome> {
  /** Absent, or empty, when nothing is to be written. */
  readonly effects?: Effects;
  readonly outcome: Outcome | AppError;
}

/** Effects that change nothing. */
export function unchanged(view: RequestView): Effects {
  return {
    view,
    request: view.request,
    wakeAt: view.wakeAt,
    wakeAttempts: view.wakeAttempts,
    endedClaim: undefined,
    steps: [],
    notifications: [],
    addedReviewers: undefined,
    events: [],
    isRemoved: false,
  };
}

export function recorded(effects: Effects, ...events: readonly NewAuditEvent[]): Effects {
  return { ...effects, events: [...effects.events, ...events] };
}

/** A reviewer should notice the change. */
export function noticed(effects: Effects): Effects {
  const { request, view } = effects;
  return { ...effects, request: buildRequest({ ...request, updatedAt: view.now }) };
}

/** The request's workflow should look: by a signal after the commit, or else soon by the reconciler. */
export function woken(effects: Effects, ms = WAKE_HEAD_START_MS): Effects {
  return { ...effects, wakeAt: new Date(effects.view.now.getTime() + ms), wakeAttempts: 0 };
}

/** What a decision says, before it has an instant or with it. */
export type DecisionFacts = Pick<
  Decision,
  | 'id'
  | 'status'
  | 'channel'
  | 'note'
  | 'membershipId'
  | 'reviewerDisplayName'
  | 'reviewerEmail'
  | 'idempotencyKey'
  | 'seenArgumentsDigest'
> & {
  /** Without `authenticated_at`, the authentication took place at the instant of the decision. */
  readonly authentication: StoredAuthContext;
};

/** A decision, before it has an instant. */
export type NewDecision = DecisionFacts & {
  readonly actor: AuditActor;
  readonly auditData?: Readonly<Record<string, unknown>>;
  /** The workflow still has to notice. False when its own step decides. */
  readonly wakes: boolean;
};

/** For how long a call may start after this decision, in milliseconds. Absent when it may not. `window`: of its agent, in seconds. */
export function executionWindow(
  { status }: Pick<Decision, 'status'>,
  window: number,
): number | undefined {
  return status === 'approved' ? window * 1_000 : undefined;
}

/** The request with its one decision, given at this instant. */
export function withDecision(
  request: ApprovalRequest,
  given: NewDecision,
  { at, window }: { readonly at: Date; readonly window: number },
): ApprovalRequest {
  const { actor: _actor, auditData: _data, wakes: _wakes, authentication, ...stored } = given;
  const windowMs = executionWindow(given, window);
  return buildRequest({
    ...request,
    state: given.status,
    updatedAt: at,
    decision: withoutNulls<Decision>({
      ...stored,
      requestId: request.id,
      organizationId: request.organizationId,
      authentication: toAuthContext(authentication, at),
      decidedAt: at,
      expiresAt: windowMs === undefined ? null : new Date(at.getTime() + windowMs),
    }),
  });
}

/** What the timeline says about a decision. */
export function decisionEvent(
  requestId: string,
  { status, channel, actor, auditData }: NewDecision,
): NewAuditEvent {
  return { ...requestEvent(requestId, status, { channel, ...auditData }), actor };
}

/** The one decision of the request. */
export function decided(effects: Effects, given: NewDecision): Effects {
  const { request, view } = effects;
  if (isTerminal(request.state)) throw new Error('a request has one decision');
  const event = decisionEvent(request.id, given);
  const terms = { at: view.now, window: view.approvalWindow };
  const after = { ...effects, request: withDecision(request, given, terms), wakeAttempts: 0 };
  return given.wakes
    ? woken(recorded(after, event))
    : { ...recorded(after, event), wakeAt: undefined };
}

/** The start of the idempotency key of decisions by the service itself; the request's id follows. */
const SYSTEM_KEY_PREFIX = 'system:';

interface ByService {
  readonly id: string;
  readonly status: 'expired' | 'cancelled';
  readonly wakes: boolean;
  readonly actor?: AuditActor;
  readonly auditData?: Readonly<Record<string, unknown>>;
}

/** The service itself decides. */
export function decidedByService(effects: Effects, given: ByService): Effects {
  return decided(effects, {
    actor: SYSTEM,
    channel: 'system',
    authentication: SYSTEM_AUTHENTICATION,
    idempotencyKey: `${SYSTEM_KEY_PREFIX}${effects.request.id}`,
    ...given,
  });
}

type ClaimEnd = {
  readonly verb: 'claim_lapsed' | 'claim_released';
  readonly actor?: AuditActor;
  readonly reason?: string;
};

/** The live claim ends, and the timeline says why. */
export function withoutClaim(
  effects: Effects,
  { verb, actor = SYSTEM, ...why }: ClaimEnd,
): Effects {
  const { request } = effects;
  const { claim } = request;
  if (!claim) return effects;
  const event = { ...requestEvent(request.id, verb, { ...claimData(claim), ...why }), actor };
  const ended = {
    ...effects,
    endedClaim: claim.id,
    request: buildRequest({ ...request, claim: null }),
  };
  return recorded(noticed(ended), event);
}

export function claimData({ id, membershipId, displayName }: Claim) {
  return { claim_id: id, membership_id: membershipId, display_name: displayName };
}

/** The request becomes final by this change: it was not before. */
export function isFinalNow({ request, view }: Effects): boolean {
  return isTerminal(request.state) && !isTerminal(view.request.state);
}

/** Something changes that a queue or a timeline shows. The rest is only when to look again. */
export function isShown({ view, request, events, notifications, steps }: Effects): boolean {
  const before = view.request;
  return (
    [events, notifications, steps].some((list) => list.length > 0) ||
    request.state !== before.state ||
    request.walk !== before.walk ||
    request.urgency !== before.urgency ||
    !sameInstant(request.updatedAt, before.updatedAt) ||
    !sameInstant(request.nextAt, before.nextAt)
  );
}

/** Whether there is nothing to write. */
export function isEmpty(effects: Effects): boolean {
  const { view, wakeAt, wakeAttempts, isRemoved, endedClaim } = effects;
  return (
    !isShown(effects) &&
    !isRemoved &&
    endedClaim === undefined &&
    sameInstant(wakeAt, view.wakeAt) &&
    wakeAttempts === view.wakeAttempts
  );
}

function sameInstant(one: Date | undefined, other: Date | undefined): boolean {
  return one?.getTime() === other?.getTime();
}

/** The request is handed over to people by this change. */
export function isRoutedNow({ request, view, isRemoved }: Effects): boolean {
  return !isRemoved && request.route !== undefined && view.request.route === undefined;
}

/** The call starts by this change: it had not before. */
export function isStartedNow({ request, view }: Effects): boolean {
  return request.startedAt !== undefined && view.request.startedAt === undefined;
}

/** The adapter reports by this change what came of the call. */
export function isReportedNow({ request, view }: Effects): boolean {
  return request.result !== undefined && view.request.result === undefined;
}

/** The first instant at which the plan would be another one: the deadline, the end of the claim, or of the approval. */
export function validUntil(effects: Effects): Date | undefined {
  const {
    view: { request, now },
  } = effects;
  if (isStartedNow(effects)) return request.decision?.expiresAt;
  if (isTerminal(request.state)) return undefined;
  const ends = [request.deadlineAt, request.claim?.expiresAt].filter(
    (at) => at !== undefined && at > now,
  );
  return ends.reduce((one, other) => (one && other && other < one ? other : one), ends[0]);
}
