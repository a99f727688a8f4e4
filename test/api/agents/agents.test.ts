/** Agents, their instances and their credentials. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { HttpClient } from '../../support/http.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { secretOf } from '../../support/tokens.ts';

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_MAX_ACTIVE_AGENTS: '5' } });
});

afterAll(async () => {
  await app.close();
});

async function newOrganization() {
  organization = await createOrganization(app);
  owner = organization.owner;
}

const create = (slug: string, name = slug) => owner.http.post('/api/v1/agents', { slug, name });

async function archive(slug: string) {
  await app
    .db('agents')
    .where({ organization_id: organization.id, slug })
    .update({ status: 'archived', archived_at: new Date(), updated_at: new Date() });
}

describe('creating an agent', () => {
  beforeAll(newOrganization);

  test('answers an active agent with an active, empty pipeline of its own', async () => {
    const created = await create('deploy-bot', 'Deploy bot');
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      slug: 'deploy-bot',
      organization_id: organization.id,
      created_by_actor_id: owner.membershipId,
      name: 'Deploy bot',
      status: 'active',
      created_at: expect.any(String),
      updated_at: created.body['created_at'],
    });
    const pipeline = await owner.http.get('/api/v1/request-approval-pipelines/agents/deploy-bot');
    expect(pipeline.status).toBe(200);
    expect(pipeline.headers['etag']).toBe('"1"');
    expect(pipeline.body).toMatchObject({
      scope: 'agent',
      agent_slug: 'deploy-bot',
      revision: 1,
      is_active: true,
      block_count: 0,
      blocks: [],
    });
    const read = await owner.http.get('/api/v1/agents/deploy-bot');
    expect(read.body).toMatchObject(created.body);
  });

  test('writes an audit event that names the key, and none for a refused call', async () => {
    await create('audited', 'Audited');
    await create('audited', 'Other name');
    const subject = {
      organization_id: organization.id,
      subject_type: 'agent',
      subject_id: 'audited',
    };
    const events = (await app.db('audit_events').where(subject)) as { data: string }[];
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      event_type: 'agent.created',
      actor_type: 'api_key',
      actor_id: owner.membershipId,
    });
    expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({ actor_api_key_id: owner.apiKeyId });
  });

  test('refuses a slug that any agent ever had and a name that a live agent has', async () => {
    await newOrganization();
    await create('one', 'First');
    expect((await create('one', 'Second')).body).toMatchObject({
      error: { code: 'agent_slug_taken', type: 'conflict' },
    });
    const sameName = await create('two', 'First');
    expect(sameName.status).toBe(409);
    expect(sameName.body).toMatchObject({ error: { code: 'agent_name_taken' } });
    for (const name of ['first', 'FIRST'])
      expect((await create('two', name)).body).toMatchObject({
        error: { code: 'agent_name_taken' },
      });
    await archive('one');
    expect((await create('one', 'Other')).body).toMatchObject({
      error: { code: 'agent_slug_taken' },
    });
    expect((await create('two', 'First')).status).toBe(201);
  });

  test.each([
    ['Équipe', 'ÉQUIPE'],
    ['дима', 'ДИМА'],
    ['Ｆull width', 'full width'],
  ])('takes the names %s and %s for the same', async (one, other) => {
    await newOrganization();
    expect((await create('first', one)).status).toBe(201);
    expect((await create('second', other)).body).toMatchObject({
      error: { code: 'agent_name_taken' },
    });
  });

  test.each([
    [{ slug: 'Upper', name: 'x' }, '/slug'],
    [{ slug: '-x', name: 'x' }, '/slug'],
    [{ slug: 'x'.repeat(64), name: 'x' }, '/slug'],
    [{ slug: 'x' }, '/name'],
    [{ slug: 'x', name: ' ' }, '/name'],
    [{ slug: 'x', name: null }, '/name'],
    [{ slug: 'x', name: 'x', status: 'active' }, '/status'],
  ])('refuses %j with a pointer', async (body, pointer) => {
    const answer = await owner.http.post('/api/v1/agents', body);
    expect(answer.status).toBe(400);
    expect(answer.body['error']?.['details']?.['issues']).toEqual([
      expect.objectContaining({ pointer }),
    ]);
  });

  test('creates one agent when several calls send one slug at once', async () => {
    await newOrganization();
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => create('racer', `Racer ${n}`)),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(
      answers.filter((answer) => answer.body['error']?.['code'] === ('agent_slug_taken' as never)),
    ).toHaveLength(4);
    expect(
      await app.db('request_approval_pipelines').where({ organization_id: organization.id }),
    ).toHaveLength(2);
  });

  test('fills the limit exactly with more calls at once, and archiving an agent makes room', async () => {
    await newOrganization();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => create(`agent-${n}`)));
    const made = answers.filter((answer) => answer.status === 201);
    expect(made).toHaveLength(5);
    const [refused] = answers.filter((answer) => answer.status === 429);
    expect(refused?.body).toMatchObject({
      error: {
        type: 'rate_limit',
        code: 'quota_exceeded',
        details: { dimension: 'active_agents', limit: 5, used: 5 },
      },
    });
    expect(refused?.headers['retry-after']).toMatch(/^[0-9]+$/);
    await archive(String(made[0]?.body['slug']));
    expect((await create('late')).status).toBe(201);
  });
});

describe('listing agents', () => {
  beforeAll(async () => {
    await newOrganization();
    for (const name of ['delta', 'Alpha', 'charlie', 'bravo', 'echo'])
      await create(name.toLowerCase(), name);
    await app
      .db('agents')
      .where({ organization_id: organization.id, slug: 'alpha' })
      .update({ status: 'disabled' });
    await archive('bravo');
  });

  const slugs = (answer: { body: unknown }) =>
    (answer.body as { agents: { slug: string }[] }).agents.map((agent) => agent.slug);

  test('lists active agents, then disabled ones, each by name ignoring case, and archived ones on demand', async () => {
    expect(slugs(await owner.http.get('/api/v1/agents'))).toEqual([
      'charlie',
      'delta',
      'echo',
      'alpha',
    ]);
    expect(slugs(await owner.http.get('/api/v1/agents?status=archived'))).toEqual(['bravo']);
    const all = await owner.http.get('/api/v1/agents?status=all');
    expect(slugs(all)).toEqual(['charlie', 'delta', 'echo', 'alpha', 'bravo']);
    expect(all.body['agents']?.[4]).toHaveProperty('archived_at');
    expect(all.body).not.toHaveProperty('next_cursor');
  });

  test('returns every agent once across pages, in the same order', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await owner.http.get(
        `/api/v1/agents?status=all&limit=2${cursor && `&cursor=${cursor}`}`,
      );
      expect(slugs(page).length).toBeLessThanOrEqual(2);
      seen.push(...slugs(page));
      cursor = page.body['next_cursor'] === undefined ? '' : String(page.body['next_cursor']);
    } while (cursor);
    expect(seen).toEqual(['charlie', 'delta', 'echo', 'alpha', 'bravo']);
  });

  test('finds a text in slugs and names, ignoring case, page by page', async () => {
    const found = async (query: string) => slugs(await owner.http.get(`/api/v1/agents?${query}`));
    expect(await found('q=A')).toEqual(['charlie', 'delta', 'alpha']);
    expect(await found('q=ALP&status=all')).toEqual(['alpha']);
    expect(await found('q=%25')).toEqual([]);
    const first = await owner.http.get('/api/v1/agents?q=l&limit=2');
    const rest = `limit=2&cursor=${String(first.body['next_cursor'])}`;
    expect([slugs(first), await found(`q=l&${rest}`)]).toEqual([['charlie', 'delta'], ['alpha']]);
    expect((await owner.http.get(`/api/v1/agents?q=a&${rest}`)).status).toBe(400);
  });

  test('refuses a bad status or limit and a cursor of other filters', async () => {
    for (const query of ['status=gone', 'limit=0', 'limit=501', 'limit=x', 'cursor=x', 'page=2']) {
      expect((await owner.http.get(`/api/v1/agents?${query}`)).status).toBe(400);
    }
    const page = await owner.http.get('/api/v1/agents?status=all&limit=1');
    const answer = await owner.http.get(
      `/api/v1/agents?limit=1&cursor=${String(page.body['next_cursor'])}`,
    );
    expect(answer.body).toMatchObject({
      error: { code: 'validation_failed', details: { issues: [{ pointer: '/query/cursor' }] } },
    });
  });

  test('answers a forged cursor with 400 or a page, never with a server error', async () => {
    const forge = (keys: unknown) => Buffer.from(JSON.stringify(keys)).toString('base64url');
    for (const [keys, status] of [
      [['agents', 'live', '', 0, 'no-such-agent'], 200],
      [['agents', 'live', '', 0, 'a\0b'], 400],
      [['agents', 'live', '', 0, '\ud800'], 200],
      [['agents', 'live', '', 3, 'delta'], 400],
      [['agents', 'live', '', 0.5, 'delta'], 400],
      [['agents', 'live', '', 0, {}], 400],
      [{}, 400],
      [null, 400],
    ] as const) {
      expect([keys, (await owner.http.get(`/api/v1/agents?cursor=${forge(keys)}`)).status]).toEqual(
        [keys, status],
      );
    }
  });

  test('shows a member only the agents that their grants name', async () => {
    const policies = [
      {
        scope_kind: 'agent' as const,
        resource_ids: ['delta', 'bravo'],
        permissions: ['agent.read'],
      },
    ];
    const member = await createMember(app, organization.id, { policies });
    expect(slugs(await member.http.get('/api/v1/agents?status=all'))).toEqual(['delta', 'bravo']);
    expect((await member.http.get('/api/v1/agents/delta')).status).toBe(200);
    expect((await member.http.get('/api/v1/agents/echo')).status).toBe(403);
    expect((await member.http.post('/api/v1/agents', { slug: 'x', name: 'x' })).status).toBe(403);
  });

  test('refuses a member without grants and says why', async () => {
    const member = await createMember(app, organization.id);
    const answer = await member.http.get('/api/v1/agents');
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({
      error: { details: { permission: 'agent.read', reason: 'missing_permission' } },
    });
  });

  test('answers 404 for an agent of another organization', async () => {
    const { owner: stranger } = await createOrganization(app);
    expect((await stranger.http.get('/api/v1/agents/delta')).status).toBe(404);
    expect((await owner.http.get('/api/v1/agents/unknown')).status).toBe(404);
    expect((await owner.http.get('/api/v1/agents/NO%20SLUG')).status).toBe(404);
    expect(slugs(await stranger.http.get('/api/v1/agents?status=all'))).toEqual([]);
  });
});

const issue = (body: unknown, { member = owner, slug = 'deploy-bot' } = {}) =>
  member.http.post(`/api/v1/agents/${slug}/instances`, body);
const DAY = 86_400_000;

function lifetime(body: Record<string, Record<string, unknown>>): number {
  return (
    Date.parse(String(body['credential']?.['expires_at'])) -
    Date.parse(String(body['agent_instance']?.['created_at']))
  );
}

describe('creating an instance', () => {
  beforeAll(async () => {
    await newOrganization();
    await createAgent(app, organization, 'deploy-bot');
    await createAgent(app, organization, 'other-bot');
  });

  test('answers the instance and a working token, which is shown once and stored only as a hash', async () => {
    const created = await issue({ name: 'runner-1' });
    expect(created.status).toBe(201);
    const token = String(created.body['credential']?.['token']);
    expect(created.body).toEqual({
      agent_instance: {
        id: expect.any(String),
        organization_id: organization.id,
        agent_slug: 'deploy-bot',
        name: 'runner-1',
        status: 'active',
        metadata: {},
        created_at: expect.any(String),
        last_seen_at: expect.any(String),
      },
      credential: {
        id: expect.any(String),
        token: expect.stringMatching(/^whc_/),
        expires_at: expect.any(String),
      },
    });
    const agent = new HttpClient(app.url, { authorization: `Bearer ${token}` });
    expect((await agent.get(`/api/aap/v1/requests/${randomUUID()}`)).status).toBe(404);
    expect((await agent.get('/api/v1/agents')).status).toBe(403);
    const [row] = await app
      .db('agent_credentials')
      .where({ id: String(created.body['credential']?.['id']) });
    const secret = secretOf(token);
    expect(JSON.stringify(row)).not.toContain(secret);
    const audit = await app.db('audit_events').where({
      organization_id: organization.id,
      subject_id: String(created.body['credential']?.['id']),
    });
    expect(audit).toMatchObject([{ event_type: 'agent_credential.issued' }]);
    expect(JSON.stringify([...audit, app.log])).not.toContain(secret);
  });

  test('keeps every digit of the metadata', async () => {
    const metadata =
      '{ "b": 9007199254740993, "a": 1.0, "__proto__": {"x": 1e400}, "c": "\\u0000" }';
    const created = await issue(`{"name": "exact", "metadata": ${metadata}}`);
    expect(created.status).toBe(201);
    expect(created.text).toContain(`"metadata":${metadata}`);
  });

  test('accepts metadata up to 64 KiB and refuses larger metadata and other types', async () => {
    // Half as many characters, which need no thread.
    const ofSize = (bytes: number) =>
      `{"x":"${'é'.repeat(Math.floor((bytes - 8) / 2))}${bytes % 2 ? 'y' : ''}"}`;
    expect(Buffer.byteLength(ofSize(65_537))).toBe(65_537);
    expect((await issue(`{"name":"big","metadata":${ofSize(65_536)}}`)).status).toBe(201);
    for (const metadata of [ofSize(65_537), '[]', '1', 'null', '9007199254740993']) {
      const answer = await issue(`{"name":"bad","metadata":${metadata}}`);
      expect(answer.body).toMatchObject({
        error: { code: 'validation_failed', details: { issues: [{ pointer: '/metadata' }] } },
      });
    }
  });

  test.each([
    ['an absent lifetime is the default', '', 90 * DAY],
    ['0 is the default', ',"ttl_seconds":0', 90 * DAY],
    ['a shorter lifetime is kept', ',"ttl_seconds":3600', 3_600_000],
    ['a longer lifetime is reduced to the default', ',"ttl_seconds":99999999', 90 * DAY],
    ['the largest number is reduced too', ',"ttl_seconds":9223372036854775807', 90 * DAY],
  ])('%s', async (name, member, expected) => {
    const created = await issue(`{"name":"ttl ${name}"${member}}`);
    expect(created.status).toBe(201);
    expect(lifetime(created.body)).toBe(expected);
  });

  test.each(['-1', '1.5', '"60"', 'null', '1e400', '-9007199254740993'])(
    'refuses a lifetime of %s',
    async (ttl) => {
      const answer = await issue(`{"name":"bad ttl","ttl_seconds":${ttl}}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        error: { details: { issues: [{ pointer: '/ttl_seconds' }] } },
      });
    },
  );

  test('creates one of 10 instances that are sent at once with one name', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => issue({ name: 'racer' })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      201,
      ...Array<number>(9).fill(409),
    ]);
    expect(answers.find((answer) => answer.status === 409)?.body).toMatchObject({
      error: { code: 'instance_name_taken' },
    });
    expect((await issue({ name: 'racer' }, { slug: 'other-bot' })).status).toBe(201);
  });

  test('is allowed for a disabled agent, and refused for an archived, unknown or foreign one', async () => {
    const { slug } = await createAgent(app, organization);
    await app.db('agents').where({ slug }).update({ status: 'disabled' });
    expect((await issue({ name: 'of a disabled agent' }, { slug })).status).toBe(201);
    await app
      .db('agents')
      .where({ organization_id: organization.id, slug })
      .update({ status: 'archived', archived_at: new Date() });
    expect((await issue({ name: 'x' }, { slug })).body).toMatchObject({
      error: { code: 'agent_archived' },
    });
    expect((await issue({ name: 'x' }, { slug: 'unknown' })).status).toBe(404);
    const { owner: stranger } = await createOrganization(app);
    expect((await issue({ name: 'x' }, { member: stranger })).status).toBe(404);
  });

  test('needs the permission for this agent', async () => {
    const policies = [
      {
        scope_kind: 'agent' as const,
        resource_ids: ['other-bot'],
        permissions: ['agent.credential.issue'],
      },
    ];
    const member = await createMember(app, organization.id, { policies });
    expect((await issue({ name: 'scoped' }, { member, slug: 'other-bot' })).status).toBe(201);
    const refused = await issue({ name: 'scoped' }, { member });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      error: { details: { reason: 'outside_scope', scope_kind: 'agent', scope_id: 'deploy-bot' } },
    });
  });
});

describe('revoking a credential', () => {
  beforeAll(newOrganization);

  const revoke = (id: string, member = owner) =>
    member.http.delete(`/api/v1/agent-credentials/${id}`);

  test('takes effect at once and permanently, and a repeat is a 204 that changes nothing', async () => {
    const { credential, credentialId } = await createAgent(app, organization);
    const agent = new HttpClient(app.url, { authorization: `Bearer ${credential}` });
    expect((await agent.get(`/api/aap/v1/requests/${randomUUID()}`)).status).toBe(404);
    expect((await revoke(credentialId)).status).toBe(204);
    expect((await agent.get(`/api/aap/v1/requests/${randomUUID()}`)).status).toBe(401);
    const [before] = await app.db('agent_credentials').where({ id: credentialId });
    expect((await revoke(credentialId)).status).toBe(204);
    expect(await app.db('agent_credentials').where({ id: credentialId })).toEqual([before]);
    const audit = await app
      .db('audit_events')
      .where({ organization_id: organization.id, subject_id: credentialId });
    expect(audit).toMatchObject([{ event_type: 'agent_credential.revoked' }]);
  });

  test("needs the permission for the credential's agent", async () => {
    const mine = await createAgent(app, organization);
    const others = await createAgent(app, organization);
    const policies = [
      {
        scope_kind: 'agent' as const,
        resource_ids: [mine.slug],
        permissions: ['agent.credential.revoke'],
      },
    ];
    const member = await createMember(app, organization.id, { policies });
    // The same answer as for an unknown id, so that it does not reveal whether the credential exists.
    const [refused, absent] = [
      await revoke(others.credentialId, member),
      await revoke(randomUUID(), member),
    ];
    for (const { status, body } of [refused, absent])
      expect([status, body['error']?.['code'], body['error']?.['details']]).toEqual([
        404,
        'not_found',
        undefined,
      ]);
    expect((await revoke(mine.credentialId, member)).status).toBe(204);
    expect((await revoke(mine.credentialId, await createMember(app, organization.id))).status).toBe(
      403,
    );
  });

  test("answers 404 for an id that is unknown, malformed or another organization's", async () => {
    const { credentialId } = await createAgent(app, organization);
    const { owner: stranger } = await createOrganization(app);
    expect((await revoke(credentialId, stranger)).status).toBe(404);
    expect((await revoke(randomUUID())).status).toBe(404);
    expect((await revoke('not-an-id')).status).toBe(404);
    const [row] = await app.db('agent_credentials').where({ id: credentialId });
    expect(row.revoked_at).toBeNull();
  });
});
