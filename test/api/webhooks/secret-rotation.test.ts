/** Rotating the secret of a webhook endpoint with an overlap: both secrets sign until it ends. */
import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { purgeBatch } from '../../../src/services/retention.ts';
import { issuesOf } from '../../support/refusals.ts';
import { appForFile } from '../../support/scene.ts';
import { createOrganization, type TestMember } from '../../support/scene/factories.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';

const ENDPOINTS = '/api/v1/webhook_endpoints';
const RULES = `${ENDPOINTS}/rules`;

const app = await appForFile({
  environment: {
    ...LOOPBACK_ALLOWED,
    COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
  },
});
const receiver = await startWebhookReceiver();
receiver.answerWith((response) => response.end('{"outcome":"next"}'));
afterAll(() => receiver.close());

let owner: TestMember;
let first: string;
beforeEach(async () => {
  owner = (await createOrganization(app)).owner;
  const created = await owner.http.post(`${RULES}/revisions`, { name: 'R', url: receiver.url });
  first = String(created.body['signing_secret']);
});
const rotate = async (body?: object) => await owner.http.post(`${RULES}/rotate_secret`, body);
const secretOf = ({ body }: Awaited<ReturnType<typeof rotate>>) => String(body['signing_secret']);
const summary = async () => (await owner.http.get(ENDPOINTS)).body['webhook_endpoints']?.[0];
const expire = () =>
  app
    .db('webhook_endpoint_previous_secrets')
    .update({ expires_at: app.db.raw('clock_timestamp()') });

/** Which of the secrets sign the next call, as the library and as our own header see it. */
async function signing(secrets: readonly string[]): Promise<boolean[][]> {
  expect((await owner.http.post(`${RULES}/revisions/1/test`)).body).toMatchObject({
    delivered: true,
  });
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

const both = (expected: readonly boolean[]) => [expected, expected];

describe('a rotation', () => {
  test('with an overlap lets both secrets sign, in both headers, until it ends', async () => {
    const rotated = await rotate({ overlap: '24h' });
    expect(rotated).toMatchObject({ status: 200, body: { signing_secret: expect.any(String) } });
    const { secret_rotated_at: at, previous_secret_expires_at: until } = rotated.body;
    expect(Date.parse(String(until)) - Date.parse(String(at))).toBeLessThan(24 * 3_600_000 + 1_000);
    expect(Date.parse(String(until)) - Date.parse(String(at))).toBeGreaterThan(
      24 * 3_600_000 - 1_000,
    );
    expect(await summary()).toMatchObject({ previous_secret_expires_at: until });
    const second = secretOf(rotated);
    expect(await signing([first, second])).toEqual(both([true, true]));
    const { headers = {} } = receiver.received.at(-1) ?? {};
    expect(headers['service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);

    await expire();
    expect(await signing([first, second])).toEqual(both([false, true]));
    expect(await summary()).not.toHaveProperty('previous_secret_expires_at');
    await purgeBatch(app.context, new AbortController().signal);
    expect(await app.db('webhook_endpoint_previous_secrets')).toEqual([]);
  });

  test('again ends the oldest secret', async () => {
    const second = secretOf(await rotate({ overlap: '168h' }));
    const third = secretOf(await rotate({ overlap: '1m' }));
    expect(await signing([first, second, third])).toEqual(both([false, true, true]));
  });

  test.each([
    ['without a body', undefined],
    ['with an empty one', {}],
  ])('%s stops every secret before it at once', async (_name, body) => {
    const second = secretOf(await rotate({ overlap: '24h' }));
    const rotated = await rotate(body);
    expect(rotated.body).not.toHaveProperty('previous_secret_expires_at');
    expect(await signing([first, second, secretOf(rotated)])).toEqual(both([false, false, true]));
  });

  test.each(['59s', '169h', '0s', '1d', ''])('refuses the overlap %j', async (overlap) => {
    const refused = await rotate({ overlap });
    expect(refused.status).toBe(400);
    expect(issuesOf(refused)).toMatchObject([{ pointer: '/overlap' }]);
    expect(await signing([first])).toEqual(both([true]));
  });

  test('is recorded with its overlap, and never with a secret', async () => {
    const rotated = await rotate({ overlap: '24h' });
    const event = (await app
      .db('audit_events')
      .where({ event_type: 'webhook_endpoint.secret_rotated' })
      .orderBy('sequence', 'desc')
      .first()) as { data: string };
    expect(JSON.parse(event.data)).toMatchObject({ overlap: '24h' });
    expect(JSON.stringify(event)).not.toContain(secretOf(rotated));
  });
});
