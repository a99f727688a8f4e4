/** Sends what is due in the outbox, one set at a time. In production the send loop decides when. */
import { v7 } from 'uuid';
import { leaseDue, loadLeased } from '../../src/data/notifications/notification-deliveries.ts';
import { CHANNEL_KINDS } from '../../src/domain/channels.ts';
import type { Db } from '../../src/platform/postgres.ts';
import type { AppContext } from '../../src/services/context.ts';
import { attempt } from '../../src/services/notifications/attempt.ts';
import { LEAST_IN_FLIGHT } from '../../src/services/outbox/receiver-limits.ts';
import { openStatements } from '../../src/services/notifications/statements.ts';

const SEND_MS = 15_000;
/** Longer than sending and recording can take. */
const LEASE_MS = 60_000;

/** Takes due messages once and waits for their outcomes; returns their number. */
export async function sendDue(service: AppContext): Promise<number> {
  const context = { ...service, statements: openStatements(service.db) };
  const lease = v7();
  const ids = await leaseDue(context.db, {
    lease,
    leaseMs: LEASE_MS,
    kinds: CHANNEL_KINDS,
    limit: 32,
    perChannel: LEAST_IN_FLIGHT,
    inFlight: new Map(),
  });
  const leased = await loadLeased(context.db, { lease, ids });
  const signal = AbortSignal.any([context.stopping, AbortSignal.timeout(SEND_MS)]);
  await Promise.all(leased.map((delivery) => attempt(context, { lease, delivery }, signal)));
  return leased.length;
}

/** Another minute: earlier messages no longer count for the digests of their receivers. */
export async function newMinute({ db }: { readonly db: Db }): Promise<void> {
  await db('notification_windows').delete();
}
