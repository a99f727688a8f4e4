/** The outbox with real webhooks: what is sent, when, to which recipients, and how often. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  leaseDue,
  recordAttempts,
} from '../../../src/data/notifications/notification-deliveries.ts';
import { startSending } from '../../../src/services/notifications/send-loop.ts';
import { sendDue } from '../../support/outbox.ts';
import { eventually } from '../../../src/local/processes.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask, decide, stepAt } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import {
  LOOPBACK_ALLOWED,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';
import { bringForward, claim, deliveriesOf, drain } from './outbox.ts';

const environment = {
  ...LOOPBACK_ALLOWED,
  COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
  COUNTERSIGN_PUBLIC_URL: 'https://approvals.example',
};
let app: TestApp;
let receiver: WebhookReceiver;
let organization: TestOrganization;
let agent: TestAgent;
let reviewer: TestMember;
let channelId: string;
let secret: string;

beforeAll(async () => {
  app = await startApp({ environment });
});

afterAll(async () => {
  await app.close();
});

/** A new organization with one webhook, and a reviewer who can decide like the owner. */
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
  const policies = [
    { scope_kind: 'agent' as const, resource_ids: [agent.slug], permissions: ['request.decide'] },
  ];
  reviewer = await createMember(app, organization.id, { policies });
  const { browser } = organization.owner;
  const headers = { origin: environment.COUNTERSIGN_PUBLIC_URL };
  const created = await browser.post(
    '/api/v1/notification_channels',
    { kind: 'webhook', name: 'Bot', url: receiver.url },
    { headers },
  );
  if (created.status !== 201) throw new Error(created.text);
  channelId = String(created.body['notification_channel']?.['id']);
  secret = String(created.body['signing_secret']);
});

afterEach(async () => {
  await receiver.close();
  // A retry that a slow test left behind would come due in a later one.
  await app.db('notification_deliveries').delete();
});

const leaseWebhooks = (lease: string) =>
  leaseDue(app.db, {
    lease,
    leaseMs: 60_000,
    kinds: ['webhook'],
    limit: 10,
    perChannel: 10,
    inFlight: new Map(),
  });
const bodies = () =>
  receiver.received.map(({ body }) => JSON.parse(body) as Record<string, Record<string, unknown>>);
