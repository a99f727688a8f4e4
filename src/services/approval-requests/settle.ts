/** Expiry: whoever meets an open request past its deadline records that first, with or without Temporal. */
import { recordDecision, type RecordedDecision } from '../../data/approval-requests/decide.ts';
import { lockRequest, type LockedRequest } from '../../data/approval-requests/lock.ts';
import { findRequest } from '../../data/approval-requests/read.ts';
import type { ApprovalRequest } from '../../domain/approval-requests.ts';
import { SYSTEM } from '../../domain/audit.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';

/** Inside the locking transaction: expires the request if its deadline has passed. */
export async function expireIfDue(
  db: Db,
  locked: LockedRequest,
  { wake }: { readonly wake: boolean },
): Promise<RecordedDecision | undefined> {
  const { request, now } = locked;
  const open = request.state === 'evaluating' || request.state === 'pending';
  if (!open || now < request.deadlineAt) return undefined;
  return await recordDecision(
    db,
    { id: request.id, now },
    {
      status: 'expired',
      channel: 'system',
      authentication: { method: 'system', assurance: 'strong' },
      idempotencyKey: `system:${request.id}`,
      actor: SYSTEM,
      from: ['evaluating', 'pending'],
      wake,
    },
  );
}

/** Expires one request if it is due, in a transaction of its own. */
export async function expireRequest(context: ServiceContext, id: string): Promise<void> {
  const expired = await context.db.transaction(async (trx) => {
    const locked = await lockRequest(trx, id);
    return locked && (await expireIfDue(trx, locked, { wake: true }));
  });
  if (!expired) return;
  context.metrics.requestsDecided.inc({ status: 'expired', channel: 'system' });
  context.changes.publish(id);
}

/** The request as it stands now, expired first if it is due. */
export async function readSettled(context: ServiceContext, id: string): Promise<ApprovalRequest | undefined> {
  const read = await findRequest(context.db, id);
  if (!read?.overdue) return read?.request;
  await expireRequest(context, id);
  return (await findRequest(context.db, id))?.request;
}
