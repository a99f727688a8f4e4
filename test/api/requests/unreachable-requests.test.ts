/**
 * A request that waits for people who lose their rights meanwhile: escalation goes on at once, their claim ends, and the timeline
 * says so. Temporal is away: the reconciler steps what the changes have made due.
 */
import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { wakeUnreachable } from '../../../src/data/requests/unreachable.ts';
import type { Db, Pool } from '../../../src/platform/postgres.ts';
import { wakeDue } from '../../../src/services/requests/reconciler.ts';
import { stepRequest } from '../../../src/services/requests/step.ts';
import type { Answer, Json } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import type { LevelSpec } from '../../support/scene/cast.ts';
import { activatePolicy, createTeam, type TestMember } from '../../support/scene/factories.ts';
import { lossesIn } from '../../support/scene/losses.ts';
import { level as levelOf, team as ofTeam, user } from '../../support/scene/nodes.ts';
import { TEAMS } from '../../support/scene/teams.ts';
import { timelineOf } from '../../support/temporal.ts';
import { until, untilBlocked } from '../../support/waiting.ts';

const home = await scene({ people: { ada: REVIEWER, bob: REVIEWER } });
const { app, organization, owner, people, agent, path, pipeline, person } = home;
const { ask, decide, claim, claimed, release, addReviewers, later, routing, verbsOf, holdersOf } =
  home;
const { ada, bob } = people;
const { ways, withPermissions, roster } = lossesIn(home);

const reviewer = (displayName: string) => person({ displayName, can: REVIEWER });
const level = (targets: readonly object[], escalateAfter = '24h') =>
  levelOf(targets, escalateAfter);
const askOn = (nodes: readonly LevelSpec[], more: object = {}) =>
  home.askOn({ nodes, ...more }, { timeout: '168h' });
const lossOf = async (way: string, member: TestMember): Promise<Answer> => {
  const lose = ways[way];
  if (!lose) throw new Error(`no such way: ${way}`);
  return await lose(member);
};
const suspend = (member: TestMember) => lossOf('suspended', member);
const onlyReading = (member: TestMember) =>
  withPermissions(member, { permissions: ['request.read'] });
const statusesOf = (body: Json) => (body['levels'] ?? []).map((each) => String(each['status']));
const succeeds = async (answer: Promise<Answer>): Promise<void> => {
  expect((await answer).status).toBeLessThan(300);
};

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
/** A round of the reconciler now, instead of the one that comes within a second. */
const reconcile = async () => {
  await wakeDue(app.context);
};

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
const nextAt = async (id: string): Promise<Date> =>
  (await app.db('approval_requests').where({ id }).first<{ next_at: Date }>('next_at')).next_at;

describe('a level that lost the people it names', () => {
  test('waits for the people its team has notified, even if the team asks no one else', async () => {
    const gone = await reviewer('Gone');
    const team = await createTeam(app, organization.id, { members: [bob] });
    await activatePolicy(owner, team, { nodes: [level([user(bob)], '1m')] });
    const id = await askOn([level([user(gone), ofTeam(team)]), level([user(ada)])]);
    await later(id, await nextAt(id));
    expect(await notified(id)).toEqual([
      'level_notified Gone',
      'level_notified Bob',
      'team_policy_exhausted',
    ]);
    await succeeds(suspend(gone));
    await later(id, new Date(0));
    expect(await notified(id)).toEqual([
      'level_notified Gone',
      'level_notified Bob',
      'team_policy_exhausted',
    ]);
    expect(statusesOf(await routing(id))).toEqual(['current', 'upcoming']);
  });
});

describe('the level that follows a lost one', () => {
  test('waits for the people it has just notified, even if one of its teams has no one to ask', async () => {
    const gone = await reviewer('Gone');
    const team = await createTeam(app, organization.id, { members: [bob] });
    const urgent = { type: 'urgency', urgency: 'interrupt' };
    const dead = {
      id: randomUUID(),
      type: 'if_else',
      conditions: [urgent],
      then: [level([user(bob)])],
      else: [],
    };
    await activatePolicy(owner, team, { nodes: [dead] });
    const id = await askOn([
      level([user(gone)]),
      level([user(ada), ofTeam(team)]),
      level([user(owner)]),
    ]);
    await succeeds(suspend(gone));
    await untilNotified(id, [
      'level_notified Gone',
      'level_skipped nobody_left',
      'level_notified Ada',
      'team_policy_exhausted',
    ]);
    expect(statusesOf(await routing(id))).toEqual(['done', 'current', 'upcoming']);
  });
});

