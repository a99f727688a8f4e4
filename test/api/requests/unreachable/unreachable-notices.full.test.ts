/**
 * A request that no one is left to decide: its owners are told once, and the timeline says so, in
 * the commit that finds it.
 */
import { describe, expect, test } from '@jest/globals';
import { wakeDue } from '../../../../src/services/engine/wake-round.ts';
import { closedHours, user } from '../../../support/scene/nodes.ts';
import { timelineOf } from '../../../support/temporal.ts';
import { level, succeeds, unreachableScene } from './unreachable-scene.ts';

const { app, owner, people, ask, agent, ...verbs } = await unreachableScene();
const { reviewer, askOn, later, notifiedBy, suspend, stepIfDue, staysPut } = verbs;
const { addReviewers, nextAt, person, decide } = verbs;
const { ada, bob } = people;

const STEP = 'unreachable';
const told = (id: string) => notifiedBy(id, STEP);
const notices = async (id: string) =>
  (await timelineOf(app, id)).filter(({ type }) => type === 'approval_request.unreachable');
const toldOnce = async (id: string, data: object) => {
  expect(await told(id)).toEqual([owner.membershipId]);
  expect((await notices(id)).map((event) => event.data)).toEqual([
    expect.objectContaining({
      ...data,
      told: [{ membership_id: owner.membershipId, display_name: expect.any(String) }],
    }),
  ]);
};
const silence = (membershipId: string) =>
  app.db('notification_settings').insert({
    membership_id: membershipId,
    email: false,
    slack: false,
    push: false,
    updated_at: new Date(),
  });

describe('owners are told once, and the timeline says so', () => {
  test('when the path has no one to ask from the start', async () => {
    const gone = await reviewer('Gone');
    await succeeds(suspend(gone));
    const id = await askOn([level([user(gone)])]);
    await toldOnce(id, { reason: 'path_exhausted' });
    await staysPut(id);
    await toldOnce(id, { reason: 'path_exhausted' });
  });

  test('when the last person of the path is lost while its level waits', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone)])]);
    expect(await notices(id)).toEqual([]);
    await succeeds(suspend(gone));
    await stepIfDue(id);
    await toldOnce(id, { reason: 'path_exhausted' });
  });

  test('when the path is exhausted, and all who were asked lose their rights later', async () => {
    const [one, two] = [await reviewer('One'), await reviewer('Two')];
    const id = await askOn([level([user(one)]), level([user(two)])]);
    await later(id);
    await later(id);
    expect(await notices(id)).toEqual([]);
    await succeeds(suspend(one));
    await stepIfDue(id);
    expect(await notices(id)).toEqual([]);
    await succeeds(suspend(two));
    await stepIfDue(id);
    await toldOnce(id, { reason: 'path_exhausted' });
  });

  test('when the reconciler reaches the end of many paths in one statement', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone)]), level([user(ada)])]);
    await app.db('memberships').where({ id: gone.membershipId }).update({ status: 'suspended' });
    await later(id);
    await app.db('memberships').where({ id: ada.membershipId }).update({ status: 'suspended' });
    try {
      const second = app.db.raw(`clock_timestamp() - interval '1 second'`);
      const walk = JSON.parse(
        (await app.db('approval_requests').where({ id }).first<{ walk: string }>('walk')).walk,
      ) as Record<string, unknown>;
      await app
        .db('approval_requests')
        .where({ id })
        .update({
          walk: JSON.stringify({ ...walk, nextAt: new Date(Date.now() - 2_000).toISOString() }),
          next_at: second,
          wake_at: app.db.raw(`clock_timestamp() - interval '6 seconds'`),
        });
      await wakeDue(app.context);
      await stepIfDue(id);
      await toldOnce(id, { reason: 'path_exhausted' });
    } finally {
      await app.db('memberships').where({ id: ada.membershipId }).update({ status: 'active' });
    }
  });

  test('when it waits for working hours, and no one on the path can decide by then', async () => {
    const gone = await reviewer('Gone');
    const hours = closedHours('night');
    const defer = { id: crypto.randomUUID(), type: 'defer', working_hours_id: 'night' };
    const id = await askOn([{ ...defer, standard_only: false }, level([user(gone)])], {
      working_hours: [hours],
    });
    expect(await notices(id)).toEqual([]);
    await succeeds(suspend(gone));
    await stepIfDue(id);
    await toldOnce(id, { reason: 'no_decider_on_path' });
    await later(id, await nextAt(id));
    await toldOnce(id, { reason: 'no_decider_on_path' });
  });

  test('when a request without a path loses everyone it has asked', async () => {
    const { membershipId } = owner;
    await silence(membershipId);
    try {
      const only = await agent();
      const policies = [
        {
          scope_kind: 'agent' as const,
          resource_ids: [only.slug],
          permissions: ['request.read', 'request.decide'],
        },
      ];
      await app
        .db('permission_policies')
        .whereIn('membership_id', [ada.membershipId, bob.membershipId])
        .update({ permissions: ['request.read'] });
      const gone = await person({ displayName: 'Gone', policies });
      const id = await ask({ agent: only });
      expect(await notifiedBy(id, 'unrouted')).toEqual([gone.membershipId]);
      expect(await notices(id)).toEqual([]);
      await succeeds(suspend(gone));
      await stepIfDue(id);
      await toldOnce(id, { reason: 'no_decider' });
      const next = await ask({ agent: only });
      await toldOnce(next, { reason: 'no_decider' });
    } finally {
      await app.db('notification_settings').where({ membership_id: membershipId }).delete();
      await app
        .db('permission_policies')
        .whereIn('membership_id', [ada.membershipId, bob.membershipId])
        .update({ permissions: ['request.read', 'request.decide', 'request.claim'] });
    }
  });
});

describe('no one is told', () => {
  test('while someone who was asked can still decide, or was asked for help', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone)])]);
    await succeeds(addReviewers(owner, id, [bob]));
    await succeeds(suspend(gone));
    await stepIfDue(id);
    expect(await notices(id)).toEqual([]);
    expect((await decide(bob, id)).status).toBe(200);
  });
});

describe('a member with all channels off', () => {
  test('is not asked: their level is skipped, and owners are told if no one else is on the path', async () => {
    const silent = await reviewer('Silent');
    await silence(silent.membershipId);
    const id = await askOn([level([user(silent)]), level([user(ada)])]);
    const events = (await timelineOf(app, id)).filter(({ type }) => /level_/.test(type));
    expect(events.map(({ type, data }) => [type, data['reason'] ?? data['display_name']])).toEqual([
      ['approval_request.level_skipped', 'nobody_to_ask'],
      ['approval_request.level_notified', 'Ada'],
    ]);
    const alone = await askOn([level([user(silent)])]);
    await toldOnce(alone, { reason: 'path_exhausted' });
    expect((await decide(silent, alone)).status).toBe(200);
  });

  test('keeps a request of theirs waiting that they were asked about before', async () => {
    const silent = await reviewer('Silent');
    const id = await askOn([level([user(silent)])]);
    await silence(silent.membershipId);
    await later(id);
    expect(await notices(id)).toEqual([]);
  });
});
