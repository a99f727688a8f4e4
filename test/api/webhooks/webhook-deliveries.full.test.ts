/** Tests of webhook endpoints, and the list of what was posted to them. */
import { createHmac, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { purgeBatch } from '../../../src/services/retention.ts';
import { startApp } from '../../support/app.ts';
import type { ApiResponse, Json } from '../../support/http.ts';
import { appForFile } from '../../support/scene.ts';
import {
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import {
  LOOPBACK_ALLOWED,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';

const BASE = '/api/v1/webhook_endpoints/rules';
const environment = {
  ...LOOPBACK_ALLOWED,
  COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
};

let organization: TestOrganization;
let owner: TestMember;
let receiver: WebhookReceiver;
let secret: string;

const app = await appForFile({ environment });

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
  receiver = await startWebhookReceiver();
  receiver.respondWith((response) => response.end('{"outcome":"approve","reason":"Fine."}'));
  secret = String((await create(receiver.url)).body['signing_secret']);
});

afterEach(async () => {
  await receiver.close();
});

const create = async (url: string) =>
  await owner.http.post(`${BASE}/revisions`, { name: 'Rules', url });
const tryOut = async (revision = 1) => await owner.http.post(`${BASE}/revisions/${revision}/test`);
const list = async (query = '') => (await owner.http.get(`${BASE}/deliveries${query}`)).body;
const codeOf = ({ status, body }: ApiResponse) => [status, body['error']?.['code']];
const rows = (body: Json) => body['deliveries'] as unknown as Record<string, unknown>[];

describe('a test', () => {
  test('posts a sample request that is signed both ways and marked as a preview', async () => {
    const answer = await tryOut();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      delivered: true,
      status_code: 200,
      duration_ms: expect.any(Number),
      outcome: 'approve',
      reason: 'Fine.',
      response_excerpt: '{"outcome":"approve","reason":"Fine."}',
    });
    const [call] = receiver.received;
    const { body = '', headers = {} } = call ?? {};
    expect(JSON.parse(body)).toEqual({
      id: headers['webhook-id'],
      type: 'webhook_endpoint.test',
      preview: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      attempt: 1,
      organization_id: organization.id,
      endpoint_key: 'rules',
      pipeline: { scope: 'organization', revision: 1 },
      block: { id: 'sample', name: 'Sample' },
      request: {
        tool: 'refund_payment',
        arguments: { payment_id: 'pay_81', amount: 12.5 },
        agent_reasoning: 'The customer was charged twice.',
        context: { ticket: 'T-1042' },
      },
      agent: { slug: 'sample-agent', name: 'Sample agent' },
      previous_metadata: { organization: {}, agent: {} },
    });
    expect(body).toContain('"amount":12.50');
    new Webhook(secret).verify(body, headers as Record<string, string>);
    const [, at = '', signature] =
      /^t=(\d+),v1=(.+)$/.exec(String(headers['service-signature'])) ?? [];
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(signature).toBe(createHmac('sha256', key).update(`${at}.${body}`).digest('hex'));
  });

  test('is signed with the new secret after a rotation, and not with the old one', async () => {
    const rotated = await owner.http.post(`${BASE}/rotate_secret`);
    await tryOut();
    const [{ body = '', headers = {} } = {}] = receiver.received;
    const given = headers as Record<string, string>;
    new Webhook(String(rotated.body['signing_secret'])).verify(body, given);
    expect(() => new Webhook(secret).verify(body, given)).toThrow();
  });

  test('calls the URL of its revision, active or not, archived or not', async () => {
    const other = await startWebhookReceiver();
    await create(other.url);
    await tryOut(2);
    expect([receiver.received.length, other.received.length]).toEqual([0, 1]);
    await owner.http.delete(`${BASE}/active`, { headers: { 'if-match': '"0"' } });
    expect((await tryOut(1)).body).toMatchObject({ delivered: true });
    expect([receiver.received.length, other.received.length]).toEqual([1, 1]);
    await other.close();
  });

  test('says what is wrong with an answer, or why there is none', async () => {
    receiver.respondWith((response) => response.end('OK'));
    expect((await tryOut()).body).toEqual({
      delivered: true,
      status_code: 200,
      duration_ms: expect.any(Number),
      error_code: 'invalid_answer',
      response_excerpt: 'OK',
    });
    receiver.respondWith((response) => response.writeHead(307, { location: receiver.url }).end());
    expect((await tryOut()).body).toEqual({
      delivered: false,
      status_code: 307,
      duration_ms: expect.any(Number),
      error_code: 'unexpected_status',
    });
    receiver.respondWith((response) => response.destroy());
    expect((await tryOut()).body).toEqual({
      delivered: false,
      duration_ms: expect.any(Number),
      error_code: 'connection_failed',
      error_cause: 'reset',
    });
    expect(receiver.received).toHaveLength(3);
  });

  test('of a URL that is no longer allowed posts nothing', async () => {
    const strict = { ...environment, COUNTERSIGN_EGRESS_ALLOW: '10.0.0.1' };
    const guarded = await startApp({ environment: strict, databaseUrl: app.databaseUrl });
    const answer = await guarded.http.post(`${BASE}/revisions/1/test`, undefined, {
      headers: { authorization: `Bearer ${owner.apiKey}` },
    });
    expect(answer.body).toMatchObject({ delivered: false, error_code: 'egress_denied' });
    expect(receiver.received).toEqual([]);
    await guarded.close();
  });

  test('needs the key that sealed the secret', async () => {
    await app
      .db('webhook_endpoint_secrets')
      .whereIn('webhook_endpoint_id', (endpoints) =>
        endpoints
          .from('webhook_endpoints')
          .where({ organization_id: organization.id })
          .select('id'),
      )
      .update({ signing_secret_key_id: 'of another key' });
    expect(codeOf(await tryOut())).toEqual([501, 'secrets_key_missing']);
    expect(receiver.received).toEqual([]);
    await owner.http.post(`${BASE}/rotate_secret`);
    expect((await tryOut()).body).toMatchObject({ delivered: true });
  });

  test('is recorded with its result, and without the answer', async () => {
    receiver.respondWith((response) => response.writeHead(500).end('database is down'));
    await tryOut();
    const events = (await app
      .db('audit_events')
      .where({ organization_id: organization.id, event_type: 'webhook_endpoint.tested' })
      .pluck('data')) as string[];
    expect(events.map((data) => JSON.parse(data) as unknown)).toEqual([
      {
        revision: 1,
        delivered: false,
        status_code: 500,
        error_code: 'unexpected_status',
        actor_api_key_id: expect.any(String),
      },
    ]);
  });

  test('of an unknown revision or endpoint is 404', async () => {
    expect(codeOf(await tryOut(2))).toEqual([404, 'not_found']);
    expect(codeOf(await owner.http.post('/api/v1/webhook_endpoints/no/revisions/1/test'))).toEqual([
      404,
      'not_found',
    ]);
  });
});

