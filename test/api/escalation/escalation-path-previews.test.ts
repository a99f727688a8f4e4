/** The schedule of a path over HTTP. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  activatePath,
  activatePolicy,
  createMember,
  createOrganization,
  createTeam,
} from '../../support/scene/factories.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';
import { issuesOf } from '../../support/scene/request-approval-pipelines.ts';

const URL = '/api/v1/escalation-paths/preview';
const LEVEL = '11111111-1111-4111-8111-111111111111';
const DEFER = '22222222-2222-4222-8222-222222222222';
const LAST = '33333333-3333-4333-8333-333333333333';
/** A Friday, 17:00 in Berlin; clocks go forward on Sunday. */
const FRIDAY = '2026-03-27T16:00:00Z';

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;
let ada: TestMember;

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  owner = organization.owner;
  ada = await createMember(app, organization.id, { displayName: 'Ada' });
});

afterAll(async () => {
  await app.close();
});

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
  test('says when each level would fire, whom it would ask, and what clocks show then; nothing is written', async () => {
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
    expect(answer.body).toEqual({
      starts_at: '2026-03-27T16:00:00.000Z',
      truncated: false,
      steps: [
        {
          at: '2026-03-27T16:00:00.000Z',
          kind: 'level_notified',
          node_id: LEVEL,
          run: 1,
          targets: [user],
          until: '2026-03-27T17:00:00.000Z',
          local_times: berlin('2026-03-27T17:00:00.000+01:00'),
        },
        {
          at: '2026-03-27T17:00:00.000Z',
          kind: 'deferred',
          node_id: DEFER,
          run: 1,
          targets: [],
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

  test('names the repeats and the end of a team’s policy otherwise than those of the path', async () => {
    const teamId = await createTeam(app, organization.id, { members: [ada] });
    const inner = level(LEVEL, [{ type: 'broadcast' }], { escalate_after: '5m' });
    await activatePolicy(owner, teamId, { nodes: [inner], repeat: { times: 1, after: '5m' } });
    const outer = level(LAST, [{ type: 'team', id: teamId }], { escalate_after: '30m' });
    const answer = await preview({
      document: document([outer], { repeat: { times: 1, after: '10m' } }),
    });
    const run = [
      'level_notified',
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

  test('takes a revision too, active or not, and goes by the active policies of teams', async () => {
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
    expect(
      steps(answer).map(({ at, kind, team, targets }) => ({ at, kind, team, targets })),
    ).toEqual([
      {
        at: '2026-03-27T16:00:00.000Z',
        kind: 'level_notified',
        targets: [{ type: 'team', id: teamId, name: 'Payments' }],
      },
      {
        at: '2026-03-27T16:00:00.000Z',
        kind: 'level_notified',
        team: { id: teamId, name: 'Payments', node_id: LEVEL, run: 1 },
        targets: [{ type: 'user', id: ada.membershipId, name: 'Ada' }],
      },
      {
        at: '2026-03-27T16:10:00.000Z',
        kind: 'level_notified',
        team: { id: teamId, name: 'Payments', node_id: LAST, run: 1 },
        targets: [{ type: 'broadcast' }],
      },
      { at: '2026-03-27T16:30:00.000Z', kind: 'path_exhausted', targets: [] },
    ]);
    expect(await preview({ path_key: 'weekend', revision: 2 })).toMatchObject({ status: 404 });
    expect(await preview({ path_key: 'nowhere', revision: 1 })).toMatchObject({ status: 404 });
  });

  test('takes the branch the request would take', async () => {
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
      steps(await preview({ document: document([branch]), ...more }))[0]?.['node_id'];
    const call = (amount: number) => ({
      request: { tool: 'refund', arguments: { amount } },
      agent: { slug: 'bot', name: 'Bot' },
    });
    expect([await first(call(101)), await first(call(100)), await first({})]).toEqual([
      LEVEL,
      LAST,
      LAST,
    ]);
  });

  test('lets urgent requests pass deferrals for standard ones, and starts now unless told otherwise', async () => {
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

  test('of a path that goes on for longer than anybody reads is cut', async () => {
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
    ['a path without revision', () => ({ path_key: 'weekend' }), '/document'],
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

  test('does not stand in the way of a path that is called preview', async () => {
    await activatePath(owner, {
      path_key: 'preview',
      ...document([level(LEVEL, [{ type: 'broadcast' }])]),
    });
    expect((await owner.http.get('/api/v1/escalation-paths/preview/revisions')).status).toBe(200);
    expect((await preview({ path_key: 'preview', revision: 1 })).status).toBe(200);
    expect((await owner.http.delete('/api/v1/escalation-paths/preview')).status).toBe(204);
  });
});
