/** Renaming, disabling, archiving and restoring agents and their instances. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import type { HttpClient } from '../../support/http.ts';
import { type ApiResponse } from '../../support/http.ts';
import { outcome } from '../../support/refusals.ts';
import { ask, askUnevaluated, decide, postRequest } from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createInstance,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';

const app = await appForFile({ environment: { COUNTERSIGN_MAX_ACTIVE_AGENTS: '3' } });
let organization: TestOrganization;
let owner: TestMember;
let agent: TestAgent;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
  agent = await createAgent(app, organization);
});

const pathOf = (slug = agent.slug) => `/api/v1/agents/${slug}`;
const patch = (body: unknown, client: HttpClient = owner.http) =>
  client.call('PATCH', pathOf(), { body });
const patchInstance = (body: unknown, { client = owner.http, id = agent.instanceId } = {}) =>
  client.call('PATCH', `/api/v1/agent_instances/${id}`, { body });
const archive = (slug = agent.slug) => owner.http.delete(pathOf(slug));
const restore = (slug = agent.slug) => owner.http.post(`${pathOf(slug)}/restore`);
const create = (slug: string, name = slug) => owner.http.post('/api/v1/agents', { slug, name });
const stateOf = async (id: string) =>
  (await app.db('approval_requests').where({ id }).first<{ state: string }>('state')).state;

async function eventsOf(subjectId: string, type: string) {
  const rows = await app
    .db('audit_events')
    .where({ organization_id: organization.id, subject_id: subjectId })
    .where('event_type', 'like', `${type}.%`)
    .orderBy('sequence')
    .select<{ event_type: string; data: string }[]>('event_type', 'data');
  return rows.map(({ event_type, data }) => {
    const { actor_api_key_id: _, ...rest } = JSON.parse(data) as Record<string, unknown>;
    return [event_type, rest];
  });
}

describe('changing an agent', () => {
  test('renames it, and writes who it was', async () => {
    await create('other', 'Other');
    const before = (await owner.http.get(pathOf())).body;
    const renamed = await patch({ name: 'New name' });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toMatchObject({ slug: agent.slug, name: 'New name', status: 'active' });
    expect((renamed.body['updated_at'] as unknown as string) > String(before['updated_at'])).toBe(
      true,
    );
    expect(outcome(await patch({ name: 'OTHER' }))).toBe('409 agent_name_taken');
    expect((await patch({ name: 'new NAME' })).status).toBe(200);
    expect(await eventsOf(agent.slug, 'agent')).toEqual([
      ['agent.renamed', { from: before['name'], to: 'New name' }],
      ['agent.renamed', { from: 'New name', to: 'new NAME' }],
    ]);
  });

  test('disables it for all its instances, until it is enabled again', async () => {
    const waiting = await ask(app, agent);
    const second = await createInstance(app, organization, agent.slug);
    expect((await patch({ status: 'disabled' })).body).toMatchObject({ status: 'disabled' });
    for (const one of [agent, second])
      expect(outcome(await postRequest(app, one))).toBe('403 agent_disabled');
    expect((await decide(owner.browser, waiting)).status).toBe(200);
    expect((await patch({ status: 'active', name: 'Both' })).status).toBe(200);
    expect((await postRequest(app, second)).status).toBe(201);
    expect((await eventsOf(agent.slug, 'agent')).map(([type]) => type)).toEqual([
      'agent.disabled',
      'agent.renamed',
      'agent.enabled',
    ]);
  });

  test('that changes nothing answers the agent, and records nothing', async () => {
    const { body: before } = await patch({});
    expect((await patch({ name: before['name'], status: 'active' })).body).toEqual(before);
    expect(await eventsOf(agent.slug, 'agent')).toEqual([]);
  });

  test.each([
    [{ status: 'archived' }, '/status'],
    [{ name: ' ' }, '/name'],
    [{ name: null }, '/name'],
    [{ slug: 'other' }, '/slug'],
  ])('refuses %j with a pointer', async (body, pointer) => {
    const answer = await patch(body);
    expect(answer.status).toBe(400);
    expect(answer.body['error']?.['details']?.['issues']).toMatchObject([{ pointer }]);
  });
});

describe('changing an instance', () => {
  test('renames and disables it alone', async () => {
    const other = await createInstance(app, organization, agent.slug);
    const renamed = await patchInstance({ name: 'runner-9' });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toMatchObject({ id: agent.instanceId, name: 'runner-9', metadata: {} });
    expect(outcome(await patchInstance({ name: 'runner-9' }, { id: other.instanceId }))).toBe(
      '409 instance_name_taken',
    );
    expect((await patchInstance({ status: 'disabled' })).body).toMatchObject({
      status: 'disabled',
    });
    expect(outcome(await postRequest(app, agent))).toBe('403 instance_disabled');
    expect((await postRequest(app, other)).status).toBe(201);
    expect((await patchInstance({ status: 'active' })).status).toBe(200);
    expect((await patchInstance({ status: 'active' })).status).toBe(200);
    expect((await postRequest(app, agent)).status).toBe(201);
    const about = { agent_slug: agent.slug, agent_instance_name: 'runner-9' };
    expect(await eventsOf(agent.instanceId, 'agent_instance')).toEqual([
      ['agent_instance.renamed', { ...about, from: expect.any(String), to: 'runner-9' }],
      ['agent_instance.disabled', about],
      ['agent_instance.enabled', about],
    ]);
  });

  test('is refused while its agent is archived', async () => {
    await archive();
    expect(outcome(await patchInstance({ status: 'disabled' }))).toBe('409 agent_archived');
  });

  test('of an agent outside the grants answers as an unknown one does', async () => {
    const { slug } = await createAgent(app, organization);
    const { http } = await createMember(app, organization.id, {
      policies: [{ scope_kind: 'agent', resource_ids: [slug], permissions: ['agent.write'] }],
    });
    const outside = await patchInstance({ name: 'x' }, { client: http });
    const unknown = await patchInstance({ name: 'x' }, { client: http, id: randomUUID() });
    expect([outcome(outside), outcome(unknown)]).toEqual(['404 not_found', '404 not_found']);
    expect((await patch({ name: 'x' }, http)).status).toBe(403);
  });
});

/** A token whose secret no one has. */
async function addProvisioner(): Promise<string> {
  const id = randomUUID();
  const now = new Date();
  await app.db('agent_provisioners').insert({
    id,
    organization_id: organization.id,
    agent_slug: agent.slug,
    created_by_actor_id: owner.membershipId,
    token_hash: randomBytes(32),
    suffix: 'abc123',
    issued_at: now,
    expires_at: new Date(now.getTime() + 86_400_000),
  });
  return id;
}

