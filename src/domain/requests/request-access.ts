/**
 * Who may see, decide and is listed which request. `src/data/requests/list.ts` says the same in SQL for lists; a
 * test holds the two together.
 */
import type { ApprovalRequest } from './approval-requests.ts';
import {
  authorize,
  scopeOf,
  type MemberPrincipal,
  type ProductPrincipal,
  type PermissionScope,
} from '../people/authorization.ts';
import { actorIdOf } from '../audit.ts';
import type { Permission } from '../people/permissions.ts';
import type { Target } from '../escalation/types.ts';

/** Whom a request was routed to. `targets`: everybody its pinned path revision names; undefined when no path applies to it. */
export interface Audience {
  readonly targets: readonly Target[] | undefined;
  /** Memberships a reviewer added by hand. */
  readonly added: readonly string[];
}

function holds(
  principal: ProductPrincipal,
  permission: Permission,
  request: ApprovalRequest,
): boolean {
  return authorize(principal, permission, { kind: 'agent', slug: request.agentSlug }).allowed;
}

/** Who is looked for among those a request was routed to. `teamIds`: his live teams. */
export interface Candidate {
  readonly membershipId: string;
  readonly teamIds: readonly string[];
}

/**
 * Named by the path, whichever level, himself or through a team of his, or added by hand. A broadcast names everybody who
 * may decide, and so does a request without a path.
 */
export function isInAudience(
  { membershipId, teamIds }: Candidate,
  { targets, added }: Audience,
): boolean {
  const names = (target: Target): boolean =>
    target.type === 'broadcast' ||
    (target.type === 'team' ? teamIds.includes(target.id) : target.id === membershipId);
  return !targets || targets.some(names) || added.includes(membershipId);
}

/** The same of a caller. A path names people: an organization key is on none. */
function isOnPath(principal: ProductPrincipal, routed: Audience): boolean {
  return principal.kind === 'member' ? isInAudience(principal, routed) : !routed.targets;
}

/** May claim the request, given that he may decide requests of its agent: owners always, others when it was routed to them. */
export function mayClaim(principal: MemberPrincipal, routed: Audience): boolean {
  return principal.isOwner || isOnPath(principal, routed);
}

/**
 * May decide the request, or could if it were pending. Nobody decides without `request.decide`, which the decision itself asks
 * for; `request.decide.unrouted` extends it to what was routed to others.
 */
export function mayDecide(
  principal: ProductPrincipal,
  request: ApprovalRequest,
  routed: Audience,
): boolean {
  if (!holds(principal, 'request.decide', request)) return false;
  return isOnPath(principal, routed) || holds(principal, 'request.decide.unrouted', request);
}

/** May see the request: everybody who may decide it, and readers of what was not routed to them. */
export function maySee(
  principal: ProductPrincipal,
  request: ApprovalRequest,
  routed: Audience,
): boolean {
  if (mayDecide(principal, request, routed) || holds(principal, 'request.read.unrouted', request))
    return true;
  return !routed.targets && holds(principal, 'request.read', request);
}

/** The same as filters for lists. A scope is undefined where the permission is not held at all. */
export interface ListAccess {
  /** The member; for an organization key its own id, which no path and no notification names. */
  readonly membershipId: string;
  /** His live teams. */
  readonly teamIds: readonly string[];
  readonly read: PermissionScope | undefined;
  readonly readUnrouted: PermissionScope | undefined;
  readonly decide: PermissionScope | undefined;
  /** Of `decide`, where it reaches what was routed to others. */
  readonly decideUnrouted: PermissionScope | undefined;
}

export function listAccess(principal: ProductPrincipal): ListAccess {
  const decide = scopeOf(principal, 'request.decide');
  return {
    membershipId: actorIdOf(principal),
    teamIds: principal.kind === 'member' ? principal.teamIds : [],
    read: scopeOf(principal, 'request.read'),
    readUnrouted: scopeOf(principal, 'request.read.unrouted'),
    decide,
    decideUnrouted: withinBoth(decide, scopeOf(principal, 'request.decide.unrouted')),
  };
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
