/**
 * Settling: a writer that meets an open request past its deadline, or a claim past its end, records
 * that first, with or without Temporal.
 */
import { insertAuditEvents } from '../../data/audit-events.ts';
import {
  recordDecision,
  recordForEach,
  recordPastDeadline,
  type NewDecision,
} from '../../data/requests/decide.ts';
import { endClaim } from '../../data/requests/claims.ts';
import { lockRequest, type LockedRequest } from '../../data/requests/lock.ts';
import { findRequest } from '../../data/requests/read.ts';
import { touchRequest } from '../../data/requests/touch.ts';
import { countPastDeadline } from '../../data/requests/wake.ts';
import {
  buildRequest,
  OPEN_STATES,
  isTerminal,
  SYSTEM_AUTHENTICATION,
  type ApprovalRequest,
} from '../../domain/requests/approval-requests.ts';
import { requestEvent, SYSTEM } from '../../domain/audit.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { announceDecided } from './announce.ts';

/** The start of the idempotency key for answers of the service itself; the request's id follows. */
export const SYSTEM_KEY_PREFIX = 'system:';

function expiry(wake: boolean): Omit<NewDecision, 'idempotencyKey'> {
  return {
    status: 'expired',
    channel: 'system',
    authentication: SYSTEM_AUTHENTICATION,
    actor: SYSTEM,
    from: OPEN_STATES,
    wake,
  };
}

/**
 * Inside the locking transaction: the expired request, if its deadline has passed and it is still
 * open.
 */
export async function expireIfDue(
  trx: Trx,
  locked: LockedRequest,
  { wake }: { readonly wake: boolean },
): Promise<ApprovalRequest | undefined> {
  const { request, now } = locked;
  if (isTerminal(request.state) || now < request.deadlineAt) return undefined;
  return await recordDecision(
    trx,
    { request, now },
    { ...expiry(wake), idempotencyKey: `${SYSTEM_KEY_PREFIX}${request.id}` },
  );
}

/** Inside the locking transaction: ends a lapsed claim, and the walk continues. */
export async function lapseIfDue(trx: Trx, locked: LockedRequest): Promise<LockedRequest> {
  const { claim } = locked.request;
  return !claim || locked.now < claim.expiresAt
    ? locked
    : await withoutClaim(trx, locked, { verb: 'claim_lapsed' });
}

/** Inside the locking transaction: the claim ends by itself, and the timeline says why. */
export async function withoutClaim(
  trx: Trx,
  locked: LockedRequest,
  { verb, ...why }: { readonly verb: 'claim_lapsed' | 'claim_released'; readonly reason?: string },
): Promise<LockedRequest> {
  const { request, now } = locked;
  const { claim } = request;
  if (!claim) return locked;
  await endClaim(trx, claim.id, now);
  const { id: claim_id, membershipId: membership_id, displayName: display_name } = claim;
  const event = requestEvent(request.id, verb, { claim_id, membership_id, display_name, ...why });
  await insertAuditEvents(trx, request.organizationId, { events: [event], occurredAt: now });
  await touchRequest(trx, request.id, { now, wake: false });
  return { ...locked, request: buildRequest({ ...request, claim: null }) };
}

/** Expires requests that the transaction has locked and found past their deadline. */
export async function expireEach(trx: Trx, ids: readonly string[]): Promise<string[]> {
  return await recordForEach(trx, {
    ...expiry(true),
    keyPrefix: SYSTEM_KEY_PREFIX,
    ids,
    due: true,
  });
}

/** Expires everything that is due. */
export async function expirePastDeadline(
  context: ServiceContext,
  { batch }: { readonly batch: number },
): Promise<void> {
  for (;;) {
    const due = await countPastDeadline(context.db, batch);
    if (due === 0) return;
    const expired = await recordPastDeadline(context.db, {
      ...expiry(true),
      keyPrefix: SYSTEM_KEY_PREFIX,
      limit: due,
    });
    context.metrics.requestsDecided.inc({ status: 'expired', channel: 'system' }, expired.length);
    for (const id of expired) context.changes.publish(id);
    if (expired.length < batch) return;
  }
}

/** The current request, expired first if it is due. */
export async function readSettled(
  context: ServiceContext,
  id: string,
): Promise<ApprovalRequest | undefined> {
  const read = await findRequest(context.db, id);
  if (!read?.pastDeadline) return read?.request;
  const expired = await context.db.transaction(async (trx) => {
    const locked = await lockRequest(trx, id);
    return locked && (await expireIfDue(trx, locked, { wake: true }));
  });
  if (expired) announceDecided(context, expired);
  return expired ?? (await findRequest(context.db, id))?.request;
}
