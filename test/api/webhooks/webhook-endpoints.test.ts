/** Webhook endpoints: their revisions and secrets, archiving, and who uses them. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { SEALED_FOR } from '../../../src/domain/sealed-secrets.ts';
import { openSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { resealSecrets } from '../../../src/services/sealed-secrets.ts';
import { endpoints } from '../../../api/endpoints.ts';
import type { ApiResponse } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { appForFile, scene } from '../../support/scene.ts';
import {
  createAgent,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { LOOPBACK_ALLOWED } from '../../support/servers/webhook-receiver.ts';

const BASE = '/api/v1/webhook_endpoints';
const URL_OF_RULES = 'https://127.0.0.1/rules';
const secretsKey = randomBytes(32).toString('base64');

let organization: TestOrganization;
let owner: TestMember;

const app = await appForFile({
  environment: { ...LOOPBACK_ALLOWED, COUNTERSIGN_SECRETS_KEY: secretsKey },
});
const poor = await scene({ app: { environment: LOOPBACK_ALLOWED } });

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const documentOf = (more: object = {}) => ({ name: 'Rules', url: URL_OF_RULES, ...more });
const create = async (more: object = {}, key = 'rules') =>
  await owner.http.post(`${BASE}/${key}/revisions`, documentOf(more));
const activate = async (revision: number, ifMatch: string, key = 'rules') =>
  await owner.http.post(`${BASE}/${key}/revisions/${revision}/activate`, undefined, {
    headers: { 'if-match': ifMatch },
  });
const archive = async (ifMatch: string, key = 'rules') =>
  await owner.http.delete(`${BASE}/${key}/active`, { headers: { 'if-match': ifMatch } });
const get = async (part = '') => await owner.http.get(`${BASE}/rules${part}`);
const codeOf = ({ status, body }: ApiResponse) => [status, body?.['error']?.['code']];

async function listed(): Promise<Record<string, unknown>> {
  const { body } = await owner.http.get(BASE);
  return (body['webhook_endpoints'] as unknown as Record<string, unknown>[])[0] ?? {};
}

async function auditOf(key = 'rules'): Promise<string[]> {
  return (await app
    .db('audit_events')
    .where({ organization_id: organization.id, subject_id: key })
    .orderBy('sequence')
    .pluck('event_type')) as string[];
}

describe('the first revision of a key', () => {
  test('makes the endpoint, inactive, and shows its secret in that answer alone', async () => {
    const created = await create();
    expect([created.status, created.headers['etag']]).toEqual([201, '"0"']);
    expect(created.body).toEqual({
      id: expect.any(String),
      endpoint_key: 'rules',
      revision: 1,
      is_active: false,
      name: 'Rules',
      url: URL_OF_RULES,
      created_by_actor_id: owner.membershipId,
      created_by: { id: owner.membershipId, kind: 'member', display_name: owner.displayName },
      created_at: expect.any(String),
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { signing_secret: secret, ...revision } = created.body;
    expect((await get('/revisions/1')).body).toEqual(revision);
    expect((await get('/revisions')).body).toEqual({ revisions: [revision], total_count: 1 });
    expect(codeOf(await get())).toEqual([404, 'not_found']);
    const { signing_secret: sealed } = await app
      .db('webhook_endpoint_secrets')
      .first<{ signing_secret: Buffer }>();
    expect(sealed.includes(Buffer.from(String(secret).slice(6)))).toBe(false);
    expect(await auditOf()).toEqual(['webhook_endpoint.revision_created']);
  });

  test('is one of several posted at once: one answer shows a secret, the others are next revisions', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = `rules-${round}`;
      const answers = await Promise.all(Array.from({ length: 5 }, () => create({}, key)));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      const secrets = answers.filter(({ body }) => body['signing_secret'] !== undefined);
      expect(secrets.map(({ body }) => body['revision'])).toEqual([1]);
      expect(answers.map(({ body }) => Number(body['revision'])).sort()).toEqual([1, 2, 3, 4, 5]);
    }
  });

  test('belongs to its organization: another one has its own endpoint under the same key', async () => {
    await create();
    const { owner: stranger } = await createOrganization(app);
    expect(codeOf(await stranger.http.get(`${BASE}/rules/revisions/1`))).toEqual([
      404,
      'not_found',
    ]);
    const theirs = await stranger.http.post(`${BASE}/rules/revisions`, documentOf());
    expect(theirs.body).toMatchObject({ revision: 1, signing_secret: expect.any(String) });
  });

  test.each([
    [{ name: '' }, '/name', 'invalid_value'],
    [{ name: 'a\u202eb' }, '/name', 'invalid_value'],
    [{ url: '' }, '/url', 'invalid_value'],
    [{ url: undefined }, '/url', 'required'],
    [{ url: ['https://127.0.0.1/'] }, '/url', 'invalid_type'],
    [{ url: 'https:\\\\127.0.0.1\\x' }, '/url', 'invalid_value'],
    [{ url: 'https://127.0.0.1/ ' }, '/url', 'invalid_value'],
    [{ secret: 'mine' }, '/secret', 'unknown_field'],
  ])('refuses %j with a pointer, and makes nothing', async (more, pointer, code) => {
    const refused = await create(more);
    expect(codeOf(refused)).toEqual([400, 'validation_failed']);
    expect(refused.body['error']?.['details']?.['issues']).toEqual([
      expect.objectContaining({ pointer, code }),
    ]);
    expect((await owner.http.get(BASE)).body).toEqual({ webhook_endpoints: [] });
  });

  test.each([
    ['http://8.8.8.8/hook'],
    ['https://10.0.0.1/'],
    ['https://169.254.169.254/latest/meta-data'],
    ['https://100.64.0.1/'],
    ['https://[::1]/'],
    ['https://[::ffff:10.0.0.1]/'],
    ['https://[64:ff9b::a00:1]/'],
    ['https://[2002:a00:1::]/'],
    ['https://0/'],
    ['https://0x0a000001/'],
    ['https://user:secret@127.0.0.1/'],
    ['https://127.0.0.1/#x'],
    ['https://nowhere.invalid/'],
    ['ftp://127.0.0.1/'],
    ['rules'],
  ])('is refused at %s, and so is a later one', async (url) => {
    const refused = await create({ url });
    expect(codeOf(refused)).toEqual([400, 'egress_denied']);
    expect(refused.body['error']?.['details']?.['issues']?.[0]).toMatchObject({
      pointer: '/url',
      code: 'egress_denied',
    });
    await create();
    expect(codeOf(await create({ url }))).toEqual([400, 'egress_denied']);
  });

  test('is read in a thread when it looks like a heavy document, with the same answer', async () => {
    const created = await create({ name: 'matches' });
    expect([created.status, created.body['name']]).toEqual([201, 'matches']);
  });

  test('shows its URL in the normalized form that is called', async () => {
    const created = await create({ url: 'HTTPS://127.0.0.1:443/a/../\u00fc?q=%7E' });
    expect(created.body['url']).toBe('https://127.0.0.1/%C3%BC?q=%7E');
  });
});

describe('revisions', () => {
  test('change name and URL, and are activated by If-Match', async () => {
    await create();
    expect(codeOf(await owner.http.post(`${BASE}/rules/revisions/1/activate`))).toEqual([
      428,
      'if_match_required',
    ]);
    expect((await activate(1, '"0"')).body).toMatchObject({ is_active: true });
    const second = await create({ name: 'Second' });
    expect(second.headers['etag']).toBe('"1"');
    expect(second.body).not.toHaveProperty('signing_secret');
    const stale = await activate(2, '"0"');
    expect(stale.body).toMatchObject({
      error: { code: 'revision_conflict', details: { active_revision: 1 } },
    });
    expect((await activate(2, '"1"')).status).toBe(200);
    const active = await get();
    expect(active.headers['etag']).toBe('"2"');
    expect(active.body).toMatchObject({ revision: 2, is_active: true, name: 'Second' });
    for (const number of ['0', '-1', 'x', '1.5'])
      expect(codeOf(await get(`/revisions/${number}`))).toEqual([400, 'validation_failed']);
    expect(codeOf(await get('/revisions/3'))).toEqual([404, 'not_found']);
    expect(await auditOf()).toEqual([
      'webhook_endpoint.revision_created',
      'webhook_endpoint.revision_activated',
      'webhook_endpoint.revision_created',
      'webhook_endpoint.revision_activated',
    ]);
  });

  test('are listed newest first, page by page, and a cursor of another endpoint is refused', async () => {
    for (let count = 0; count < 3; count += 1) await create();
    await create({}, 'other');
    const page = await get('/revisions?limit=2');
    expect(page.body).toMatchObject({ revisions: [{ revision: 3 }, { revision: 2 }] });
    const cursor = String(page.body['next_cursor']);
    expect((await get(`/revisions?limit=2&cursor=${cursor}`)).body).toMatchObject({
      revisions: [{ revision: 1 }],
      total_count: 3,
    });
    const foreign = await owner.http.get(`${BASE}/other/revisions?cursor=${cursor}`);
    expect(codeOf(foreign)).toEqual([400, 'validation_failed']);
  });
});

describe('the list', () => {
  test('has every endpoint by its key, with the newest revision and the age of its secret', async () => {
    await create({}, 'zebra');
    await create();
    await create({ name: 'Newer', url: 'https://127.0.0.1/newer' });
    await activate(1, '"0"');
    expect(await listed()).toEqual({
      endpoint_key: 'rules',
      name: 'Newer',
      url: 'https://127.0.0.1/newer',
      active_revision: 1,
      latest_revision: 2,
      revision_count: 2,
      latest_created_at: expect.any(String),
      secret_rotated_at: expect.any(String),
      uses: [],
    });
    const first = await owner.http.get(`${BASE}?limit=1`);
    const next = await owner.http.get(
      `${BASE}?limit=1&cursor=${String(first.body['next_cursor'])}`,
    );
    expect(next.body).toMatchObject({ webhook_endpoints: [{ endpoint_key: 'zebra' }] });
    expect(next.body).not.toHaveProperty('next_cursor');
  });

  test('is searched by key and name, and narrowed to live or archived ones, each with a cursor of its own', async () => {
    await create({ name: 'Refund limits' }, 'alpha');
    await create({ name: 'Other' }, 'refunds');
    await create({ name: 'Old refunds' }, 'zebra');
    await archive('"0"', 'zebra');
    const keys = async (query: string) => {
      const { body } = await owner.http.get(`${BASE}?${query}`);
      const found = body['webhook_endpoints'] as unknown as { endpoint_key: string }[];
      return found.map(({ endpoint_key: key }) => key);
    };
    expect(await keys('')).toEqual(['alpha', 'refunds', 'zebra']);
    expect(await keys('q=REFUND')).toEqual(['alpha', 'refunds', 'zebra']);
    expect(await keys('q=refund&status=live')).toEqual(['alpha', 'refunds']);
    expect(await keys('status=archived')).toEqual(['zebra']);
    expect(await keys('q=none')).toEqual([]);
    const { body } = await owner.http.get(`${BASE}?q=refund&limit=1`);
    const cursor = String(body['next_cursor']);
    expect(await keys(`q=refund&limit=1&cursor=${cursor}`)).toEqual(['refunds']);
    expect(codeOf(await owner.http.get(`${BASE}?limit=1&cursor=${cursor}`))).toEqual([
      400,
      'validation_failed',
    ]);
  });

  test('has each endpoint as its summary alone has it, also while none of its revisions is active', async () => {
    await create();
    const { status, body } = await get('/summary');
    expect([status, body]).toEqual([200, await listed()]);
    await archive('"0"');
    expect((await get('/summary')).body).toEqual(await listed());
    expect(codeOf(await owner.http.get(`${BASE}/unknown/summary`))).toEqual([404, 'not_found']);
    const { owner: stranger } = await createOrganization(app);
    expect(codeOf(await stranger.http.get(`${BASE}/rules/summary`))).toEqual([404, 'not_found']);
  });
});

describe('archiving', () => {
  test('takes the active revision as If-Match, and activating brings the endpoint back', async () => {
    await create();
    await activate(1, '"0"');
    expect(codeOf(await owner.http.delete(`${BASE}/rules/active`))).toEqual([
      428,
      'if_match_required',
    ]);
    expect(codeOf(await archive('"0"'))).toEqual([412, 'revision_conflict']);
    expect((await archive('"1"')).status).toBe(204);
    expect(codeOf(await get())).toEqual([404, 'not_found']);
    expect(await listed()).toMatchObject({ archived_at: expect.any(String) });
    expect(await listed()).not.toHaveProperty('active_revision');
    expect((await archive('"0"')).status).toBe(204);
    expect(codeOf(await archive('"1"'))).toEqual([412, 'revision_conflict']);
    expect((await create()).body).toMatchObject({ revision: 2, is_active: false });
    expect(await listed()).toMatchObject({ archived_at: expect.any(String) });
    expect((await activate(2, '"0"')).status).toBe(200);
    expect((await get()).body).toMatchObject({ revision: 2, is_active: true });
    expect(await listed()).not.toHaveProperty('archived_at');
    expect(await auditOf()).toEqual([
      'webhook_endpoint.revision_created',
      'webhook_endpoint.revision_activated',
      'webhook_endpoint.archived',
      'webhook_endpoint.revision_created',
      'webhook_endpoint.revision_activated',
    ]);
  });

  test('keeps the secret for the time after', async () => {
    await create();
    const secretOf = async () =>
      await app.db('webhook_endpoint_secrets').orderBy('secret_rotated_at', 'desc').first();
    const before: unknown = await secretOf();
    await archive('"0"');
    await activate(1, '"0"');
    expect(await secretOf()).toEqual(before);
  });

  test('against activating leaves one of both: archived, or active', async () => {
    await create();
    await create();
    for (let round = 0; round < ROUNDS; round += 1) {
      await activate(1, `"${String((await listed())['active_revision'] ?? 0)}"`);
      const [archived, activated] = await Promise.all([archive('"1"'), activate(2, '"1"')]);
      expect([archived.status, activated.status].sort()).toEqual(
        archived.status === 204 ? [204, 412] : [200, 412],
      );
      const { active_revision: active, archived_at: at } = await listed();
      expect([active, at === undefined]).toEqual(
        archived.status === 204 ? [undefined, false] : [2, true],
      );
    }
  });

  test('is refused while an active pipeline posts to the endpoint, and names its blocks', async () => {
    await create();
    await activate(1, '"0"');
    const agent = await createAgent(app, organization);
    const [pipeline] = (await app
      .db('request_approval_pipelines as p')
      .join('request_approval_pipeline_revisions as r', 'r.request_approval_pipeline_id', 'p.id')
      .where({ document_key: `agent:${agent.slug}`, revision: 1 })
      .select('p.id', 'r.id as revision_id')) as { id: string; revision_id: string }[];
    await app.db('request_approval_pipeline_endpoints').insert({
      request_approval_pipeline_revision_id: pipeline?.revision_id,
      block_key: 'ask-rules',
      endpoint_key: 'rules',
    });
    const use = {
      pipeline_id: pipeline?.id,
      scope: 'agent',
      agent_slug: agent.slug,
      revision: 1,
      block_key: 'ask-rules',
    };
    const refused = await archive('"1"');
    expect(codeOf(refused)).toEqual([409, 'webhook_endpoint_in_use']);
    expect(refused.body['error']?.['details']).toEqual({ uses: [use] });
    expect((await get('/uses')).body).toEqual({ uses: [use] });
    expect(await listed()).toMatchObject({ uses: [use], active_revision: 1 });
    await create({}, 'other');
    expect((await owner.http.get(`${BASE}/other/uses`)).body).toEqual({ uses: [] });
    await app
      .db('request_approval_pipelines')
      .where({ id: pipeline?.id })
      .update({ active_revision: null });
    expect((await archive('"1"')).status).toBe(204);
  });
});

describe('the signing secret', () => {
  test('is replaced, shown once more, and dated', async () => {
    const { body } = await create();
    const rotated = await owner.http.post(`${BASE}/rules/rotate_secret`);
    expect(rotated.body).toEqual({
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      secret_rotated_at: expect.any(String),
    });
    expect(rotated.body['signing_secret']).not.toBe(body['signing_secret']);
    expect((await listed())['secret_rotated_at']).toBe(rotated.body['secret_rotated_at']);
    expect(await auditOf()).toEqual([
      'webhook_endpoint.revision_created',
      'webhook_endpoint.secret_rotated',
    ]);
    expect(codeOf(await owner.http.post(`${BASE}/unknown/rotate_secret`))).toEqual([
      404,
      'not_found',
    ]);
  });

  test('is sealed again under a new secrets key', async () => {
    const { body } = await create();
    const nextKey = randomBytes(32).toString('base64');
    const next = openSecretBox(nextKey, [secretsKey]);
    await resealSecrets(app.db, next);
    const row = await app
      .db('webhook_endpoint_secrets as s')
      .join('webhook_endpoints as e', 'e.id', 's.webhook_endpoint_id')
      .where({ organization_id: organization.id })
      .first<{ id: string; signing_secret: Buffer; signing_secret_key_id: string }>();
    const sealed = { sealed: row.signing_secret, keyId: row.signing_secret_key_id };
    expect(sealed.keyId).toBe(next.keyId);
    expect(next.open(sealed, SEALED_FOR.webhookEndpoint(row.id)).toString()).toBe(
      body['signing_secret'],
    );
    // Back to the first key.
    await resealSecrets(app.db, openSecretBox(secretsKey, [nextKey]));
  });
});

describe('without a secrets key', () => {
  const operations = endpoints.filter(({ path }) => path.startsWith(BASE));

  test.each(operations.map(({ method, path }) => ({ method, path })))(
    '$method $path answers 501',
    async ({ method, path }) => {
      const filled = path.replace('{endpoint_key}', 'rules').replace('{revision}', '1');
      const answer = await poor.owner.http.call(method.toUpperCase(), filled, {
        headers: { 'if-match': '"0"' },
        ...(path.endsWith('/revisions') && method === 'post' && { body: documentOf() }),
      });
      expect(codeOf(answer)).toEqual([501, 'secrets_key_missing']);
    },
  );

  test('a caller without a credential still gets 401', async () => {
    expect(codeOf(await poor.app.http.get(BASE))).toEqual([401, 'authentication_required']);
  });

  test('there are twelve operations', () => {
    expect(operations).toHaveLength(12);
  });
});
