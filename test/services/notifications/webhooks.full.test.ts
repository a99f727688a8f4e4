/** What webhooks say when, which of them get the news of a decision, and what a deletion at that moment does. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  deleteChannel,
  lockChannel,
} from '../../../src/data/notifications/notification-channels.ts';
import {
  leaseDue,
  recordAttempts,
} from '../../../src/data/notifications/notification-deliveries.ts';
import { appForFile } from '../../support/scene.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { untilBlocked } from '../../support/waiting.ts';
import {
  LOOPBACK_ALLOWED,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { deliveriesOf, drain } from './outbox.ts';

const environment = {
  ...LOOPBACK_ALLOWED,
  COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
};
let receiver: WebhookReceiver;
let organization: TestOrganization;
let agent: TestAgent;

const app = await appForFile({ environment });

/** A new organization that asks only its owner. */
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
});

afterEach(async () => {
  await receiver.close();
});

async function createWebhook(): Promise<string> {
  const { browser } = organization.owner;
  const created = await browser.post('/api/v1/notification_channels', {
    kind: 'webhook',
    name: randomUUID(),
    url: receiver.url,
  });
  if (created.status !== 201) throw new Error(created.text);
  return String(created.body['notification_channel']?.['id']);
}

const heard = () =>
  receiver.received.map(({ body }) => String((JSON.parse(body) as { type: string }).type));

/** Every message failed once, so all wait for their next attempt. */
async function askInVain(): Promise<string> {
  const id = await ask(app, agent);
  receiver.respondWith((response) => response.writeHead(500).end());
  await drain(app);
  receiver.respondWith((response) => response.end());
  return id;
}

test('a message is delivered by a 2xx, also if its body never ends', async () => {
  await createWebhook();
  receiver.respondWith((response) => response.writeHead(200).write('{'));
  const id = await ask(app, agent);
  await drain(app);
  expect(await deliveriesOf(app, id)).toMatchObject([
    { attempts: 1, delivered_at: expect.any(Date) },
  ]);
});

test('a message that asks says whether the agent could read a decision, and the news of one does not', async () => {
  await createWebhook();
  const id = await ask(app, agent);
  await drain(app);
  const late = await ask(app, agent);
  await app.db('agent_credentials').update({ revoked_at: new Date() });
  await drain(app);
  await decide(organization.owner.http, id);
  await drain(app);
  const said = receiver.received.map(({ body }) => {
    const { type, request } = JSON.parse(body) as {
      readonly type: string;
      readonly request: { readonly id: string; readonly requester_state?: string };
    };
    return [type, request.id, request.requester_state];
  });
  expect(said).toEqual([
    ['approval_request.notified', id, 'active'],
    ['approval_request.notified', late, 'credential_ended'],
    ['approval_request.decided', id, undefined],
  ]);
});

describe('the news of a decision', () => {
  beforeEach(async () => {
    await createWebhook();
  });

  test('goes to no channel that sent nothing about the request', async () => {
    const id = await ask(app, agent);
    await decide(organization.owner.http, id);
    await drain(app);
    expect(heard()).toEqual([]);
    expect(await deliveriesOf(app, id)).toMatchObject([
      { event: 'notified', attempts: 0, dropped_reason: 'request_closed' },
    ]);
  });

  test('does not wait for the retry of a message that failed during the decision', async () => {
    const id = await ask(app, agent);
    const lease = randomUUID();
    const all = { kinds: ['webhook'], limit: 10, perChannel: 10, inFlight: new Map() } as const;
    const [delivery = ''] = await leaseDue(app.db, { ...all, lease, leaseMs: 60_000 });
    await decide(organization.owner.http, id);
    await recordAttempts(app.db, [
      {
        id: delivery,
        lease,
        attempted: { kind: 'retry', error: 'status 500', cause: 'failed', afterMs: 3_600_000 },
      },
    ]);
    await drain(app);
    expect(heard()).toEqual(['approval_request.decided']);
  });

  test('goes to no channel whose only message was dropped', async () => {
    const id = await ask(app, agent);
    await app
      .db('memberships')
      .where({ id: organization.owner.membershipId })
      .update({ status: 'suspended' });
    await drain(app);
    await app
      .db('memberships')
      .where({ id: organization.owner.membershipId })
      .update({ status: 'active' });
    expect(await deliveriesOf(app, id)).toMatchObject([
      { attempts: 1, dropped_reason: 'member_inactive' },
    ]);
    await decide(organization.owner.http, id);
    await drain(app);
    expect(heard()).toEqual([]);
  });

  test('goes to a channel that answered with an error, since it may have the message', async () => {
    const id = await askInVain();
    await decide(organization.owner.http, id);
    await drain(app);
    expect(heard()).toEqual(['approval_request.notified', 'approval_request.decided']);
  });

  test('goes to a channel whose dead message was restarted and waits for its next attempt', async () => {
    const id = await askInVain();
    const [message] = await deliveriesOf(app, id);
    await app
      .db('notification_deliveries')
      .where({ request_id: id })
      .update({ next_attempt_at: null, dead_at: new Date() });
    const again = await organization.owner.http.post(
      `/api/v1/notification_deliveries/${String(message?.id)}/retry`,
    );
    expect(again.status).toBe(200);
    expect(await deliveriesOf(app, id)).toMatchObject([{ attempts: 0, dead_at: null }]);
    await decide(organization.owner.http, id);
    await drain(app);
    expect(heard()).toEqual(['approval_request.notified', 'approval_request.decided']);
  });
});

describe('a channel that is deleted while a request is decided', () => {
  test('does not block the decision, and the decision does not block the deletion', async () => {
    const channelId = await createWebhook();
    const id = await askInVain();
    const { deciding } = await app.db.transaction(async (trx) => {
      await lockChannel(trx, organization.id, channelId);
      const call = decide(organization.owner.http, id);
      // If the decision waited for the channel's lock, the deletion would then wait for the decision.
      await Promise.race([call, untilBlocked(trx)]);
      await deleteChannel(trx, organization.id, channelId);
      return { deciding: call };
    });
    expect((await deciding).status).toBe(200);
  });

  test('is deleted and the request decided', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const channelId = await createWebhook();
      const id = await askInVain();
      const [deciding, deleting] = await Promise.all([
        decide(organization.owner.http, id),
        organization.owner.browser.call('DELETE', `/api/v1/notification_channels/${channelId}`),
      ]);
      expect([deciding.status, deleting.status]).toEqual([200, 204]);
      await drain(app);
      expect((await deliveriesOf(app, id)).every((row) => row.next_attempt_at === null)).toBe(true);
    }
  });
});

test('a person asked for help later than others is notified with their own time', async () => {
  const { owner } = organization;
  await createWebhook();
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
