/** An adapter reports that it starts the call that was approved. */
import { v7 } from 'uuid';
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import { planStart, type StartedRequest } from '../../domain/requests/engine/start.ts';
import type { ServiceContext } from '../context.ts';
import { announceDecided } from '../engine/announce.ts';
import { changeRequest, outcomeOf } from '../engine/change.ts';
import { requireUsableCredential } from '../sign-in/authentication.ts';

/** Throws `not_found`, `not_approved`, `already_started` and `approval_expired`, and what `authenticate` throws. */
export async function startRequest(
  context: ServiceContext,
  principal: AgentPrincipal,
  id: string,
): Promise<StartedRequest> {
  const changed = await changeRequest(context, {
    id,
    caller: undefined,
    need: { texts: true },
    plan: async ({ view, db }) => {
      // It may have waited for the lock until after its agent was disabled.
      if (db !== context.db) await requireUsableCredential(db, principal.credentialId);
      return planStart(view, { principal, decisionId: v7() });
    },
  });
  const { effects } = changed;
  if (effects?.request.startedAt) context.changes.publish(id);
  else if (effects) announceDecided(context, effects.request);
  return outcomeOf(changed);
}
