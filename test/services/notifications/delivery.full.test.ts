/** The outbox with real webhooks: what a webhook gets, and how often it is tried. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { sendDue } from '../../support/outbox.ts';
import { appForFile } from '../../support/scene.ts';
import { ask, decide, stepAt } from '../../support/scene/approval-requests.ts';
import type { TestAgent, TestMember, TestOrganization } from '../../support/scene/factories.ts';
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';
import {
  bringForward,
  createRecipients,
  deliveriesOf,
  drain,
  SENDING,
  messagesOf,
} from './outbox.ts';

const app = await appForFile({ environment: SENDING });
let receiver: WebhookReceiver;
let organization: TestOrganization;
let agent: TestAgent;
let reviewer: TestMember;
let channelId: string;
let secret: string;

beforeEach(async () => {
  receiver = await startWebhookReceiver();
  ({ organization, agent, reviewer, channelId, secret } = await createRecipients(
    app,
    receiver.url,
  ));
});

afterEach(async () => {
  await receiver.close();
  // A retry that a slow test left behind would come due in a later one.
  await app.db('notification_deliveries').delete();
});

const typed = (type: string) => messagesOf(receiver, type);

describe('a webhook', () => {
  test('gets one signed message for each member asked, without the arguments, and one for the decision', async () => {
    const id = await ask(app, agent, { tool: 'refund', arguments: { secret: 'of the customer' } });
    await drain(app);
    await drain(app);
    const notified = typed('approval_request.notified');
    expect(notified.map((body) => body['member']?.['membership_id']).sort()).toEqual(
      [reviewer.membershipId, organization.owner.membershipId].sort(),
    );
    expect(notified[0]?.['request']).toMatchObject({
      id,
      tool: 'refund',
      status: 'pending',
      url: `https://approvals.example/requests/${id}`,
    });
    expect(receiver.received.some(({ body }) => body.includes('of the customer'))).toBe(false);
    expect((await decide(reviewer.http, id, { status: 'denied' })).status).toBe(200);
    await drain(app);
    await drain(app);
    expect(
      typed('approval_request.decided').map((body) => [
        body['request']?.['status'],
        body['decision']?.['status'],
      ]),
    ).toEqual([['denied', 'denied']]);
    for (const { headers, body } of receiver.received) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeDefined();
    }
    expect(receiver.received).toHaveLength(3);
  });

  test('gets the arguments exactly as sent when the channel includes them', async () => {
    await app
      .db('notification_webhooks')
      .where({ channel_id: channelId })
      .update({ include_arguments: true });
    const id = await ask(app, agent);
    const source = '{ "amount": 1.0, "id": 9007199254740993 }';
    await app.db('approval_requests').where({ id }).update({ arguments: source });
    await drain(app);
    expect(receiver.received[0]?.body).toContain(`"arguments":${source}`);
  });

  test('that fails is tried again later with the same id, and delivered when the receiver recovers', async () => {
    receiver.respondWith((response) => response.writeHead(500).end());
    const id = await ask(app, agent);
    await drain(app);
    expect((await deliveriesOf(app, id)).map((row) => [row.attempts, row.last_error])).toEqual([
      [1, 'status 500'],
      [1, 'status 500'],
    ]);
    expect(await sendDue(app.context)).toBe(0);
    receiver.respondWith((response) => response.end());
    await bringForward(app);
    await drain(app);
    expect(
      (await deliveriesOf(app, id)).every((row) => row.delivered_at !== null && row.attempts === 2),
    ).toBe(true);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([4, 2]);
  });

  test('with a rate limit is tried again after the time its receiver requires', async () => {
    receiver.respondWith((response) => response.writeHead(429, { 'retry-after': '600' }).end());
    const id = await ask(app, agent);
    await drain(app);
    const [row] = await deliveriesOf(app, id);
    expect(row?.next_attempt_at?.getTime()).toBeGreaterThan(Date.now() + 590_000);
  });

  test('does not follow redirects', async () => {
    const elsewhere = await startWebhookReceiver();
    receiver.respondWith((response) => response.writeHead(307, { location: elsewhere.url }).end());
    const id = await ask(app, agent);
    await drain(app);
    expect((await deliveriesOf(app, id)).map((row) => row.last_error)).toEqual(
      Array(2).fill('status 307 (not retried)'),
    );
    expect(elsewhere.received).toHaveLength(0);
    await elsewhere.close();
  });

  test('is dead after twelve attempts, is listed as dead, and starts over on request', async () => {
    receiver.respondWith((response) => response.writeHead(503).end());
    const id = await ask(app, agent);
    for (let attempt = 0; attempt < 13; attempt++) {
      await bringForward(app);
      await drain(app);
    }
    const { http } = organization.owner;
    const listed = await http.get(
      `/api/v1/notification_deliveries?status=dead&channel_id=${channelId}`,
    );
    const dead = listed.body['notification_deliveries'] as unknown as readonly Readonly<
      Record<string, unknown>
    >[];
    expect(dead.map((row) => [row['attempts'], row['status'], row['last_error']])).toEqual([
      [12, 'dead', 'status 503'],
      [12, 'dead', 'status 503'],
    ]);
    expect(receiver.received).toHaveLength(24);
    receiver.respondWith((response) => response.end());
    const retried = await http.post(
      `/api/v1/notification_deliveries/${String(dead[0]?.['id'])}/retry`,
    );
    expect([retried.status, retried.body['notification_delivery']?.['status']]).toEqual([
      200,
      'pending',
    ]);
    await drain(app);
    expect((await deliveriesOf(app, id)).filter((row) => row.delivered_at !== null)).toHaveLength(
      1,
    );
    const again = await http.post(
      `/api/v1/notification_deliveries/${String(dead[0]?.['id'])}/retry`,
    );
    expect([again.status, again.body['error']?.['code']]).toEqual([409, 'delivery_over']);
  });
});

describe('a step that is repeated', () => {
  test('adds nothing to the outbox twice', async () => {
    const id = await ask(app, agent);
    const before = await deliveriesOf(app, id);
    for (let round = 0; round < 5; round++) await stepAt(app, id);
    expect(await deliveriesOf(app, id)).toEqual(before);
  });
});
