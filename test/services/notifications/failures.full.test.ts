/**
 * Which failures are retried and which are final, and that every dead message can be retried by
 * hand.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PATHLESS_STEP } from '../../../src/domain/escalation/step-keys.ts';
import { newMinute, sendDue } from '../../support/outbox.ts';
import { startApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createOrganization,
  type TestAgent,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { deliveriesOf, drain, type DeliveryRow } from './outbox.ts';

/** The answer to the next email; undefined accepts it. */
const refusal: { at?: 'MAIL FROM' | 'RCPT TO' | 'DATA'; code?: number } = {};
interface Recipient {
  readonly organization: TestOrganization;
  readonly agent: TestAgent;
}

const mails = await startMailServer({ refusal });
const receiver = await startWebhookReceiver();
const environment = {
  ...LOOPBACK_ALLOWED,
  COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
  SMTP_URL: mails.url,
};
const app = await appForFile({ environment });

/** Reached by one webhook, and not by email. */
const hooked = await createRecipient();
/** Reached by email. */
const mailed = await createRecipient();
await addWebhook(hooked, receiver.url);

afterAll(async () => {
  await Promise.all([mails.close(), receiver.close()]);
});

beforeEach(async () => {
  await newMinute(app);
  receiver.respondWith((response) => response.writeHead(204).end());
  Object.assign(refusal, { at: undefined, code: undefined });
});

async function createRecipient(): Promise<Recipient> {
  const organization = await createOrganization(app);
  return { organization, agent: await createAgent(app, organization) };
}

async function addWebhook({ organization }: Recipient, url: string): Promise<string> {
  const created = await organization.owner.browser.post('/api/v1/notification_channels', {
    kind: 'webhook',
    name: 'Bot',
    url,
  });
  if (created.status !== 201) throw new Error(created.text);
  await app
    .db('notification_channels')
    .where({ organization_id: organization.id, kind: 'email' })
    .update({ enabled: false });
  return String(created.body['notification_channel']?.['id']);
}

/** Asks the owner over the only enabled channel. */
async function attempt({ agent }: Recipient): Promise<DeliveryRow> {
  const id = await ask(app, agent);
  await drain(app);
  return await only(id);
}

/** The message of each request: the receiver answers as `answers` says for it. */
async function attempts(
  answers: readonly { readonly status: number; readonly headers?: Record<string, string> }[],
): Promise<DeliveryRow[]> {
  const ids: string[] = [];
  for (const _ of answers) ids.push(await ask(app, hooked.agent));
  receiver.respondWith((response) => {
    const { body } = receiver.received.at(-1) ?? { body: '' };
    const { status, headers } = answers[ids.findIndex((id) => body.includes(id))] ?? {
      status: 204,
    };
    response.writeHead(status, headers).end();
  });
  await drain(app);
  return await Promise.all(ids.map(only));
}

async function only(requestId: string): Promise<DeliveryRow> {
  // When a message is dead, the reconciler may tell the owner that no one was reached.
  const asking = app
    .db('notifications')
    .where({ request_id: requestId, step_key: PATHLESS_STEP })
    .select('id');
  const ids = await app
    .db('notification_deliveries')
    .whereIn('notification_id', asking)
    .pluck<string[]>('id');
  const [delivery, ...more] = (await deliveriesOf(app, requestId)).filter(({ id }) =>
    ids.includes(id),
  );
  if (!delivery || more.length > 0) throw new Error(`${more.length + 1} messages instead of one`);
  return delivery;
}

const stateOf = ({ attempts, dead_at, next_attempt_at }: DeliveryRow) =>
  attempts === 1 && dead_at !== null
    ? 'dead at once'
    : next_attempt_at === null
      ? 'over'
      : 'tried again later';

/** As an administrator over the API. */
async function sendAgain({ organization }: Recipient, { id }: DeliveryRow): Promise<DeliveryRow> {
  const retried = await organization.owner.http.post(`/api/v1/notification_deliveries/${id}/retry`);
  expect(retried.body['notification_delivery']).toMatchObject({
    id,
    status: 'pending',
    attempts: 0,
  });
  await drain(app);
  return await only(String(retried.body['notification_delivery']?.['request_id']));
}

