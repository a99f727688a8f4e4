/** Hours and days of escalation on a real Temporal server, whose clock is moved, and what reviewers do meanwhile. */
import { describe, expect, test } from '@jest/globals';
import { stepRequest } from '../../src/services/engine/step.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { courseOf, detailsOf, timerSummariesOf, type Names } from '../support/scene/courses.ts';
import { level, user } from '../support/scene/nodes.ts';
import {
  eventsOf,
  handleOf,
  notificationsOf,
  timelineOf,
  typesOf,
  waiting,
} from '../support/temporal.ts';
import { until } from '../support/waiting.ts';
import { fastForward } from '../support/clocks/time-skipping.ts';

const HOUR_MS = 3_600_000;

const { app, people, ...verbs } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER, ben: REVIEWER, cleo: REVIEWER, zoe: REVIEWER },
});
const { askOn, withdraw, decide, claim, release, addReviewers, verbsOf } = verbs;
/** Zoe is on no path. */
const { ada, ben, cleo, zoe } = people;
const asked = [ada, ben, cleo] as const;
await verbs.settings({ claim_timeout_seconds: 6 * 3_600 });

/** Three levels with these waits, one person each. */
const levels = (...waits: readonly string[]) =>
  asked.map((member, n) => level([user(member)], waits[n] ?? '1h'));

describe('an escalation path that takes days', () => {
  const path = { nodes: levels('8h', '12h', '16h'), repeat: { times: 1, after: '12h' } };
  const nodes = path.nodes.map(({ id }) => id);
  const begin = async (timeout = '168h'): Promise<string> => {
    const id = await askOn(path, { timeout });
    await waiting(app, id);
    return id;
  };

  async function notified(requestId: string): Promise<string[]> {
    const notifications = await notificationsOf(app, requestId);
    return notifications.map(({ stepKey, membershipId }) => {
      const level = nodes.findIndex((id) => stepKey.startsWith(id)) + 1;
      const person = asked.findIndex((member) => member.membershipId === membershipId) + 1;
      return `level ${level}, run ${stepKey.split(':')[1] ?? ''}: person ${person}`;
    });
  }

  test('notifies each person once for each level and run, repeats, is exhausted, and expires', async () => {
    const id = await begin('120h');
    await fastForward(app, id, 121);
    await handleOf(app, id).result();
    const run = (n: number) =>
      [1, 2, 3].map((level) => `level ${level}, run ${n}: person ${level}`);
    expect(await notified(id)).toEqual([...run(1), ...run(2)]);
    const levels = Array.from({ length: 3 }, () => 'level_notified');
    expect(await verbsOf(id)).toEqual([
      'created',
      'pipeline_concluded',
      'routed',
      ...levels,
      'path_repeated',
      ...levels,
      'path_exhausted',
      'expired',
    ]);
    const timeline = await timelineOf(app, id);
    const start = timeline[0]?.at.getTime() ?? 0;
    const hours = timeline
      .slice(3)
      // Steps take time, and each wait counts from the step before.
      .map(({ at }) => Math.round(((at.getTime() - start) / HOUR_MS) * 10) / 10);
    expect(hours).toEqual([0, 8, 20, 48, 48, 56, 68, 84, 120]);
    const row = await app
      .db('approval_requests')
      .where({ id })
      .first<{ state: string; wake_at: Date | null }>('state', 'wake_at');
    expect(row).toEqual({ state: 'expired', wake_at: null });
  });

  test('notifies no one twice when the workflow and the reconciler run the same step at once', async () => {
    const id = await begin();
    const floor = new Date(Date.now() + 9 * HOUR_MS);
    const steps = ['workflow', 'reconciler', 'workflow', 'reconciler'] as const;
    await Promise.all(steps.map((by) => stepRequest(app.context, id, { floor, by })));
    await stepRequest(app.context, id, { floor, by: 'workflow' });
    expect(await notified(id)).toEqual(['level 1, run 1: person 1', 'level 2, run 1: person 2']);
    expect(await verbsOf(id)).toEqual([
      'created',
      'pipeline_concluded',
      'routed',
      'level_notified',
      'level_notified',
    ]);
    // The workflow does not know of these steps. It looks after its own eight hours and finds level 2 still waiting.
    await fastForward(app, id, 8.5);
    await until(
      'a second timer',
      async () =>
        typesOf(await eventsOf(app, id)).filter((type) => type === 'TimerStarted').length === 2,
    );
    expect(await notified(id)).toHaveLength(2);
  });
});

