/** How a claim ends: a release, its time, or a member who leaves; and what escalation does meanwhile and afterwards. */
import { describe, expect, test } from '@jest/globals';
import { wakeDue } from '../../../../src/services/engine/wake-round.ts';
import type { Json } from '../../../support/http.ts';
import { refused } from '../../../support/refusals.ts';
import { REVIEWER } from '../../../support/scene.ts';
import { until } from '../../../support/waiting.ts';
import { after, claimsScene } from './claims-scene.ts';

const { app, owner, people, nodes, ...verbs } = await claimsScene();
const { ask, decide, claim, claimed, release, later, person, permit } = verbs;
const { suspend, remove, settings, read, updatedAt, routing, timeline } = verbs;
const { verbsOf, holdersOf, reachLapse } = verbs;
const { ada, bob, outsider } = people;
const levels = nodes['on-call'] ?? [];

const nextAt = async (id: string) => new Date(String((await routing(id))['next_at']));
/** How many ms after its last change the reconciler looks at the request. */
const wokenAfter = async (id: string) => {
  const requests = app.db('approval_requests').where({ id });
  const [row] = await requests.select<{ wake_at: Date; updated_at: Date }[]>();
  return Number(row?.wake_at) - Number(row?.updated_at);
};
const statuses = (routing: Json) =>
  (routing['levels'] ?? []).map((level) => String(level['status']));
/** The numbers of the levels that were notified. */
const notifiedLevels = async (id: string) => {
  const keys = await app
    .db('escalation_steps')
    .where({ request_id: id, kind: 'notified' })
    .whereNotNull('node_id')
    .orderBy('at')
    .pluck<string[]>('step_key');
  return keys.map((key) => levels.findIndex((level) => key.startsWith(level)) + 1);
};

describe('a release', () => {
  test('ends the claim at once, is recorded, and lets the next person claim', async () => {
    const id = await ask();
    const { id: claim_id, claimed_at } = await claimed(ada, id);
    const answer = await release(ada.browser, id);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    expect(await read(id)).not.toHaveProperty('claim');
    expect((await updatedAt(id)) > String(claimed_at)).toBe(true);
    const events = await timeline(id);
    expect(events.at(-1)).toMatchObject({
      event_type: 'approval_request.claim_released',
      actor_id: ada.membershipId,
      data: { claim_id, membership_id: ada.membershipId, display_name: 'Ada' },
    });
    expect(await release(ada, id)).toMatchObject(refused(404, 'not_found'));
    expect((await claim(bob, id)).status).toBe(200);
  });

  test("of another person's claim is refused, even to an owner; a person who is not on the path learns nothing of it", async () => {
    const id = await ask();
    await claimed(ada, id);
    for (const { http } of [bob, owner]) {
      expect(await release(http, id)).toMatchObject(
        refused(403, 'not_claim_holder', { membership_id: ada.membershipId }),
      );
    }
    const off = await release(outsider, id);
    expect(off).toMatchObject(refused(403, 'request_not_routed'));
    expect(off.text).not.toContain(ada.membershipId);
    expect(await holdersOf(id)).toEqual([ada.membershipId]);
  });

  test('is open to a holder who may no longer decide', async () => {
    const leaving = await person(REVIEWER);
    const id = await ask({ agent: 'free' });
    await claimed(leaving, id);
    await permit(leaving, 'request.claim');
    expect((await release(leaving, id)).status).toBe(204);
  });
});

