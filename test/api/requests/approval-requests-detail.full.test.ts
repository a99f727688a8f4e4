/** GET /requests/{id} over HTTP: what it shows, to which callers, and how it waits. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { scene } from '../../support/scene.ts';
import {
  adapterOf,
  ask,
  askUnevaluated,
  decide,
  postRequest,
  reachDeadline,
  stepAt,
} from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
} from '../../support/scene/factories.ts';
import type { ApiResponse, HttpClient } from '../../support/http.ts';

const everywhere = (...permissions: string[]) =>
  [{ scope_kind: 'organization', permissions }] as const;
const refused = (status: number, code: string) => ({ status, body: { error: { code } } });

const { app, organization } = await scene();

describe('one request of the queue', () => {
  let agent: TestAgent;
  let routedAgent: TestAgent;
  let named: TestMember;
  let reviewer: TestMember;
  let reader: TestMember;

  beforeAll(async () => {
    agent = await createAgent(app, organization);
    routedAgent = await createAgent(app, organization);
    named = await createMember(app, organization.id, {
      policies: everywhere('request.read', 'request.decide'),
    });
    reviewer = await createMember(app, organization.id, {
      policies: everywhere('request.read', 'request.decide'),
    });
    reader = await createMember(app, organization.id, { policies: everywhere('request.read') });
    await activatePath(organization.owner, {
      path_key: 'named',
      name: 'One person',
      nodes: [
        {
          id: randomUUID(),
          type: 'level',
          targets: [{ type: 'user', id: named.membershipId }],
          escalate_after: '10m',
        },
      ],
    });
    const always = (id: string, config: object) => ({ id, name: id, type: 'always', config });
    const page = always('page', { outcome: 'human', reason: 'ask', escalation_path: 'named' });
    await activatePipeline(organization.owner, `agents/${routedAgent.slug}`, { blocks: [page] });
  });
  const get = (client: HttpClient, id: string, query = ''): Promise<ApiResponse> =>
    client.get(`/api/v1/requests/${id}${query}`);
  /**
   * Resolves once the call is parked, to a list with its promise: a promise of a promise would wait
   * for the answer.
   */
  const parked = async (
    client: HttpClient,
    id: string,
    query: string,
  ): Promise<Promise<ApiResponse>[]> => {
    const gauge = async () => (await app.context.metrics.parkedWaits.get()).values[0]?.value ?? 0;
    const before = await gauge();
    const waiting = get(client, id, query);
    while ((await gauge()) <= before) await new Promise((resolve) => setImmediate(resolve));
    return [waiting];
  };

  test('shows exactly what was asked, digit for digit, and nothing else', async () => {
    const text = '{"amount":9007199254740993,"rate":1.0,"__proto__":{"b":1,"a":2},"huge":1e400}';
    const body = `{"tool":"pay","server":"billing","arguments":${text},"agent_reasoning":"because","context":{"z":-0},"timeout":"1h"}`;
    const created = await adapterOf(app, agent).post('/api/aap/v1/requests', body, {
      headers: { 'idempotency-key': randomUUID() },
    });
    expect(created.status).toBe(201);
    const id = String(created.body['id']);
    await stepAt(app, id);
    const answer = await get(reviewer.http, id);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`"arguments":${text}`);
    expect(answer.text).toContain('"context":{"z":-0}');
    const instance = await app
      .db('agent_instances')
      .where({ id: agent.instanceId })
      .first<{ name: string }>('name');
    expect(answer.body).toMatchObject({
      id,
      organization_id: organization.id,
      agent_slug: agent.slug,
      agent_name: `Agent ${agent.slug}`,
      agent_instance_id: agent.instanceId,
      agent_instance_name: instance.name,
      tool: 'pay',
      server: 'billing',
      agent_reasoning: 'because',
      status: 'pending',
      created_at: String(created.body['created_at']),
      deadline_at: String(created.body['deadline_at']),
    });
    expect(answer.body).not.toHaveProperty('decision');
    const bare = (await get(reviewer.http, await ask(app, agent))).body;
    for (const absent of ['server', 'agent_reasoning', 'context', 'decision'])
      expect(bare).not.toHaveProperty(absent);
  });

  test('reads as pending during evaluation', async () => {
    expect((await get(reader.http, await askUnevaluated(app, agent))).body).toMatchObject({
      status: 'pending',
    });
  });

  test('keeps the former names of the agent and its instance', async () => {
    const other = await createAgent(app, organization);
    const id = await ask(app, other);
    await app
      .db('agents')
      .where({ organization_id: organization.id, slug: other.slug })
      .update({ name: 'Renamed' });
    expect((await get(reader.http, id)).body).toMatchObject({ agent_name: `Agent ${other.slug}` });
  });

  test('that a rule decided is found by its id, though no list for people holds it', async () => {
    const other = await createAgent(app, organization);
    const block = {
      id: 'no',
      name: 'no',
      type: 'always',
      config: { outcome: 'deny', reason: 'not allowed' },
    };
    await activatePipeline(organization.owner, `agents/${other.slug}`, { blocks: [block] });
    const id = await ask(app, other);
    const answer = await get(reader.http, id);
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'denied', decision: { channel: 'pipeline', note: 'not allowed' } },
    });
    const decision = answer.body['decision'];
    expect(decision).toMatchObject({
      idempotency_key: `pipeline:${id}`,
      authentication: { method: 'system', assurance: 'strong' },
    });
    expect(decision?.['authentication']?.['authenticated_at']).toEqual(decision?.['decided_at']);
    for (const absent of ['membership_id', 'reviewer_display_name', 'reviewer_email'])
      expect(decision).not.toHaveProperty(absent);
  });

  test('that was withdrawn names the credential', async () => {
    const id = await ask(app, agent);
    await adapterOf(app, agent).delete(`/api/aap/v1/requests/${id}`);
    expect((await get(reader.http, id)).body).toMatchObject({
      status: 'cancelled',
      decision: {
        channel: 'aap',
        idempotency_key: `aap:${id}`,
        authentication: {
          method: 'agent_credential',
          assurance: 'single_factor',
          credential_id: agent.credentialId,
        },
      },
    });
  });

  test('past its deadline is expired by the first read', async () => {
    const id = await ask(app, agent, { timeout: '1s' });
    await app
      .db('approval_requests')
      .where({ id })
      .update({ deadline_at: app.db.ref('created_at') });
    expect((await get(reader.http, id)).body).toMatchObject({
      status: 'expired',
      decision: { channel: 'system' },
    });
  });

  test('routed to others is refused, unless the caller may read or decide such requests', async () => {
    const id = await ask(app, routedAgent);
    expect((await get(named.http, id)).status).toBe(200);
    expect((await get(organization.owner.browser, id)).status).toBe(200);
    expect(await get(reviewer.http, id)).toMatchObject(refused(403, 'request_not_routed'));
    expect(await get(reader.http, id)).toMatchObject(refused(403, 'request_not_routed'));
    expect(await get(reader.http, id, '?wait=30s')).toMatchObject(
      refused(403, 'request_not_routed'),
    );
    for (const more of [['request.read.unrouted'], ['request.decide', 'request.decide.unrouted']]) {
      const member = await createMember(app, organization.id, {
        policies: everywhere('request.read', ...more),
      });
      expect((await get(member.http, id)).status).toBe(200);
    }
    const lacking = await createMember(app, organization.id, {
      policies: everywhere('request.read', 'request.decide.unrouted'),
    });
    expect(await get(lacking.http, id)).toMatchObject(refused(403, 'request_not_routed'));
  });

  test('of another organization, unknown or malformed gets the same 404', async () => {
    const id = await ask(app, agent);
    const foreign = await createOrganization(app);
    const answers = [
      await get(foreign.owner.http, id),
      await get(reader.http, randomUUID()),
      await get(reader.http, 'x'),
    ];
    for (const query of ['?wait=30s', ''])
      answers.push(await get(foreign.owner.browser, id, query));
    for (const answer of answers) expect(answer).toMatchObject(refused(404, 'not_found'));
    expect(new Set(answers.map(({ body }) => String(body['error']?.['message']))).size).toBe(1);
  });

  test.each(['0s', '30', '1.5s', '-1s', '', '1d', '30s ', '01s'])(
    'refuses the wait %j with a pointer',
    async (wait) => {
      const answer = await get(
        reader.http,
        await ask(app, agent),
        `?wait=${encodeURIComponent(wait)}`,
      );
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { details: { issues: [{ pointer: '/query/wait' }] } } },
      });
    },
  );

  test('is parked until it is decided, and answered with the decision', async () => {
    const id = await ask(app, agent);
    const [waiting] = await parked(reader.browser, id, '?wait=168h');
    const decided = await decide(reviewer.http, id, { status: 'denied' });
    expect(await waiting).toMatchObject({ status: 200, body: decided.body['request'] });
  });

  test('stays parked through the hand-over to people, which is no answer yet', async () => {
    const id = await askUnevaluated(app, agent);
    const [waiting] = await parked(reader.http, id, '?wait=30s');
    await stepAt(app, id);
    await decide(reviewer.http, id);
    expect((await waiting)?.body).toMatchObject({ status: 'approved' });
  });

  test('is answered unchanged after the wait, and at once when it has its answer', async () => {
    const id = await ask(app, agent);
    expect((await get(reader.http, id, '?wait=1s')).body).toMatchObject({ status: 'pending' });
    await reachDeadline(app, id);
    await decide(reviewer.http, id);
    expect((await get(reader.http, id, '?wait=30s')).body).toMatchObject({ status: 'expired' });
  });

  test('that is handed to others during the wait is hidden from a caller who could see it before', async () => {
    const id = await askUnevaluated(app, routedAgent);
    const [waiting] = await parked(reader.http, id, '?wait=30s');
    await stepAt(app, id);
    await decide(named.http, id);
    expect(await waiting).toMatchObject(refused(403, 'request_not_routed'));
  });

  test('is checked against the grants at the end of the wait', async () => {
    const member = await createMember(app, organization.id, {
      policies: everywhere('request.read'),
    });
    const id = await ask(app, agent);
    const [waiting] = await parked(member.http, id, '?wait=30s');
    await app
      .db('permission_policies')
      .where({ membership_id: member.membershipId })
      .update({ scope_kind: 'agent', resource_ids: [routedAgent.slug] });
    await decide(reviewer.http, id);
    expect(await waiting).toMatchObject(refused(403, 'permission_denied'));
  });

  test.each([
    ['their session ended', 401, 'authentication_required'],
    ['they were suspended', 403, 'membership_inactive'],
    ['they lost the permission', 403, 'permission_denied'],
  ])('is not shown to a waiting caller when %s meanwhile', async (what, status, code) => {
    const leaving = await createMember(app, organization.id, {
      policies: everywhere('request.read'),
    });
    const id = String((await postRequest(app, agent)).body['id']);
    await stepAt(app, id);
    const [waiting] = await parked(leaving.browser, id, '?wait=30s');
    const whose = { membership_id: leaving.membershipId };
    if (what.includes('session'))
      await app.db('sessions').where(whose).update({ revoked_at: new Date() });
    if (what.includes('suspended'))
      await app
        .db('memberships')
        .where({ id: leaving.membershipId })
        .update({ status: 'suspended' });
    if (what.includes('permission'))
      await app
        .db('permission_policies')
        .where(whose)
        .update({ permissions: ['agent.read'] });
    await decide(reviewer.http, id);
    expect(await waiting).toMatchObject(refused(status, code));
  });
});
