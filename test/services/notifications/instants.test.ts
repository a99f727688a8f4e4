/** The times in notifications. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import { createAgent, createMember, createOrganization } from '../../support/scene/factories.ts';
import {
  LOOPBACK_ALLOWED,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';
import { drain } from './outbox.ts';

let app: TestApp;
let receiver: WebhookReceiver;

beforeAll(async () => {
  app = await startApp({
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  });
  receiver = await startWebhookReceiver();
});

afterAll(async () => {
  await receiver.close();
  await app.close();
});

test('a person asked for help later than others is notified with their own time', async () => {
  const organization = await createOrganization(app);
  const { owner } = organization;
  const agent = await createAgent(app, organization);
  const created = await owner.browser.post('/api/v1/notification_channels', {
    kind: 'webhook',
    name: 'Bot',
    url: receiver.url,
  });
  expect(created.status).toBe(201);
  const id = await ask(app, agent);
  const policies = [
    {
      scope_kind: 'agent' as const,
      resource_ids: [agent.slug],
      permissions: ['request.decide', 'request.read'],
    },
  ];
  const [first, second] = [
    await createMember(app, organization.id, { policies }),
    await createMember(app, organization.id, { policies }),
  ];
  for (const { membershipId } of [first, second]) {
    // Moves the clock of the request by ten minutes.
    await app
      .db('approval_requests')
      .where({ id })
      .update({ last_at: app.db.raw(`last_at + interval '10 minutes'`) });
    const added = await owner.http.post(`/api/v1/requests/${id}/reviewers`, {
      membership_ids: [membershipId],
    });
    expect(added.status).toBe(200);
  }
  await drain(app);
  const notified = receiver.received.map(
    ({ body }) =>
      JSON.parse(body) as { member: { membership_id: string }; level: { notified_at: string } },
  );
  const at = new Map(
    notified.map(({ member, level }) => [member.membership_id, Date.parse(level.notified_at)]),
  );
  const notifications = await app
    .db('notifications')
    .where({ request_id: id })
    .select<{ membership_id: string; created_at: Date }[]>('membership_id', 'created_at');
  expect(at).toEqual(
    new Map(notifications.map((each) => [each.membership_id, each.created_at.getTime()])),
  );
  const [asked = 0, helped = 0, later = 0] = [owner, first, second].map(({ membershipId }) =>
    at.get(membershipId),
  );
  expect([helped - asked >= 600_000, later - helped >= 600_000]).toEqual([true, true]);
});
