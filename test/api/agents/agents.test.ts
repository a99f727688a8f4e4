/** Creating agents: their slugs and names, their pipelines, and the limit. */
import { describe, expect, test } from '@jest/globals';
import { agentsScene } from './agents-scene.ts';

const { app, organization, owner, create, elsewhere } = await agentsScene();

describe('creating an agent', () => {
  test('answers an active agent with an active, empty pipeline of its own', async () => {
    const created = await create('deploy-bot', 'Deploy bot');
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      approval_window: '5m',
      slug: 'deploy-bot',
      resume: 'instance',
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
    const { create, archive } = await elsewhere();
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
    const { create } = await elsewhere();
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
    const { organization, create } = await elsewhere();
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
    const { create, archive } = await elsewhere();
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
