/**
 * People lose their rights while they decide or claim, or while a step reads who may decide: nothing waits for them afterwards.
 * Temporal is away, as in unreachable-requests.full.test.ts.
 */
import { describe, expect, test } from '@jest/globals';
import { lockAccess } from '../../../../src/data/organization/organizations.ts';
import { wakeUnreachable } from '../../../../src/data/requests/unreachable.ts';
import type { Db, Pool } from '../../../../src/platform/postgres.ts';
import { wakeDue } from '../../../../src/services/engine/wake-round.ts';
import { stepRequest } from '../../../../src/services/engine/step.ts';
import { ROUNDS } from '../../../support/rounds.ts';
import { REVIEWER } from '../../../support/scene.ts';
import type { TestMember } from '../../../support/scene/factories.ts';
import { user } from '../../../support/scene/nodes.ts';
import { until, untilBlocked } from '../../../support/waiting.ts';
import { level, succeeds, unreachableScene } from './unreachable-scene.ts';

const { app, organization, people, agent, path, pipeline, ...verbs } = await unreachableScene();
const { reviewer, ask, askOn, read, withdraw, decide, claim, later } = verbs;
const { verbsOf, holdersOf, notified, untilNotified, nextAt } = verbs;
const { lossOf, suspend, onlyReading } = verbs;
const { ada, bob } = people;

describe('concurrently', () => {
  const asked = ['level_notified Gone', 'level_skipped nobody_left', 'level_notified Bob'];

  /** In each round the same person is asked, with Bob in the same level or in the next, and is as before afterwards. */
  async function rounds(
    besideBob: boolean,
    round: (id: string, gone: TestMember) => Promise<void>,
    evaluated = true,
  ): Promise<void> {
    const [gone, bot] = [await reviewer('Gone'), await agent()];
    const targets = besideBob ? [[user(gone), user(bob)]] : [[user(gone)], [user(bob)]];
    await path(bot.slug, { nodes: targets.map((each) => level(each)) });
    await pipeline(bot.slug, bot.slug);
    for (let n = 0; n < ROUNDS; n += 1) {
      const id = await ask({ agent: bot, evaluated, timeout: '168h' });
      await round(id, gone);
      if ((await read(id))['status'] === 'pending') await withdraw(id);
      const { membershipId } = gone;
      await app.db('memberships').where({ id: membershipId }).update({ status: 'active' });
      await app
        .db('permission_policies')
        .where({ membership_id: membershipId })
        .update({ permissions: [...REVIEWER], revision: 1 });
    }
  }

  test.each(['suspended', 'left with reading'])(
    'the only person decides and is %s: the request is decided, or the next person is asked',
    async (way) => {
      await rounds(false, async (id, gone) => {
        const [decided, lost] = await Promise.all([decide(gone, id), lossOf(way, gone)]);
        expect(lost.status).toBe(200);
        expect([200, 403]).toContain(decided.status);
        if (decided.status === 403) return await untilNotified(id, asked);
        expect((await verbsOf(id)).at(-1)).toBe('approved');
        expect(await notified(id)).toEqual(['level_notified Gone']);
      });
    },
  );

  test('a person claims and loses their rights: no claim of theirs remains', async () => {
    await rounds(true, async (id, gone) => {
      const [claiming, lost] = await Promise.all([claim(gone, id), onlyReading(gone)]);
      expect(lost.status).toBe(200);
      expect([200, 403]).toContain(claiming.status);
      const ends =
        claiming.status === 200 ? ['claimed Gone', 'claim_released holder_cannot_decide'] : [];
      await untilNotified(id, ['level_notified Gone', 'level_notified Bob', ...ends]);
      expect(await holdersOf(id)).toEqual([]);
    });
  });

  test('a level is notified and its only person is suspended: its wait is cut short', async () => {
    const round = async (id: string, gone: TestMember) => {
      const [, lost] = await Promise.all([later(id, new Date(0)), suspend(gone)]);
      expect(lost.status).toBe(200);
      await until('Bob is asked', async () => {
        await wakeDue(app.context);
        return (await notified(id)).at(-1) === 'level_notified Bob';
      });
      expect([asked, ['level_skipped nobody_to_ask', 'level_notified Bob']]).toContainEqual(
        await notified(id),
      );
    };
    await rounds(false, round, false);
  });
});

describe('a step that reads who may decide while rights are being revoked', () => {
  test('waits for that, and passes the level whose people may no longer decide', async () => {
    const gone = await reviewer('Gone');
    const bot = await agent();
    await path('unseen', [level([user(gone)]), level([user(bob)])]);
    await pipeline(bot.slug, 'unseen');
    const id = await ask({ agent: bot, evaluated: false, timeout: '168h' });
    const { stepping } = await app.db.transaction(async (trx) => {
      await lockAccess(trx, organization.id);
      await trx('memberships').where({ id: gone.membershipId }).update({ status: 'suspended' });
      expect(await wakeUnreachable(trx, organization.id, [gone.membershipId])).toEqual([]);
      const stepping = later(id, new Date(0));
      await untilBlocked(trx);
      expect(await notified(id)).toEqual([]);
      return { stepping };
    });
    await stepping;
    await untilNotified(id, ['level_skipped nobody_to_ask', 'level_notified Bob']);
  });

  test('delays the change, which then finds the people that the step notified', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(ada)]), level([user(gone)]), level([user(bob)])]);
    const due = await nextAt(id);
    const { suspending } = await app.db.transaction(async (step) => {
      await stepRequest({ ...app.context, db: step as Db as Pool }, id, {
        floor: due,
        by: 'workflow',
      });
      const begun = suspend(gone);
      await untilBlocked(step);
      return { suspending: begun };
    });
    await succeeds(suspending);
    await untilNotified(id, [
      'level_notified Ada',
      'level_notified Gone',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
  });
});