describe('archiving an agent', () => {
  test('ends its credentials, provisioner tokens, open requests and pipeline at once', async () => {
    const evaluating = await askUnevaluated(app, agent);
    const pending = await ask(app, agent);
    const decided = await ask(app, agent);
    await decide(owner.browser, decided);
    const provisioner = await addProvisioner();
    const bystander = await createAgent(app, organization);
    const elsewhere = await ask(app, bystander);

    const answer = await archive();
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await Promise.all([evaluating, pending, decided, elsewhere].map(stateOf))).toEqual([
      'cancelled',
      'cancelled',
      'approved',
      'pending',
    ]);
    const [decision] = await app.db('decisions').where({ request_id: pending });
    expect(decision).toMatchObject({
      status: 'cancelled',
      channel: 'system',
      idempotency_key: `system:${pending}`,
    });
    expect(outcome(await postRequest(app, agent))).toBe('401 authentication_required');
    const [token] = await app.db('agent_provisioners').where({ id: provisioner });
    expect(token.revoked_at).toBeInstanceOf(Date);
    const pipelines = '/api/v1/request-approval-pipelines';
    expect((await owner.http.get(`${pipelines}/agents/${agent.slug}`)).status).toBe(404);
    const archived = await owner.http.get(`${pipelines}?status=archived`);
    expect(archived.body['request_approval_pipelines']).toEqual([
      expect.objectContaining({ agent_slug: agent.slug, archived_at: expect.any(String) }),
    ]);
    expect(await eventsOf(agent.slug, 'agent')).toEqual([
      [
        'agent.archived',
        {
          name: expect.any(String),
          pipeline_revision: 1,
          revoked_credentials: 1,
          revoked_provisioners: 1,
          cancelled_requests: 2,
        },
      ],
    ]);
  });

  test('a second time changes nothing', async () => {
    await archive();
    const { body: before } = await owner.http.get(pathOf());
    expect(before).toMatchObject({ status: 'archived', archived_at: expect.any(String) });
    expect((await archive()).status).toBe(204);
    expect((await owner.http.get(pathOf())).body).toEqual(before);
    expect(await eventsOf(agent.slug, 'agent')).toHaveLength(1);
    expect((await archive('unknown')).status).toBe(404);
  });

  test('allows no change, no instance and no rule until it is restored', async () => {
    await archive();
    for (const refused of [
      await patch({ name: 'x' }),
      await patch({ status: 'active' }),
      await owner.http.post(`${pathOf()}/instances`, { name: 'late' }),
      await owner.http.post(`/api/v1/request-approval-pipelines/agents/${agent.slug}/revisions`, {
        blocks: [],
      }),
    ])
      expect(outcome(refused)).toBe('409 agent_archived');
  });
});

