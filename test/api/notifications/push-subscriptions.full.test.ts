/** Push messages: who subscribes, what arrives at the browser, and when a subscription ends. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import type { ApiResponse } from '../../support/http.ts';
import { sendDue } from '../../support/outbox.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { appForFile } from '../../support/scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import {
  browserWith,
  codeOf,
  cookieOf,
  createPerson,
  login,
  twoSessions,
} from '../../support/scene/sign-in.ts';
import {
  claimsOf,
  newBrowser,
  startPushService,
  type PushBrowser,
  type PushService,
} from '../../support/servers/push-service.ts';
import { LOOPBACK_ALLOWED } from '../../support/servers/webhook-receiver.ts';

const PATH = '/api/v1/me/push_subscriptions';
const environment = {
  ...LOOPBACK_ALLOWED,
  COUNTERSIGN_PUSH_HOSTS: 'push.example, 127.0.0.1',
  COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
};
let service: PushService;
let organization: TestOrganization;
let agent: TestAgent;
let owner: TestMember;

const app = await appForFile({ environment });

/** A new organization that asks only its owner. */
beforeEach(async () => {
  service = await startPushService();
  organization = await createOrganization(app);
  owner = organization.owner;
  agent = await createAgent(app, organization);
});

afterEach(() => service.close());

type Http = Pick<TestMember, 'browser'>;

const subscribe = ({ browser }: Http, { subscription }: PushBrowser) =>
  browser.post(PATH, subscription);
const idOf = ({ body }: ApiResponse) => String(body['push_subscription']?.['id']);
const listOf = async ({ browser }: Http) =>
  (await browser.get(PATH)).body['push_subscriptions'] as unknown as readonly object[];
const deliveriesOf = async (requestId: string) =>
  (await app
    .db('notification_deliveries as d')
    .join('notification_channels as c', 'c.id', 'd.channel_id')
    .where({ 'd.request_id': requestId, 'c.kind': 'push' })
    .select('d.attempts', 'd.dropped_reason', 'd.last_error', 'd.delivered_at', 'd.dead_at')) as {
    attempts: number;
    dropped_reason: string | null;
    last_error: string | null;
    delivered_at: Date | null;
    dead_at: Date | null;
  }[];
const again = () =>
  app
    .db('notification_deliveries')
    .whereNotNull('next_attempt_at')
    .update({ next_attempt_at: app.db.raw(`clock_timestamp() - interval '1 second'`) });

async function subscribed(member: Http = owner): Promise<PushBrowser> {
  const browser = service.browser();
  const answer = await subscribe(member, browser);
  if (answer.status !== 201) throw new Error(answer.text);
  return browser;
}

describe('the key', () => {
  test('is made once, by one of several calls, and the private key is stored sealed', async () => {
    await app.db('push_keys').delete();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => owner.browser.get('/api/v1/push/key')),
    );
    const keys = new Set(answers.map(({ body }) => String(body['public_key'])));
    expect(keys.size).toBe(1);
    expect(Buffer.from([...keys][0] ?? '', 'base64url')).toHaveLength(65);
    const [row] = (await app.db('push_keys').select('secret')) as { secret: Buffer }[];
    // A nonce and a tag come before the ciphertext.
    expect(row?.secret.length).toBe(12 + 16 + 43);
  });

  test('and subscriptions need the secrets key', async () => {
    const without = await startApp();
    try {
      const { browser } = (await createOrganization(without)).owner;
      const { subscription } = service.browser();
      for (const answer of [
        await browser.get('/api/v1/push/key'),
        await browser.post(PATH, subscription),
      ])
        expect(codeOf(answer)).toEqual([501, 'secrets_key_missing']);
      expect((await browser.get(PATH)).body).toEqual({ push_subscriptions: [] });
    } finally {
      await without.close();
    }
  });
});