describe('a webhook is', () => {
  const PASSING = [408, 425, 429, 500, 503, 599];
  const FINAL = [300, 302, 307, 400, 404, 410, 451];

  test('tried again later when its receiver answers with an error that may pass', async () => {
    const deliveries = await attempts(PASSING.map((status) => ({ status })));
    expect(deliveries.map((delivery) => [stateOf(delivery), delivery.last_error])).toEqual(
      PASSING.map((status) => ['tried again later', `status ${status}`]),
    );
  });

  test('dead at once when its receiver answers with another error, and delivered after a retry by hand', async () => {
    const headers = { location: receiver.url };
    const deliveries = await attempts(FINAL.map((status) => ({ status, headers })));
    expect(deliveries.map((delivery) => [stateOf(delivery), delivery.last_error])).toEqual(
      FINAL.map((status) => ['dead at once', `status ${status} (not retried)`]),
    );
    receiver.respondWith((response) => response.writeHead(204).end());
    for (const delivery of deliveries.slice(0, 2)) {
      expect(await sendAgain(hooked, delivery)).toMatchObject({
        attempts: 1,
        dead_at: null,
        delivered_at: expect.any(Date),
        last_error: null,
      });
    }
  });

  test('not tried before the time its receiver requires, in seconds or as a date', async () => {
    const before = Date.now();
    const times = ['600', new Date(before + 600_000).toUTCString()];
    const deliveries = await attempts(
      times.map((time) => ({ status: 503, headers: { 'retry-after': time } })),
    );
    for (const { next_attempt_at: at } of deliveries) {
      expect(at?.getTime()).toBeGreaterThan(before + 590_000);
      expect(at?.getTime()).toBeLessThan(Date.now() + 610_000);
    }
  });

  test('tried again as if there were no Retry-After when it makes no sense', async () => {
    const times = ['soon', '-5', '1e9', '2026-11-21', 'Wed, 21 Oct 2015 07:28:00 GMT'];
    const deliveries = await attempts(
      times.map((time) => ({ status: 429, headers: { 'retry-after': time } })),
    );
    for (const delivery of deliveries) {
      expect(stateOf(delivery)).toBe('tried again later');
      expect(delivery.next_attempt_at?.getTime()).toBeLessThan(Date.now() + 6_000);
    }
  });
});

describe('a webhook whose stored secret does not open', () => {
  test('is tried again later and names the reason, while others are served', async () => {
    const broken = await createRecipient();
    const channelId = await addWebhook(broken, receiver.url);
    await app
      .db('notification_webhooks')
      .where({ channel_id: channelId })
      .update({ signing_secret: randomBytes(64) });
    const [brokenId, id] = [await ask(app, broken.agent), await ask(app, hooked.agent)];
    await drain(app);
    const failed = await only(brokenId);
    expect([stateOf(failed), failed.last_error]).toEqual([
      'tried again later',
      expect.stringContaining('the signing secret does not open'),
    ]);
    expect((await only(id)).delivered_at).not.toBeNull();
    const { browser } = broken.organization.owner;
    const tested = await browser.post(`/api/v1/notification_channels/${channelId}/test`);
    expect(tested.body).toMatchObject({ delivered: false, error_code: 'secret_unreadable' });
    await browser.post(`/api/v1/notification_channels/${channelId}/rotate_secret`);
    await app
      .db('notification_deliveries')
      .where({ id: failed.id })
      .update({ next_attempt_at: new Date(Date.now() - 1_000) });
    await drain(app);
    expect((await only(brokenId)).delivered_at).not.toBeNull();
  });
});

describe('an unreachable webhook', () => {
  test('is tried again when nothing listens or its name is not found, and dead at once when it leads inside', async () => {
    const recipient = await createRecipient();
    const away = await startWebhookReceiver();
    const channelId = await addWebhook(recipient, away.url);
    await away.close();
    const refused = await attempt(recipient);
    expect([stateOf(refused), refused.last_error]).toEqual([
      'tried again later',
      'connection failed: refused ECONNREFUSED',
    ]);
    const pointTo = (url: string) =>
      app.db('notification_webhooks').where({ channel_id: channelId }).update({ url });
    await pointTo('https://nowhere.invalid/');
    expect(stateOf(await attempt(recipient))).toBe('tried again later');
    await pointTo('https://10.0.0.1/');
    const delivery = await attempt(recipient);
    expect([stateOf(delivery), delivery.last_error]).toEqual([
      'dead at once',
      'egress_denied: the URL leads to an address that is not public',
    ]);
    await pointTo(receiver.url);
    expect((await sendAgain(recipient, delivery)).delivered_at).not.toBeNull();
  });
});

describe('an email that the mail server refuses', () => {
  const places = ['MAIL FROM', 'RCPT TO', 'DATA'] as const;
  const mailsToOwner = () =>
    mails.mails.filter(({ to }) => to.includes(mailed.organization.owner.email)).length;

  test.each(places)(
    'permanently at %s is dead at once, and delivered after a retry by hand',
    async (at) => {
      const before = mailsToOwner();
      Object.assign(refusal, { at, code: 550 });
      const delivery = await attempt(mailed);
      expect([stateOf(delivery), delivery.last_error]).toEqual([
        'dead at once',
        expect.stringContaining('550 refused by the test'),
      ]);
      Object.assign(refusal, { at: undefined });
      expect((await sendAgain(mailed, delivery)).delivered_at).not.toBeNull();
      expect(mailsToOwner()).toBe(before + 1);
    },
  );

  test.each(places)('temporarily at %s is tried again later', async (at) => {
    Object.assign(refusal, { at, code: 451 });
    const delivery = await attempt(mailed);
    expect([stateOf(delivery), delivery.last_error]).toEqual([
      'tried again later',
      expect.stringContaining('451 refused by the test'),
    ]);
  });

  test('because of wrong credentials waits for correct ones', async () => {
    const strict = await startMailServer({
      credentials: { user: 'countersign', password: 'right' },
    });
    const poor = await startApp({
      environment: { SMTP_URL: strict.url.replace('right', 'wrong') },
    });
    const its = await createOrganization(poor);
    const id = await ask(poor, await createAgent(poor, its));
    await sendDue(poor.context);
    expect((await deliveriesOf(poor, id)).map(stateOf)).toEqual(['tried again later']);
    await poor.close();
    await strict.close();
  });
});
