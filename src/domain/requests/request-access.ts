/**
 * Who may see, claim and decide a request. SQL has the same rules: `src/data/requests/queue/access.ts` for lists, and
 * `src/data/requests/deciders.ts` for the people who may decide. Tests compare them.
 */
import { createHash } from 'node:crypto';
import { isTerminal, type ApprovalRequest } from './approval-requests.ts';
import {
  authorize,
  scopeOf,
  type MemberPrincipal,
  type ProductPrincipal,
  type PermissionScope,
} from '../people/authorization.ts';
import { actorIdOf } from '../audit/events.ts';
import type { Permission } from '../people/permissions.ts';
import { lacksSecondFactor } from '../people/recent-authentication.ts';
import type { Target } from '../escalation/types.ts';

/** The people a request was routed to. `targets`: all targets of its pinned path revision; undefined without a path. */
export interface Audience {
  readonly targets: readonly Target[] | undefined;
  /** Memberships a reviewer added by hand. */
  readonly added: readonly string[];
}

type OfAgent = Pick<ApprovalRequest, 'agentSlug'>;

function holds(principal: ProductPrincipal, permission: Permission, request: OfAgent): boolean {
  return authorize(principal, permission, { kind: 'agent', slug: request.agentSlug }).allowed;
}

/**
 * True for people that any level of the path targets, directly or through a team, and for added reviewers. A broadcast,
 * or a request without a path, includes everyone who may decide.
 */
export function isInAudience(
  { membershipId, teamIds }: Pick<MemberPrincipal, 'membershipId' | 'teamIds'>,
  { targets, added }: Audience,
): boolean {
  const names = (target: Target): boolean =>
    target.type === 'broadcast' ||
    (target.type === 'team' ? teamIds.includes(target.id) : target.id === membershipId);
  return !targets || targets.some(names) || added.includes(membershipId);
}

/** The same for a caller. A path targets people, so an organization key is on no path. */
function isOnPath(principal: ProductPrincipal, audience: Audience): boolean {
  return principal.kind === 'member' ? isInAudience(principal, audience) : !audience.targets;
}

/** Whether a member who may decide requests of this agent may claim it: owners always, others when it was routed to them. */
function mayClaim(principal: MemberPrincipal, audience: Audience): boolean {
  return principal.isOwner || isOnPath(principal, audience);
}

/**
 * Whether the caller may decide the request, or could if it were pending. It always takes `request.decide`;
 * `request.decide.unrouted` extends that to requests routed to others.
 */
export function mayDecide(
  principal: ProductPrincipal,
  request: OfAgent,
  audience: Audience,
): boolean {
  if (!holds(principal, 'request.decide', request)) return false;
  return isOnPath(principal, audience) || holds(principal, 'request.decide.unrouted', request);
}

/** Whether the caller may see the request: those who may decide it, and holders of `request.read.unrouted`. */
export function maySee(principal: ProductPrincipal, request: OfAgent, audience: Audience): boolean {
  if (mayDecide(principal, request, audience) || holds(principal, 'request.read.unrouted', request))
    return true;
  return !audience.targets && holds(principal, 'request.read', request);
}

/** What a reviewer does to a request. Each is an endpoint. */
export type RequestAct = 'decide' | 'claim' | 'add_reviewers';

const NEEDED: Readonly<Record<RequestAct, readonly [Permission, ...Permission[]]>> = {
  decide: ['request.decide'],
  claim: ['request.claim', 'request.decide'],
  add_reviewers: ['request.decide'],
};

/** Why not, as one word. */
export const CANNOT_REASONS = [
  'permission_denied',
  'mfa_required',
  'request_not_routed',
  'request_evaluating',
  'already_terminal',
  'claim_held',
] as const;
export type CannotReason = (typeof CANNOT_REASONS)[number];

/** Why the caller has no right to the act, whatever the state. `permission`: the one that is missing. */
export type RightsRefusal =
  | { readonly reason: 'permission_denied'; readonly permission: Permission }
  | { readonly reason: 'mfa_required' | 'request_not_routed'; readonly permission?: undefined };

interface Subject {
  readonly principal: ProductPrincipal;
  readonly request: OfAgent & Pick<ApprovalRequest, 'state' | 'claim'>;
  readonly audience: Audience;
}