describe('a subscription', () => {
  test('shows the browser and its push service, and neither endpoint nor keys', async () => {
    const browser = service.browser();
    const answer = await owner.browser.post(PATH, browser.subscription, {
      headers: { 'user-agent': 'Phone' },
    });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        push_subscription: {
          id: expect.any(String),
          current: true,
          push_service: new URL(service.url).host,
          user_agent: 'Phone',
          created_at: expect.any(String),
        },
      },
    ]);
    expect(await listOf(owner)).toEqual([answer.body['push_subscription']]);
    const { auth, p256dh } = browser.subscription.keys;
    for (const secret of [browser.subscription.endpoint, auth, p256dh])
      expect((await owner.browser.get(PATH)).text).not.toContain(secret);
  });

  test('replaces the one of the same endpoint, also when another member had it', async () => {
    const browser = await subscribed();
    const { endpoint } = browser.subscription;
    const renewed = newBrowser(endpoint);
    const repeated = await subscribe(owner, renewed);
    expect([repeated.status, (await listOf(owner)).length]).toEqual([200, 1]);
    const other = await createMember(app, organization.id);
    const taken = await subscribe(other, newBrowser(endpoint));
    expect([taken.status, await listOf(owner), (await listOf(other)).length]).toEqual([201, [], 1]);
    expect(idOf(taken)).not.toBe(idOf(repeated));
  });

  test.each([
    'https://hooks.example/collect',
    'https://fcm.googleapis.com.evil.example/fcm/send/a',
    'https://evil.example/fcm.googleapis.com',
    'https://evilpush.apple.com.example/a',
    'https://notify.windows.com.evil.example/w',
    'https://push.example.evil.example/a',
  ])('is refused at %s, which is no push service', async (endpoint) => {
    const answer = await subscribe(owner, newBrowser(endpoint));
    expect([answer.status, answer.body['error']]).toMatchObject([
      400,
      { code: 'egress_denied', details: { issues: [{ pointer: '/endpoint' }] } },
    ]);
    expect(await listOf(owner)).toEqual([]);
  });

  test('from before its service was refused gets no message', async () => {
    const browser = await subscribed();
    const rows = app.db('push_subscriptions').where({ membership_id: owner.membershipId });
    await rows.update({
      endpoint: browser.subscription.endpoint.replace('127.0.0.1', 'localhost'),
    });
    const id = await ask(app, agent);
    await sendDue(app.context);
    const [delivery] = await deliveriesOf(id);
    expect(delivery?.last_error).toContain('no known push service');
    expect(service.received).toEqual([]);
  });

  test('is one of at most 20, even when several are added at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const member = await createMember(app, organization.id);
      for (let count = 0; count < 18; count += 1) await subscribed(member);
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => subscribe(member, service.browser())),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
      expect(answers.find(({ status }) => status === 429)?.body['error']).toMatchObject({
        code: 'quota_exceeded',
        details: { dimension: 'push_subscriptions', limit: 20, used: 20 },
      });
    }
  });

  test.each([
    [{ endpoint: 'https://10.0.0.1/push' }, '/endpoint'],
    [{ endpoint: 'http://192.0.2.1/push' }, '/endpoint'],
    [{ endpoint: 'javascript:alert(1)' }, '/endpoint'],
    [{ keys: { p256dh: 'BB', auth: 'AAAAAAAAAAAAAAAAAAAAAA' } }, '/keys/p256dh'],
    [{ keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'AAAAAAAAAAAAAAAAAAAAAA' } }, '/keys/p256dh'],
  ])('is refused with %j', async (change, pointer) => {
    const { subscription } = service.browser();
    const { status, body } = await owner.browser.post(PATH, { ...subscription, ...change });
    expect([status, body['error']?.['details']?.['issues']]).toMatchObject([400, [{ pointer }]]);
  });

  test('belongs to its member alone', async () => {
    const browser = service.browser();
    const id = idOf(await subscribe(owner, browser));
    const other = await createMember(app, organization.id);
    expect(await listOf(other)).toEqual([]);
    expect(codeOf(await other.browser.delete(`${PATH}/${id}`))).toEqual([404, 'not_found']);
    expect(codeOf(await other.browser.post(`${PATH}/${id}/test`))).toEqual([404, 'not_found']);
    expect(codeOf(await owner.http.get(PATH))).toEqual([403, 'session_required']);
    expect((await owner.browser.delete(`${PATH}/${id}`)).status).toBe(204);
    expect(await listOf(owner)).toEqual([]);
  });
});