const approve = {
  blocks: [
    { id: 'fine', name: 'Fine', type: 'always', config: { outcome: 'approve', reason: 'fine' } },
  ],
};

async function instanceOf(): Promise<{ credential: string }> {
  const { body } = await owner.http.post(`${pathOf()}/instances`, { name: randomUUID() });
  return { credential: String(body['credential']?.['token']) };
}

describe('restoring an agent', () => {
  test('brings the same revision back, and nothing that was revoked', async () => {
    await activatePipeline(owner, `agents/${agent.slug}`, approve);
    await owner.http.post(`/api/v1/request-approval-pipelines/agents/${agent.slug}/revisions`, {
      blocks: [],
    });
    await archive();
    const restored = await restore();
    expect(restored.status).toBe(200);
    expect(restored.body).toMatchObject({ slug: agent.slug, status: 'active' });
    expect(restored.body).not.toHaveProperty('archived_at');
    const rules = await owner.http.get(`/api/v1/request-approval-pipelines/agents/${agent.slug}`);
    expect(rules.body).toMatchObject({ revision: 2, is_active: true });
    expect(outcome(await postRequest(app, agent))).toBe('401 authentication_required');
    const id = await ask(app, await instanceOf());
    expect(await stateOf(id)).toBe('approved');
    expect((await restore()).body).toEqual(restored.body);
    expect((await eventsOf(agent.slug, 'agent')).at(-1)).toEqual([
      'agent.restored',
      { name: restored.body['name'], pipeline_revision: 2 },
    ]);
  });

  test('falls back where the pipeline names a path that was archived meanwhile', async () => {
    const level = {
      id: randomUUID(),
      type: 'level',
      targets: [{ type: 'broadcast' }],
      escalate_after: '15m',
    };
    await activatePath(owner, { path_key: 'on-call', name: 'On call', nodes: [level] });
    await activatePipeline(owner, `agents/${agent.slug}`, {
      blocks: [],
      default_escalation_path: 'on-call',
    });
    expect((await owner.http.delete('/api/v1/escalation-paths/on-call')).status).toBe(409);
    await archive();
    expect((await owner.http.delete('/api/v1/escalation-paths/on-call')).status).toBe(204);
    expect((await restore()).status).toBe(200);
    expect(await stateOf(await ask(app, await instanceOf()))).toBe('pending');
  });

  test('is refused when its name or the last place was taken', async () => {
    const { body } = await owner.http.get(pathOf());
    await archive();
    expect((await create('thief', String(body['name']))).status).toBe(201);
    expect(outcome(await restore())).toBe('409 agent_name_taken');
    expect((await owner.http.delete(pathOf('thief'))).status).toBe(204);
    for (const slug of ['one', 'two', 'three']) expect((await create(slug)).status).toBe(201);
    const full: ApiResponse = await restore();
    expect(outcome(full)).toBe('429 quota_exceeded');
    expect(full.body['error']?.['details']).toEqual({
      dimension: 'active_agents',
      limit: 3,
      used: 3,
    });
    expect((await owner.http.get(pathOf())).body).toMatchObject({ status: 'archived' });
    await owner.http.delete(pathOf('one'));
    expect((await restore()).status).toBe(200);
  });

  test('fills the limit exactly when several calls restore at once', async () => {
    const slugs = [agent.slug, 'one', 'two'];
    for (const slug of slugs.slice(1)) await create(slug);
    for (const slug of slugs) await archive(slug);
    for (const slug of ['three', 'four']) await create(slug);
    const answers = await Promise.all(slugs.map((slug) => restore(slug)));
    expect(answers.map(outcome).sort()).toEqual([
      '200',
      '429 quota_exceeded',
      '429 quota_exceeded',
    ]);
  });
});
