/**
 * Who may see, decide and is listed which request. `src/data/approval-requests/list.ts` says the same in SQL for lists; a
 * test holds the two together.
 */
import type { ApprovalRequest } from './approval-requests.ts';
import { authorize, scopeOf, type ProductPrincipal, type PermissionScope } from './authorization.ts';
import { actorIdOf } from './audit.ts';
import type { Permission } from './permissions.ts';
import type { Target } from './escalation-paths/types.ts';

/** Whom a request was routed to. `targets`: everybody its pinned path revision names; undefined when no path applies to it. */
export interface Routed {
  readonly targets: readonly Target[] | undefined;
  /** Memberships a reviewer added by hand. */
  readonly added: readonly string[];
}

function holds(principal: ProductPrincipal, permission: Permission, request: ApprovalRequest): boolean {
  return authorize(principal, permission, { kind: 'agent', slug: request.agentSlug }).allowed;
}

/** Named by the path, whichever level, himself or through a team of his; a broadcast names everybody who may decide. */
export function isOnPath(principal: ProductPrincipal, { targets, added }: Routed): boolean {
  if (!targets || principal.kind !== 'member') return !targets;
  const { membershipId, teamIds } = principal;
  const names = (target: Target): boolean =>
    target.type === 'broadcast' || (target.type === 'team' ? teamIds.includes(target.id) : target.id === membershipId);
  return targets.some(names) || added.includes(membershipId);
}

/** May decide the request, or could if it were pending. */
export function mayDecide(principal: ProductPrincipal, request: ApprovalRequest, routed: Routed): boolean {
  if (holds(principal, 'request.decide.unrouted', request)) return true;
  return holds(principal, 'request.decide', request) && isOnPath(principal, routed);
}

/** May see the request: everybody who may decide it, and readers of what was not routed to them. */
export function maySee(principal: ProductPrincipal, request: ApprovalRequest, routed: Routed): boolean {
  if (mayDecide(principal, request, routed) || holds(principal, 'request.read.unrouted', request)) return true;
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
  readonly decideUnrouted: PermissionScope | undefined;
}

export function listAccess(principal: ProductPrincipal): ListAccess {
  return {
    membershipId: actorIdOf(principal),
    teamIds: principal.kind === 'member' ? principal.teamIds : [],
    read: scopeOf(principal, 'request.read'),
    readUnrouted: scopeOf(principal, 'request.read.unrouted'),
    decide: scopeOf(principal, 'request.decide'),
    decideUnrouted: scopeOf(principal, 'request.decide.unrouted'),
  };
}