describe('a message', () => {
  test('names the request, the tool and the agent, and nothing that the call would do', async () => {
    const phone = await subscribed();
    const laptop = await subscribed();
    const id = await ask(app, agent, { tool: 'refund', arguments: { secret: 'do not send' } });
    await sendDue(app.context);
    const message = {
      request_id: id,
      title: `Approval needed: refund (Agent ${agent.slug})`,
      url: `${app.url}/requests/${id}`,
    };
    expect(service.messagesOf(phone)).toEqual([message]);
    expect(service.messagesOf(laptop)).toEqual([message]);
    expect(await deliveriesOf(id)).toMatchObject([{ attempts: 1, last_error: null }]);
  });

  test('is signed for its push service, and expires with the request', async () => {
    const key = String((await owner.browser.get('/api/v1/push/key')).body['public_key']);
    await subscribed();
    const id = await ask(app, agent, { timeout: '30m' });
    await sendDue(app.context);
    const [push] = service.received;
    if (!push) throw new Error('nothing was pushed');
    expect(claimsOf(push, key)).toMatchObject({
      aud: service.url,
      sub: 'mailto:operator@countersign.invalid',
    });
    expect(push.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      urgency: 'normal',
      topic: id.replaceAll('-', ''),
    });
    const ttl = Number(push.headers['ttl']);
    expect(ttl).toBeGreaterThan(1_700);
    expect(ttl).toBeLessThanOrEqual(1_800);
  });

  test('is a digest after five of a minute, which opens the queue', async () => {
    const phone = service.browser();
    await subscribe(owner, phone);
    for (let each = 0; each < 7; each += 1) await ask(app, agent);
    while ((await sendDue(app.context)) > 0);
    expect(service.messagesOf(phone)).toHaveLength(5);
    const past = app.db.raw(`clock_timestamp() - interval '1 second'`);
    await app
      .db('notification_deliveries')
      .where({ event: 'digest' })
      .update({ next_attempt_at: past });
    while ((await sendDue(app.context)) > 0);
    expect(service.messagesOf(phone).slice(5)).toEqual([
      { title: '2 more requests wait for you', url: `${app.url}/` },
    ]);
    expect(service.received.at(-1)?.headers).toMatchObject({ topic: 'digest', urgency: 'normal' });
  });

  test('goes to no one who has no browser, and makes no entry in the outbox', async () => {
    await subscribed();
    await owner.browser.delete(`${PATH}/${idOf(await subscribe(owner, service.browser()))}`);
    const bystander = await createMember(app, organization.id, {
      policies: [{ scope_kind: 'organization', permissions: ['request.read', 'request.decide'] }],
    });
    const id = await ask(app, agent);
    const asked = app.db('notifications').where({ request_id: id }).pluck('membership_id');
    expect(await asked).toContain(bystander.membershipId);
    expect(await deliveriesOf(id)).toHaveLength(1);
  });

  test('is not sent to a member who wants none, nor over a disabled channel', async () => {
    await subscribed();
    const settings = '/api/v1/me/notification_settings';
    const put = (body: object) => owner.browser.call('PUT', settings, { body });
    expect((await put({ email: true, slack: true, push: false })).body).toMatchObject({
      push: false,
    });
    expect((await put({ email: false, slack: true })).body).toMatchObject({
      email: false,
      slack: true,
      push: false,
    });
    const unwanted = await ask(app, agent);
    await sendDue(app.context);
    expect(await deliveriesOf(unwanted)).toMatchObject([{ dropped_reason: 'opted_out' }]);
    await put({ email: false, slack: true, push: true });
    const channels = (await owner.browser.get('/api/v1/notification_channels')).text;
    const { notification_channels: all } = JSON.parse(channels) as {
      notification_channels: { id: string; kind: string }[];
    };
    const path = `/api/v1/notification_channels/${all.find(({ kind }) => kind === 'push')?.id ?? ''}`;
    const refused = await owner.browser.delete(path);
    expect(codeOf(refused)).toEqual([409, 'channel_built_in']);
    expect(refused.body['error']?.['message']).toBe(
      'The push channel cannot be deleted. Disable it instead.',
    );
    expect((await owner.browser.call('PATCH', path, { body: { enabled: false } })).status).toBe(
      200,
    );
    expect((await subscribe(owner, service.browser())).status).toBe(201);
    expect(await deliveriesOf(await ask(app, agent))).toEqual([]);
    expect(service.received).toEqual([]);
  });

  test.each([404, 410])('that is answered %d ends the subscription', async (status) => {
    await subscribed();
    const kept = await subscribed();
    const gone = service.browser();
    await subscribe(owner, gone);
    service.respondWith((response) => response.writeHead(status).end(), gone);
    const id = await ask(app, agent);
    await sendDue(app.context);
    expect(await deliveriesOf(id)).toMatchObject([{ attempts: 1, last_error: null }]);
    expect([(await listOf(owner)).length, service.messagesOf(kept).length]).toEqual([2, 1]);
  });

  test('is dropped when no subscription is left', async () => {
    const browser = await subscribed();
    service.respondWith((response) => response.writeHead(410).end(), browser);
    const id = await ask(app, agent);
    await sendDue(app.context);
    expect(await deliveriesOf(id)).toMatchObject([{ dropped_reason: 'not_subscribed' }]);
  });

  test('that one browser cannot get now is tried again there alone', async () => {
    const reached = await subscribed();
    const away = await subscribed();
    service.respondWith((response) => response.writeHead(503).end(), away);
    const id = await ask(app, agent);
    await sendDue(app.context);
    expect(await deliveriesOf(id)).toMatchObject([
      { delivered_at: null, last_error: 'status 503' },
    ]);
    service.respondWith((response) => response.writeHead(201).end(), away);
    await again();
    await sendDue(app.context);
    expect(await deliveriesOf(id)).toMatchObject([{ attempts: 2, last_error: null }]);
    expect([service.messagesOf(reached).length, service.messagesOf(away).length]).toEqual([1, 2]);
  });

  test('is delivered by a 2xx, also if its body never ends', async () => {
    await subscribed();
    service.respondWith((response) => response.writeHead(201).write('{'));
    const id = await ask(app, agent);
    await sendDue(app.context);
    expect(await deliveriesOf(id)).toMatchObject([{ attempts: 1, delivered_at: expect.any(Date) }]);
  });

  test('that every browser refuses for good is dead', async () => {
    await subscribed();
    service.respondWith((response) => response.writeHead(400).end());
    const id = await ask(app, agent);
    await sendDue(app.context);
    const [delivery] = await deliveriesOf(id);
    expect(delivery?.dead_at).not.toBeNull();
    expect(delivery?.last_error).toBe('status 400 (not retried)');
    expect(await listOf(owner)).toHaveLength(1);
  });

  test('to oneself tests one browser', async () => {
    const browser = service.browser();
    const path = `${PATH}/${idOf(await subscribe(owner, browser))}/test`;
    const other = await subscribed();
    await owner.browser.get('/api/v1/push/key');
    expect((await owner.browser.post(path)).body).toMatchObject({
      delivered: true,
      status_code: 201,
    });
    expect(service.messagesOf(browser)).toEqual([
      { title: 'Test message from Countersign', url: `${app.url}/` },
    ]);
    expect(service.messagesOf(other)).toEqual([]);
    service.respondWith((response) => response.writeHead(410).end(), browser);
    expect((await owner.browser.post(path)).body).toMatchObject({
      delivered: false,
      status_code: 410,
      error_code: 'not_subscribed',
    });
    expect(codeOf(await owner.browser.post(path))).toEqual([404, 'not_found']);
  });
});

