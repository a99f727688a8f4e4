/** Rotating a signing secret with an overlap: both secrets sign until it ends. */
import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { purgeBatch } from '../../../src/services/retention.ts';
import type { ApiResponse } from '../../support/http.ts';
import { issuesOf } from '../../support/refusals.ts';
import { appForFile } from '../../support/scene.ts';
import { createOrganization, type TestMember } from '../../support/scene/factories.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';

const app = await appForFile({
  environment: {
    ...LOOPBACK_ALLOWED,
    COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
  },
});
const receiver = await startWebhookReceiver();
receiver.respondWith((response) => response.end('{"outcome":"next"}'));
afterAll(() => receiver.close());

/** What is posted to the receiver, with a secret of its own. */
interface Signed {
  readonly first: string;
  rotate(body?: object): Promise<ApiResponse>;
  /** Posts a message. */
  test(): Promise<ApiResponse>;
  /** As lists show it. */
  listed(): Promise<Record<string, unknown> | undefined>;
}

async function newEndpoint({ http }: TestMember): Promise<Signed> {
  const path = '/api/v1/webhook_endpoints/rules';
  const { body } = await http.post(`${path}/revisions`, { name: 'R', url: receiver.url });
  return {
    first: String(body['signing_secret']),
    rotate: (overlap) => http.post(`${path}/rotate_secret`, overlap),
    test: () => http.post(`${path}/revisions/1/test`),
    listed: async () =>
      (await http.get('/api/v1/webhook_endpoints')).body['webhook_endpoints']?.[0] as never,
  };
}

async function newChannel({ browser }: TestMember): Promise<Signed> {
  const channels = '/api/v1/notification_channels';
  const terms = { kind: 'webhook', name: 'Bot', url: receiver.url };
  const { body } = await browser.post(channels, terms);
  const path = `${channels}/${String(body['notification_channel']?.['id'])}`;
  return {
    first: String(body['signing_secret']),
    rotate: (overlap) => browser.post(`${path}/rotate_secret`, overlap),
    test: () => browser.post(`${path}/test`),
    listed: async () =>
      ((await browser.get(channels)).body['notification_channels'] as never as object[]).find(
        (channel) => 'url' in channel,
      ) as never,
  };
}

const secretOf = ({ body }: ApiResponse) => String(body['signing_secret']);
const both = (expected: readonly boolean[]) => [expected, expected];

describe.each([
  [
    'a webhook endpoint',
    newEndpoint,
    'webhook_endpoint_previous_secrets',
    'webhook_endpoint.secret_rotated',
  ],
  [
    'a notification channel',
    newChannel,
    'notification_webhook_previous_secrets',
    'notification_channel.secret_rotated',
  ],
])('a rotation of the secret of %s', (_kind, open, table, eventType) => {
  let signed: Signed;
  beforeEach(async () => {
    signed = await open((await createOrganization(app)).owner);
  });

  /** Which of the secrets sign the next call, as the library and as our own header see it. */
  async function signing(secrets: readonly string[]): Promise<boolean[][]> {
    expect((await signed.test()).body).toMatchObject({ delivered: true });
    const { body = '', headers = {} } = receiver.received.at(-1) ?? {};
    const given = headers as Record<string, string>;
    const [at = '', ...signatures] = String(given['service-signature']).split(',');
    const isVerified = (secret: string): boolean => {
      try {
        new Webhook(secret).verify(body, given);
        return true;
      } catch {
        return false;
      }
    };
    const isOurs = (secret: string): boolean => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const hmac = createHmac('sha256', key)
        .update(`${at.slice(2)}.${body}`)
        .digest('hex');
      return signatures.includes(`v1=${hmac}`);
    };
    return [secrets.map(isVerified), secrets.map(isOurs)];
  }

  test('with an overlap lets both secrets sign, in both headers, until it ends', async () => {
    const rotated = await signed.rotate({ overlap: '24h' });
    expect(rotated).toMatchObject({ status: 200, body: { signing_secret: expect.any(String) } });
    const { secret_rotated_at: at, previous_secret_expires_at: until } = rotated.body;
    const overlap = Date.parse(String(until)) - Date.parse(String(at));
    expect(Math.abs(overlap - 24 * 3_600_000)).toBeLessThan(60_000);
    expect(await signed.listed()).toMatchObject({ previous_secret_expires_at: until });
    const secrets = [signed.first, secretOf(rotated)];
    expect(await signing(secrets)).toEqual(both([true, true]));
    const { headers = {} } = receiver.received.at(-1) ?? {};
    expect(headers['service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);

    await app.db(table).update({ expires_at: app.db.raw('clock_timestamp()') });
    expect(await signing(secrets)).toEqual(both([false, true]));
    expect(await signed.listed()).not.toHaveProperty('previous_secret_expires_at');
    await purgeBatch(app.context, new AbortController().signal);
    expect(await app.db(table)).toEqual([]);
  });

  test('again ends the oldest secret', async () => {
    const second = secretOf(await signed.rotate({ overlap: '168h' }));
    const third = secretOf(await signed.rotate({ overlap: '1m' }));
    expect(await signing([signed.first, second, third])).toEqual(both([false, true, true]));
  });

  test.each([
    ['without a body', undefined],
    ['with an empty one', {}],
  ])('%s stops every secret before it at once', async (_name, body) => {
    const second = secretOf(await signed.rotate({ overlap: '24h' }));
    const rotated = await signed.rotate(body);
    expect(rotated.body).not.toHaveProperty('previous_secret_expires_at');
    const secrets = [signed.first, second, secretOf(rotated)];
    expect(await signing(secrets)).toEqual(both([false, false, true]));
  });

  test.each(['59s', '169h', '0s', '1d', ''])('refuses the overlap %j', async (overlap) => {
    const refused = await signed.rotate({ overlap });
    expect(refused.status).toBe(400);
    expect(issuesOf(refused)).toMatchObject([{ pointer: '/overlap' }]);
    expect(await signing([signed.first])).toEqual(both([true]));
  });

  test('is recorded with its overlap, and never with a secret', async () => {
    const rotated = await signed.rotate({ overlap: '24h' });
    const event = (await app
      .db('audit_events')
      .where({ event_type: eventType })
      .orderBy('sequence', 'desc')
      .first()) as { data: string };
    expect(JSON.parse(event.data)).toMatchObject({ overlap: '24h' });
    expect(JSON.stringify(event)).not.toContain(secretOf(rotated));
  });
});

test('a deleted channel leaves no secret', async () => {
  const { owner } = await createOrganization(app);
  const channel = await newChannel(owner);
  await channel.rotate({ overlap: '24h' });
  const id = String((await channel.listed())?.['id']);
  expect((await owner.browser.delete(`/api/v1/notification_channels/${id}`)).status).toBe(204);
  expect(await app.db('notification_webhook_previous_secrets').where({ channel_id: id })).toEqual(
    [],
  );
});
