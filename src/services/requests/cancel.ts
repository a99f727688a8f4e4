/** An adapter cancels its request. */
import { v7 } from 'uuid';
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { planCancel } from '../../domain/requests/engine/cancel.ts';
import type { ServiceContext } from '../context.ts';
import { announceChange } from '../engine/announce.ts';
import { changeRequest, outcomeOf } from '../engine/change.ts';

/**
 * A repeat returns the same cancelled request. Approved, denied and expired requests are
 * `already_terminal`.
 */
export async function cancelRequest(
  context: ServiceContext,
  principal: AgentPrincipal,
  id: string,
): Promise<ApprovalRequest> {
  const changed = await changeRequest(context, {
    id,
    caller: undefined,
    need: { texts: true },
    plan: ({ view }) => planCancel(view, { principal, decisionId: v7() }),
  });
  announceChange(context, changed, 'cancel');
  return outcomeOf(changed);
}
