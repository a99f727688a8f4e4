/** An adapter cancels its request. */
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { planCancel } from '../../domain/requests/engine/cancel.ts';
import type { ServiceContext } from '../context.ts';
import { announceChange } from '../engine/announce.ts';
import { changeRequest } from '../engine/change.ts';
import { outcomeOf } from '../engine/drive.ts';

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
    plan: ({ view, decisionId }) => planCancel(view, { principal, decisionId }),
  });
  announceChange(context, changed, 'cancel');
  return outcomeOf(changed);
}
