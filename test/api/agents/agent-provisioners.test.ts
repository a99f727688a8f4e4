/** Provisioner tokens: who issues and revokes them, what they open, and how long. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import { HttpClient, type ApiResponse } from '../../support/http.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { idOf, secretOf } from '../../support/tokens.ts';

const DAY = 86_400_000;
const LONGEST = '240h';

const app = await appForFile({ environment: { COUNTERSIGN_PROVISIONER_LIFETIME: LONGEST } });
let organization: TestOrganization;
let owner: TestMember;

beforeAll(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
  await createAgent(app, organization, 'deploy-bot');
  await createAgent(app, organization, 'other-bot');
});

const issue = (body?: unknown, { member = owner, slug = 'deploy-bot' } = {}) =>
  member.http.post(`/api/v1/agents/${slug}/provisioners`, body);
const revoke = (id: string, member = owner) =>
  member.http.delete(`/api/v1/agent-provisioners/${id}`);
const tokenOf = ({ body }: ApiResponse) => String(body['token']);
const bearer = (token: string) => new HttpClient(app.url, { authorization: `Bearer ${token}` });
const provision = (token: string) => bearer(token).post('/api/aap/v1/instances');
const codeOf = ({ body }: ApiResponse): unknown => body['error']?.['code'];

const lifeOf = ({ body }: ApiResponse) =>
  Date.parse(String(body['provisioner']?.['expires_at'])) -
  Date.parse(String(body['provisioner']?.['issued_at']));

const eventsOf = async (subjectId: string) =>
  (await app
    .db('audit_events')
    .where({ organization_id: organization.id, subject_id: subjectId })
    .orderBy('sequence')) as { event_type: string; actor_id: string; data: string }[];

async function setAgent(slug: string, status: string): Promise<void> {
  const archived_at = status === 'archived' ? new Date() : null;
  await app
    .db('agents')
    .where({ organization_id: organization.id, slug })
    .update({ status, archived_at });
}

describe('issuing', () => {
  test('answers the record and a working token, which is shown once and stored only as a hash', async () => {
    const issued = await issue();
    expect(issued.status).toBe(201);
    const token = tokenOf(issued);
    expect(issued.body).toEqual({
      provisioner: {
        id: idOf(token),
        organization_id: organization.id,
        agent_slug: 'deploy-bot',
        created_by_actor_id: owner.membershipId,
        suffix: token.slice(-6),
        issued_at: expect.any(String),
        expires_at: expect.any(String),
      },
      token: expect.stringMatching(/^whp_/),
    });
    expect((await provision(token)).status).toBe(201);
    const row: unknown = await app
      .db('agent_provisioners')
      .where({ id: idOf(token) })
      .first();
    expect(JSON.stringify([row, app.log])).not.toContain(secretOf(token));
    const events = await eventsOf(idOf(token));
    expect(events).toMatchObject([
      { event_type: 'agent_provisioner.issued', actor_id: owner.membershipId },
    ]);
    expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({
      agent_slug: 'deploy-bot',
      suffix: token.slice(-6),
    });
    expect(events[0]?.data).not.toContain(secretOf(token));
  });

  const soon = new Date(Date.now() + DAY).toISOString();
  const late = new Date(Date.now() + 11 * DAY).toISOString();

  test.each([
    ['no body', undefined],
    ['an empty object', {}],
    ['null', { expires_at: null }],
    ['a later expiry than the limit', { expires_at: late }],
    ['the last instant', { expires_at: '9999-12-31T23:59:59.999Z' }],
  ])('%s: the token lives as long as the deployment allows', async (_what, body) => {
    expect(lifeOf(await issue(body))).toBe(10 * DAY);
  });

  test('a sooner expiry is kept', async () => {
    const { body } = await issue({ expires_at: soon });
    expect(body['provisioner']?.['expires_at']).toBe(soon);
  });

  test.each([
    ['a second ago', { expires_at: new Date(Date.now() - 1_000).toISOString() }, '/expires_at'],
    ['the year 0', { expires_at: '0000-01-01T00:00:00Z' }, '/expires_at'],
    ['no instant', { expires_at: 'tomorrow' }, '/expires_at'],
    ['a number', { expires_at: 1 }, '/expires_at'],
    ['an unknown field', { ttl_seconds: 1 }, '/ttl_seconds'],
    ['no object', [], ''],
  ])('is refused with %s', async (_what, body, pointer) => {
    const answer = await issue(body);
    expect([
      answer.status,
      answer.body['error']?.['details']?.['issues']?.[0]?.['pointer'],
    ]).toEqual([400, pointer]);
  });

  test('is allowed for a disabled agent, and refused for an archived, unknown or foreign one', async () => {
    const { slug } = await createAgent(app, organization);
    await setAgent(slug, 'disabled');
    expect((await issue(undefined, { slug })).status).toBe(201);
    await setAgent(slug, 'archived');
    expect(codeOf(await issue(undefined, { slug }))).toBe('agent_archived');
    expect((await issue(undefined, { slug: 'unknown' })).status).toBe(404);
    const { owner: stranger } = await createOrganization(app);
    expect((await issue(undefined, { member: stranger })).status).toBe(404);
  });

  test('needs the permission for this agent, and says nothing about others', async () => {
    const policy = {
      scope_kind: 'agent' as const,
      resource_ids: ['other-bot'],
      permissions: ['agent.credential.issue'],
    };
    const member = await createMember(app, organization.id, { policies: [policy] });
    expect((await issue(undefined, { member, slug: 'other-bot' })).status).toBe(201);
    for (const slug of ['deploy-bot', 'unknown']) {
      const refused = await issue(undefined, { member, slug });
      expect([refused.status, refused.body['error']?.['details']?.['reason']]).toEqual([
        403,
        'outside_scope',
      ]);
    }
  });
});

describe('revoking', () => {
  test('ends the token at once, and a repeat changes nothing', async () => {
    const issued = await issue();
    const [token, id] = [tokenOf(issued), idOf(tokenOf(issued))];
    const made = await provision(token);
    expect((await revoke(id)).status).toBe(204);
    expect(codeOf(await provision(token))).toBe('authentication_required');
    const first: unknown = await app.db('agent_provisioners').where({ id }).first('revoked_at');
    expect((await revoke(id)).status).toBe(204);
    expect(await app.db('agent_provisioners').where({ id }).first('revoked_at')).toEqual(first);
    expect((await eventsOf(id)).map(({ event_type }) => event_type)).toEqual([
      'agent_provisioner.issued',
      'agent_provisioner.revoked',
    ]);
    // Its instances live on.
    const credential = String(made.body['credential']?.['token']);
    expect((await bearer(credential).get(`/api/aap/v1/requests/${randomUUID()}`)).status).toBe(404);
  });

  test('needs the permission for the agent of the token; without it the token does not exist', async () => {
    const id = idOf(tokenOf(await issue()));
    const policy = {
      scope_kind: 'agent' as const,
      resource_ids: ['other-bot'],
      permissions: ['agent.credential.revoke'],
    };
    const member = await createMember(app, organization.id, { policies: [policy] });
    const { owner: stranger } = await createOrganization(app);
    for (const answer of [
      await revoke(id, member),
      await revoke(id, stranger),
      await revoke(randomUUID()),
    ])
      expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
    expect(await app.db('agent_provisioners').where({ id }).first('revoked_at')).toEqual({
      revoked_at: null,
    });
  });
});

describe('a token', () => {
  test('opens nothing but making instances', async () => {
    const client = bearer(tokenOf(await issue()));
    for (const [method, path] of [
      ['POST', '/api/aap/v1/requests'],
      ['GET', `/api/aap/v1/requests/${randomUUID()}`],
      ['GET', '/api/v1/agents'],
      ['GET', '/api/v1/me'],
      ['POST', '/api/v1/agents/deploy-bot/provisioners'],
    ] as const) {
      const answer = await client.call(method, path);
      expect([path, answer.status, answer.body['error']?.['type']]).toEqual([
        path,
        403,
        'authorization',
      ]);
    }
  });

  test('is the only credential that makes instances through the adapter protocol', async () => {
    const { credential } = await createAgent(app, organization);
    const path = '/api/aap/v1/instances';
    for (const answer of [
      await bearer(credential).post(path),
      await owner.http.post(path),
      await owner.browser.post(path),
    ])
      expect([answer.status, answer.body['error']?.['type']]).toEqual([403, 'authorization']);
  });

  test('stops when it expires', async () => {
    const token = tokenOf(await issue());
    const expires_at = new Date(Date.now() - 1_000);
    await app
      .db('agent_provisioners')
      .where({ id: idOf(token) })
      .update({ expires_at });
    expect((await provision(token)).status).toBe(401);
  });

  test('answers 403 while its agent is disabled, and 401 once it is archived', async () => {
    const { slug } = await createAgent(app, organization);
    const token = tokenOf(await issue(undefined, { slug }));
    await setAgent(slug, 'disabled');
    expect([(await provision(token)).status, codeOf(await provision(token))]).toEqual([
      403,
      'agent_disabled',
    ]);
    await setAgent(slug, 'active');
    expect((await provision(token)).status).toBe(201);
    await setAgent(slug, 'archived');
    expect((await provision(token)).status).toBe(401);
  });
});
