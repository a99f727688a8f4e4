/** A person decides. Exactly one decision is ever recorded, whoever comes at the same moment. */
import { findDecisionByKey, recordDecision } from '../../data/approval-requests/decide.ts';
import { lockRequest, type LockedRequest } from '../../data/approval-requests/lock.ts';
import { findRequest } from '../../data/approval-requests/read.ts';
import { isTerminal, type ApprovalRequest, type Decision } from '../../domain/approval-requests.ts';
import { actorOf } from '../../domain/audit.ts';
import type { MemberPrincipal } from '../../domain/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { mayDecide } from '../../domain/request-access.ts';
import { violatedConstraint, type Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { routeTargets } from './queue.ts';
import { expireIfDue } from './settle.ts';
import { signalLater } from './signal.ts';

export interface DecideInput {
  readonly requestId: string;
  readonly status: 'approved' | 'denied';
  readonly note?: string | undefined;
  readonly channel?: string | undefined;
  readonly idempotencyKey: string;
}

export interface DecideOutcome {
  readonly decision: Decision;
  readonly request: ApprovalRequest;
}

/**
 * Throws `request_not_routed`, `request_evaluating`, `already_terminal` (details.status) and `idempotency_conflict`. The
 * same key with the same input answers the original outcome.
 */
export async function decideRequest(context: ServiceContext, principal: MemberPrincipal, input: DecideInput): Promise<DecideOutcome> {
  const wanted = { ...input, channel: input.channel ?? (principal.via.kind === 'session' ? 'web' : 'api') };
  const changed = await context.db
    .transaction(async (trx) => await decideLocked(context, trx, { principal, wanted }))
    .catch(async (error: unknown) => {
      // The same key on two requests at once: the other transaction won, so this one is a reuse.
      if (violatedConstraint(error) === 'decisions_idempotency_key') throw new AppError('idempotency_conflict');
      throw error;
    });
  if (changed !== 'replayed') {
    context.metrics.requestsDecided.inc({ status: changed, channel: changed === 'expired' ? 'system' : wanted.channel });
    context.changes.publish(input.requestId);
    signalLater(context, input.requestId, 'decision');
  }
  const request = (await findRequest(context.db, input.requestId))?.request;
  if (changed === 'expired') throw new AppError('already_terminal', { details: { status: 'expired' } });
  if (!request?.decision) throw new AppError('internal_error', { internal: { requestId: input.requestId } });
  return { decision: request.decision, request };
}

interface Wanted extends DecideInput {
  readonly channel: string;
}

async function decideLocked(
  context: ServiceContext,
  db: Db,
  { principal, wanted }: { principal: MemberPrincipal; wanted: Wanted },
): Promise<'replayed' | 'expired' | 'approved' | 'denied'> {
  const locked = await lockRequest(db, wanted.requestId);
  if (locked?.request.organizationId !== principal.organizationId) throw new AppError('not_found');
  const { request, now } = locked;
  // Read over the connection we hold: waiting for a second one while holding the first can use up the pool for good.
  if (!mayDecide(principal, request, await routeTargets({ ...context, db }, request))) throw new AppError('request_not_routed');
  if (await isReplay(db, principal, wanted)) return 'replayed';
  if (await expireIfDue(db, locked, { wake: true })) return 'expired';
  refuseUnlessPending(locked);
  await recordDecision(
    db,
    { id: request.id, now },
    {
      status: wanted.status,
      channel: wanted.channel,
      ...(wanted.note !== undefined && { note: wanted.note }),
      membershipId: principal.membershipId,
      reviewerDisplayName: principal.displayName,
      reviewerEmail: principal.email,
      authentication: { ...principal.auth },
      idempotencyKey: wanted.idempotencyKey,
      actor: actorOf(principal),
      from: ['pending'],
      wake: true,
    },
  );
  return wanted.status;
}

async function isReplay(db: Db, principal: MemberPrincipal, wanted: Wanted): Promise<boolean> {
  const original = await findDecisionByKey(db, principal.organizationId, wanted.idempotencyKey);
  if (!original) return false;
  const same =
    original.requestId === wanted.requestId &&
    original.status === wanted.status &&
    original.note === (wanted.note ?? null) &&
    original.channel === wanted.channel;
  if (!same) throw new AppError('idempotency_conflict');
  return true;
}

function refuseUnlessPending({ request }: LockedRequest): void {
  if (request.state === 'evaluating') throw new AppError('request_evaluating');
  if (isTerminal(request.state)) throw new AppError('already_terminal', { details: { status: request.state } });
}