const typed = (type: string) => bodies().filter((body) => String(body['type']) === type);

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
    receiver.answerWith((response) => response.writeHead(500).end());
    const id = await ask(app, agent);
    await drain(app);
    expect((await deliveriesOf(app, id)).map((row) => [row.attempts, row.last_error])).toEqual([
      [1, 'status 500'],
      [1, 'status 500'],
    ]);
    expect(await sendDue(app.context)).toBe(0);
    receiver.answerWith((response) => response.end());
    await bringForward(app);
    await drain(app);
    expect(
      (await deliveriesOf(app, id)).every((row) => row.delivered_at !== null && row.attempts === 2),
    ).toBe(true);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([4, 2]);
  });

  test('with a rate limit is tried again after the time its receiver requires', async () => {
    receiver.answerWith((response) => response.writeHead(429, { 'retry-after': '600' }).end());
    const id = await ask(app, agent);
    await drain(app);
    const [row] = await deliveriesOf(app, id);
    expect(row?.next_attempt_at?.getTime()).toBeGreaterThan(Date.now() + 590_000);
  });

  test('does not follow redirects', async () => {
    const elsewhere = await startWebhookReceiver();
    receiver.answerWith((response) => response.writeHead(307, { location: elsewhere.url }).end());
    const id = await ask(app, agent);
    await drain(app);
    expect((await deliveriesOf(app, id)).map((row) => row.last_error)).toEqual(
      Array(2).fill('status 307 (not retried)'),
    );
    expect(elsewhere.received).toHaveLength(0);
    await elsewhere.close();
  });

  test('is dead after twelve attempts, is listed as dead, and starts over on request', async () => {
    receiver.answerWith((response) => response.writeHead(503).end());
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
    receiver.answerWith((response) => response.end());
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
    receiver.answerWith((response) => response.writeHead(500).end());
    await drain(app);
    for (const id of [waiting, failed]) await decide(reviewer.http, id);
    receiver.answerWith((response) => response.end());
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
    expect(bodies().map((body) => String(body['type']))).toEqual(['approval_request.decided']);
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

describe('a step that is repeated', () => {
  test('adds nothing to the outbox twice', async () => {
    const id = await ask(app, agent);
    const before = await deliveriesOf(app, id);
    for (let round = 0; round < 5; round++) await stepAt(app, id);
    expect(await deliveriesOf(app, id)).toEqual(before);
  });
});

describe('several senders', () => {
  test('send each message once', async () => {
    const other = await startApp({ environment, databaseUrl: app.databaseUrl });
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) ids.push(await ask(app, agent));
    const loops = [app, app, other, other].map(({ context }) => startSending(context));
    const rows = async () =>
      (await Promise.all(ids.map(async (id) => await deliveriesOf(app, id)))).flat();
    // Stopping interrupts what is under way, so it waits for the records, not only for the messages.
    await eventually(async () => (await rows()).every((row) => row.delivered_at !== null), 60_000);
    await Promise.all(loops.map((loop) => loop.stop()));
    await other.close();
    const sent = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect([sent.length, new Set(sent).size]).toEqual([20, 20]);
    expect((await rows()).map((row) => row.attempts)).toEqual(sent.map(() => 1));
  });

  test('leave a message to its holder until the lease ends; then another sends it and the first records nothing', async () => {
    const id = await ask(app, agent);
    const dead = randomUUID();
    const taken = await leaseWebhooks(dead);
    expect(taken).toHaveLength(2);
    await drain(app);
    expect(receiver.received).toHaveLength(0);
    await bringForward(app);
    await drain(app);
    expect(receiver.received).toHaveLength(2);
    const late = { kind: 'retry', error: 'late', afterMs: 0 } as const;
    expect(
      await recordAttempts(
        app.db,
        taken.map((delivery) => ({ id: delivery, lease: dead, attempted: late })),
      ),
    ).toEqual([]);
    expect(
      (await deliveriesOf(app, id)).every((row) => row.delivered_at !== null && row.attempts === 2),
    ).toBe(true);
  });

  test('are not delayed by a receiver that does not answer', async () => {
    const swift = await startWebhookReceiver();
    const twin = randomUUID();
    await app.db.raw(
      `insert into notification_channels select :twin, organization_id, kind, name, enabled, created_at, updated_at from notification_channels where id = :channelId`,
      { twin, channelId },
    );
    const box = app.context.secrets;
    const sealed = box?.seal(Buffer.from(secret), `notification-webhook:${twin}`);
    await app.db('notification_webhooks').insert({
      channel_id: twin,
      url: swift.url,
      include_arguments: false,
      signing_secret: sealed?.sealed,
      signing_secret_key_id: sealed?.keyId,
      secret_rotated_at: new Date(),
    });
    const held = new Set<() => void>();
    let most = 0;
    receiver.answerWith((response) => {
      const release = () => response.end();
      most = Math.max(most, held.add(release).size);
      response.once('close', () => held.delete(release));
    });
    for (let index = 0; index < 8; index++) await ask(app, agent);
    const loop = startSending(app.context);
    await eventually(() => swift.received.length >= 16 && most >= 8, 60_000);
    expect([swift.received.length, most]).toEqual([16, 8]);
    receiver.answerWith((response) => response.end());
    for (const release of held) release();
    await loop.stop();
    await swift.close();
  });

  test('record each message as delivered at most once, in any order of operations', async () => {
    await ask(app, agent);
    const template = await app
      .db('notification_deliveries')
      .where({ channel_id: channelId })
      .select('id');
    const ids = template.map((row: { id: string }) => row.id);
    const worker = fc.integer({ min: 0, max: 2 });
    const action = fc.oneof(
      fc.record({ do: fc.constant('lease' as const), worker }),
      fc.record({ do: fc.constant('deliver' as const), worker }),
      fc.record({ do: fc.constant('fail' as const), worker }),
      fc.record({ do: fc.constant('time passes' as const), worker }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 16 }), async (actions) => {
        await app
          .db('notification_deliveries')
          .whereIn('id', ids)
          .update({
            next_attempt_at: new Date(0),
            delivered_at: null,
            dead_at: null,
            lease: null,
            attempts: 0,
          });
        const leases = new Map<number, string>();
        const delivered = new Map<string, number>();
        for (const step of actions) {
          const lease = leases.get(step.worker) ?? randomUUID();
          if (step.do === 'time passes') await bringForward(app);
          else if (step.do === 'lease') {
            leases.set(step.worker, lease);
            await leaseDue(app.db, {
              lease,
              leaseMs: 60_000,
              kinds: ['webhook'],
              limit: 10,
              perChannel: 10,
              inFlight: new Map(),
            });
          } else {
            const attempted =
              step.do === 'deliver'
                ? ({ kind: 'delivered' } as const)
                : ({ kind: 'retry', error: '', afterMs: 0 } as const);
            const recorded = await recordAttempts(
              app.db,
              ids.map((id) => ({ id, lease, attempted })),
            );
            for (const id of step.do === 'deliver' ? recorded : [])
              delivered.set(id, (delivered.get(id) ?? 0) + 1);
          }
        }
        expect([...delivered.values()].every((count) => count === 1)).toBe(true);
      }),
      { numRuns: 10 },
    );
    const { rows } = await app.db.raw<{ rows: unknown[] }>(
      `select n.membership_id, n.step_key, d.channel_id from notification_deliveries d join notifications n on n.id = d.notification_id
        group by n.request_id, n.membership_id, n.step_key, d.channel_id having count(*) > 1`,
    );
    expect(rows).toEqual([]);
  });
});