describe('a subscription ends', () => {
  test('when its session is signed out, and not when another one of the member is', async () => {
    await subscribed();
    const [, another] = await twoSessions(app, owner);
    expect((await owner.browser.delete(`/api/v1/me/sessions/${another}`)).status).toBe(204);
    expect(await listOf(owner)).toHaveLength(1);
    await owner.browser.post('/auth/logout');
    expect(await app.db('push_subscriptions').where({ membership_id: owner.membershipId })).toEqual(
      [],
    );
  });

  test('not when its session expires', async () => {
    const browser = await subscribed();
    await app
      .db('sessions')
      .where({ membership_id: owner.membershipId })
      .update({ expires_at: new Date() });
    await ask(app, agent);
    await sendDue(app.context);
    expect(service.messagesOf(browser)).toHaveLength(1);
  });

  test('not when the same browser signs in again', async () => {
    const person = await createPerson(app, organization.id);
    const first = cookieOf(await login(app, person));
    await subscribed({ browser: browserWith(app, first) });
    const second = cookieOf(await login(app, person, first));
    expect(await listOf({ browser: browserWith(app, second) })).toMatchObject([{ current: true }]);
  });

  test('when the member is removed', async () => {
    const member = await createMember(app, organization.id);
    await subscribed(member);
    const removed = await owner.browser.delete(`/api/v1/members/${member.membershipId}`);
    expect(removed.status).toBe(204);
    const left = app.db('push_subscriptions').where({ membership_id: member.membershipId });
    expect(await left).toEqual([]);
  });
});
