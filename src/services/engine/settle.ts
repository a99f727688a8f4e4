/** Requests past their deadline: each reader and writer that meets one records that it has expired, with or without Temporal. */
import { v7 } from 'uuid';
import { findRequest } from '../../data/requests/read.ts';
import { findPastDeadline } from '../../data/requests/wake.ts';
import { AppError } from '../../domain/errors.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { settled } from '../../domain/requests/engine/settle.ts';
import type { ServiceContext } from '../context.ts';
import { announceDecided } from './announce.ts';
import { changeRequest, outcomeOf } from './change.ts';
import { changeSet } from './change-set.ts';

/** The current request, expired first if it is due. */
export async function readSettled(
  context: ServiceContext,
  id: string,
): Promise<ApprovalRequest | undefined> {
  const read = await findRequest(context.db, id);
  if (!read?.isPastDeadline) return read?.request;
  const expired = changeRequest(context, {
    id,
    caller: undefined,
    need: { texts: true },
    plan: ({ view }) => {
      const after = settled(view, { decisionId: v7(), wakes: true });
      return { effects: after, outcome: after.request };
    },
  });
  const changed = await expired.catch((error: unknown) => {
    // A cap has removed it since the first read.
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  });
  if (!changed) return undefined;
  const request = outcomeOf(changed);
  if (changed.effects?.request.decision) announceDecided(context, request);
  return request;
}

/** Expires everything that is due. Requests that others are changing are left to them, and to the next round. */
export async function expirePastDeadline(
  context: ServiceContext,
  { batch }: { readonly batch: number },
): Promise<void> {
  for (;;) {
    const due = await findPastDeadline(context.db, batch);
    const expired = await changeSet(context, due, {
      need: { texts: false },
      depends: 'row',
      plan: (view) => settled(view, { decisionId: v7(), wakes: true }),
    });
    context.metrics.requestsDecided.inc({ status: 'expired', channel: 'system' }, expired.length);
    for (const { request } of expired) context.changes.publish(request.id);
    if (expired.length < batch) return;
  }
}
