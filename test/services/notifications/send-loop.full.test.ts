/** The loop that sends: when it looks, and how many messages of a channel it takes. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { leaseDue } from '../../../src/data/notifications/notification-deliveries.ts';
import { startSending } from '../../../src/services/notifications/send-loop.ts';
import { scene } from '../../support/scene.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { until } from '../../support/waiting.ts';
import { deliveriesOf } from './outbox.ts';

const receiver = await startWebhookReceiver();
const COUNTERSIGN_SECRETS_KEY = randomBytes(32).toString('base64');
const { app, organization, agents } = await scene({
  app: { environment: { ...LOOPBACK_ALLOWED, COUNTERSIGN_SECRETS_KEY } },
});
const channel = { kind: 'webhook', name: 'Bot', url: receiver.url };
const created = await organization.owner.browser.post('/api/v1/notification_channels', channel);
const channelId = String(created.body['notification_channel']?.['id']);

afterAll(async () => {
  await receiver.close();
});

test('messages of a commit in the same process go out at once, without waiting for the next poll', async () => {
  const loop = startSending(app.context, { pollMs: 3_600_000 });
  const id = await ask(app, agents.bot);
  await until('the first message is delivered', async () => {
    const [row] = await deliveriesOf(app, id);
    return row?.delivered_at instanceof Date;
  });
  await decide(organization.owner.http, id);
  await until('there is a second message', () => receiver.received.length >= 2);
  await loop.stop();
  const types = receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
  expect(types).toEqual(['approval_request.notified', 'approval_request.decided']);
});

test('a channel with a limit of its own gets more messages at once than the others', async () => {
  for (let index = 0; index < 6; index++) await ask(app, agents.bot);
  const lease = async (limits?: ReadonlyMap<string, number>): Promise<number> => {
    const ids = await leaseDue(app.db, {
      lease: randomUUID(),
      leaseMs: 60_000,
      kinds: ['webhook'],
      limit: 10,
      perChannel: 2,
      ...(limits && { limits }),
      inFlight: new Map([[channelId, 1]]),
    });
    return ids.length;
  };
  expect(await lease()).toBe(1);
  expect(await lease(new Map([[channelId, 4]]))).toBe(3);
  expect(await lease(new Map([[channelId, 1]]))).toBe(0);
});
