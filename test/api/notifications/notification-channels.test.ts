/** Creating, changing, testing and deleting notification channels. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { openSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { resealSecrets } from '../../../src/services/sealed-secrets.ts';
import { sendDue } from '../../support/outbox.ts';
import { startApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import { ask, skipToldOwners } from '../../support/scene/approval-requests.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { ApiResponse } from '../../support/http.ts';
import {
  LOOPBACK_ALLOWED,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';

const PATH = '/api/v1/notification_channels';
const secretsKey = randomBytes(32).toString('base64');
let organization: TestOrganization;
let receiver: WebhookReceiver;

const app = await appForFile({
  environment: { ...LOOPBACK_ALLOWED, COUNTERSIGN_SECRETS_KEY: secretsKey },
});

beforeEach(async () => {
  organization = await createOrganization(app);
  receiver = await startWebhookReceiver();
});

afterEach(async () => {
  await receiver.close();
});

const codeOf = ({ status, body }: ApiResponse) => [status, body['error']?.['code']];
const create = async (body: Readonly<Record<string, unknown>> = {}) =>
  await organization.owner.browser.post(PATH, {
    kind: 'webhook',
    name: 'Bot',
    url: receiver.url,
    ...body,
  });

async function createdId(
  body?: Readonly<Record<string, unknown>>,
): Promise<{ id: string; secret: string }> {
  const { status, body: answer, text } = await create(body);
  if (status !== 201) throw new Error(text);
  return {
    id: String(answer['notification_channel']?.['id']),
    secret: String(answer['signing_secret']),
  };
}

async function auditOf(id: string): Promise<string[]> {
  return (await app
    .db('audit_events')
    .where({ subject_id: id })
    .orderBy('sequence')
    .pluck('event_type')) as string[];
}

describe('a webhook channel', () => {
  test('returns its secret once, stores it sealed, and records its creator', async () => {
    const { id, secret } = await createdId();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const shown = await organization.owner.http.get(`${PATH}/${id}`);
    expect(shown.body['notification_channel']).toMatchObject({
      id,
      kind: 'webhook',
      enabled: true,
      include_arguments: false,
      url: receiver.url,
    });
    expect(shown.text).not.toContain('whsec_');
    const row = await app
      .db('notification_webhooks')
      .where({ channel_id: id })
      .first<{ signing_secret: Buffer }>();
    expect(row.signing_secret.includes(Buffer.from(secret.slice(10)))).toBe(false);
    expect(await auditOf(id)).toEqual(['notification_channel.created']);
  });

  test.each([
    ['http://8.8.8.8/hook'],
    ['https://10.0.0.1/'],
    ['https://169.254.169.254/latest'],
    ['https://user:secret@127.0.0.1/'],
    ['https://127.0.0.1/#x'],
    ['https://nowhere.invalid/'],
    ['ftp://127.0.0.1/'],
    ['hook'],
  ])('cannot be created for %s', async (url) => {
    const refused = await create({ url });
    expect(codeOf(refused)).toEqual([400, 'egress_denied']);
    expect(refused.body['error']?.['details']?.['issues']?.[0]).toMatchObject({
      pointer: '/url',
      code: 'egress_denied',
    });
    const { id } = await createdId();
    expect(
      codeOf(await organization.owner.browser.call('PATCH', `${PATH}/${id}`, { body: { url } })),
    ).toEqual([400, 'egress_denied']);
  });

  test.each([
    ['a line break', 'https://127.0.0.1/\r\n@evil'],
    ['a tab', 'https://127.0.0.1/\thook'],
    ['a space in front', ' https://127.0.0.1/'],
    ['a space behind', 'https://127.0.0.1/ '],
    ['an invisible character', 'https://127.0.0.1/\u202ehook'],
    ['backslashes', 'https:\\\\127.0.0.1\\x'],
    ['no slashes', 'https:127.0.0.1'],
    ['one slash', 'https:/127.0.0.1/'],
    ['three slashes', 'https:///127.0.0.1/'],
    ['an empty user name', 'https://@127.0.0.1/'],
    ['an empty user name and password', 'https://:@127.0.0.1/'],
    ['more than 2,000 characters once it is encoded', `https://127.0.0.1/${'\u00fc'.repeat(400)}`],
  ])('accepts no URL with %s', async (_, url) => {
    const refused = await create({ url });
    expect(codeOf(refused)).toEqual([400, 'validation_failed']);
    expect(refused.body['error']?.['details']?.['issues']).toEqual([
      { pointer: '/url', code: 'invalid_value', message: expect.any(String) },
    ]);
    const { id } = await createdId();
    expect(
      codeOf(await organization.owner.browser.call('PATCH', `${PATH}/${id}`, { body: { url } })),
    ).toEqual([400, 'validation_failed']);
  });

  test('shows its URL in the normalized form that is called', async () => {
    const { id } = await createdId({ url: 'HTTPS://127.0.0.1:443/a/../\u00fc?q=%7E' });
    const shown = async () =>
      (await organization.owner.http.get(`${PATH}/${id}`)).body['notification_channel']?.['url'];
    expect(await shown()).toBe('https://127.0.0.1/%C3%BC?q=%7E');
    const again = await organization.owner.browser.call('PATCH', `${PATH}/${id}`, {
      body: { url: 'https://0x7f000001/%C3%BC?q=%7E' },
    });
    expect(again.status).toBe(200);
    expect(await auditOf(id)).toEqual(['notification_channel.created']);
  });

  test('changes in the given fields, and only in those', async () => {
    const { id } = await createdId();
    const change = async (body: unknown) =>
      await organization.owner.browser.call('PATCH', `${PATH}/${id}`, { body });
    const changed = await change({ name: 'Other', include_arguments: true });
    expect(changed.body['notification_channel']).toMatchObject({
      name: 'Other',
      include_arguments: true,
      url: receiver.url,
      enabled: true,
    });
    expect((await change({ name: 'Other' })).status).toBe(200);
    expect(await auditOf(id)).toEqual([
      'notification_channel.created',
      'notification_channel.updated',
    ]);
  });

  test('signs only with the new secret after a rotation', async () => {
    const { id, secret } = await createdId();
    const rotated = await organization.owner.browser.post(`${PATH}/${id}/rotate_secret`);
    const renewed = String(rotated.body['signing_secret']);
    expect(renewed).not.toBe(secret);
    await organization.owner.http.post(`${PATH}/${id}/test`);
    const [call] = receiver.received;
    const headers = (call?.headers ?? {}) as Record<string, string>;
    expect(new Webhook(renewed).verify(call?.body ?? '', headers)).toMatchObject({
      type: 'notification_channel.test',
    });
    expect(() => new Webhook(secret).verify(call?.body ?? '', headers)).toThrow();
    expect(await auditOf(id)).toEqual([
      'notification_channel.created',
      'notification_channel.secret_rotated',
    ]);
  });

  test('still signs after everything is sealed under a new secrets key', async () => {
    const { id, secret } = await createdId();
    const nextKey = randomBytes(32).toString('base64');
    const next = openSecretBox(nextKey, [secretsKey]);
    await resealSecrets(app.db, next);
    const row = await app
      .db('notification_webhooks')
      .where({ channel_id: id })
      .first<{ signing_secret: Buffer; signing_secret_key_id: string }>();
    const sealed = { sealed: row.signing_secret, keyId: row.signing_secret_key_id };
    expect(next.open(sealed, `notification-webhook:${id}`).toString()).toBe(secret);
    expect(sealed.keyId).toBe(next.keyId);
    // Back to the first key.
    await resealSecrets(app.db, openSecretBox(secretsKey, [nextKey]));
  });

  test('loses its secret when it is deleted, and its waiting messages are dropped', async () => {
    const { id } = await createdId();
    const request = await ask(app, await createAgent(app, organization));
    expect((await organization.owner.browser.delete(`${PATH}/${id}`)).status).toBe(204);
    expect(codeOf(await organization.owner.http.get(`${PATH}/${id}`))).toEqual([404, 'not_found']);
    expect(await app.db('notification_webhooks').where({ channel_id: id })).toEqual([]);
    expect(
      await app
        .db('notification_deliveries')
        .where({ request_id: request })
        .pluck('dropped_reason'),
    ).toEqual(['channel_deleted']);
    await sendDue(app.context);
    expect(receiver.received).toEqual([]);
    expect(await auditOf(id)).toEqual([
      'notification_channel.created',
      'notification_channel.deleted',
    ]);
  });

  test('reports the outcome of a test message', async () => {
    const { id } = await createdId();
    const tried = async () => (await organization.owner.http.post(`${PATH}/${id}/test`)).body;
    expect(await tried()).toMatchObject({ delivered: true, status_code: 204 });
    receiver.respondWith((response) => response.writeHead(302, { location: receiver.url }).end());
    expect(await tried()).toMatchObject({
      delivered: false,
      status_code: 302,
      error_code: 'unexpected_status',
    });
    const said = `no ${'é'.repeat(600)}`;
    receiver.respondWith((response) => response.writeHead(400).end(said));
    expect(await tried()).toMatchObject({ status_code: 400, response_excerpt: said.slice(0, 500) });
    receiver.respondWith((response) => response.destroy());
    expect(await tried()).toMatchObject({ delivered: false, error_code: 'connection_failed' });
    expect(receiver.received).toHaveLength(4);
    expect(await app.db('notification_deliveries').where({ channel_id: id })).toEqual([]);
  });
});

describe('the email channel', () => {
  const emailId = async () =>
    String((await organization.owner.http.get(PATH)).body['notification_channels']?.[0]?.['id']);

  test('exists from the start, can be disabled, and cannot be deleted', async () => {
    const id = await emailId();
    const { browser } = organization.owner;
    const off = await browser.call('PATCH', `${PATH}/${id}`, { body: { enabled: false } });
    expect(off.body['notification_channel']).toMatchObject({ kind: 'email', enabled: false });
    expect(codeOf(await browser.delete(`${PATH}/${id}`))).toEqual([409, 'channel_built_in']);
    expect(
      codeOf(await browser.call('PATCH', `${PATH}/${id}`, { body: { url: receiver.url } })),
    ).toEqual([400, 'validation_failed']);
    expect(codeOf(await browser.post(`${PATH}/${id}/rotate_secret`))).toEqual([404, 'not_found']);
  });

  test('reports in a test message that the deployment sends no email', async () => {
    const tried = await organization.owner.http.post(`${PATH}/${await emailId()}/test`);
    expect(tried.body).toMatchObject({ delivered: false, error_code: 'email_not_configured' });
  });
});

describe('access', () => {
  test('to change channels needs recent authentication', async () => {
    const { owner } = organization;
    await app
      .db('sessions')
      .where({ membership_id: owner.membershipId })
      .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect(codeOf(await create())).toEqual([403, 'reauthentication_required']);
  });

  test('to channels and messages is limited to their organization', async () => {
    const { id } = await createdId();
    await ask(app, await createAgent(app, organization));
    const [message] = (await app
      .db('notification_deliveries')
      .where({ channel_id: id })
      .pluck('id')) as string[];
    const stranger = (await createOrganization(app)).owner;
    for (const answer of [
      await stranger.http.get(`${PATH}/${id}`),
      await stranger.browser.call('PATCH', `${PATH}/${id}`, { body: { enabled: false } }),
      await stranger.browser.delete(`${PATH}/${id}`),
      await stranger.http.post(`${PATH}/${id}/test`),
      await stranger.browser.post(`${PATH}/${id}/rotate_secret`),
      await stranger.http.post(`/api/v1/notification_deliveries/${message ?? ''}/retry`),
    ]) {
      expect(codeOf(answer)).toEqual([404, 'not_found']);
    }
    expect(
      (await stranger.http.get('/api/v1/notification_deliveries')).body['notification_deliveries'],
    ).toEqual([]);
  });
});

test('messages are listed page by page, newest first, each once', async () => {
  const { id } = await createdId();
  const agent = await createAgent(app, organization);
  for (let index = 0; index < 5; index++) await ask(app, agent);
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await organization.owner.http.get(
      `/api/v1/notification_deliveries?status=pending&channel_id=${id}&limit=2${cursor}`,
    );
    const page = body['notification_deliveries'] as unknown as readonly { readonly id: string }[];
    seen.push(...page.map((row) => row.id));
    cursor = body['next_cursor'] === undefined ? '' : `&cursor=${String(body['next_cursor'])}`;
  } while (cursor !== '');
  const all = (await app
    .db('notification_deliveries')
    .where({ channel_id: id })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .pluck('id')) as string[];
  expect(seen).toEqual(all);
  expect(seen).toHaveLength(5);
});

/** Messages of other tests may be due, too. */
async function drain(): Promise<void> {
  while ((await sendDue(app.context)) > 0);
}

