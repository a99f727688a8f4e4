/**
 * A workflow that comes after the reconciler: it reads the request once, and reads people only where
 * a step may be due.
 */
import { describe, expect, test } from '@jest/globals';
import type { RequestStep } from '../../../src/domain/requests/engine/step.ts';
import { stepRequest } from '../../../src/services/engine/step.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { makeLate, reachNext } from '../../support/scene/late-steps.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { until } from '../../support/waiting.ts';

const { app, ask, claimed, people, reachDeadline, reachLapse, release, verbsOf } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { 'on-call': [['ada'], ['bob'], ['ada']], short: [['ada']] },
  pipelines: { bot: 'on-call', brief: 'short', free: {} },
});

const rows = () => app.db('approval_requests');
const rowOf = (id: string) =>
  rows().where({ id }).select('*', app.db.raw('cast(xmin as text) as version')).first<Row>();
type Row = Readonly<Record<string, unknown>> & {
  readonly deadline_at: Date;
};
const change = async (id: string, columns: object) =>
  void (await rows().where({ id }).update(columns));
const inAWhile = () => new Date(Date.now() + 5_000);

/** A request whose next level the reconciler has notified, and the wait that follows. */
async function stepped(agent: 'bot' | 'brief' = 'bot') {
  const id = await ask({ agent, timeout: '48h' });
  await reachNext(app, [id]);
  const planned = await stepRequest(app.context, id, { floor: new Date(0), by: 'reconciler' });
  await change(id, { wake_attempts: 1 });
  return { id, planned };
}

/** What the workflow's step answers, and the statements it takes. */
async function come(id: string, floor = new Date(0)) {
  let answer: RequestStep | undefined;
  const statements = await statementsDuring(app, async () => {
    answer = await stepRequest(app.context, id, { floor, by: 'workflow' });
  });
  return { answer, statements };
}

describe('a workflow that comes late', () => {
  test.each(['bot', 'brief'] as const)(
    'reads once, writes nothing, and waits as planned: %s',
    async (agent) => {
      const { id, planned } = await stepped(agent);
      // The tries are cleared in sets, at any time from here on.
      const { wake_attempts: _, version, ...before } = await rowOf(id);
      const { answer, statements } = await come(id);
      expect(statements).toHaveLength(1);
      expect(statements[0]).toMatch(/^\s*select (?!.*for update)/s);
      expect(answer).toEqual(planned);
      await until('its tries are cleared', async () => (await rowOf(id))['wake_attempts'] === 0);
      const { wake_attempts: __, version: after, ...row } = await rowOf(id);
      expect(row).toEqual(before);
      expect(after).not.toBe(version);
      const { version: same } = await rowOf(id);
      expect((await come(id)).answer).toEqual(planned);
      expect((await rowOf(id)).version).toBe(same);
    },
  );

  test('finds the level that the reconciler has notified, and notifies the next one at its time', async () => {
    const { id } = await stepped();
    await come(id);
    await reachNext(app, [id]);
    await come(id);
    const levels = (await verbsOf(id)).filter((verb) => verb === 'level_notified');
    expect(levels).toHaveLength(3);
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['someone claims the request', (id) => claimed(people.ada, id)],
    [
      'someone has released it',
      async (id) => {
        await claimed(people.ada, id);
        await release(people.ada, id);
      },
    ],
    ['its level is due', (id) => reachNext(app, [id])],
    ['its level is late', (id) => makeLate(app, [id], { ms: 1_000, wakes: false })],
    ['a change has made it due', (id) => change(id, { next_at: new Date() })],
    ['the reconciler is to look at it', (id) => change(id, { wake_at: inAWhile() })],
    ['the reconciler is to leave it alone', (id) => change(id, { wake_at: null })],
    ['its walk has not begun', (id) => change(id, { walk: null, next_at: null })],
    [
      'its walk is about to enter a level',
      async (id) => {
        const { deadline_at: deadline } = await rowOf(id);
        const wakeAt = new Date(deadline.getTime() + 1_000);
        const walk = JSON.stringify({ run: 1, phase: 'enter' });
        await change(id, { walk, next_at: null, wake_at: wakeAt });
      },
    ],
  ])('reads who may decide where %s', async (_name, happens) => {
    const { id } = await stepped();
    await happens(id);
    const { statements } = await come(id);
    expect(statements.filter((sql) => sql.includes('from held_policies'))).toHaveLength(1);
  });

  test('records that a claim has lapsed, also at the end of the path', async () => {
    const { id } = await stepped('brief');
    await claimed(people.ada, id);
    await come(id);
    await reachLapse(id);
    await come(id);
    expect((await verbsOf(id)).at(-1)).toBe('claim_lapsed');
  });

  test('records that the deadline has come, also at the end of the path', async () => {
    const { id } = await stepped('brief');
    await reachDeadline(id);
    expect((await come(id)).answer).toEqual({ kind: 'done', status: 'expired', automatic: false });
  });

  test('looks for more people at each step of a request without a path', async () => {
    const id = await ask({ agent: 'free' });
    await come(id);
    const { statements } = await come(id);
    expect(statements.filter((sql) => sql.includes('from held_policies'))).toHaveLength(1);
    expect(statements).toHaveLength(2);
  });
});
