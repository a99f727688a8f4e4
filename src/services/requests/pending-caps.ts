/** What the call that creates a request gets when a cap has refused it, and the row is removed. */
import { findRefusal } from '../../data/requests/pending-caps.ts';
import { AppError } from '../../domain/errors.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { ReachedCap } from '../../domain/requests/engine/pending-cap.ts';
import type { Runtime, ServiceContext } from '../context.ts';

type Asker = Pick<ApprovalRequest, 'organizationId' | 'agentSlug'>;

/** Throws `quota_exceeded` for a request that is gone, or was cancelled because a cap refused it. */
export async function requireNotRefused(
  context: ServiceContext,
  asker: Asker & { readonly id: string },
  request: ApprovalRequest | undefined,
): Promise<ApprovalRequest> {
  if (request && !(request.state === 'cancelled' && request.decision?.channel === 'system'))
    return request;
  const refusal = await findRefusal(context.db, asker.organizationId, asker.id);
  if (request && !refusal) return request;
  throw quotaExceeded(context, asker, refusal);
}

/** `reached`: the cap that refused; the organization's when that is no longer known. */
export function quotaExceeded(
  { limits }: Runtime,
  { agentSlug }: Asker,
  reached: ReachedCap = { dimension: 'pending_requests', limit: limits.pendingRequests },
): AppError {
  const { dimension, limit } = reached;
  return new AppError('quota_exceeded', {
    details: { dimension, limit, used: limit, agent_slug: agentSlug },
  });
}