/** Tried once; a receiver that says 400 makes it dead. */
async function deadMessage(agent: TestAgent): Promise<string> {
  receiver.respondWith((response) => response.writeHead(400).end());
  const request = await ask(app, agent);
  await skipToldOwners(app, request);
  await drain();
  return request;
}

type Body = Readonly<Record<string, unknown>>;
const DELIVERIES = '/api/v1/notification_deliveries';
const listed = async (query: string): Promise<ApiResponse> =>
  await organization.owner.http.get(`${DELIVERIES}?${query}`);
const requestsOf = ({ body }: ApiResponse) =>
  (body['notification_deliveries'] as unknown as readonly Body[]).map((row) => row['request_id']);

test('a channel tells what became of its latest messages, and the list which kinds can be sent', async () => {
  const { id } = await createdId();
  const agent = await createAgent(app, organization);
  const shown = async () =>
    (await organization.owner.http.get(`${PATH}/${id}`)).body['notification_channel']?.[
      'recent_messages'
    ];
  const none = { delivered_count: 0, dead_count: 0, waiting_count: 0, dropped_count: 0 };
  expect(await shown()).toEqual(none);
  await ask(app, agent);
  await drain();
  expect(await shown()).toEqual({
    ...none,
    delivered_count: 1,
    last_delivered_at: expect.any(String),
  });
  await deadMessage(agent);
  receiver.respondWith((response) => response.writeHead(503).end());
  await ask(app, agent);
  await drain();
  await ask(app, agent);
  const { body } = await organization.owner.http.get(PATH);
  const channels = body['notification_channels'] as unknown as readonly Body[];
  expect(channels.find((channel) => channel['id'] === id)?.['recent_messages']).toEqual({
    delivered_count: 1,
    dead_count: 1,
    waiting_count: 2,
    dropped_count: 0,
    last_delivered_at: expect.any(String),
    last_dead_at: expect.any(String),
    last_error: 'status 503',
  });
  expect(channels.find(({ kind }) => kind === 'email')?.['recent_messages']).toEqual(none);
  const secrets = { configured: true, variables: ['COUNTERSIGN_SECRETS_KEY'] };
  expect(body['kinds']).toEqual([
    { kind: 'email', configured: false, variables: ['SMTP_URL', 'COUNTERSIGN_EMAIL_FROM'] },
    ...['webhook', 'slack', 'push'].map((kind) => ({ kind, ...secrets })),
  ]);
});

