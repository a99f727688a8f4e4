/** An adapter reports that it starts the call that was approved, and what came of it. */
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import {
  planReport,
  planStart,
  type ReportedResult,
  type StartedRequest,
} from '../../domain/requests/engine/start.ts';
import type { Facts } from '../../domain/requests/approval-requests.ts';
import type { ServiceContext } from '../context.ts';
import { announceDecided } from '../engine/announce.ts';
import { changeRequest } from '../engine/change.ts';
import { outcomeOf } from '../engine/drive.ts';
import { requireUsableCredential } from '../sign-in/authentication.ts';

/** Throws `not_found`, `not_approved`, `already_started` and `approval_expired`, and what `authenticate` throws. */
export async function startRequest(
  context: ServiceContext,
  principal: AgentPrincipal,
  { id, key }: { readonly id: string; readonly key: string | undefined },
): Promise<StartedRequest> {
  const changed = await changeRequest(context, {
    id,
    caller: undefined,
    need: { texts: true },
    read: async (_view, { db, isLocked }) => {
      // It may have waited for the lock until after its agent was disabled.
      if (isLocked) await requireUsableCredential(db, principal.credentialId);
    },
    plan: ({ view, decisionId }) => planStart(view, { principal, decisionId, key }),
  });
  const { effects } = changed;
  if (effects?.request.startedAt) context.changes.publish(id);
  else if (effects) announceDecided(context, effects.request);
  return outcomeOf(changed);
}

/** Throws `not_found`, `not_started` and `result_reported`. */
export async function reportResult(
  context: ServiceContext,
  principal: AgentPrincipal,
  { id, result }: { readonly id: string; readonly result: Facts<ReportedResult> },
): Promise<void> {
  const changed = await changeRequest(context, {
    id,
    caller: undefined,
    need: { texts: false },
    plan: ({ view }) => planReport(view, { principal, result }),
  });
  if (changed.effects) context.changes.publish(id);
  outcomeOf(changed);
}
