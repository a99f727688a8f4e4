/** An adapter cancels its request. */
import { recordDecision, type NewDecision } from '../../data/requests/decide.ts';
import { lockRequest } from '../../data/requests/lock.ts';
import { OPEN_STATES, type ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { actorOf } from '../../domain/audit.ts';
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';
import { announceDecided } from './announce.ts';
import { expireIfDue } from './settle.ts';

/**
 * A repeat answers the same cancelled request. Approved, denied and expired requests are
 * `already_terminal`.
 */
export async function cancelRequest(
  context: ServiceContext,
  principal: AgentPrincipal,
  id: string,
): Promise<ApprovalRequest> {
  const { before, settled } = await context.db.transaction(async (trx) => {
    const locked = await lockRequest(trx, id);
    if (locked?.request.agentInstanceId !== principal.instanceId) throw new AppError('not_found');
    const changed =
      (await expireIfDue(trx, locked, { wake: true })) ??
      (await recordDecision(trx, locked, cancellation(principal, id)));
    return { before: locked.request, settled: changed };
  });
  if (settled) announceDecided(context, settled, 'cancel');
  const request = settled ?? before;
  if (request.state !== 'cancelled')
    throw new AppError('already_terminal', { details: { status: request.state } });
  return request;
}

function cancellation(principal: AgentPrincipal, id: string): NewDecision {
  return {
    status: 'cancelled',
    channel: 'aap',
    authentication: {
      method: 'agent_credential',
      assurance: 'single_factor',
      credential_id: principal.credentialId,
    },
    idempotencyKey: `aap:${id}`,
    actor: actorOf(principal),
    from: OPEN_STATES,
    wake: true,
  };
}
