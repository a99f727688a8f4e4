/**
 * Who may see, decide and is listed which request. `src/data/approval-requests/list.ts` says the same in SQL for lists; a
 * test holds the two together.
 */
import type { ApprovalRequest } from './approval-requests.ts';
import { authorize, scopeOf, type ProductPrincipal, type PermissionScope } from './authorization.ts';
import { actorIdOf } from './audit.ts';
import type { Permission } from './permissions.ts';
import type { Target } from './escalation-paths.ts';

/** Everybody the pinned path revision names; undefined for a request no path applies to. */
export type RouteTargets = readonly Target[] | undefined;

function holds(principal: ProductPrincipal, permission: Permission, request: ApprovalRequest): boolean {
  return authorize(principal, permission, { kind: 'agent', slug: request.agentSlug }).allowed;
}

/** Named by the path, whichever level; a broadcast names everybody who may decide. */
function isOnPath(principal: ProductPrincipal, targets: RouteTargets): boolean {
  if (!targets) return true;
  return targets.some((target) => target.type === 'broadcast' || target.id === actorIdOf(principal));
}

/** May decide the request, or could if it were pending. */
export function mayDecide(principal: ProductPrincipal, request: ApprovalRequest, targets: RouteTargets): boolean {
  if (holds(principal, 'request.decide.unrouted', request)) return true;
  return holds(principal, 'request.decide', request) && isOnPath(principal, targets);
}

/** May see the request: everybody who may decide it, and readers of what was not routed to them. */
export function maySee(principal: ProductPrincipal, request: ApprovalRequest, targets: RouteTargets): boolean {
  if (mayDecide(principal, request, targets) || holds(principal, 'request.read.unrouted', request)) return true;
  return !targets && holds(principal, 'request.read', request);
}

/** The same as filters for lists. A scope is undefined where the permission is not held at all. */
export interface ListAccess {
  /** The member; for an organization key its own id, which no path and no notification names. */
  readonly membershipId: string;
  readonly read: PermissionScope | undefined;
  readonly readUnrouted: PermissionScope | undefined;
  readonly decide: PermissionScope | undefined;
  readonly decideUnrouted: PermissionScope | undefined;
}

export function listAccess(principal: ProductPrincipal): ListAccess {
  return {
    membershipId: actorIdOf(principal),
    read: scopeOf(principal, 'request.read'),
    readUnrouted: scopeOf(principal, 'request.read.unrouted'),
    decide: scopeOf(principal, 'request.decide'),
    decideUnrouted: scopeOf(principal, 'request.decide.unrouted'),
  };
}