describe('escalation', () => {
  test('pauses while the request is claimed; a release asks the next level at once, and the level after it on time', async () => {
    const id = await ask({ timeout: '2h' });
    const due = await nextAt(id);
    await settings({ claim_timeout_seconds: 3_600 });
    await claimed(ada, id);
    await settings({ claim_timeout_seconds: 900 });
    await later(id, after(due, 25));
    expect(await notifiedLevels(id)).toEqual([1]);
    const paused = await routing(id);
    expect(paused).toMatchObject({
      state: 'paused',
      next_step: { kind: 'level', node_id: levels[1] },
    });
    expect(paused).not.toHaveProperty('next_at');
    expect(statuses(paused)).toEqual(['current', 'upcoming', 'upcoming']);

    expect((await release(ada, id)).status).toBe(204);
    await later(id, after(due, 26));
    expect(await notifiedLevels(id)).toEqual([1, 2]);
    const waiting = await routing(id);
    expect(waiting).toMatchObject({ state: 'waiting', next_at: after(due, 36).toISOString() });
    expect(statuses(waiting)).toEqual(['done', 'current', 'upcoming']);
    await later(id, after(due, 35));
    expect(await notifiedLevels(id)).toEqual([1, 2]);
    await later(id, after(due, 36));
    expect(await notifiedLevels(id)).toEqual([1, 2, 3]);
    expect((await verbsOf(id)).slice(3)).toEqual([
      'level_notified',
      'claimed',
      'claim_released',
      'level_notified',
      'level_notified',
    ]);
  });

  test('runs again at the end of the claim, records that it lapsed, and continues', async () => {
    const id = await ask({ timeout: '2h' });
    const end = new Date(String((await claimed(ada, id))['expires_at']));
    await later(id, after(end, -0.1));
    const row = await app.db('approval_requests').where({ id }).first<{ wake_at: Date }>('wake_at');
    expect(row.wake_at.getTime() - end.getTime()).toBe(1_000);
    expect(await notifiedLevels(id)).toEqual([1]);
    await later(id, end);
    expect(await notifiedLevels(id)).toEqual([1, 2]);
    expect(await read(id)).not.toHaveProperty('claim');
    expect(await updatedAt(id)).toEqual(end.toISOString());
    const events = await timeline(id);
    expect(events.slice(-2).map((event) => [event['event_type'], event['actor_type']])).toEqual([
      ['approval_request.claim_lapsed', 'system'],
      ['approval_request.level_notified', 'system'],
    ]);
    expect(await nextAt(id)).toEqual(after(end, 10));
  });

  test('continues by the reconciler while Temporal is away: after a lapse and after a release', async () => {
    const lapsing = await ask({ timeout: '2h' });
    await claimed(ada, lapsing);
    await reachLapse(lapsing);
    const overdue = app.db.raw(`clock_timestamp() - interval '6 seconds'`);
    // The service's own round may take the request first, and is not awaited here.
    const reconciled = async (id: string, columns: object) => {
      await app
        .db('approval_requests')
        .where({ id })
        .update({ ...columns, wake_at: overdue });
      await wakeDue(app.context);
      await until('level 2 is notified', async () => (await notifiedLevels(id)).length === 2);
    };
    await reconciled(lapsing, {});
    expect((await verbsOf(lapsing)).slice(-2)).toEqual(['claim_lapsed', 'level_notified']);
    expect(await notifiedLevels(lapsing)).toEqual([1, 2]);

    const released = await ask({ timeout: '2h' });
    const due = await nextAt(released);
    await claimed(ada, released);
    await release(ada, released);
    expect(await wokenAfter(released)).toBe(3_000);
    await reconciled(released, { last_at: due });
    expect(await notifiedLevels(released)).toEqual([1, 2]);
  });
});

describe('an expired claim', () => {
  const lapsed = async () => {
    const id = await ask({ timeout: '2h' });
    await claimed(ada, id);
    await reachLapse(id);
    return id;
  };

  test('is hidden even before its end is recorded', async () => {
    const id = await lapsed();
    expect(await read(id)).not.toHaveProperty('claim');
    const { body } = await ada.browser.get('/api/v1/requests?limit=1');
    expect(body['requests']?.[0]).toMatchObject({ id });
    expect(body['requests']?.[0]).not.toHaveProperty('claim');
    expect(await routing(id)).toMatchObject({ state: 'waiting' });
    expect(await verbsOf(id)).not.toContain('claim_lapsed');
  });

  test('gives way to the next claim, even of the same person, which records its end first', async () => {
    for (const next of [ada, bob]) {
      const id = await lapsed();
      expect(await claimed(next, id)).toMatchObject({ membership_id: next.membershipId });
      expect((await verbsOf(id)).slice(-3)).toEqual(['claimed', 'claim_lapsed', 'claimed']);
    }
  });

  test('cannot be released, and is recorded before the decision that follows', async () => {
    const [released, decided] = [await lapsed(), await lapsed()];
    expect(await release(ada, released)).toMatchObject(refused(404, 'not_found'));
    expect((await verbsOf(released)).at(-1)).toBe('claim_lapsed');
    expect((await decide(bob, decided)).status).toBe(200);
    expect((await verbsOf(decided)).slice(-2)).toEqual(['claim_lapsed', 'approved']);
  });
});

describe('a claim of a member who leaves', () => {
  test.each(['suspended', 'removed'])(
    'ends when they are %s, is recorded, and wakes escalation',
    async (how) => {
      const leaving = await person({ displayName: 'Leaving', can: REVIEWER });
      const id = await ask({ agent: 'free' });
      const other = await ask({ agent: 'free' });
      const { id: claim_id } = await claimed(leaving, id);
      await claimed(ada, other);
      const left = await (how === 'removed' ? remove : suspend)(leaving);
      expect(left.status).toBeLessThan(300);
      expect(await read(id)).not.toHaveProperty('claim');
      expect(await read(other)).toHaveProperty('claim');
      const events = await timeline(id);
      expect(events.at(-1)).toMatchObject({
        event_type: 'approval_request.claim_released',
        actor_id: owner.membershipId,
        data: {
          claim_id,
          membership_id: leaving.membershipId,
          display_name: 'Leaving',
          reason: `membership_${how}`,
        },
      });
      expect(await wokenAfter(id)).toBe(3_000);
      expect((await claim(bob, id)).status).toBe(200);
    },
  );
});
