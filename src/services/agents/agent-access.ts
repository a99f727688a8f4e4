/** Reads the caller again before a change of an agent or of a part of it, such as a credential. */
import type { Agent } from '../../domain/agents/agents.ts';
import { authorize, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { requireRecentUnlessKey } from '../../domain/people/recent-authentication.ts';
import type { Permission } from '../../domain/people/permissions.ts';
import { AppError } from '../../domain/errors.ts';
import { findAgentForShare } from '../../data/agents/agents.ts';
import type { Trx } from '../../platform/postgres.ts';
import { rereadCaller } from '../access/current-callers.ts';

/**
 * The agent that gets a new credential or provisioner token, locked with the organization's access.
 * Throws what `rereadCaller` throws, for a session what `requireRecentAuthentication` throws, 404,
 * 409 `agent_archived`, and 409 `demo_agent`.
 */
export async function lockAgentToIssue(
  trx: Trx,
  principal: ProductPrincipal,
  slug: string,
): Promise<Agent> {
  const agent = await findAgentForShare(trx, principal.organizationId, slug);
  const caller = await rereadCaller(trx, principal, {
    permission: 'agent.credential.issue',
    target: { kind: 'agent', slug },
  });
  requireRecentUnlessKey(caller);
  if (!agent) throw new AppError('not_found');
  if (agent.status === 'archived') throw new AppError('agent_archived');
  // Its requests say that they are a demo, and no figure counts them: no real program may call as it.
  if (agent.demo) throw new AppError('demo_agent');
  return agent;
}

/**
 * Call it with the organization's access and the part locked. Throws what `rereadCaller` throws, and
 * 404 for no part. A part of an agent outside the caller's scope is 404, too, so that the response
 * reveals nothing about it.
 */
export async function rereadForPart<Part extends { readonly agentSlug: string }>(
  trx: Trx,
  principal: ProductPrincipal,
  { part, permission }: { readonly part: Part | undefined; readonly permission: Permission },
): Promise<Part> {
  const current = await rereadCaller(trx, principal, { permission, target: { kind: 'any' } });
  if (!part) throw new AppError('not_found');
  const target = { kind: 'agent', slug: part.agentSlug } as const;
  if (!authorize(current, permission, target).allowed) throw new AppError('not_found');
  return part;
}
