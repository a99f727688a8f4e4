/** Helpers of the outbox tests. */
import { randomUUID } from 'node:crypto';
import { sendDue } from '../../support/outbox.ts';
import type { TestApp } from '../../support/app.ts';
import type { TestMember } from '../../support/scene/factories.ts';

export interface DeliveryRow {
  readonly id: string;
  readonly channel_id: string;
  readonly event: string;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
  readonly delivered_at: Date | null;
  readonly dead_at: Date | null;
  readonly dropped_reason: string | null;
  readonly last_error: string | null;
}

export async function deliveriesOf(app: TestApp, requestId: string): Promise<DeliveryRow[]> {
  return (await app
    .db('notification_deliveries')
    .where({ request_id: requestId })
    .orderBy(['event', 'id'])
    .select(
      'id',
      'channel_id',
      'event',
      'attempts',
      'next_attempt_at',
      'delivered_at',
      'dead_at',
      'dropped_reason',
      'last_error',
    )) as DeliveryRow[];
}

/** Sends until nothing is due. */
export async function drain(app: TestApp): Promise<void> {
  while ((await sendDue(app.context)) > 0);
}

/**
 * Makes every waiting message due, and ends every lease. A second ago, because the column rounds to
 * milliseconds, and so into the future.
 */
export async function bringForward(app: TestApp): Promise<void> {
  await app
    .db('notification_deliveries')
    .whereNotNull('next_attempt_at')
    .update({ next_attempt_at: app.db.raw(`clock_timestamp() - interval '1 second'`) });
}

/** Claims the request for an hour; returns the id of the claim. */
export async function claim(
  app: TestApp,
  requestId: string,
  { member, organizationId }: { member: TestMember; organizationId: string },
): Promise<string> {
  const id = randomUUID();
  const now = new Date();
  await app.db('claims').insert({
    id,
    organization_id: organizationId,
    request_id: requestId,
    membership_id: member.membershipId,
    display_name: member.displayName,
    claimed_at: now,
    expires_at: new Date(now.getTime() + 3_600_000),
  });
  return id;
}
