/** Who is asked about a request, who was and who comes next; and its timeline. The walk is driven step by step. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  adapterOf,
  ask,
  askUnevaluated,
  deadlineOf,
  decide,
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
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Json } from '../../support/http.ts';

const REVIEWER = [
  { scope_kind: 'organization', permissions: ['request.read', 'request.decide'] },
] as const;
const tool = (name: string) => ({
  id: `tool-${name}`,
  field: '/request/tool',
  operator: 'equals',
  value: name,
});

describe('routing and timeline of a request', () => {
  let app: TestApp;
  let organization: TestOrganization;
  let agent: TestAgent;
  let ada: TestMember;
  let bob: TestMember;
  let suspended: TestMember;
  const [first, unmanned, last] = [randomUUID(), randomUUID(), randomUUID()];

  beforeAll(async () => {
    app = await startApp();
    organization = await createOrganization(app);
    agent = await createAgent(app, organization);
    ada = await createMember(app, organization.id, { displayName: 'Ada', policies: REVIEWER });
    bob = await createMember(app, organization.id, { displayName: 'Bob', policies: REVIEWER });
    suspended = await createMember(app, organization.id, {
      displayName: 'Sue',
      policies: REVIEWER,
      status: 'suspended',
    });
    await activatePath(organization.owner, {
      path_key: 'on-call',
      name: 'On call',
      nodes: [
        {
          id: first,
          type: 'level',
          targets: [{ type: 'user', id: ada.membershipId }],
          escalate_after: '10m',
        },
        {
          id: unmanned,
          type: 'level',
          targets: [{ type: 'user', id: suspended.membershipId }],
          escalate_after: '10m',
        },
        { id: last, type: 'level', targets: [{ type: 'broadcast' }], escalate_after: '10m' },
      ],
      repeat: { times: 1, after: '5m' },
    });
    const block = (id: string, config: Record<string, unknown>) => ({
      id,
      name: id,
      type: 'cel',
      config: { when: tool(id), ...config },
    });
    await activatePipeline(organization.owner, `agents/${agent.slug}`, {
      blocks: [
        block('page', { on_match: 'human', escalation_path: 'on-call', reason: 'needs a person' }),
        block('allow', { on_match: 'approve', reason: 'harmless' }),
        block('refuse', { on_match: 'deny', reason: 'never' }),
      ],
    });
  });
  afterAll(async () => {
    await app.close();
  });

  const routing = async (id: string, member = organization.owner) => {
    const answer = await member.http.get(`/api/v1/requests/${id}/routing`);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const nextAt = async (id: string) => new Date(String((await routing(id))['next_at']));
  const levels = (body: Json) =>
    (body['levels'] ?? []).map((level) => `${String(level['run'])} ${String(level['status'])}`);

  test('at the first level show who was told when, and who would be told later', async () => {
    const id = await ask(app, agent, { tool: 'page' });
    const body = await routing(id, ada);
    const at = String(body['levels']?.[0]?.['notified_at']);
    const escalateAt = new Date(Date.parse(at) + 600_000).toISOString();
    const who = (member: TestMember, more: object) => ({
      membership_id: member.membershipId,
      display_name: member.displayName,
      ...more,
    });
    expect(body).toEqual({
      state: 'waiting',
      path_key: 'on-call',
      path_name: 'On call',
      revision: 1,
      source: 'block_escalation',
      block_id: 'page',
      reason: 'needs a person',
      urgency: 'standard',
      run: 1,
      runs: 2,
      next_at: escalateAt,
      next_step: { kind: 'level', node_id: unmanned, at: escalateAt },
      levels: [
        {
          node_id: first,
          run: 1,
          status: 'current',
          notified_at: at,
          escalate_at: escalateAt,
          targets: [
            {
              type: 'user',
              id: ada.membershipId,
              name: 'Ada',
              members: [who(ada, { notified_at: at, can_decide: true })],
            },
          ],
        },
        {
          node_id: unmanned,
          run: 1,
          status: 'upcoming',
          targets: [
            {
              type: 'user',
              id: suspended.membershipId,
              name: 'Sue',
              members: [who(suspended, { can_decide: false })],
            },
          ],
        },
        {
          node_id: last,
          run: 1,
          status: 'upcoming',
          targets: [
            {
              type: 'broadcast',
              members: [organization.owner, ada, bob].map((member) =>
                who(member, { can_decide: true }),
              ),
            },
          ],
        },
      ],
      added: [],
    });
  });

  test('follow the walk over a skipped level, into the next run and to its end', async () => {
    const id = await ask(app, agent, { tool: 'page', timeout: '24h' });
    await stepAt(app, id, await nextAt(id));
    const escalated = await routing(id);
    expect(levels(escalated)).toEqual(['1 done', '1 skipped', '1 current']);
    expect(escalated).toMatchObject({ state: 'waiting', next_step: { kind: 'repeat' } });
    expect(escalated['levels']?.[1]).not.toHaveProperty('notified_at');
    expect(escalated['levels']?.[2]?.['targets']?.[0]?.['members']).toHaveLength(3);

    await stepAt(app, id, await nextAt(id));
    expect(await routing(id)).toMatchObject({
      state: 'waiting',
      run: 1,
      next_step: { kind: 'repeat' },
    });
    await stepAt(app, id, await nextAt(id));
    const repeated = await routing(id);
    expect(repeated).toMatchObject({
      run: 2,
      runs: 2,
      next_step: { kind: 'level', node_id: unmanned },
    });
    expect(levels(repeated)).toEqual([
      '1 done',
      '1 skipped',
      '1 done',
      '2 current',
      '2 upcoming',
      '2 upcoming',
    ]);

    await stepAt(app, id, await nextAt(id));
    expect(await routing(id)).toMatchObject({ next_step: { kind: 'exhausted' } });
    await stepAt(app, id, await nextAt(id));
    const exhausted = await routing(id);
    expect(exhausted).toMatchObject({ state: 'exhausted', run: 2 });
    expect(exhausted).not.toHaveProperty('next_at');
    expect(exhausted).not.toHaveProperty('next_step');
  });

  test('say who may decide as of now, and keep whom a broadcast told then', async () => {
    const late = await createMember(app, organization.id, {
      displayName: 'Leaver',
      policies: REVIEWER,
    });
    const id = await ask(app, agent, { tool: 'page' });
    await stepAt(app, id, await nextAt(id));
    await app.db('memberships').where({ id: late.membershipId }).update({ status: 'suspended' });
    const joiner = await createMember(app, organization.id, {
      displayName: 'Joiner',
      policies: REVIEWER,
    });
    const members = (await routing(id))['levels']?.[2]?.['targets']?.[0]?.['members'] ?? [];
    await app.db('memberships').where({ id: joiner.membershipId }).update({ status: 'suspended' });
    expect(members.map((member) => [member['display_name'], member['can_decide']])).toEqual([
      [organization.owner.displayName, true],
      ['Ada', true],
      ['Bob', true],
      ['Leaver', false],
    ]);
    expect(members.every((member) => member['notified_at'] !== undefined)).toBe(true);
  });

  test('say unrouted without a path, with where it came from', async () => {
    const id = await ask(app, agent);
    expect(await routing(id)).toEqual({
      state: 'unrouted',
      source: 'no_escalation',
      urgency: 'standard',
      levels: [],
      added: [],
    });
  });

  test('say evaluating while the pipeline has not concluded, and nothing else', async () => {
    const id = await askUnevaluated(app, agent);
    expect(await routing(id)).toEqual({
      state: 'evaluating',
      urgency: 'standard',
      levels: [],
      added: [],
    });
  });

  test('say finished with the deciding block and its reason where a rule decided', async () => {
    const approved = await ask(app, agent, { tool: 'allow' });
    expect(await routing(approved)).toEqual({
      state: 'finished',
      source: 'pipeline',
      block_id: 'allow',
      reason: 'harmless',
      urgency: 'standard',
      levels: [],
      added: [],
    });
    const denied = await ask(app, agent, { tool: 'refuse' });
    expect(await routing(denied)).toMatchObject({
      state: 'finished',
      source: 'pipeline',
      block_id: 'refuse',
    });
  });

  test('say finished and keep the levels that were reached once a person decided', async () => {
    const id = await ask(app, agent, { tool: 'page' });
    expect((await decide(ada.http, id)).status).toBe(200);
    const body = await routing(id);
    expect(body).toMatchObject({
      state: 'finished',
      path_key: 'on-call',
      revision: 1,
      source: 'block_escalation',
      run: 1,
    });
    expect(levels(body)).toEqual(['1 done']);
    expect(body).not.toHaveProperty('next_at');
  });

  test('say finished without a source for what ended before the pipeline concluded', async () => {
    const id = await askUnevaluated(app, agent);
    expect((await adapterOf(app, agent).delete(`/api/aap/v1/requests/${id}`)).status).toBe(200);
    expect(await routing(id)).toEqual({
      state: 'finished',
      urgency: 'standard',
      levels: [],
      added: [],
    });
  });

  test('stay with the revision the request was routed to', async () => {
    const nodes = [
      { id: randomUUID(), type: 'level', targets: [{ type: 'broadcast' }], escalate_after: '10m' },
    ];
    await activatePath(organization.owner, { path_key: 'renamed', name: 'Before', nodes });
    const other = await createAgent(app, organization);
    await activatePipeline(organization.owner, `agents/${other.slug}`, {
      default_escalation_path: 'renamed',
      blocks: [],
    });
    const id = await ask(app, other);
    const created = await organization.owner.http.post(
      '/api/v1/escalation-paths/renamed/revisions',
      { name: 'After', nodes },
    );
    expect(created.status).toBe(201);
    const activate = '/api/v1/escalation-paths/renamed/revisions/2/activate';
    expect(
      (await organization.owner.http.post(activate, undefined, { headers: { 'if-match': '"1"' } }))
        .status,
    ).toBe(200);
    expect(await routing(id)).toMatchObject({
      path_name: 'Before',
      revision: 1,
      source: 'pipeline_default',
    });
  });

  test('list every event of the request and no other, oldest first', async () => {
    await ask(app, agent, { tool: 'page' });
    const id = await ask(app, agent, { tool: 'page' });
    await stepAt(app, id, await nextAt(id));
    await decide(ada.http, id, { status: 'denied', note: 'not today' });
    const answer = await bob.http.get(`/api/v1/requests/${id}/timeline`);
    expect(answer.status).toBe(200);
    const events = answer.body['events'] ?? [];
    expect(events.map((event) => event['event_type'])).toEqual([
      'approval_request.created',
      'approval_request.pipeline_concluded',
      'approval_request.routed',
      'approval_request.level_notified',
      'approval_request.level_skipped',
      'approval_request.level_notified',
      'approval_request.level_notified',
      'approval_request.level_notified',
      'approval_request.denied',
    ]);
    const sequences = events.map((event) => Number(event['sequence']));
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(
      events.every(
        (event) =>
          String(event['subject_id']) === id &&
          String(event['organization_id']) === organization.id,
      ),
    ).toBe(true);
    expect(events[0]).toMatchObject({
      actor_type: 'agent',
      actor_id: agent.slug,
      data: { tool: 'page' },
    });
    expect(events[3]).toMatchObject({
      actor_type: 'system',
      data: { membership_id: ada.membershipId, node_id: first, run: 1 },
    });
    expect(events[3]).not.toHaveProperty('actor_id');
    const data = { channel: 'api', actor_api_key_id: ada.apiKeyId };
    expect(events[8]).toMatchObject({
      actor_type: 'api_key',
      actor_id: ada.membershipId,
      actor_display_name: 'Ada',
      data,
    });
  });

  test.each(['routing', 'timeline'])(
    '%s follows the visibility of the request itself',
    async (view) => {
      const narrow = randomUUID();
      const key = `narrow-${view}`;
      await activatePath(organization.owner, {
        path_key: key,
        name: 'Ada alone',
        nodes: [
          {
            id: narrow,
            type: 'level',
            targets: [{ type: 'user', id: ada.membershipId }],
            escalate_after: '10m',
          },
        ],
      });
      const other = await createAgent(app, organization);
      await activatePipeline(organization.owner, `agents/${other.slug}`, {
        default_escalation_path: key,
        blocks: [],
      });
      const id = await ask(app, other);
      const path = `/api/v1/requests/${id}/${view}`;
      expect((await ada.browser.get(path)).status).toBe(200);
      expect(await bob.http.get(path)).toMatchObject({
        status: 403,
        body: { error: { code: 'request_not_routed' } },
      });
      const stranger = await createMember(app, organization.id);
      expect(await stranger.http.get(path)).toMatchObject({
        status: 403,
        body: { error: { code: 'permission_denied' } },
      });
      const { owner: foreign } = await createOrganization(app);
      expect(await foreign.http.get(path)).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
      expect((await ada.http.get(`/api/v1/requests/${randomUUID()}/${view}`)).status).toBe(404);
      expect((await ada.http.get(`/api/v1/requests/nonsense/${view}`)).status).toBe(404);
      expect((await adapterOf(app, other).get(path)).status).toBe(403);
      expect((await app.http.get(path)).status).toBe(401);
    },
  );

  test('a request past its deadline is shown finished, and expired in the timeline', async () => {
    const id = await ask(app, agent, { tool: 'page' });
    await stepAt(app, id, await deadlineOf(app, id));
    expect(await routing(id)).toMatchObject({ state: 'finished' });
    const events =
      (await organization.owner.http.get(`/api/v1/requests/${id}/timeline`)).body['events'] ?? [];
    expect(events.at(-1)).toMatchObject({
      event_type: 'approval_request.expired',
      actor_type: 'system',
    });
  });
});
