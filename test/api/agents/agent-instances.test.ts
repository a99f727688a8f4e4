/** Creating the instances of agents with their credentials, and revoking a credential. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HttpClient } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { createAgent, createMember, createOrganization } from '../../support/scene/factories.ts';
import { secretOf } from '../../support/tokens.ts';

const { app, organization, owner } = await scene({
  pipelines: { 'deploy-bot': {}, 'other-bot': {} },
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
