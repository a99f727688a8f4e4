/** Cancels everything that is open in an organization, or of one agent of it, when nobody is left to ask or to be asked. */
import { recordForEach } from '../../data/requests/decide.ts';
import { lockOpenRequests } from '../../data/requests/lock.ts';
import type { AuditActor } from '../../domain/audit.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { announceEach } from './announce.ts';
import { expireEach, SYSTEM_KEY_PREFIX } from './settle.ts';

export interface CancelAll {
  readonly organizationId: string;
  /** Only this agent's. */
  readonly agentSlug?: string;
  readonly actor: AuditActor;
  /** Why, as the audit log tells it. */
  readonly reason: string;
}

/** Ids of the requests one call has settled. */
export interface SettledAtOnce {
  readonly cancelled: readonly string[];
  /** Their deadline had passed before. */
  readonly expired: readonly string[];
}

/**
 * Inside a transaction that keeps new requests from coming. Waits for whoever holds a request; what got its answer
 * meanwhile keeps it. After the commit: `announceCancelledAll`.
 */
export async function cancelAll(
  trx: Db,
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
    authentication: { method: 'system', assurance: 'strong' },
    keyPrefix: SYSTEM_KEY_PREFIX,
    actor,
    auditData: { reason },
    from: ['evaluating', 'pending'],
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

/** Tells whoever waits for them, and their workflows. */
export function announceCancelledAll(
  context: ServiceContext,
  { cancelled, expired }: SettledAtOnce,
): void {
  announceEach(context, cancelled, { status: 'cancelled', channel: 'system', signal: 'cancel' });
  announceEach(context, expired, { status: 'expired', channel: 'system', signal: 'changed' });
}
