/** The adapter withdraws its request. */
import { recordDecision } from '../../data/approval-requests/decide.ts';
import { lockRequest } from '../../data/approval-requests/lock.ts';
import { findRequest } from '../../data/approval-requests/read.ts';
import type { ApprovalRequest } from '../../domain/approval-requests.ts';
import { actorOf } from '../../domain/audit.ts';
import type { AgentPrincipal } from '../../domain/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';
import { signalLater } from './signal.ts';
import { expireIfDue } from './settle.ts';

/** Repeats answer the same cancelled request; approved, denied and expired are `already_terminal`. */
export async function cancelRequest(context: ServiceContext, principal: AgentPrincipal, id: string): Promise<ApprovalRequest> {
  const changed = await context.db.transaction(async (trx) => {
    const locked = await lockRequest(trx, id);
    if (locked?.request.agentInstanceId !== principal.instanceId) throw new AppError('not_found');
    if (await expireIfDue(trx, locked, { wake: true })) return 'expired';
    const cancelled = await recordDecision(
      trx,
      { id, now: locked.now },
      {
        status: 'cancelled',
        channel: 'aap',
        authentication: { method: 'agent_credential', assurance: 'single_factor', credential_id: principal.credentialId },
        idempotencyKey: `aap:${id}`,
        actor: actorOf(principal),
        from: ['evaluating', 'pending'],
        wake: true,
      },
    );
    return cancelled && 'cancelled';
  });
  if (changed) {
    context.metrics.requestsDecided.inc({ status: changed, channel: changed === 'expired' ? 'system' : 'aap' });
    context.changes.publish(id);
    signalLater(context, id, 'cancel');
  }
  const request = (await findRequest(context.db, id))?.request;
  if (request?.state !== 'cancelled') throw new AppError('already_terminal', { details: { status: request?.state } });
  return request;
}
