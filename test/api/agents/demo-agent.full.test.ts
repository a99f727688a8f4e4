/** The demo agent: what makes it, what removes it, and that nothing of it stays but the audit log. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HttpClient } from '../../support/http.ts';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { stepAt } from '../../support/scene/approval-requests.ts';
import { createOrganization, grant, type TestMember } from '../../support/scene/factories.ts';
import { ageSession, invite } from '../../support/scene/invitations.ts';
import { codesOf } from './enrollment-scene.ts';
import { handleOf, waiting } from '../../support/temporal.ts';
import { until } from '../../support/waiting.ts';

const {
  app,
  owner,
  people,
  person,
  organization,
  settings,
  ask,
  decide,
  claim,
  addReviewers,
  pipeline,
} = await scene({
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
const eventsNow = async () =>
  await app
    .db('audit_events')
    .where({ organization_id: organization.id })
    .orderBy('sequence')
    .select<{ id: string }[]>();
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
const LEVEL_MS = 660_000;
const nextLevel = async (id: string) => {
  await stepAt(app, id, new Date(Date.now() + LEVEL_MS));
  return { status: 200 };
};
const remove = async () => await owner.http.delete(PATH);

/** The tables, other than those of the audit log, with a row that has one of the texts. */
async function tablesWith(texts: readonly string[]): Promise<string[]> {
  const { rows } = await app.db.raw<{ rows: { name: string }[] }>(
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'audit%' order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const some = await app.db.raw<{ rows: unknown[] }>(
      `select 1 from ${name} as t where cast(t.* as text) like any(cast(:texts as text[])) limit 1`,
      { texts: texts.map((text) => `%${text}%`) } as never,
    );
    if (some.rows.length > 0) found.push(name);
  }
  return found;
}

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
    for (const person of [people.ada, people.maker, people.narrow])
      expect((await person.http.delete(PATH)).status).toBe(403);
    // Nor does another organization reach it.
    const foreign = await createOrganization(app);
    expect((await foreign.owner.http.delete(PATH)).status).toBe(204);
    expect((await owner.http.get(`/api/v1/requests/${id}`)).body).toMatchObject({ demo: true });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(204);
    await ended(id);
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
    expect((await remove()).status).toBe(204);
  });

  test('leaves nothing but its audit events, takes back what was granted for it, and no agent takes its slug', async () => {
    const demo = await start();
    const decided = await pending(demo);
    expect((await decide(owner, decided)).status).toBe(200);
    const denied = await pending(demo);
    expect((await claim(people.ada, denied)).status).toBe(200);
    expect((await decide(people.ada, denied, { status: 'denied', note: 'No.' })).status).toBe(200);
    const open = await pending(demo);
    await addReviewers(owner, open, [people.ada]);
    const policy = { scope_kind: 'agent' as const, permissions: ['agent.read'] };
    await grant(app.db, organization.id, {
      membershipId: people.ada.membershipId,
      policy: { ...policy, resource_ids: [demo.slug] },
    });
    await grant(app.db, organization.id, {
      membershipId: people.ada.membershipId,
      policy: { ...policy, resource_ids: ['bot', demo.slug] },
    });
    const invited = await invite(owner, {
      policies: [
        { ...policy, resource_ids: [demo.slug] },
        { ...policy, resource_ids: [demo.slug, 'bot'] },
      ],
    });
    expect(invited.status).toBe(201);
    const texts = [demo.slug, demo.instance, demo.credential, decided, denied, open];
    expect(await tablesWith(texts)).toEqual(expect.arrayContaining(['agents', 'decisions']));
    const before = await eventsNow();
    expect((await remove()).status).toBe(204);
    expect(await tablesWith(texts)).toEqual([]);
    expect((await eventsNow()).slice(0, before.length)).toEqual(before);
    for (const id of [decided, denied, open]) await ended(id);
    expect((await owner.http.get(`/api/v1/requests/${open}`)).status).toBe(404);
    expect((await askAs(demo)).status).toBe(401);
    const events = await app
      .db('audit_events')
      .where({ organization_id: organization.id, subject_id: demo.slug })
      .orderBy('sequence')
      .pluck<string[]>('event_type');
    expect(events.slice(-2)).toEqual(['agent.archived', 'agent.removed']);
    const invitations = await owner.browser.get('/api/v1/invitations');
    expect(invitations.body['invitations']).toMatchObject([
      { grants: [{ scope_kind: 'agent', scope_id: 'bot', permissions: ['agent.read'] }] },
    ]);
    const changes = await app
      .db('audit_events')
      .where({ organization_id: organization.id, subject_type: 'permission_policy' })
      .orderBy('sequence')
      .select<{ event_type: string; data: string }[]>('event_type', 'data');
    const was = { resource_ids: ['bot', demo.slug] };
    const holder = { membership_id: people.ada.membershipId };
    expect(
      changes.map(({ event_type: type, data }) => [type, JSON.parse(data) as unknown]),
    ).toEqual([
      [
        'permission_policy.deleted',
        expect.objectContaining({ ...holder, resource_ids: [demo.slug], revision: 1 }),
      ],
      [
        'permission_policy.updated',
        expect.objectContaining({
          ...holder,
          ...{ resource_ids: ['bot'], revision: 2, previous: expect.objectContaining(was) },
        }),
      ],
    ]);
    // Its audit events would be those of two agents.
    const made = await owner.http.post('/api/v1/agents', { slug: demo.slug, name: 'Demo agent' });
    expect([made.status, made.body['error']?.['code']]).toEqual([409, 'agent_slug_taken']);
    const next = await start();
    expect(next.slug).not.toBe(demo.slug);
    const named = await owner.http.get(`/api/v1/agents/${next.slug}`);
    expect(named.body).toMatchObject({ name: 'Demo agent' });
    expect((await remove()).status).toBe(204);
  });

  test('is not started while it is paused, so that the page can say why', async () => {
    const demo = await start();
    const paused = { body: { status: 'disabled' } };
    await owner.http.call('PATCH', `/api/v1/agents/${demo.slug}`, paused);
    const again = await owner.http.post(PATH);
    expect([again.status, again.body['error']?.['code']]).toEqual([403, 'agent_disabled']);
    expect((await remove()).status).toBe(204);
  });

  test('is made and removed by a person who authenticated recently, with a second factor where it is required', async () => {
    const refusals = async (person: TestMember) => {
      const answers = [await person.browser.post(PATH), await person.browser.delete(PATH)];
      return answers.map(({ status, body }) => [status, body['error']?.['code']]);
    };
    const all = await person(['agent.write', 'agent.credential.issue']);
    await ageSession(app, all, 60);
    const again = [403, 'reauthentication_required'];
    expect(await refusals(all)).toEqual([again, again]);
    await settings({ require_mfa: true });
    const factor = [403, 'mfa_required'];
    expect(await refusals(all)).toEqual([factor, factor]);
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
    expect((await remove()).status).toBe(204);
  });

  test('is the only one whose decisions the database lets go, and its mark never changes', async () => {
    const refused = /append-only/;
    const agents = () => app.db('agents').where({ organization_id: organization.id, slug: 'bot' });
    await expect(agents().update({ demo: true })).rejects.toThrow(refused);
    const demo = await start();
    const id = await pending(demo);
    expect((await decide(owner, id)).status).toBe(200);
    const other = await ask();
    expect((await decide(owner, other)).status).toBe(200);
    const decisionOf = (request: string) => app.db('decisions').where({ request_id: request });
    for (const request of [id, other])
      await expect(decisionOf(request).update({ status: 'denied' })).rejects.toThrow(refused);
    await expect(decisionOf(other).delete()).rejects.toThrow(refused);
    expect(await decisionOf(id).delete()).toBe(1);
    expect((await remove()).status).toBe(204);
  });

  test.each<[string, (demo: Demo, id: string) => Promise<{ readonly status: number }>[]]>([
    ['someone decides', (_demo, id) => [decide(owner, id)]],
    ['someone claims', (_demo, id) => [claim(people.ada, id)]],
    ['it asks', (demo) => [askAs(demo), askAs(demo), askAs(demo)]],
    ['it waits', (demo, id) => [demo.http.get(`/api/aap/v1/requests/${id}?wait=20s`)]],
    ['the next level is due', (_demo, id) => [nextLevel(id)]],
    ['someone starts it', () => [owner.http.post(PATH), owner.http.post(PATH)]],
    ['someone else removes it', () => [remove(), remove()]],
  ])('is removed whole while %s', async (_what, meanwhile) => {
    for (let round = 0; round < 3; round += 1) {
      const demo = await start();
      const id = await pending(demo);
      const answers = await Promise.all([remove(), ...meanwhile(demo, id)]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(answers[0]?.status).toBe(204);
      expect(await tablesWith([demo.credential, id])).toEqual([]);
      await ended(id);
      expect((await remove()).status).toBe(204);
      expect(await tablesWith([`${demo.slug}"`, demo.instance])).toEqual([]);
    }
  });
});
