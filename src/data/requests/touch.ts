/** Marks a locked request as changed. */
import { WAKE_HEAD_START_MS } from '../../domain/requests/approval-requests.ts';
import type { Trx } from '../../platform/postgres.ts';

/**
 * Marks a change that reviewers should notice. `wake` also wakes the workflow, through the
 * reconciler if the signal is lost.
 */
export async function touchRequest(
  trx: Trx,
  id: string,
  { now, wake }: { readonly now: Date; readonly wake: boolean },
): Promise<void> {
  const wakeAt = new Date(now.getTime() + WAKE_HEAD_START_MS);
  await trx('approval_requests')
    .where({ id })
    .update({ updated_at: now, last_at: now, ...(wake && { wake_at: wakeAt, wake_attempts: 0 }) });
}
