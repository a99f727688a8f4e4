/** Six days of escalation on a real Temporal server, with a new worker for every step of the first run. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import { WEEKDAYS } from '../../src/domain/escalation/weekly-hours.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../support/scene/factories.ts';
import {
  ask,
  eventsOf,
  handleOf,
  notificationsOf,
  timelineOf,
  typesOf,
  waiting,
} from '../support/temporal.ts';
import { until } from '../support/waiting.ts';
import { fastForward } from '../support/clocks/time-skipping.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let app: TestApp;
let organization: TestOrganization;
let people: readonly [TestMember, TestMember, TestMember];

beforeAll(async () => {
  app = await startApp({ temporal: true });
  organization = await createOrganization(app);
  const policies = [
    {
      scope_kind: 'organization',
      permissions: ['request.read', 'request.decide', 'request.claim'],
    },
  ] as const;
  const person = (displayName: string) =>
    createMember(app, organization.id, { policies, displayName });
  people = [await person('Ada'), await person('Ben'), await person('Cleo')];
  await app
    .db('organizations')
    .where({ id: organization.id })
    .update({ claim_timeout_seconds: 12 * 3_600 });
});

afterAll(async () => {
  await app.close();
});

const level = (targets: readonly object[], wait: string, more: object = {}) => ({
  id: randomUUID(),
  type: 'level',
  targets,
  escalate_after: wait,
  ...more,
});
const named = (member: TestMember) => [{ type: 'user', id: member.membershipId }];

/** Working hours with two days off, from eight hours from now on, and when these days end. */
function weekend(): { readonly workingHours: object; readonly end: Date } {
  const off = Math.floor((Date.now() + 8 * HOUR_MS) / DAY_MS);
  const isOff = (weekday: number) => [off, off + 1].some((day) => (day + 3) % 7 === weekday);
  const weekdays = WEEKDAYS.filter((_, weekday) => !isOff(weekday));
  const workingHours = {
    id: 'week',
    name: 'Week',
    timezone: 'UTC',
    intervals: [{ weekdays, start: '00:00', end: '24:00' }],
  };
  return { workingHours, end: new Date((off + 2) * DAY_MS) };
}

async function agentOn(nodes: readonly object[], more: object = {}): Promise<TestAgent> {
  const agent = await createAgent(app, organization);
  await activatePath(organization.owner, { path_key: agent.slug, name: 'Long', nodes, ...more });
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    blocks: [],
    default_escalation_path: agent.slug,
  });
  return agent;
}

/** The timeline from the hand-over on, in minutes from an instant. A new worker takes seconds, so they are rounded. */
async function course(id: string, since: Date): Promise<string[]> {
  return (await timelineOf(app, id)).slice(2).map(({ type, data, at }) => {
    const minutes = Math.round((at.getTime() - since.getTime()) / (5 * MINUTE_MS)) * 5;
    const who = data['display_name'];
    return `${minutes} ${type.replace('approval_request.', '')}${typeof who === 'string' ? ` ${who}` : ''}`;
  });
}

/** When the next thing is due. */
async function nextInstant(id: string): Promise<Date> {
  const { rows } = await app.db.raw<{ rows: { at: Date }[] }>(
    `select least(deadline_at, coalesce((select expires_at from claims where request_id = r.id and ended_at is null), next_at)) as at
       from approval_requests r where id = :id`,
    { id },
  );
  return rows[0]?.at ?? new Date(Number.NaN);
}

async function timerSummaries(id: string): Promise<string[]> {
  return (await eventsOf(app, id)).flatMap(({ userMetadata, timerStartedEventAttributes }) =>
    timerStartedEventAttributes
      ? [
          userMetadata?.summary
            ? String(defaultPayloadConverter.fromPayload(userMetadata.summary))
            : '',
        ]
      : [],
  );
}

const timers = async (id: string) =>
  typesOf(await eventsOf(app, id)).filter((type) => type === 'TimerStarted').length;

/** A request on the path. The second person claims it once notified and never comes back. */
async function livedThrough(
  agent: TestAgent,
  around: (forward: () => Promise<void>) => Promise<void>,
): Promise<string> {
  const id = await ask(app, agent, { timeout: '168h' });
  await waiting(app, id);
  let clock = Date.now();
  let claimed = false;
  for (let steps = 1; steps < 40; steps += 1) {
    const to = (await nextInstant(id)).getTime() + MINUTE_MS;
    const before = await timers(id);
    await around(() => fastForward(app, id, (to - clock) / HOUR_MS));
    clock = to;
    const row = await app.db('approval_requests').where({ id }).first<{ state: string }>('state');
    if (row?.state !== 'pending') {
      await handleOf(app, id).result();
      return id;
    }
    await until('the next timer', async () => (await timers(id)) > before);
    if (claimed || (await notificationsOf(app, id)).length < 2) continue;
    claimed = true;
    const planned = await timers(id);
    expect((await people[1].http.post(`/api/v1/requests/${id}/claim`)).status).toBe(200);
    await until('the pause', async () => (await timers(id)) > planned);
  }
  throw new Error('the request does not end');
}

describe('a path of six days, with a weekend, two repeats and a claim', () => {
  let agent: TestAgent;
  let monday: Date;
  /** In minutes from the end of the weekend. The claim lapses after twelve hours; the overdue third level follows at once. */
  const expected = [
    'routed',
    'level_notified Ada',
    'deferred',
    '0 level_notified Ben',
    '0 claimed Ben',
    '720 claim_lapsed Ben',
    '720 level_notified Cleo',
    '1560 path_repeated',
    '1560 level_notified Ada',
    '2040 level_notified Ben',
    '2520 level_notified Cleo',
    '3360 path_repeated',
    '3360 level_notified Ada',
    '3840 level_notified Ben',
    '4320 level_notified Cleo',
    '4800 path_exhausted',
    'expired',
  ];
  const seen = async (id: string) =>
    (await course(id, monday)).map((line, n) =>
      n < 3 || n === 16 ? line.replace(/^-?\d+ /, '') : line,
    );

  beforeAll(async () => {
    const { workingHours, end } = weekend();
    monday = end;
    const nodes = [
      level(named(people[0]), '8h'),
      { id: randomUUID(), type: 'defer', working_hours_id: 'week' },
      level(named(people[1]), '8h'),
      level(named(people[2]), '8h'),
    ];
    agent = await agentOn(nodes, {
      working_hours: [workingHours],
      repeat: { times: 2, after: '6h' },
    });
  });

  test('has its course, and the operator reads what it waits for, while a new worker takes over at every step', async () => {
    const whole = app;
    const taskQueue = `long-paths-${process.pid}`;
    const more = { temporal: true, databaseUrl: whole.databaseUrl, taskQueue };
    app = await startApp({ ...more, worker: false });
    let worker = await startApp(more);
    /** A level, a deferral, a claim, its end and a repeat: every kind of step. */
    let takeovers = 5;
    let id: string;
    try {
      id = await livedThrough(agent, async (forward) => {
        if (takeovers === 0) return await forward();
        takeovers -= 1;
        await worker.close();
        const moved = forward();
        worker = await startApp(more);
        await moved;
      });
      expect(await seen(id)).toEqual(expected);
      expect(takeovers).toBe(0);
      const summaries = await timerSummaries(id);
      expect(summaries[0]).toContain('level 1 of 3, run 1 of 3');
      expect(summaries[1]).toContain(`deferred until ${monday.toISOString()}, run 1 of 3`);
      expect(summaries.some((summary) => summary.startsWith('claimed by Ben until'))).toBe(true);
    } finally {
      await worker.close();
      await app.close();
      app = whole;
    }
  });
});