/** Undefined for a caller with the right. */
export function refusedByRights(
  act: RequestAct,
  { principal, request, audience }: Subject,
): RightsRefusal | undefined {
  const missing = NEEDED[act].find((permission) => !holds(principal, permission, request));
  if (missing !== undefined || principal.kind !== 'member')
    return { reason: 'permission_denied', permission: missing ?? NEEDED[act][0] };
  if (act === 'decide' && lacksSecondFactor(principal)) return { reason: 'mfa_required' };
  const routed =
    act === 'claim' ? mayClaim(principal, audience) : mayDecide(principal, request, audience);
  return routed ? undefined : { reason: 'request_not_routed' };
}

/** Undefined when the request is in a state for the act. */
export function refusedByState(
  act: RequestAct,
  { principal, request: { state, claim } }: Omit<Subject, 'audience'>,
): 'request_evaluating' | 'already_terminal' | 'claim_held' | undefined {
  if (state === 'evaluating') return 'request_evaluating';
  if (isTerminal(state)) return 'already_terminal';
  if (act !== 'claim' || !claim || claim.lapsed) return undefined;
  return claim.membershipId === actorIdOf(principal) ? undefined : 'claim_held';
}

/** What the caller can do to a request now: what the endpoints would allow. */
export interface RequestAbilities {
  readonly canDecide: boolean;
  readonly canClaim: boolean;
  readonly canAddReviewers: boolean;
  /** Of the first of these that is false. */
  readonly cannotReason?: CannotReason;
}

export function abilitiesOf(subject: Subject): RequestAbilities {
  const refusal = (act: RequestAct) =>
    refusedByRights(act, subject)?.reason ?? refusedByState(act, subject);
  const [decide, claim, add] = [refusal('decide'), refusal('claim'), refusal('add_reviewers')];
  const cannotReason = decide ?? claim ?? add;
  return {
    canDecide: decide === undefined,
    canClaim: claim === undefined,
    canAddReviewers: add === undefined,
    ...(cannotReason && { cannotReason }),
  };
}

/** The same rules as filters for lists. A scope is undefined when the caller lacks the permission. */
export interface ListAccess {
  /** The membership; for an organization key its own id, which no path or notification contains. */
  readonly membershipId: string;
  /** Their live teams. */
  readonly teamIds: readonly string[];
  readonly read: PermissionScope | undefined;
  readonly readRoutedToOthers: PermissionScope | undefined;
  readonly decide: PermissionScope | undefined;
  /** The part of `decide` that includes requests routed to others. */
  readonly decideRoutedToOthers: PermissionScope | undefined;
}

export function listAccess(principal: ProductPrincipal): ListAccess {
  const decide = scopeOf(principal, 'request.decide');
  return {
    membershipId: actorIdOf(principal),
    teamIds: principal.kind === 'member' ? principal.teamIds : [],
    read: scopeOf(principal, 'request.read'),
    readRoutedToOthers: scopeOf(principal, 'request.read.unrouted'),
    decide,
    decideRoutedToOthers: withinBoth(decide, scopeOf(principal, 'request.decide.unrouted')),
  };
}

/** Changes with everything that lists and `abilitiesOf` depend on besides the request. */
export function accessDigest(principal: ProductPrincipal): string {
  const { teamIds, ...access } = listAccess(principal);
  const person = principal.kind === 'member' && {
    isOwner: principal.isOwner,
    lacksSecondFactor: lacksSecondFactor(principal),
  };
  const claim = scopeOf(principal, 'request.claim');
  const facts = JSON.stringify([access, [...teamIds].sort(), person, claim]);
  return createHash('sha256').update(facts).digest('base64url').slice(0, 16);
}

function withinBoth(
  one: PermissionScope | undefined,
  other: PermissionScope | undefined,
): PermissionScope | undefined {
  if (!one || !other) return undefined;
  if (one.all) return other;
  if (other.all) return one;
  const common = (ids: readonly string[], among: readonly string[]): readonly string[] =>
    ids.filter((id) => among.includes(id));
  return {
    all: false,
    agentSlugs: common(one.agentSlugs, other.agentSlugs),
    teamIds: common(one.teamIds, other.teamIds),
  };
}
