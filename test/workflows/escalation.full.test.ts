/** Hours and days of escalation on a real Temporal server, whose clock is moved, and what reviewers do meanwhile. */
import { describe, expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../support/scene.ts';
import { timerSummariesOf } from '../support/scene/courses.ts';
import { lossesIn } from '../support/scene/losses.ts';
import { level, user } from '../support/scene/nodes.ts';
import { handleOf, notificationsOf, timelineOf, waiting } from '../support/temporal.ts';
import { until } from '../support/waiting.ts';
import { fastForward } from '../support/clocks/time-skipping.ts';

const { app, owner, people, agent, person, ...verbs } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER, ben: REVIEWER, cleo: REVIEWER, zoe: REVIEWER },
});
const { askOn, decide, claim, verbsOf } = verbs;
/** Zoe is on no path. */
const { ada, ben, cleo } = people;
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

  test('ends with the decision: decided at level 2, it never notifies the third person', async () => {
    const id = await begin();
    await fastForward(app, id, 10);
    expect(await notified(id)).toEqual(['level 1, run 1: person 1', 'level 2, run 1: person 2']);
    expect((await decide(ben, id)).status).toBe(200);
    expect(await handleOf(app, id).result()).toEqual({
      kind: 'done',
      status: 'approved',
      automatic: false,
    });
    expect(await notified(id)).toHaveLength(2);
    expect((await verbsOf(id)).slice(-2)).toEqual(['level_notified', 'approved']);
  });

  test('skips a level without anyone to ask, at once, and records that', async () => {
    const id = await begin();
    await app.db('memberships').where({ id: ben.membershipId }).update({ status: 'suspended' });
    try {
      await fastForward(app, id, 9);
      expect(await notified(id)).toEqual(['level 1, run 1: person 1', 'level 3, run 1: person 3']);
      const timeline = await timelineOf(app, id);
      expect(timeline.slice(-2).map(({ type }) => type)).toEqual([
        'approval_request.level_skipped',
        'approval_request.level_notified',
      ]);
      expect(timeline.at(-2)?.data).toMatchObject({
        node_id: nodes[1],
        run: 1,
      });
      expect(timeline.at(-1)?.at).toEqual(timeline.at(-2)?.at);
    } finally {
      await app.db('memberships').where({ id: ben.membershipId }).update({ status: 'active' });
    }
  });
});

/** Waits until the workflow's latest timer is a later one than its first and has this summary. */
async function waitsBy(id: string, summary: RegExp): Promise<void> {
  await until(`a timer ${summary.source}`, async () => {
    const [, ...later] = await timerSummariesOf(app, id);
    return summary.test(later.at(-1) ?? '');
  });
}

describe('the workflow of a request', () => {
  test('moves on at once when the only person of a level is suspended or loses the right to decide', async () => {
    const { ways } = lossesIn({ app, owner, agent });
    for (const way of ['suspended', 'stripped of every permission']) {
      const gone = await person({ displayName: 'Gone', can: REVIEWER });
      const id = await askOn({ nodes: [level([user(gone)], '12h'), level([user(ben)], '12h')] });
      await waiting(app, id);
      expect((await claim(gone, id)).status).toBe(200);
      await waitsBy(id, /^claimed by Gone until /);
      expect((await ways[way]?.(gone))?.status).toBeLessThan(300);
      await waitsBy(id, /: level 2 of 2, run 1 of 1$/);
      const notified = (await notificationsOf(app, id)).map(({ membershipId }) => membershipId);
      expect(notified).toEqual([gone.membershipId, ben.membershipId]);
      expect((await verbsOf(id)).slice(-3)).toEqual([
        'claim_released',
        'level_skipped',
        'level_notified',
      ]);
      expect((await decide(ben, id)).status).toBe(200);
      expect(await handleOf(app, id).result()).toMatchObject({ status: 'approved' });
    }
  });
});
