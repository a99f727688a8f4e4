/** What may still be sent at the moment of sending: claims, decisions, deadlines, members and channels. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sendDue } from '../../support/outbox.ts';
import { appForFile } from '../../support/scene.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import type { TestAgent, TestMember, TestOrganization } from '../../support/scene/factories.ts';
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';
import {
  bringForward,
  claim,
  createRecipients,
  deliveriesOf,
  drain,
  leaseWebhooksOf,
  SENDING,
  messagesOf,
} from './outbox.ts';

const app = await appForFile({ environment: SENDING });
let receiver: WebhookReceiver;
let organization: TestOrganization;
let agent: TestAgent;
let reviewer: TestMember;
let channelId: string;

beforeEach(async () => {
  receiver = await startWebhookReceiver();
  ({ organization, agent, reviewer, channelId } = await createRecipients(app, receiver.url));
});

afterEach(async () => {
  await receiver.close();
  // A retry that a slow test left behind would come due in a later one.
  await app.db('notification_deliveries').delete();
});

const leaseWebhooks = (lease: string) => leaseWebhooksOf(app, lease);
const typed = (type: string) => messagesOf(receiver, type);

describe('just before sending, the current state decides:', () => {
  test('during a claim nothing is sent, and everything when the claim ends', async () => {
    const id = await ask(app, agent);
    const held = await claim(app, id, { member: reviewer, organizationId: organization.id });
    await drain(app);
    expect(receiver.received).toHaveLength(0);
    expect(
      (await deliveriesOf(app, id)).every(
        (row) => row.attempts === 0 && row.next_attempt_at !== null,
      ),
    ).toBe(true);
    await app.db('claims').where({ id: held }).update({ ended_at: new Date() });
    await drain(app);
    expect(receiver.received).toHaveLength(2);
  });

  test('during a claim only the colleague who is asked for help gets a message, at once', async () => {
    const id = await ask(app, agent);
    await claim(app, id, { member: reviewer, organizationId: organization.id });
    const { owner } = organization;
    const added = await reviewer.http.post(`/api/v1/requests/${id}/reviewers`, {
      membership_ids: [owner.membershipId],
    });
    expect(added.status).toBe(200);
    await drain(app);
    expect(
      typed('approval_request.notified').map((body) => body['member']?.['membership_id']),
    ).toEqual([owner.membershipId]);
  });

  test('an expired claim holds back nothing, even before it is recorded', async () => {
    const id = await ask(app, agent);
    const held = await claim(app, id, { member: reviewer, organizationId: organization.id });
    await app
      .db('claims')
      .where({ id: held })
      .update({ expires_at: new Date(Date.now() - 1_000) });
    await drain(app);
    expect(receiver.received).toHaveLength(2);
  });

  test('a decided request notifies no one, and waiting retries are withdrawn with the decision', async () => {
    const [waiting, failed] = [await ask(app, agent), await ask(app, agent)];
    receiver.respondWith((response) => response.writeHead(500).end());
    await drain(app);
    for (const id of [waiting, failed]) await decide(reviewer.http, id);
    receiver.respondWith((response) => response.end());
    await bringForward(app);
    await drain(app);
    expect(typed('approval_request.notified')).toHaveLength(4);
    expect(typed('approval_request.decided')).toHaveLength(2);
    const rows = [...(await deliveriesOf(app, waiting)), ...(await deliveriesOf(app, failed))];
    expect(
      rows.filter(({ event }) => event === 'notified').map((row) => row.dropped_reason),
    ).toEqual(Array(4).fill('request_closed'));
  });

  test('a message with a dead sender is dropped after a decision, and only then the news is sent', async () => {
    const id = await ask(app, agent);
    // It may have been sent before its sender died.
    await leaseWebhooks(randomUUID());
    await decide(reviewer.http, id);
    await drain(app);
    expect(receiver.received).toHaveLength(0);
    await bringForward(app);
    await drain(app);
    await drain(app);
    expect(messagesOf(receiver).map(({ type }) => type)).toEqual(['approval_request.decided']);
  });

  test('after the deadline nothing is sent', async () => {
    const id = await ask(app, agent);
    await app
      .db('approval_requests')
      .where({ id })
      .update({ deadline_at: new Date(Date.now() - 1_000), wake_at: null });
    await sendDue(app.context);
    expect(typed('approval_request.notified')).toHaveLength(0);
  });

  test.each(['suspended', 'deprovisioned'])('a %s member gets nothing', async (status) => {
    const id = await ask(app, agent);
    await app.db('memberships').where({ id: reviewer.membershipId }).update({ status });
    await drain(app);
    expect(
      typed('approval_request.notified').map((body) => body['member']?.['membership_id']),
    ).toEqual([organization.owner.membershipId]);
    expect((await deliveriesOf(app, id)).map((row) => row.dropped_reason).filter(Boolean)).toEqual([
      'member_inactive',
    ]);
  });

  test('a member who lost the permission to decide gets nothing', async () => {
    const id = await ask(app, agent);
    await app.db('permission_policies').where({ membership_id: reviewer.membershipId }).delete();
    await drain(app);
    expect(receiver.received).toHaveLength(1);
    expect((await deliveriesOf(app, id)).map((row) => row.dropped_reason).filter(Boolean)).toEqual([
      'cannot_decide',
    ]);
  });

  test('a disabled channel sends nothing, and messages from that time are not sent later', async () => {
    const id = await ask(app, agent);
    const change = (enabled: boolean) =>
      organization.owner.browser.call('PATCH', `/api/v1/notification_channels/${channelId}`, {
        body: { enabled },
      });
    expect((await change(false)).status).toBe(200);
    const later = await ask(app, agent);
    expect((await change(true)).status).toBe(200);
    await drain(app);
    expect(receiver.received).toHaveLength(0);
    expect((await deliveriesOf(app, id)).map((row) => row.dropped_reason)).toEqual([
      'channel_disabled',
      'channel_disabled',
    ]);
    expect(await deliveriesOf(app, later)).toEqual([]);
  });

  test('a message under way when its channel is disabled is not tried again', async () => {
    const id = await ask(app, agent);
    await leaseWebhooks(randomUUID());
    await app.db('notification_channels').where({ id: channelId }).update({ enabled: false });
    await bringForward(app);
    await drain(app);
    expect(receiver.received).toHaveLength(0);
    expect((await deliveriesOf(app, id)).map((row) => row.dropped_reason)).toEqual([
      'channel_disabled',
      'channel_disabled',
    ]);
  });
});