test('messages are found by request, by member and by time, and a cursor keeps its filters', async () => {
  await createdId();
  const agent = await createAgent(app, organization);
  const [first, second] = [await ask(app, agent), await ask(app, agent)];
  const { membershipId } = organization.owner;
  expect(requestsOf(await listed(`request_id=${first}`))).toEqual([first]);
  expect(requestsOf(await listed(`membership_id=${membershipId}`))).toEqual([second, first]);
  const other = await createMember(app, organization.id);
  expect(requestsOf(await listed(`membership_id=${other.membershipId}`))).toEqual([]);
  const [, at] = (await app
    .db('notification_deliveries')
    .whereIn('request_id', [first, second])
    .orderBy('created_at')
    .pluck('created_at')) as Date[];
  const instant = encodeURIComponent(at?.toISOString() ?? '');
  expect(requestsOf(await listed(`from_at=${instant}`))).toEqual([second]);
  expect(requestsOf(await listed(`to_at=${instant}`))).toEqual([first]);
  const page = await listed(`membership_id=${membershipId}&limit=1`);
  const next = `limit=1&cursor=${String(page.body['next_cursor'])}`;
  expect(requestsOf(await listed(`membership_id=${membershipId}&${next}`))).toEqual([first]);
  expect((await listed(next)).status).toBe(400);
});

