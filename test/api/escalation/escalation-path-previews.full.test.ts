/** The preview of a path over HTTP. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { scene } from '../../support/scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  activatePolicy,
  createAgent,
  createMember,
  createOrganization,
  createTeam,
} from '../../support/scene/factories.ts';
import { issuesOf } from '../../support/refusals.ts';

const URL = '/api/v1/escalation-paths/preview';
const LEVEL = '11111111-1111-4111-8111-111111111111';
const DEFER = '22222222-2222-4222-8222-222222222222';
const LAST = '33333333-3333-4333-8333-333333333333';
/** A Friday, 17:00 in Berlin; clocks go forward on Sunday. */
const FRIDAY = '2026-03-27T16:00:00Z';

const { app, organization, owner, people } = await scene({
  people: { ada: ['request.decide'] },
});
const { ada } = people;

const level = (id: string, targets: readonly object[], more: object = {}) => ({
  id,
  type: 'level',
  targets,
  escalate_after: '1h',
  ...more,
});
const document = (nodes: readonly object[], more: object = {}) => ({
  name: 'Weekend',
  working_hours: [
    {
      id: 'office',
      name: 'Office',
      timezone: 'Europe/Berlin',
      intervals: [{ weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:30' }],
    },
  ],
  nodes,
  ...more,
});
const preview = (body: object) => owner.http.post(URL, { starts_at: FRIDAY, ...body });
const steps = (answer: { body: unknown }) =>
  (answer.body as { steps: Record<string, unknown>[] }).steps;

/** Its condition exceeds the work budget on `COSTLY_ARGUMENTS`. */
const costlyBranch = {
  id: DEFER,
  type: 'if_else',
  conditions: [
    {
      type: 'request',
      when: {
        id: 'outer',
        every: {
          field: '/request/arguments/v',
          condition: {
            id: 'inner',
            every: {
              field: '/request/arguments/v',
              condition: { id: 'leaf', field: '/item', operator: 'exists' },
            },
          },
        },
      },
    },
  ],
  then: [level(LEVEL, [{ type: 'broadcast' }])],
  else: [level(LAST, [{ type: 'broadcast' }])],
};
const COSTLY_ARGUMENTS = { v: Array.from({ length: 1_000 }, () => 1) };

async function rows(): Promise<unknown> {
  const tables = [
    'escalation_paths',
    'escalation_path_revisions',
    'escalation_path_targets',
    'audit_events',
  ];
  return await Promise.all(tables.map(async (table) => await app.db(table).count()));
}

describe('the preview of a path', () => {
  test('says when each level would fire, the people it would notify, and the local times, and writes nothing', async () => {
    const nodes = [
      level(LEVEL, [{ type: 'user', id: ada.membershipId }]),
      { id: DEFER, type: 'defer', working_hours_id: 'office' },
      level(LAST, [{ type: 'broadcast' }], { raise_urgency: true }),
    ];
    const before = await rows();
    const answer = await preview({ document: document(nodes) });
    expect(answer.status).toBe(200);
    const berlin = (at: string) => [{ timezone: 'Europe/Berlin', at }];
    const user = { type: 'user', id: ada.membershipId, name: 'Ada' };
    const everyone = expect.arrayContaining([
      { membership_id: ada.membershipId, display_name: 'Ada' },
      { membership_id: owner.membershipId, display_name: expect.any(String) },
    ]);
    expect(answer.body).toEqual({
      warnings: [],
      starts_at: '2026-03-27T16:00:00.000Z',
      truncated: false,
      steps: [
        {
          at: '2026-03-27T16:00:00.000Z',
          kind: 'level_notified',
          node_id: LEVEL,
          run: 1,
          targets: [user],
          members: [{ membership_id: ada.membershipId, display_name: 'Ada' }],
          until: '2026-03-27T17:00:00.000Z',
          local_times: berlin('2026-03-27T17:00:00.000+01:00'),
        },
        {
          at: '2026-03-27T17:00:00.000Z',
          kind: 'deferred',
          node_id: DEFER,
          run: 1,
          targets: [],
          working_hours_id: 'office',
          until: '2026-03-30T07:00:00.000Z',
          local_times: berlin('2026-03-27T18:00:00.000+01:00'),
        },
        {
          at: '2026-03-30T07:00:00.000Z',
          kind: 'urgency_raised',
          node_id: LAST,
          run: 1,
          targets: [],
          local_times: berlin('2026-03-30T09:00:00.000+02:00'),
        },
        {
          at: '2026-03-30T07:00:00.000Z',
          kind: 'level_notified',
          node_id: LAST,
          run: 1,
          targets: [{ type: 'broadcast' }],
          members: everyone,
          until: '2026-03-30T08:00:00.000Z',
          local_times: berlin('2026-03-30T09:00:00.000+02:00'),
        },
        {
          at: '2026-03-30T08:00:00.000Z',
          kind: 'path_exhausted',
          node_id: LAST,
          run: 1,
          targets: [],
          local_times: berlin('2026-03-30T10:00:00.000+02:00'),
        },
      ],
    });
    expect(await rows()).toEqual(before);
  });

  test('names the repeats and the end of a team’s policy differently from those of the path', async () => {
    const teamId = await createTeam(app, organization.id, { members: [ada] });
    const inner = level(LEVEL, [{ type: 'broadcast' }], { escalate_after: '5m' });
    await activatePolicy(owner, teamId, { nodes: [inner], repeat: { times: 1, after: '5m' } });
    const outer = level(LAST, [{ type: 'team', id: teamId }], { escalate_after: '30m' });
    const answer = await preview({
      document: document([outer], { repeat: { times: 1, after: '10m' } }),
    });
    const run = [
      'level_notified',
      'team_policy_repeated',
      'level_notified',
      'team_policy_exhausted',
    ];
    expect(steps(answer).map(({ kind }) => kind)).toEqual([
      ...run,
      'path_repeated',
      ...run,
      'path_exhausted',
    ]);
  });

  test('accepts a revision, or a path by its active one, and follows the active policies of teams', async () => {
    const teamId = await createTeam(app, organization.id, { name: 'Payments', members: [ada] });
    await activatePolicy(owner, teamId, {
      nodes: [
        level(LEVEL, [{ type: 'user', id: ada.membershipId }], { escalate_after: '10m' }),
        level(LAST, [{ type: 'broadcast' }]),
      ],
    });
    await activatePath(owner, {
      path_key: 'weekend',
      ...document([level(LEVEL, [{ type: 'team', id: teamId }], { escalate_after: '30m' })]),
    });
    const answer = await preview({ path_key: 'weekend', revision: 1 });
    const inside = { path_key: 'weekend', node_id: LEVEL, run: 1, team_id: teamId, team_run: 1 };
    const members = [{ membership_id: ada.membershipId, display_name: 'Ada' }];
    expect(answer.body).toMatchObject({
      steps: [
        {
          ...inside,
          at: '2026-03-27T16:00:00.000Z',
          kind: 'level_notified',
          team_name: 'Payments',
          team_node_id: LEVEL,
          targets: [{ type: 'user', id: ada.membershipId, name: 'Ada' }],
          members,
        },
        {
          ...inside,
          at: '2026-03-27T16:10:00.000Z',
          kind: 'level_notified',
          team_node_id: LAST,
          targets: [{ type: 'broadcast' }],
          members,
        },
        { at: '2026-03-27T16:30:00.000Z', kind: 'path_exhausted', node_id: LEVEL, targets: [] },
      ],
    });
    expect(steps(await preview({ path_key: 'weekend' }))).toEqual(steps(answer));
    expect(await preview({ path_key: 'weekend', revision: 2 })).toMatchObject({ status: 404 });
    expect(await preview({ path_key: 'nowhere', revision: 1 })).toMatchObject({ status: 404 });
  });

  test('takes the branch that the request would take', async () => {
    const large = {
      id: 'large',
      field: '/request/arguments/amount',
      operator: 'greater_than',
      value: 100,
    };
    const branch = {
      id: DEFER,
      type: 'if_else',
      conditions: [{ type: 'request', when: large }],
      then: [level(LEVEL, [{ type: 'broadcast' }])],
      else: [level(LAST, [{ type: 'broadcast' }])],
    };
    const first = async (more: object) =>
      steps(await preview({ document: document([branch]), ...more }))
        .slice(0, 2)
        .map((step) => [step['kind'], step['node_id'], step['branch'], step['reason']]);
    const call = (amount: number) => ({
      request: { tool: 'refund', arguments: { amount } },
      agent: { slug: 'bot', name: 'Bot' },
    });
    const least = ['branch_taken', DEFER, 'else', 'condition_not_met'];
    expect(await first(call(101))).toEqual([
      ['branch_taken', DEFER, 'then', 'conditions_met'],
      ['level_notified', LEVEL, undefined, undefined],
    ]);
    for (const more of [call(100), {}])
      expect(await first(more)).toEqual([least, ['level_notified', LAST, undefined, undefined]]);
  });

  test('says that a condition is too costly, and takes `else`', async () => {
    const answer = await preview({
      document: document([costlyBranch]),
      request: { tool: 'refund', arguments: COSTLY_ARGUMENTS },
      agent: { slug: 'bot', name: 'Bot' },
    });
    expect(steps(answer).slice(0, 3)).toMatchObject([
      { kind: 'condition_failed', node_id: DEFER, code: 'condition_too_costly' },
      {
        kind: 'branch_taken',
        node_id: DEFER,
        branch: 'else',
        reason: 'condition_failed',
        condition_index: 0,
        condition_type: 'request',
      },
      { kind: 'level_notified', node_id: LAST },
    ]);
  });

  test('has the steps of a real timeline, with the same names and fields', async () => {
    const agent = await createAgent(app, organization);
    await activatePath(owner, {
      path_key: agent.slug,
      ...document([costlyBranch]),
    });
    await activatePipeline(owner, `agents/${agent.slug}`, {
      blocks: [],
      default_escalation_path: agent.slug,
    });
    const id = await ask(app, agent, { tool: 'refund', arguments: COSTLY_ARGUMENTS });
    const { events } = (await owner.http.get(`/api/v1/requests/${id}/timeline`))
      .body as unknown as {
      events: { event_type: string; data: object }[];
    };
    const walked = events.slice(3).map(({ event_type: type, data }) => ({ type, ...data }));
    const planned = steps(
      await preview({
        path_key: agent.slug,
        request: { tool: 'refund', arguments: COSTLY_ARGUMENTS },
        agent: { slug: agent.slug, name: 'Bot' },
      }),
    );
    const fields = planned.slice(0, 3).flatMap((step) => {
      const { kind, path_key, node_id, run, code, members } = step;
      if (kind === 'branch_taken') return [];
      const said = { type: `approval_request.${String(kind)}`, path_key, node_id, run };
      if (code !== undefined) return [{ ...said, code }];
      return (members as object[]).map((member) => ({ ...said, ...member }));
    });
    expect(fields[0]).toEqual({
      type: 'approval_request.condition_failed',
      path_key: agent.slug,
      node_id: DEFER,
      run: 1,
      code: 'condition_too_costly',
    });
    expect(walked).toEqual(fields);
  });

  test('skips people who may not decide and empty teams, and warns about them', async () => {
    const cannot = await createMember(app, organization.id, { displayName: 'Eve', policies: [] });
    const empty = await createTeam(app, organization.id, { name: 'Empty', members: [] });
    const path = document([
      level(LEVEL, [{ type: 'user', id: cannot.membershipId }]),
      level(LAST, [{ type: 'team', id: empty }]),
    ]);
    const answer = await preview({ document: path });
    expect(answer.body).toMatchObject({
      steps: [
        { kind: 'level_skipped', node_id: LEVEL, reason: 'nobody_to_ask' },
        { kind: 'level_skipped', node_id: LAST, reason: 'nobody_to_ask' },
        { kind: 'path_exhausted', node_id: LAST },
      ],
      warnings: [
        { code: 'user_cannot_decide', membership_id: cannot.membershipId, display_name: 'Eve' },
        { code: 'empty_team', team_id: empty, team_name: 'Empty', count: 0, member_count: 0 },
      ],
    });
  });

  test('skips a member who turned every channel off, and warns about them', async () => {
    const silent = await createMember(app, organization.id, {
      displayName: 'Mute',
      policies: [{ scope_kind: 'organization', permissions: ['request.decide'] }],
    });
    const off = { email: false, slack: false, push: false };
    await silent.browser.call('PUT', '/api/v1/me/notification_settings', { body: off });
    const path = document([level(LEVEL, [{ type: 'user', id: silent.membershipId }])]);
    const expected = {
      steps: [{ kind: 'level_skipped', reason: 'nobody_to_ask' }, { kind: 'path_exhausted' }],
      warnings: [
        { code: 'user_has_no_channel', membership_id: silent.membershipId, display_name: 'Mute' },
      ],
    };
    expect((await preview({ document: path })).body).toMatchObject(expected);
    const agent = await createAgent(app, organization);
    const sample = {
      request: { tool: 'refund', arguments: {} },
      agent: { slug: agent.slug, name: 'Bot' },
    };
    expect((await preview({ document: path, ...sample })).body).toMatchObject(expected);
  });

  test('accepts the body that creates a path, and a revision as read', async () => {
    const body = { path_key: 'copied', ...document([level(LEVEL, [{ type: 'broadcast' }])]) };
    const written = await preview({ document: body });
    expect(steps(written)[0]).toMatchObject({ kind: 'level_notified', path_key: 'copied' });
    await activatePath(owner, body);
    const read = (await owner.http.get('/api/v1/escalation-paths/copied')).body;
    expect((await preview({ document: read })).body).toEqual(written.body);
  });

  test('lets urgent requests pass `standard_only` deferrals, and starts now by default', async () => {
    const nodes = [
      { id: DEFER, type: 'defer', working_hours_id: 'office', standard_only: true },
      level(LEVEL, [{ type: 'broadcast' }]),
    ];
    const urgent = await preview({
      document: document(nodes),
      urgency: 'interrupt',
      starts_at: '2026-03-28T16:00:00Z',
    });
    expect(steps(urgent)[0]).toMatchObject({
      kind: 'level_notified',
      at: '2026-03-28T16:00:00.000Z',
    });
    const now = await owner.http.post(URL, { document: document(nodes), urgency: 'interrupt' });
    expect(Math.abs(Date.parse(String(now.body['starts_at'])) - Date.now())).toBeLessThan(60_000);
  });

  test('is truncated for a very long path', async () => {
    const nodes = Array.from({ length: 100 }, () =>
      level(randomUUID(), [{ type: 'broadcast' }], { escalate_after: '1m' }),
    );
    const answer = await preview({
      document: document(nodes, { repeat: { times: 9, after: '1m' } }),
    });
    expect(answer.body).toMatchObject({ truncated: true });
    expect(steps(answer)).toHaveLength(500);
  });

  test.each<[string, () => object, string]>([
    [
      'a document that is wrong',
      () => ({ document: document([level(LEVEL, [])]) }),
      '/document/nodes/0/targets',
    ],
    [
      'a stranger',
      () => ({ document: document([level(LEVEL, [{ type: 'user', id: randomUUID() }])]) }),
      '/document/nodes/0/targets/0/id',
    ],
    ['null', () => ({ document: null }), '/document'],
    ['neither document nor revision', () => ({}), '/document'],
    ['both', () => ({ document: document([]), path_key: 'weekend', revision: 1 }), '/document'],
    ['a revision without path', () => ({ revision: 1 }), '/document'],
    ['a document and a revision', () => ({ document: document([]), revision: 1 }), '/document'],
    [
      'a malformed key in a create body',
      () => ({
        document: { path_key: 'No Key', ...document([level(LEVEL, [{ type: 'broadcast' }])]) },
      }),
      '/document/path_key',
    ],
    [
      'a request without agent',
      () => ({ document: document([]), request: { tool: 'x', arguments: {} } }),
      '/agent',
    ],
    [
      'a start that is no instant',
      () => ({ document: document([]), starts_at: 'tomorrow' }),
      '/starts_at',
    ],
    [
      'a start before the calendar',
      () => ({ document: document([]), starts_at: '1969-12-31T23:59:59Z' }),
      '/starts_at',
    ],
    [
      'a start beyond the calendar',
      () => ({ document: document([]), starts_at: '9999-12-31T23:59:59Z' }),
      '/starts_at',
    ],
  ])('refuses %s, naming the place', async (_, body, pointer) => {
    const answer = await preview(body());
    expect(answer.status).toBe(400);
    expect(issuesOf(answer).map((issue) => issue.pointer)).toContain(pointer);
  });

  test('of another organization has no names and no paths', async () => {
    const other = await createOrganization(app);
    await activatePath(other.owner, {
      path_key: 'theirs',
      ...document([level(LEVEL, [{ type: 'broadcast' }])]),
    });
    expect(await preview({ path_key: 'theirs', revision: 1 })).toMatchObject({ status: 404 });
    const stranger = await preview({
      document: document([level(LEVEL, [{ type: 'user', id: other.owner.membershipId }])]),
    });
    expect(stranger.status).toBe(400);
  });

  test('leaves `preview` free as the key of a path', async () => {
    await activatePath(owner, {
      path_key: 'preview',
      ...document([level(LEVEL, [{ type: 'broadcast' }])]),
    });
    expect((await owner.http.get('/api/v1/escalation-paths/preview/revisions')).status).toBe(200);
    expect((await preview({ path_key: 'preview', revision: 1 })).status).toBe(200);
    expect((await owner.http.delete('/api/v1/escalation-paths/preview')).status).toBe(204);
  });
});
