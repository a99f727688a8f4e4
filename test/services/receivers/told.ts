/** Helpers of the tests of receivers. */
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { leaseDueEvents, loadLeasedEvents } from '../../../src/data/receivers/receiver-events.ts';
import { MOST_AT_ONCE } from '../../../src/domain/receivers/retries.ts';
import { attemptEvent, openEventStatements } from '../../../src/services/receivers/attempt.ts';
import { setReceiver } from '../../../src/services/receivers/verification.ts';
import type { TestApp } from '../../support/app.ts';
import type { Delivery } from '../../support/servers/aap-receiver.ts';

/** Of a service that posts to receivers on this machine. */
export const TELLING = {
  COUNTERSIGN_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
  COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
};

export interface EventRow {
  readonly id: string;
  readonly request_id: string;
  readonly body: string;
  readonly decided_at: Date;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
  readonly lease: string | null;
  readonly last_error: string | null;
  readonly outcome: string | null;
  readonly ended_at: Date | null;
  readonly purge_at: Date | null;
}

export async function eventsOf(app: TestApp, requestId: string): Promise<EventRow[]> {
  return (await app
    .db('receiver_events')
    .where({ request_id: requestId })
    .select('*')) as EventRow[];
}

/** Sets or removes the receiver of an instance, as if it was verified. */
export async function receive(
  app: TestApp,
  instanceId: string,
  delivery: Delivery | null,
): Promise<void> {
  await app.db.transaction(async (trx) => {
    await setReceiver(trx, app.context, { instanceId, delivery });
  });
}

/** Makes every waiting event due, and ends every lease. */
export async function bringForward(app: TestApp): Promise<void> {
  await app
    .db('receiver_events')
    .whereNotNull('next_attempt_at')
    .update({ next_attempt_at: app.db.raw(`clock_timestamp() - interval '1 second'`) });
}

/** Takes due events once and waits for their outcomes; returns their number. */
export async function tellDue(app: TestApp, limit = 32): Promise<number> {
  const context = { ...app.context, events: openEventStatements(app.context.db) };
  const lease = v7();
  const wanted = { limit, perHost: MOST_AT_ONCE, inFlight: new Map<string, number>() };
  const ids = await leaseDueEvents(app.db, { lease, leaseMs: 60_000, ...wanted });
  const leased = await loadLeasedEvents(app.db, { lease, ids });
  const signal = AbortSignal.timeout(15_000);
  await Promise.all(leased.map((event) => attemptEvent(context, { lease, event }, signal)));
  return leased.length;
}
