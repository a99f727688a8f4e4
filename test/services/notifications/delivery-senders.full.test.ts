/** Several senders of one outbox: each message once, and none delayed by another receiver. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  leaseDue,
  recordAttempts,
} from '../../../src/data/notifications/notification-deliveries.ts';
import { startSending } from '../../../src/services/notifications/send-loop.ts';
import { startApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import type { TestAgent } from '../../support/scene/factories.ts';
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';
import { until } from '../../support/waiting.ts';
import {
  bringForward,
  createRecipients,
  deliveriesOf,
  drain,
  leaseWebhooksOf,
  SENDING,
} from './outbox.ts';

const app = await appForFile({ environment: SENDING });
let receiver: WebhookReceiver;
let agent: TestAgent;
let channelId: string;
let secret: string;

beforeEach(async () => {
  receiver = await startWebhookReceiver();
  ({ agent, channelId, secret } = await createRecipients(app, receiver.url));
});

afterEach(async () => {
  await receiver.close();
  // A retry that a slow test left behind would come due in a later one.
  await app.db('notification_deliveries').delete();
});

const leaseWebhooks = (lease: string) => leaseWebhooksOf(app, lease);

describe('several senders', () => {
  test('send each message once', async () => {
    const other = await startApp({ environment: SENDING, databaseUrl: app.databaseUrl });
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) ids.push(await ask(app, agent));
    const loops = [app, app, other, other].map(({ context }) => startSending(context));
    const rows = async () =>
      (await Promise.all(ids.map(async (id) => await deliveriesOf(app, id)))).flat();
    // Stopping interrupts what is under way, so it waits for the records, not only for the messages.
    await until('all are delivered', async () =>
      (await rows()).every((row) => row.delivered_at !== null),
    );
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
    const late = { kind: 'retry', error: 'late', cause: 'failed', afterMs: 0 } as const;
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
    receiver.respondWith((response) => {
      const release = () => response.end();
      most = Math.max(most, held.add(release).size);
      response.once('close', () => held.delete(release));
    });
    for (let index = 0; index < 8; index++) await ask(app, agent);
    const loop = startSending(app.context);
    await until(
      'one has all, and the other is full',
      () => swift.received.length >= 16 && most >= 8,
    );
    expect([swift.received.length, most]).toEqual([16, 8]);
    receiver.respondWith((response) => response.end());
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
                : ({ kind: 'retry', error: '', cause: 'failed', afterMs: 0 } as const);
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
