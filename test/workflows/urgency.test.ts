/** A level that raises the urgency, on a real Temporal server with its clock moved. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { courseOf, detailsOf, timerSummariesOf, type Names } from '../support/scene/courses.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
} from '../support/scene/factories.ts';
import type { Policy, TestMember, TestOrganization } from '../support/scene/factories.ts';
import { ask, decide, handleOf, waiting } from '../support/temporal.ts';
import { fastForward } from '../support/time-skipping.ts';

const HOUR_MS = 3_600_000;
const REVIEWER: Policy[] = [
  { scope_kind: 'organization', permissions: ['request.read', 'request.decide'] },
];

let app: TestApp;
let organization: TestOrganization;
let ada: TestMember;
let ben: TestMember;
let cleo: TestMember;

beforeAll(async () => {
  app = await startApp({ temporal: true });
  organization = await createOrganization(app);
  const person = (displayName: string) =>
    createMember(app, organization.id, { displayName, policies: REVIEWER });
  [ada, ben, cleo] = [await person('Ada'), await person('Ben'), await person('Cleo')];
});

afterAll(async () => {
  await app.close();
});

const level = (id: string, { membershipId }: TestMember, more: object = {}) => ({
  id,
  type: 'level',
  targets: [{ type: 'user', id: membershipId }],
  escalate_after: '1h',
  ...more,
});

const ids = {
  ...{
    choice: randomUUID(),
    quiet: randomUUID(),
    loud: randomUUID(),
    hours: randomUUID(),
    raising: randomUUID(),
  },
  ...{
    again: randomUUID(),
    urgent: randomUUID(),
    calm: randomUUID(),
    later: randomUUID(),
    end: randomUUID(),
  },
};
const names: Names = Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name]));

/** Two runs. Branches ask Cleo for an urgent request and Ada for others. Urgent requests skip both waits for the office. */
function pathThatRaises(opens: Date): Readonly<Record<string, unknown>> {
  const clock = (at: Date) => at.toISOString().slice(11, 16);
  const weekday = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][opens.getUTCDay()];
  const interval = {
    weekdays: [weekday],
    start: clock(opens),
    end: clock(new Date(opens.getTime() + 120_000)),
  };
  const urgent = [{ type: 'urgency', urgency: 'interrupt' }];
  const hours = (id: string) => ({
    id,
    type: 'defer',
    working_hours_id: 'office',
    standard_only: true,
  });
  return {
    working_hours: [{ id: 'office', name: 'Office', timezone: 'UTC', intervals: [interval] }],
    nodes: [
      {
        id: ids.choice,
        type: 'if_else',
        conditions: urgent,
        then: [level(ids.loud, cleo)],
        else: [level(ids.quiet, ada)],
      },
      hours(ids.hours),
      level(ids.raising, ben, { raise_urgency: true }),
      {
        id: ids.again,
        type: 'if_else',
        conditions: urgent,
        then: [level(ids.urgent, cleo)],
        else: [level(ids.calm, ada)],
      },
      hours(ids.later),
      level(ids.end, ada),
    ],
    repeat: { times: 1, after: '1h' },
  };
}

interface Shown {
  readonly levels: readonly {
    readonly node_id: string;
    readonly run: number;
    readonly status: string;
  }[];
}

/** The routing view's levels by name, with their status. */
async function levelsShown(id: string): Promise<string[]> {
  const { levels } = (await organization.owner.http.get(`/api/v1/requests/${id}/routing`))
    .body as unknown as Shown;
  return levels.map(({ node_id, run, status }) => `${names[node_id] ?? node_id} ${run} ${status}`);
}

/** The urgency in the row and in the routing view. */
async function urgencies(id: string): Promise<unknown[]> {
  const row = await app.db('approval_requests').where({ id }).first<{ urgency: string }>('urgency');
  return [row.urgency, (await ada.http.get(`/api/v1/requests/${id}/routing`)).body['urgency']];
}

test('a raised urgency changes every later branch and deferral, in this run and the next', async () => {
  // The office opens in six hours, for two minutes, and again a week later.
  const opens = new Date(Math.ceil((Date.now() + 6 * HOUR_MS) / 60_000) * 60_000);
  const agent = await createAgent(app, organization);
  await activatePath(organization.owner, {
    path_key: agent.slug,
    name: 'Raising',
    ...pathThatRaises(opens),
  });
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    blocks: [],
    default_escalation_path: agent.slug,
  });
  const id = await ask(app, agent, { timeout: '48h' });
  await waiting(app, id);
  expect(await urgencies(id)).toEqual(['standard', 'standard']);
  // The levels ahead are those of an urgent request: that is what it will be then.
  expect(await levelsShown(id)).toEqual([
    'quiet 1 current',
    'raising 1 upcoming',
    'urgent 1 upcoming',
    'end 1 upcoming',
  ]);

  await fastForward(app, id, 1.5);
  expect(await courseOf(app, id, names)).toEqual([
    '0 level_notified Ada at quiet 1',
    '60 deferred at hours 1',
  ]);
  expect((await timerSummariesOf(app, id)).at(-1)).toContain(
    `deferred until ${opens.toISOString()}, run 1 of 2`,
  );
  expect(await urgencies(id)).toEqual(['standard', 'standard']);
  expect((await organization.owner.http.get(`/api/v1/requests/${id}/routing`)).body).toMatchObject({
    state: 'deferred',
  });

  await fastForward(app, id, (opens.getTime() - Date.now()) / HOUR_MS - 1.5 + 0.5);
  expect((await courseOf(app, id, names, { from: opens })).slice(2)).toEqual([
    '0 urgency_raised at raising 1',
    '0 level_notified Ben at raising 1',
  ]);
  expect(await urgencies(id)).toEqual(['interrupt', 'interrupt']);
  expect(await levelsShown(id)).toEqual([
    'quiet 1 done',
    'raising 1 current',
    'urgent 1 upcoming',
    'end 1 upcoming',
  ]);
  expect(await detailsOf(app, id)).toMatch(/level 3 of 6, run 1 of 2, urgent$/m);

  await fastForward(app, id, 9);
  expect((await courseOf(app, id, names, { from: opens })).slice(2)).toEqual([
    '0 urgency_raised at raising 1',
    '0 level_notified Ben at raising 1',
    '60 level_notified Cleo at urgent 1',
    '120 level_notified Ada at end 1',
    '240 path_repeated at choice 2',
    '240 level_notified Cleo at loud 2',
    '300 level_notified Ben at raising 2',
    '360 level_notified Cleo at urgent 2',
    '420 level_notified Ada at end 2',
    '480 path_exhausted at end 2',
  ]);
  expect(await levelsShown(id)).toEqual([
    ...['quiet 1 done', 'raising 1 done', 'urgent 1 done', 'end 1 done'],
    ...['loud 2 done', 'raising 2 done', 'urgent 2 done', 'end 2 done'],
  ]);
  const timeline = (await ada.http.get(`/api/v1/requests/${id}/timeline`)).body as unknown as {
    readonly events: readonly { readonly event_type: string; readonly data: object }[];
  };
  const raised = timeline.events.filter(
    ({ event_type }) => event_type === 'approval_request.urgency_raised',
  );
  expect(raised.map(({ data }) => data)).toEqual([
    { path_key: agent.slug, node_id: ids.raising, run: 1 },
  ]);
  await decide(ada, id);
  expect(await handleOf(app, id).result()).toMatchObject({ status: 'approved' });
});
