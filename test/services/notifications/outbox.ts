/** Helpers of the outbox tests. */
import { randomBytes, randomUUID } from 'node:crypto';
import { leaseDue } from '../../../src/data/notifications/notification-deliveries.ts';
import { sendDue } from '../../support/outbox.ts';
import type { TestApp } from '../../support/app.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestMember,
} from '../../support/scene/factories.ts';
import { LOOPBACK_ALLOWED, type WebhookReceiver } from '../../support/servers/webhook-receiver.ts';

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

/** Of a service that sends to webhooks on this machine. */
export const SENDING = {
  ...LOOPBACK_ALLOWED,
  COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
  COUNTERSIGN_PUBLIC_URL: 'https://approvals.example',
};

/**
 * A new organization with one webhook, and a reviewer who can decide like the owner. The service
 * has the settings `SENDING`.
 */
export async function createRecipients(app: TestApp, url: string) {
  const organization = await createOrganization(app);
  const agent = await createAgent(app, organization);
  const policies = [
    { scope_kind: 'agent' as const, resource_ids: [agent.slug], permissions: ['request.decide'] },
  ];
  const reviewer = await createMember(app, organization.id, { policies });
  const { browser } = organization.owner;
  const created = await browser.post(
    '/api/v1/notification_channels',
    { kind: 'webhook', name: 'Bot', url },
    { headers: { origin: SENDING.COUNTERSIGN_PUBLIC_URL } },
  );
  if (created.status !== 201) throw new Error(created.text);
  const channelId = String(created.body['notification_channel']?.['id']);
  return {
    organization,
    agent,
    reviewer,
    channelId,
    secret: String(created.body['signing_secret']),
  };
}

/** The messages to webhooks that are due, leased for a minute. */
export const leaseWebhooksOf = (app: TestApp, lease: string) =>
  leaseDue(app.db, {
    lease,
    leaseMs: 60_000,
    kinds: ['webhook'],
    limit: 10,
    perChannel: 10,
    inFlight: new Map(),
  });

/** The messages that a receiver got, oldest first. Default: of all types. */
export const messagesOf = ({ received }: WebhookReceiver, type?: string) =>
  received
    .map(({ body }) => JSON.parse(body) as Record<string, Record<string, unknown>>)
    .filter((message) => type === undefined || String(message['type']) === type);