async function signalsOf(id: string): Promise<string[]> {
  return (await eventsOf(app, id)).flatMap(
    ({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal?.signalName ? [signal.signalName] : [],
  );
}

/** Waits until the workflow's latest timer is a later one than its first and has this summary. */
async function waitsBy(id: string, summary: RegExp): Promise<void> {
  await until(`a timer ${summary.source}`, async () => {
    const [, ...later] = await timerSummariesOf(app, id);
    return summary.test(later.at(-1) ?? '');
  });
}

describe('the workflow of a request', () => {
  const hourly = { nodes: levels('1h', '1h', '1h') };
  const names: Names = Object.fromEntries(hourly.nodes.map(({ id }, n) => [id, `level ${n + 1}`]));
  const atLevelOne = async (): Promise<string> => {
    const id = await askOn(hourly);
    await waiting(app, id);
    return id;
  };

  test('waits during a claim; after its release the overdue level is notified at once, the next an hour later', async () => {
    const id = await atLevelOne();
    expect((await claim(ada, id)).status).toBe(200);
    await waitsBy(id, /^claimed by Ada until /);
    expect(await detailsOf(app, id)).toContain('claimed by Ada until ');
    await fastForward(app, id, 2.5);
    expect(await courseOf(app, id, names)).toEqual([
      '0 level_notified Ada at level 1 1',
      '0 claimed Ada',
    ]);
    expect((await release(ada, id)).status).toBe(204);
    await waitsBy(id, /: level 2 of 3, run 1 of 1$/);
    await fastForward(app, id, 0.75);
    expect(await notificationsOf(app, id)).toHaveLength(2);
    await fastForward(app, id, 0.5);
    const course = await courseOf(app, id, names);
    expect(course.map((line) => line.replace(/^\d+ /, ''))).toEqual([
      'level_notified Ada at level 1 1',
      'claimed Ada',
      'claim_released Ada',
      'level_notified Ben at level 2 1',
      'level_notified Cleo at level 3 1',
    ]);
    const [, , , benAt = 0, cleoAt = 0] = course.map((line) => Number.parseInt(line, 10));
    expect(Math.abs(cleoAt - benAt - 60)).toBeLessThanOrEqual(5);
    expect((await signalsOf(id)).filter((name) => name === 'claim')).toHaveLength(2);
    expect((await decide(cleo, id)).status).toBe(200);
    expect(await handleOf(app, id).result()).toMatchObject({ status: 'approved' });
  });

  test('notifies an added reviewer once and keeps the time of the next level', async () => {
    const id = await atLevelOne();
    expect((await addReviewers(ada, id, [zoe])).status).toBe(200);
    expect((await addReviewers(ada, id, [zoe])).status).toBe(200);
    await waitsBy(id, /: level 1 of 3, run 1 of 1$/);
    expect(await signalsOf(id)).toContain('changed');
    await fastForward(app, id, 1.25);
    const notified = (await notificationsOf(app, id)).map(({ membershipId }) => membershipId);
    expect(notified).toEqual([ada, zoe, ben].map(({ membershipId }) => membershipId));
    expect((await courseOf(app, id, names)).at(-1)).toBe('60 level_notified Ben at level 2 1');
    expect((await decide(zoe, id, { status: 'denied' })).status).toBe(200);
    expect(await handleOf(app, id).result()).toMatchObject({ status: 'denied' });
  });

  test('ends by the signal of a decision or a cancellation', async () => {
    const [decided, cancelled] = [await atLevelOne(), await atLevelOne()];
    expect((await decide(ada, decided)).status).toBe(200);
    await withdraw(cancelled);
    expect(await handleOf(app, decided).result()).toMatchObject({ status: 'approved' });
    expect(await handleOf(app, cancelled).result()).toMatchObject({ status: 'cancelled' });
    expect([await signalsOf(decided), await signalsOf(cancelled)].map(([first]) => first)).toEqual([
      'decision',
      'cancel',
    ]);
  });
});