describe.each(Object.keys(ways))('the only person of a level who is %s', (way) => {
  test('is no longer waited for: the next level is notified within seconds, and the timeline has the reason', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone)]), level([user(bob)])]);
    expect(await notified(id)).toEqual(['level_notified Gone']);
    await succeeds(lossOf(way, gone));
    const next = ['level_notified Gone', 'level_skipped nobody_left', 'level_notified Bob'];
    await untilNotified(id, next, way === 'removed' ? reconcile : stepIfDue);
    const body = await routing(id);
    expect(statusesOf(body)).toEqual(['done', 'current']);
    const [first, second] = body['levels'] ?? [];
    expect(first?.['escalate_at']).toBe(second?.['notified_at']);
    expect(first).toMatchObject({
      targets: [{ members: [{ can_decide: false, notified_at: expect.any(String) }] }],
    });
    expect((await decide(bob, id)).status).toBe(200);
  });

  test('no longer holds their claim, even if the level waits for another person', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone), user(ada)], '1h'), level([user(bob)])]);
    await claimed(gone, id);
    await succeeds(lossOf(way, gone));
    await until('the claim has ended', async () => (await holdersOf(id)).length === 0);
    const [last] = (await timelineOf(app, id)).slice(-1);
    expect(last?.type).toBe('approval_request.claim_released');
    expect(last?.data).toMatchObject({
      membership_id: gone.membershipId,
      display_name: 'Gone',
      reason: expect.any(String),
    });
    expect(await routing(id)).toMatchObject({ state: 'waiting' });
    expect(statusesOf(await routing(id))).toEqual(['current', 'upcoming']);
    expect((await claim(ada, id)).status).toBe(200);
  });
});

describe('a level goes on', () => {
  test('only when the last of the notified people is lost', async () => {
    const [one, two] = [await reviewer('One'), await reviewer('Two')];
    const id = await askOn([level([user(one), user(two)]), level([user(bob)])]);
    const planned = await nextAt(id);
    await succeeds(suspend(one));
    expect(await nextAt(id)).toEqual(planned);
    await staysPut(id);
    await succeeds(onlyReading(two));
    await untilNotified(id, [
      'level_notified One',
      'level_notified Two',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
  });

  test('when the people it notified through a team have left it, or the team lost its policy', async () => {
    const losses: readonly ((team: string) => Promise<Answer>)[] = [
      (team) => roster(team),
      async (team) => {
        const [policy] = await app
          .db('permission_policies')
          .where({ team_id: team })
          .pluck<string[]>('id');
        return await owner.browser.delete(`${TEAMS}/${team}/permission_policies/${policy}`);
      },
    ];
    for (const loses of losses) {
      const member = await person({ displayName: 'Member' });
      const team = await createTeam(app, organization.id, {
        members: [member],
        policies: [everywhere(...REVIEWER)],
      });
      const id = await askOn([level([ofTeam(team)]), level([user(bob)])]);
      await succeeds(loses(team));
      await untilNotified(id, [
        'level_notified Member',
        'level_skipped nobody_left',
        'level_notified Bob',
      ]);
    }
  });

  test('when a team that granted the right is archived, even if no path names it', async () => {
    const member = await person({ displayName: 'Member' });
    const team = await createTeam(app, organization.id, {
      members: [member],
      policies: [everywhere(...REVIEWER)],
    });
    const id = await askOn([level([user(member)]), level([user(bob)])]);
    await succeeds(owner.http.delete(`${TEAMS}/${team}`));
    await untilNotified(id, [
      'level_notified Member',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
  });

  test('not when a person who left the team may decide what is routed to others', async () => {
    const can = [...REVIEWER, 'request.decide.unrouted'];
    const member = await person({ displayName: 'Member', can });
    const team = await createTeam(app, organization.id, { members: [member] });
    const id = await askOn([level([ofTeam(team)]), level([user(bob)])]);
    await succeeds(roster(team));
    await staysPut(id);
    expect((await decide(member, id)).status).toBe(200);
  });

  test('even if an added reviewer could still answer, because they are asked beside the path', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone)]), level([user(bob)])]);
    expect((await addReviewers(gone, id, [ada])).status).toBe(200);
    await succeeds(suspend(gone));
    await untilNotified(id, [
      'level_notified Gone',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
  });

  test('inside a team too: its policy asks the next person, and the level ends when it has lost everyone it notified', async () => {
    const [one, two] = [await reviewer('One'), await reviewer('Two')];
    const team = await createTeam(app, organization.id, { members: [one, two] });
    await activatePolicy(owner, team, {
      nodes: [level([user(one)], '6h'), level([user(two)], '6h')],
    });
    const id = await askOn([level([ofTeam(team)]), level([user(bob)])]);
    expect(await notified(id)).toEqual(['level_notified One']);
    await succeeds(suspend(one));
    await untilNotified(id, [
      'level_notified One',
      'level_skipped nobody_left',
      'level_notified Two',
    ]);
    expect(statusesOf(await routing(id))).toEqual(['current', 'upcoming']);
    await succeeds(roster(team, one));
    const inside = [
      'level_notified One',
      'level_skipped nobody_left',
      'level_notified Two',
      'level_skipped nobody_left',
    ];
    await untilNotified(id, [
      ...inside,
      'team_policy_exhausted',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
    expect(statusesOf(await routing(id))).toEqual(['done', 'current']);
  });

  test('to the wait before its next run, which lasts its full time, and to the end of a path without one', async () => {
    const [gone, other] = [await reviewer('Gone'), await reviewer('Other')];
    const repeated = await askOn([level([user(gone)])], { repeat: { times: 1, after: '2h' } });
    const once = await askOn([level([user(other)])]);
    await succeeds(suspend(gone));
    await untilNotified(repeated, ['level_notified Gone', 'level_skipped nobody_left']);
    expect(await routing(repeated)).toMatchObject({
      state: 'waiting',
      next_step: { kind: 'repeat' },
    });
    const skipped = (await timelineOf(app, repeated)).at(-1)?.at.getTime() ?? 0;
    expect((await nextAt(repeated)).getTime() - skipped).toBe(2 * 3_600_000);
    // Not earlier: a step during a removal of rights is repeated after a second.
    await succeeds(suspend(other));
    await untilNotified(once, [
      'level_notified Other',
      'level_skipped nobody_left',
      'path_exhausted',
    ]);
    expect(await routing(once)).toMatchObject({ state: 'exhausted' });
  });

  test('when the claim of a remaining person has ended, and not before', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone)]), level([user(bob)])]);
    await claimed(bob, id);
    await succeeds(suspend(gone));
    await staysPut(id);
    expect(await routing(id)).toMatchObject({ state: 'paused' });
    expect((await release(bob, id)).status).toBe(204);
    await later(id, new Date(0));
    await untilNotified(id, [
      'level_notified Gone',
      'claimed Bob',
      'claim_released Bob',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
  });
});