describe('the list of deliveries', () => {
  test('has each test, newest first, with its result', async () => {
    await tryOut();
    receiver.respondWith((response) => response.writeHead(503).end('x'.repeat(600)));
    await tryOut();
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    const common = {
      id: expect.any(String),
      type: 'webhook_endpoint.test',
      revision: 1,
      attempt: 1,
      attempted_at: expect.any(String),
      duration_ms: expect.any(Number),
    };
    expect(await list()).toEqual({
      deliveries: [
        {
          ...common,
          delivery_id: ids[1],
          status_code: 503,
          error_code: 'unexpected_status',
          response_excerpt: 'x'.repeat(500),
        },
        {
          ...common,
          delivery_id: ids[0],
          status_code: 200,
          outcome: 'approve',
          response_excerpt: '{"outcome":"approve","reason":"Fine."}',
        },
      ],
    });
  });

  test('is read page by page, each row once, even at one instant', async () => {
    for (let count = 0; count < 5; count += 1) await tryOut();
    await app.db('webhook_deliveries').update({ attempted_at: new Date() });
    const all = rows(await list()).map(({ id }) => id);
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await list(`?limit=2${cursor}`);
      seen.push(...rows(page).map(({ id }) => id));
      cursor = page['next_cursor'] === undefined ? '' : `&cursor=${String(page['next_cursor'])}`;
    } while (cursor !== '');
    expect(seen).toEqual(all);
    expect(seen).toHaveLength(5);
  });

  test('accepts no cursor of another endpoint', async () => {
    await tryOut();
    await tryOut();
    const { next_cursor: cursor } = await list('?limit=1');
    await owner.http.post('/api/v1/webhook_endpoints/other/revisions', {
      name: 'Other',
      url: receiver.url,
    });
    const other = '/api/v1/webhook_endpoints/other/deliveries';
    expect(codeOf(await owner.http.get(`${other}?cursor=${String(cursor)}`))).toEqual([
      400,
      'validation_failed',
    ]);
    expect((await owner.http.get(other)).body).toEqual({ deliveries: [] });
  });

  test('can have failed attempts alone, and the endpoint says how its last twenty went', async () => {
    const recent = async () =>
      (await owner.http.get(`${BASE}/summary`)).body['recent_deliveries'] as unknown;
    expect(await recent()).toBeUndefined();
    await tryOut();
    receiver.respondWith((response) => response.writeHead(503).end());
    for (let count = 0; count < 3; count += 1) await tryOut();
    expect(await recent()).toEqual({
      attempted_at: expect.any(String),
      status_code: 503,
      error_code: 'unexpected_status',
      failed_count: 3,
    });
    const first = await list('?result=failed&limit=2');
    const cursor = String(first['next_cursor']);
    const second = await list(`?result=failed&limit=2&cursor=${cursor}`);
    const [, , , fine] = rows(await list());
    expect([...rows(first), ...rows(second)]).toEqual(rows(await list()).slice(0, 3));
    expect(fine).toMatchObject({ outcome: 'approve' });
    expect(second).not.toHaveProperty('next_cursor');
    const mixed = await owner.http.get(`${BASE}/deliveries?cursor=${cursor}`);
    expect(codeOf(mixed)).toEqual([400, 'validation_failed']);
    // An attempt that still runs says nothing yet, and what is older than the last twenty no longer counts.
    await app
      .db('webhook_deliveries')
      .where({ id: String(rows(first)[0]?.['id']) })
      .update({
        duration_ms: null,
        status_code: null,
        error_code: null,
        response_excerpt: null,
      });
    expect(await recent()).toMatchObject({ failed_count: 2 });
    receiver.respondWith((response) => response.end('{"outcome":"next"}'));
    for (let count = 0; count < 19; count += 1) await tryOut();
    expect(await recent()).toEqual({
      attempted_at: expect.any(String),
      status_code: 200,
      outcome: 'next',
      failed_count: 1,
    });
  });

  test('belongs to its organization', async () => {
    await tryOut();
    const { owner: stranger } = await createOrganization(app);
    expect(codeOf(await stranger.http.get(`${BASE}/deliveries`))).toEqual([404, 'not_found']);
  });

  test('forgets what is over 30 days old', async () => {
    await tryOut();
    await tryOut();
    const [newer, older] = rows(await list());
    const age = async (id: unknown, days: number) =>
      await app
        .db('webhook_deliveries')
        .where({ id: String(id) })
        .update({ attempted_at: new Date(Date.now() - days * 86_400_000) });
    await age(newer?.['id'], 29);
    await age(older?.['id'], 31);
    await purgeBatch(app.context, new AbortController().signal);
    expect(rows(await list()).map(({ id }) => id)).toEqual([newer?.['id']]);
  });
});
