/** Due levels of many requests at once. A request that needs a step of its own is left out. */
import { v7 } from 'uuid';
import { planStep } from '../../domain/requests/engine/step.ts';
import type { RequestView } from '../../domain/requests/engine/view.ts';
import type { StepWait } from '../../domain/requests/engine/walk.ts';
import type { ServiceContext } from '../context.ts';
import { changeSet } from './change-set.ts';
import { loadDocuments } from './documents.ts';
import { observeLevel } from './lateness.ts';

/** What was stepped, by id. The other requests are as before. */
export async function stepLateLevels(
  context: ServiceContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StepWait>> {
  const waits = new Map<string, StepWait>();
  const people = { pathKeys: [], cap: context.limits.pendingRequests };
  const stepped = await changeSet(context, ids, {
    need: { texts: false, people },
    depends: 'access',
    plan: async (view) =>
      await planLate(context, view, waits).catch((error: unknown) => {
        context.logger.warn(
          { err: error, approvalRequest: view.request.id },
          'a late level could not be planned with others; the request takes a step of its own',
        );
        return undefined;
      }),
  });
  for (const effects of stepped) observeLevel(context, effects);
  const done = new Set(stepped.map(({ request }) => request.id));
  for (const id of done) context.changes.publish(id);
  return new Map([...waits].filter(([id]) => done.has(id)));
}

async function planLate({ db }: ServiceContext, view: RequestView, waits: Map<string, StepWait>) {
  const { request, now } = view;
  if (request.state !== 'pending' || request.claim || now >= request.deadlineAt) return undefined;
  const documents = await loadDocuments(db, view);
  // A condition would read what the agent sent.
  if (documents.conditions.length > 0) return undefined;
  const { effects, step } = planStep(view, {
    by: 'reconciler',
    decisionId: v7(),
    evaluated: undefined,
    documents: { ...documents, matches: () => false },
    isExactCount: false,
  });
  if (step.kind !== 'wait') return undefined;
  waits.set(request.id, step);
  return effects;
}
