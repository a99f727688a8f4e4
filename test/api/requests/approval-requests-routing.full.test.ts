/**
 * The routing view: who is asked, who was and who comes next; and the timeline. Tests drive
 * escalation step by step.
 */
import { describe, expect, test } from '@jest/globals';
import type { Json } from '../../support/http.ts';
import { refused } from '../../support/refusals.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import type { TestMember } from '../../support/scene/factories.ts';

const block = (id: string, config: Readonly<Record<string, unknown>>) => {
  const when = { id: `tool-${id}`, field: '/request/tool', operator: 'equals', value: id };
  return { id, name: id, type: 'cel', config: { when, ...config } };
};

const { app, organization, owner, people, agents, nodes, ...verbs } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, sue: { can: REVIEWER, status: 'suspended' } },
  paths: {
    'on-call': {
      name: 'On call',
      nodes: [['ada'], ['sue'], ['everyone']],
      repeat: { times: 1, after: '5m' },
    },
  },
  pipelines: {
    bot: {
      blocks: [
        block('page', { on_match: 'human', escalation_path: 'on-call', reason: 'needs a person' }),
        block('allow', { on_match: 'approve', reason: 'harmless' }),
        block('refuse', { on_match: 'deny', reason: 'never' }),
      ],
    },
  },
});
const { ask, askOn, withdraw, decide, later, person, routing, timeline, deadlineOf } = verbs;
const { ada, bob, sue: suspended } = people;
const [first = '', unmanned, last] = nodes['on-call'] ?? [];

describe('routing and timeline of a request', () => {
  const levels = (body: Json) =>
    (body['levels'] ?? []).map((level) => `${String(level['run'])} ${String(level['status'])}`);

  test('at the first level show who was notified when, and who comes later', async () => {
    const id = await ask({ tool: 'page' });
    const body = (await ada.http.get(`/api/v1/requests/${id}/routing`)).body;
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
          planned_at: escalateAt,
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
          planned_at: expect.any(String),
          targets: [
            {
              type: 'broadcast',
              members: [owner, ada, bob].map((member) => who(member, { can_decide: true })),
            },
          ],
        },
      ],
      added: [],
    });
  });

  test('follow escalation over a skipped level, into the next run and to its end', async () => {
    const id = await ask({ tool: 'page', timeout: '24h' });
    await later(id);
    const escalated = await routing(id);
    expect(levels(escalated)).toEqual(['1 done', '1 skipped', '1 current']);
    const nextRun = escalated['next_step']?.['at'];
    expect(escalated).toMatchObject({
      state: 'waiting',
      next_at: nextRun,
      next_step: { kind: 'repeat', at: nextRun },
    });
    expect(escalated['levels']?.[1]).not.toHaveProperty('notified_at');
    expect(escalated['levels']?.[2]?.['targets']?.[0]?.['members']).toHaveLength(3);

    await later(id);
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

    await later(id);
    expect(await routing(id)).toMatchObject({ next_step: { kind: 'exhausted' } });
    await later(id);
    const exhausted = await routing(id);
    expect(exhausted).toMatchObject({ state: 'exhausted', run: 2 });
    expect(exhausted).not.toHaveProperty('next_at');
    expect(exhausted).not.toHaveProperty('next_step');
  });

  test('show who may decide now, and keep the people that a broadcast notified', async () => {
    const late = await person({
      displayName: 'Leaver',
      can: REVIEWER,
    });
    const id = await ask({ tool: 'page' });
    await later(id);
    await app.db('memberships').where({ id: late.membershipId }).update({ status: 'suspended' });
    const joiner = await person({
      displayName: 'Joiner',
      can: REVIEWER,
    });
    const members = (await routing(id))['levels']?.[2]?.['targets']?.[0]?.['members'] ?? [];
    await app.db('memberships').where({ id: joiner.membershipId }).update({ status: 'suspended' });
    expect(members.map((member) => [member['display_name'], member['can_decide']])).toEqual([
      [owner.displayName, true],
      ['Ada', true],
      ['Bob', true],
      ['Leaver', false],
    ]);
    expect(members.every((member) => member['notified_at'] !== undefined)).toBe(true);
  });

  test('say unrouted without a path, with the source', async () => {
    const id = await ask();
    expect(await routing(id)).toEqual({
      state: 'unrouted',
      source: 'no_escalation',
      urgency: 'standard',
      levels: [],
      added: [],
    });
  });

  test('say only evaluating during evaluation', async () => {
    const id = await ask({ evaluated: false });
    expect(await routing(id)).toEqual({
      state: 'evaluating',
      urgency: 'standard',
      levels: [],
      added: [],
    });
  });

  test('say finished with the deciding block and its reason when a rule decided', async () => {
    const approved = await ask({ tool: 'allow' });
    expect(await routing(approved)).toEqual({
      state: 'finished',
      source: 'pipeline',
      block_id: 'allow',
      reason: 'harmless',
      urgency: 'standard',
      levels: [],
      added: [],
    });
    const denied = await ask({ tool: 'refuse' });
    expect(await routing(denied)).toMatchObject({
      state: 'finished',
      source: 'pipeline',
      block_id: 'refuse',
    });
  });

  test('say finished and keep the reached levels when a person decided', async () => {
    const id = await ask({ tool: 'page' });
    expect((await decide(ada, id)).status).toBe(200);
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

  test('say finished without a source when the request ended during evaluation', async () => {
    const id = await ask({ evaluated: false });
    await withdraw(id);
    expect(await routing(id)).toEqual({
      state: 'finished',
      urgency: 'standard',
      levels: [],
      added: [],
    });
  });

  test('list every event of the request and no other, oldest first', async () => {
    await ask({ tool: 'page' });
    const id = await ask({ tool: 'page' });
    await later(id);
    await decide(ada, id, { status: 'denied', note: 'not today' });
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
      actor_id: agents.bot.slug,
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
      const id = await askOn([['ada']]);
      const path = `/api/v1/requests/${id}/${view}`;
      expect((await ada.browser.get(path)).status).toBe(200);
      expect(await bob.http.get(path)).toMatchObject(refused(403, 'request_not_routed'));
    },
  );

  test('a request past its deadline is shown finished, and expired in the timeline', async () => {
    const id = await ask({ tool: 'page' });
    await later(id, await deadlineOf(id));
    expect(await routing(id)).toMatchObject({ state: 'finished' });
    const events = await timeline(id);
    expect(events.at(-1)).toMatchObject({
      event_type: 'approval_request.expired',
      actor_type: 'system',
    });
  });
});