describe('a claim', () => {
  test('ends when its holder leaves the team in the path, with the reason, and escalation continues', async () => {
    const member = await reviewer('Member');
    const team = await createTeam(app, organization.id, { members: [member, ada] });
    const id = await askOn([level([ofTeam(team)]), level([user(bob)])]);
    await claimed(member, id);
    await succeeds(roster(team, ada));
    await until('the claim has ended', async () => (await holdersOf(id)).length === 0);
    const [last] = (await timelineOf(app, id)).slice(-1);
    expect(last?.data).toMatchObject({ display_name: 'Member', reason: 'holder_cannot_decide' });
    expect(await routing(id)).toMatchObject({ state: 'waiting', next_at: expect.any(String) });
  });

  test('of a request without a path ends with the right to decide for its agent', async () => {
    const member = await reviewer('Member');
    const id = await ask();
    await claimed(member, id);
    await succeeds(onlyReading(member));
    await until('the claim has ended', async () => (await holdersOf(id)).length === 0);
    expect(await routing(id)).toMatchObject({ state: 'unrouted' });
  });

  test('stays with a person whose other rights change', async () => {
    const member = await reviewer('Member');
    const id = await askOn([level([user(member)])]);
    await claimed(member, id);
    const planned = await nextAt(id);
    await succeeds(withPermissions(member, { permissions: [...REVIEWER, 'agent.read'] }));
    expect(await nextAt(id)).toEqual(planned);
    await staysPut(id);
    expect(await holdersOf(id)).toEqual([member.membershipId]);
  });
});

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
      if ((await home.read(id))['status'] === 'pending') await home.withdraw(id);
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
  test('looks again after that, and leaves a level whose people it notified in vain', async () => {
    const gone = await reviewer('Gone');
    const bot = await agent();
    await path('unseen', [level([user(gone)]), level([user(bob)])]);
    await pipeline(bot.slug, 'unseen');
    const id = await ask({ agent: bot, evaluated: false, timeout: '168h' });
    await app.db.transaction(async (trx) => {
      await trx('memberships').where({ id: gone.membershipId }).update({ status: 'suspended' });
      expect(await wakeUnreachable(trx, organization.id, [gone.membershipId])).toEqual([]);
      await later(id, new Date(0));
      expect(await notified(id)).toEqual(['level_notified Gone']);
    });
    await untilNotified(id, [
      'level_notified Gone',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
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
