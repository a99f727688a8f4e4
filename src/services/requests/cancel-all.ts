/** Cancels all open requests of an organization, or of one of its agents. */
import { recordForEach } from '../../data/requests/decide.ts';
import { lockOpenRequests } from '../../data/requests/lock.ts';
import type { AuditActor } from '../../domain/audit.ts';
import { OPEN_STATES, SYSTEM_AUTHENTICATION } from '../../domain/requests/approval-requests.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { announceEach } from './announce.ts';
import { expireEach, SYSTEM_KEY_PREFIX } from './settle.ts';

export interface CancelAll {
  readonly organizationId: string;
  /** Only requests of this agent. */
  readonly agentSlug?: string;
  readonly actor: AuditActor;
  /** The reason, for the audit log. */
  readonly reason: string;
}

/** Ids of the requests that one call settled. */
export interface SettledAtOnce {
  readonly cancelled: readonly string[];
  /** Requests whose deadline had already passed. */
  readonly expired: readonly string[];
}

/**
 * Call it in a transaction that prevents new requests. It waits for requests that others have
 * locked; those that got an answer meanwhile keep it. After the commit: `announceCancelledAll`.
 */
export async function cancelAll(
  trx: Trx,
  { organizationId, agentSlug, actor, reason }: CancelAll,
): Promise<SettledAtOnce> {
  const open = await lockOpenRequests(
    trx,
    organizationId,
    agentSlug === undefined ? {} : { agentSlug },
  );
  const cancelled = await recordForEach(trx, {
    ids: open,
    due: false,
    status: 'cancelled',
    channel: 'system',
    authentication: SYSTEM_AUTHENTICATION,
    keyPrefix: SYSTEM_KEY_PREFIX,
    actor,
    auditData: { reason },
    from: OPEN_STATES,
    wake: true,
  });
  const inTime = new Set(cancelled);
  return {
    cancelled,
    expired: await expireEach(
      trx,
      open.filter((id) => !inTime.has(id)),
    ),
  };
}

/** Notifies the waiting callers and the workflows. */
export function announceCancelledAll(
  context: ServiceContext,
  { cancelled, expired }: SettledAtOnce,
): void {
  announceEach(context, cancelled, { status: 'cancelled', channel: 'system', signal: 'cancel' });
  announceEach(context, expired, { status: 'expired', channel: 'system', signal: 'changed' });
}