test('dead messages are counted, for their own organization only, until they are tried again', async () => {
  const { id } = await createdId();
  const agent = await createAgent(app, organization);
  const stranger = (await createOrganization(app)).owner;
  const count = async ({ http } = organization.owner) =>
    (await http.get(`${DELIVERIES}/dead_count`)).body;
  expect(await count()).toEqual({ dead_count: 0 });
  const request = await deadMessage(agent);
  await deadMessage(agent);
  expect(await count()).toEqual({ dead_count: 2 });
  expect(await count(stranger)).toEqual({ dead_count: 0 });
  const [message] = (await app
    .db('notification_deliveries')
    .where({ channel_id: id, request_id: request })
    .pluck('id')) as string[];
  await organization.owner.http.post(`${DELIVERIES}/${message ?? ''}/retry`);
  expect(await count()).toEqual({ dead_count: 1 });
});

test('without a secrets key no webhook can be created', async () => {
  const poor = await startApp({ environment: LOOPBACK_ALLOWED });
  const { owner } = await createOrganization(poor);
  const refused = await owner.browser.post(PATH, {
    kind: 'webhook',
    name: 'Bot',
    url: receiver.url,
  });
  expect(codeOf(refused)).toEqual([501, 'secrets_key_missing']);
  const { body } = await owner.http.get(PATH);
  expect(body['kinds']).toContainEqual({
    kind: 'webhook',
    configured: false,
    variables: ['COUNTERSIGN_SECRETS_KEY'],
  });
  await poor.close();
});
