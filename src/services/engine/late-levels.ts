/** Due levels of many requests at once. A request that needs a separate step is left out. */
import type { Plan } from '../../domain/requests/engine/effects.ts';
import { planStep } from '../../domain/requests/engine/step.ts';
import type { RequestView } from '../../domain/requests/engine/view.ts';
import type { StepWait } from '../../domain/requests/engine/walk.ts';
import type { ServiceContext } from '../context.ts';
import { loadDocuments, type LoadedDocuments } from './documents.ts';
import { drive, outcomeOf, type Basis } from './drive.ts';
import { observeLevel } from './lateness.ts';

/** What was stepped, by id. The other requests are as before. */
export async function stepLateLevels(
  context: ServiceContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StepWait>> {
  const people = { pathKeys: [], cap: context.limits.pendingRequests };
  const driven = await drive(context, {
    ids,
    caller: undefined,
    need: () => ({ texts: false, people }),
    load: async (view, { db }) => (isLevelDue(view) ? await loadDocuments(db, view) : undefined),
    plan: planLate,
    unplanned: (id, error) => {
      context.logger.warn(
        { err: error, approvalRequest: id },
        'a late level could not be planned with others; the request gets a separate step',
      );
    },
  });
  const waits = new Map<string, StepWait>();
  for (const [id, changed] of driven) {
    if (!changed.effects) continue;
    waits.set(id, outcomeOf(changed));
    observeLevel(context, changed.effects);
    context.changes.publish(id);
  }
  return waits;
}

function isLevelDue({ request, now }: RequestView): boolean {
  return request.state === 'pending' && !request.claim && now < request.deadlineAt;
}

/** Undefined for a request whose path has conditions, too: one would read what the agent sent. */
function planLate({
  view,
  facts: documents,
  decisionId,
}: Basis<undefined, LoadedDocuments | undefined>): Plan<StepWait> | undefined {
  if (!documents || documents.conditions.length > 0) return undefined;
  const { effects, step } = planStep(view, {
    by: 'reconciler',
    decisionId,
    evaluated: undefined,
    documents: { ...documents, matches: () => false },
    isExactCount: false,
  });
  return effects && step.kind === 'wait' ? { effects, outcome: step } : undefined;
}
