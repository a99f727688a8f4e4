/** Whether a caller may do something to the requests of an agent. */
import { AppError } from '../errors.ts';
import { authorize, maySeeTarget, type ProductPrincipal } from '../people/authorization.ts';
import type { Permission } from '../people/permissions.ts';

/** Throws 403 `permission_denied` with its details, which name the agent only to a caller who may see it. */
export function requireForAgent(
  caller: ProductPrincipal,
  permission: Permission,
  agentSlug: string,
): void {
  const target = { kind: 'agent', slug: agentSlug } as const;
  const access = authorize(caller, permission, target);
  if (access.allowed) return;
  const { scope_id, ...unnamed } = access.forbidden;
  const details = maySeeTarget(caller, target) ? { ...unnamed, scope_id } : unnamed;
  throw new AppError('permission_denied', { details });
}
