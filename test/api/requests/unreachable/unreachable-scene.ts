/** The scene of the tests of people who lose their rights while a request waits for them. */
import { expect } from '@jest/globals';
import { wakeDue } from '../../../../src/services/engine/wake-round.ts';
import type { ApiResponse } from '../../../support/http.ts';
import { REVIEWER, scene, type Scene } from '../../../support/scene.ts';
import type { LevelSpec } from '../../../support/scene/cast.ts';
import type { TestMember } from '../../../support/scene/factories.ts';
import { lossesIn } from '../../../support/scene/losses.ts';
import { level as levelOf } from '../../../support/scene/nodes.ts';
import { timelineOf } from '../../../support/temporal.ts';
import { until } from '../../../support/waiting.ts';

/** Call it at the top of a test file, as `scene`. */
export async function unreachableScene() {
  const home = await scene({ people: { ada: REVIEWER, bob: REVIEWER } });
  const losses = lossesIn(home);

  const reviewer = (displayName: string) => home.person({ displayName, can: REVIEWER });
  const askOn = (nodes: readonly LevelSpec[], more: object = {}) =>
    home.askOn({ nodes, ...more }, { timeout: '168h' });
  const lossOf = async (way: string, member: TestMember): Promise<ApiResponse> => {
    const lose = losses.ways[way];
    if (!lose) throw new Error(`no such way: ${way}`);
    return await lose(member);
  };
  const suspend = (member: TestMember) => lossOf('suspended', member);
  const onlyReading = (member: TestMember) =>
    losses.withPermissions(member, { permissions: ['request.read'] });
  return {
    ...home,
    ...losses,
    ...escalationOf(home),
    reviewer,
    askOn,
    lossOf,
    suspend,
    onlyReading,
  };
}

/** What escalation has done for a request, and when it goes on. */
function escalationOf({ app, later }: Pick<Scene, 'app' | 'later'>) {
  /**
   * Events of escalation and claims in the timeline, with the notified person or the reason:
   * `level_notified Ada`, `level_skipped nobody_left`.
   */
  async function notified(id: string): Promise<string[]> {
    const events = (await timelineOf(app, id)).filter(({ type }) =>
      /level_|path_|policy_|claim/.test(type),
    );
    return events.map(({ type, data }) =>
      [type.replace('approval_request.', ''), data['reason'] ?? data['display_name']]
        .join(' ')
        .trim(),
    );
  }
  /** A step, if a change has made the request due. */
  async function stepIfDue(id: string): Promise<void> {
    const now = app.db.raw('clock_timestamp()');
    const due = app.db('approval_requests').where({ id }).andWhere('next_at', '<=', now);
    if ((await due.pluck('id')).length > 0) await later(id, new Date(0));
  }
  async function untilNotified(
    id: string,
    expected: readonly string[],
    step: (id: string) => Promise<void> = stepIfDue,
  ): Promise<void> {
    await until('the timeline has as many lines', async () => {
      await step(id);
      return (await notified(id)).length >= expected.length;
    });
    expect(await notified(id)).toEqual(expected);
  }
  const nextAt = async (id: string): Promise<Date> =>
    (await app.db('approval_requests').where({ id }).first<{ next_at: Date }>('next_at')).next_at;
  /** A step now changes nothing. */
  async function staysPut(id: string): Promise<void> {
    const row = () =>
      app
        .db('approval_requests')
        .where({ id })
        .first<Record<string, unknown>>('walk', 'next_at', 'wake_attempts');
    const before = { row: await row(), notified: await notified(id) };
    // So long overdue that the reconciler takes the step itself.
    const overdue = app.db.raw(`clock_timestamp() - interval '6 seconds'`);
    await app
      .db('approval_requests')
      .where({ id })
      .update({ wake_at: overdue, next_at: app.db.raw(`clock_timestamp() - interval '1 second'`) });
    await wakeDue(app.context);
    await until('it was stepped', async () => (await row())['wake_attempts'] === 1);
    await until(
      'the step is done',
      async () => Number(await nextAt(id)) === Number(before.row['next_at']),
    );
    expect({ row: { ...(await row()), wake_attempts: 0 }, notified: await notified(id) }).toEqual(
      before,
    );
  }
  return { notified, stepIfDue, untilNotified, nextAt, staysPut };
}

/** A level of a path that waits for a day, unless said otherwise. */
export const level = (targets: readonly object[], escalateAfter = '24h') =>
  levelOf(targets, escalateAfter);

export const succeeds = async (answer: Promise<ApiResponse>): Promise<void> => {
  expect((await answer).status).toBeLessThan(300);
};
