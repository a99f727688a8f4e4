/** The demo agent: what makes it, that it is archived and restored like any agent, and that the database keeps what is decided for it. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { insertAuditEvents } from '../../../src/data/audit/events.ts';
import { SYSTEM } from '../../../src/domain/audit/events.ts';
import { HttpClient } from '../../support/http.ts';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { createOrganization, type TestMember } from '../../support/scene/factories.ts';
import { ageSession } from '../../support/scene/invitations.ts';
import { codesOf } from './enrollment-scene.ts';
import { handleOf, waiting } from '../../support/temporal.ts';
import { until } from '../../support/waiting.ts';

const { app, owner, people, person, organization, settings, ask, decide, pipeline } = await scene({
  app: { temporal: true },
  people: {
    ada: REVIEWER,
    maker: [...REVIEWER, 'agent.read', 'agent.write'],
    narrow: {
      policies: [
        everywhere(...REVIEWER),
        { scope_kind: 'agent', resource_ids: ['bot'], permissions: ['agent.read', 'agent.write'] },
      ],
    },
  },
  paths: { steps: [['ada'], ['maker']] },
  pipelines: { bot: {} },
});
await pipeline('organization', 'steps');

const PATH = '/api/v1/demo-agent';
const start = async () => {
  const { status, body } = await owner.http.post(PATH);
  expect(status).toBe(201);
  const token = String(body['credential']?.['token']);
  return {
    token,
    slug: String(body['agent']?.['slug']),
    instance: String(body['agent_instance']?.['id']),
    credential: String(body['credential']?.['id']),
    http: new HttpClient(app.url, { authorization: `Bearer ${token}` }),
  };
};
type Demo = Awaited<ReturnType<typeof start>>;
const askAs = async ({ http }: Demo) =>
  await http.post(
    '/api/aap/v1/requests',
    { tool: 'refund_payment', arguments: { amount: 89, currency: 'EUR' }, timeout: '1h' },
    { headers: { 'idempotency-key': randomUUID() } },
  );
const routed = async (id: string) => {
  await until('people are asked', async () => {
    const row = await app.db('approval_requests').where({ id }).first<{ routed_at: unknown }>();
    return row.routed_at !== null;
  });
};
const pending = async (demo: Demo) => {
  const { status, body } = await askAs(demo);
  expect(status).toBe(201);
  const id = String(body['id']);
  await routed(id);
  // Where the first start of the workflow failed, the reconciler starts it.
  await waiting(app, id);
  return id;
};
/** Its workflow ended, and did not fail. */
const ended = async (id: string) => {
  await until(
    'the workflow ends',
    async () => (await handleOf(app, id).describe()).status.name === 'COMPLETED',
  );
};
/** A machine asks to be enrolled, and the owner authorizes it for the agent. */
const enroll = async (agentSlug: string) => {
  const begun = await app.http.post('/auth/agent_enrollments', {
    runtime: 'test runtime',
    instance_name: 'laptop',
  });
  const { user } = codesOf(begun);
  const path = `/api/v1/agent_enrollments/${encodeURIComponent(user)}/authorize`;
  return await owner.browser.post(path, { agent_slug: agentSlug });
};
const archive = async (slug: string) => await owner.http.delete(`/api/v1/agents/${slug}`);

