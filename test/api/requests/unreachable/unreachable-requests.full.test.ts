/**
 * A request that waits for people who lose their rights meanwhile: escalation goes on at once, their claim ends, and the timeline
 * says so. Temporal is away: the reconciler steps what the changes have made due.
 */
import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { wakeDue } from '../../../../src/services/engine/wake-round.ts';
import type { ApiResponse, Json } from '../../../support/http.ts';
import { everywhere, REVIEWER } from '../../../support/scene.ts';
import { activatePolicy, createTeam } from '../../../support/scene/factories.ts';
import { team as ofTeam, user } from '../../../support/scene/nodes.ts';
import { TEAMS } from '../../../support/scene/teams.ts';
import { timelineOf } from '../../../support/temporal.ts';
import { until } from '../../../support/waiting.ts';
import { level, succeeds, unreachableScene } from './unreachable-scene.ts';

const { app, organization, owner, people, ways, ...verbs } = await unreachableScene();
const { person, reviewer, ask, askOn, decide, claim, claimed, release, addReviewers } = verbs;
const { later, routing, holdersOf, notified, stepIfDue, untilNotified, nextAt } = verbs;
const { staysPut, lossOf, suspend, onlyReading, withPermissions, roster } = verbs;
const { ada, bob } = people;

const statusesOf = (body: Json) => (body['levels'] ?? []).map((each) => String(each['status']));
/** A round of the reconciler now, instead of the one that comes within a second. */
const reconcile = async () => {
  await wakeDue(app.context);
};

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
    const losses: readonly ((team: string) => Promise<ApiResponse>)[] = [
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
