/** Refuses requests that would wait for people at a cap: the row is removed, and create answers 429. */
import { insertAuditEvents } from '../../data/audit-events.ts';
import { recordDecision } from '../../data/requests/decide.ts';
import type { LockedRequest } from '../../data/requests/lock.ts';
import {
  findReachedCap,
  findRefusal,
  isFarFromCaps,
  lockPendingCount,
  removeRequest,
  type ReachedCap,
} from '../../data/requests/pending-caps.ts';
import { requestEvent, SYSTEM } from '../../domain/audit.ts';
import { AppError } from '../../domain/errors.ts';
import {
  SYSTEM_AUTHENTICATION,
  type ApprovalRequest,
} from '../../domain/requests/approval-requests.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { SYSTEM_KEY_PREFIX } from './settle.ts';

/**
 * Inside the locking transaction of a request that is evaluating: true when a cap refused it. An
 * admitted request passes. Exact under concurrency until the transaction ends.
 */
export async function refuseAtCap(
  trx: Trx,
  runtime: Runtime,
  locked: LockedRequest,
): Promise<boolean> {
  const { request, admitted, now } = locked;
  const { pendingRequests: cap } = runtime.limits;
  if (admitted || (await isFarFromCaps(trx, request, cap))) return false;
  await lockPendingCount(trx, request.organizationId);
  const reached = await findReachedCap(trx, request, cap);
  if (!reached) return false;
  const refused = requestEvent(request.id, 'refused', {
    code: 'quota_exceeded',
    ...reached,
    agent_slug: request.agentSlug,
  });
  await insertAuditEvents(trx, request.organizationId, { events: [refused], occurredAt: now });
  await remove(trx, runtime, locked);
  return true;
}

/** A request that cannot be removed is cancelled, so that nothing admits it and no one is asked. */
async function remove(trx: Trx, { logger }: Runtime, locked: LockedRequest): Promise<void> {
  const { id } = locked.request;
  try {
    await trx.transaction((savepoint) => removeRequest(savepoint, id));
  } catch (error) {
    logger.error({ err: error, approvalRequest: id }, 'a refused request could not be removed');
    await recordDecision(trx, locked, {
      status: 'cancelled',
      channel: 'system',
      authentication: SYSTEM_AUTHENTICATION,
      idempotencyKey: `${SYSTEM_KEY_PREFIX}${id}`,
      actor: SYSTEM,
      auditData: { reason: 'quota_exceeded' },
      from: ['evaluating'],
      wake: false,
    });
  }
}

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