describe('the demo agent', () => {
  test('is an agent with a mark, once in an organization, for those who may make agents and credentials', async () => {
    for (const person of [people.ada, people.maker, people.narrow])
      expect((await person.http.post(PATH)).status).toBe(403);
    expect((await owner.http.get(PATH)).body).toEqual({});
    for (const person of [people.ada, people.maker, people.narrow])
      expect((await person.http.get(PATH)).status).toBe(403);
    const first = await start();
    expect((await owner.http.get(PATH)).body).toMatchObject({ agent: { slug: first.slug } });
    const again = await start();
    expect([again.slug, again.instance]).toEqual([first.slug, first.instance]);
    expect(again.token).not.toBe(first.token);
    expect((await askAs(first)).status).toBe(401);
    const both = await Promise.all([start(), start()]);
    expect(new Set(both.map(({ slug }) => slug))).toEqual(new Set([first.slug]));
    const read = await owner.http.get(`/api/v1/agents/${first.slug}`);
    expect(read.body).toMatchObject({ slug: 'demo-agent', name: 'Demo agent', demo: true });
    // It asks, and decides nothing.
    const last = await start();
    const id = await pending(last);
    const decision = { status: 'approved' };
    const own = await last.http.post(`/api/v1/requests/${id}/decision`, decision);
    expect([401, 403]).toContain(own.status);
    expect((await owner.http.get(`/api/v1/requests/${id}`)).body).toMatchObject({ demo: true });
    expect((await owner.http.get('/api/v1/agents/bot')).body).not.toHaveProperty('demo');
    // Nor does another organization reach it.
    const foreign = await createOrganization(app);
    expect((await foreign.owner.http.get(PATH)).body).toEqual({});
  });

  test('counts in no figure and in no limit', async () => {
    const figures = async () => {
      const [overview, limits] = await Promise.all([
        owner.http.get('/api/v1/overview'),
        owner.http.get('/api/v1/organization/usage'),
      ]);
      const { waiting, decided, ending } = overview.body as Record<string, object>;
      return {
        ...{ waiting, ending, decided: { ...decided, since: undefined } },
        agents: (limits.body['active_agents'] as object | undefined) ?? limits.body,
      };
    };
    const before = await figures();
    const demo = await start();
    expect((await decide(owner, await pending(demo))).status).toBe(200);
    await pending(demo);
    expect(await figures()).toEqual(before);
    expect((await archive(demo.slug)).status).toBe(204);
    expect(await figures()).toEqual(before);
  });

  test('is archived like any agent, keeps what was decided, and comes back when it is started', async () => {
    const demo = await start();
    const decided = await pending(demo);
    expect((await decide(owner, decided)).status).toBe(200);
    const open = await pending(demo);
    expect((await archive(demo.slug)).status).toBe(204);
    await ended(open);
    const statusOf = async (id: string) =>
      (await owner.http.get(`/api/v1/requests/${id}`)).body['status'];
    expect([await statusOf(decided), await statusOf(open)]).toEqual(['approved', 'cancelled']);
    expect((await askAs(demo)).status).toBe(401);
    const both = await Promise.all([start(), start()]);
    expect(new Set(both.map(({ slug }) => slug))).toEqual(new Set([demo.slug]));
    await pending(await start());
    const events = await app
      .db('audit_events')
      .where({ organization_id: organization.id, subject_id: demo.slug })
      .orderBy('sequence')
      .pluck<string[]>('event_type');
    expect(events.slice(-2)).toEqual(['agent.archived', 'agent.restored']);
  });

  test('stays archived while another agent has its name', async () => {
    const { slug } = await start();
    expect((await archive(slug)).status).toBe(204);
    const other = { slug: 'other-demo', name: 'Demo agent' };
    expect((await owner.http.post('/api/v1/agents', other)).status).toBe(201);
    const refused = await owner.http.post(PATH);
    expect([refused.status, refused.body['error']?.['code']]).toEqual([409, 'agent_name_taken']);
    expect((await archive(other.slug)).status).toBe(204);
    expect((await start()).slug).toBe(slug);
  });

  test('takes no slug of one that an earlier version removed', async () => {
    const there = await createOrganization(app);
    const removed = { eventType: 'agent.removed' as const, actor: SYSTEM, subjectId: 'demo-agent' };
    await app.db.transaction(async (trx) => {
      await insertAuditEvents(trx, there.id, {
        events: [{ ...removed, data: { name: 'Demo agent' } }],
      });
    });
    const agent = { slug: 'demo-agent', name: 'Demo agent' };
    const made = await there.owner.http.post('/api/v1/agents', agent);
    expect([made.status, made.body['error']?.['code']]).toEqual([409, 'agent_slug_taken']);
    expect((await there.owner.http.post(PATH)).body).toMatchObject({
      agent: { slug: 'demo-agent-2', name: 'Demo agent' },
    });
  });

  test('is not started while it is paused, so that the page can say why', async () => {
    const demo = await start();
    const paused = { body: { status: 'disabled' } };
    await owner.http.call('PATCH', `/api/v1/agents/${demo.slug}`, paused);
    const again = await owner.http.post(PATH);
    expect([again.status, again.body['error']?.['code']]).toEqual([403, 'agent_disabled']);
    const resumed = { body: { status: 'active' } };
    await owner.http.call('PATCH', `/api/v1/agents/${demo.slug}`, resumed);
  });

  test('is made by a person who authenticated recently, with a second factor where it is required', async () => {
    const refusal = async (person: TestMember) => {
      const { status, body } = await person.browser.post(PATH);
      return [status, body['error']?.['code']];
    };
    const all = await person(['agent.write', 'agent.credential.issue']);
    await ageSession(app, all, 60);
    const again = [403, 'reauthentication_required'];
    expect(await refusal(all)).toEqual(again);
    await settings({ require_mfa: true });
    const factor = [403, 'mfa_required'];
    expect(await refusal(all)).toEqual(factor);
    await settings({ require_mfa: false });
  });

  test('gives no credential to other programs, whose requests would say that they are a demo', async () => {
    const demo = await start();
    const agent = `/api/v1/agents/${demo.slug}`;
    const refusals = await Promise.all([
      owner.http.post(`${agent}/instances`, { name: 'laptop' }),
      owner.http.post(`${agent}/provisioners`),
      owner.http.post(`/api/v1/agent_instances/${demo.instance}/credentials`),
      enroll(demo.slug),
    ]);
    expect(refusals.map(({ status, body }) => [status, body['error']?.['code']])).toEqual(
      refusals.map(() => [409, 'demo_agent']),
    );
  });

  test('has decisions that the database lets no one change or delete, and a mark that never changes', async () => {
    const refused = /append-only/;
    const agents = () => app.db('agents').where({ organization_id: organization.id, slug: 'bot' });
    await expect(agents().update({ demo: true })).rejects.toThrow(refused);
    const demo = await start();
    const id = await pending(demo);
    expect((await decide(owner, id)).status).toBe(200);
    const other = await ask();
    expect((await decide(owner, other)).status).toBe(200);
    const decisionOf = (request: string) => app.db('decisions').where({ request_id: request });
    for (const request of [id, other]) {
      await expect(decisionOf(request).update({ status: 'denied' })).rejects.toThrow(refused);
      await expect(decisionOf(request).delete()).rejects.toThrow(refused);
    }
    const revisions = app.db('request_approval_pipeline_revisions');
    await expect(revisions.delete()).rejects.toThrow(refused);
  });
});
