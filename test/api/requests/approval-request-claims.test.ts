/** Claiming and releasing a request over HTTP: who may, when, for how long, and what escalation does meanwhile. */
import { describe, expect, test } from '@jest/globals';
import { wakeDue } from '../../../src/services/requests/reconciler.ts';
import type { Answer, Json } from '../../support/http.ts';
import { outcome, refused } from '../../support/refusals.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import type { PersonSpec } from '../../support/scene/cast.ts';
import { until } from '../../support/waiting.ts';

const MINUTE_MS = 60_000;

const { app, owner, people, nodes, ...verbs } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, cleo: REVIEWER, outsider: REVIEWER },
  teams: { night: ['bob'] },
  paths: { 'on-call': [['ada'], ['night'], ['cleo']] },
  pipelines: { bot: 'on-call', free: {} },
});
const { ask, withdraw, decide, claim, claimed, release, addReviewers, later } = verbs;
const { person, permit, suspend, remove, settings } = verbs;
const { read, routing, timeline, verbsOf, holdersOf, deadlineOf, reachDeadline, reachLapse } =
  verbs;
const { ada, bob, cleo, outsider } = people;
const levels = nodes['on-call'] ?? [];

const updatedAt = async (id: string) => String((await read(id))['updated_at']);
const nextAt = async (id: string) => new Date(String((await routing(id))['next_at']));
const after = (instant: Date, minutes: number) => new Date(instant.getTime() + minutes * MINUTE_MS);
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
    .orderBy('at')
    .pluck<string[]>('step_key');
  return keys.map((key) => levels.findIndex((level) => key.startsWith(level)) + 1);
};

describe('a claim', () => {
  test('names the holder and the end of the claim in the answer, the request and the list', async () => {
    const id = await ask();
    const before = await updatedAt(id);
    const answer = await claim(ada.browser, id);
    expect(answer.status).toBe(200);
    const own = answer.body['claim'];
    expect(answer.body).toEqual({
      claim: {
        id: expect.any(String),
        membership_id: ada.membershipId,
        display_name: 'Ada',
        claimed_at: expect.any(String),
        expires_at: after(new Date(String(own?.['claimed_at'])), 15).toISOString(),
      },
    });
    expect((await read(id))['claim']).toEqual(own);
    expect(await updatedAt(id)).toEqual(own?.['claimed_at']);
    expect(String(own?.['claimed_at']) > before).toBe(true);
    const { body } = await ada.browser.get('/api/v1/requests?limit=1');
    expect(body['requests']?.[0]).toMatchObject({ id, status: 'pending', claim: own });
    const events = await timeline(id);
    expect(events.at(-1)).toMatchObject({
      event_type: 'approval_request.claimed',
      actor_type: 'human',
      actor_id: ada.membershipId,
      data: {
        claim_id: own?.['id'],
        membership_id: ada.membershipId,
        display_name: 'Ada',
        expires_at: own?.['expires_at'],
      },
    });
  });

  test('ends at the deadline when that comes before the claim timeout, and follows a changed timeout', async () => {
    const soon = await ask({ timeout: '5m' });
    expect((await claimed(ada, soon))['expires_at']).toEqual(
      (await deadlineOf(soon)).toISOString(),
    );
    await settings({ claim_timeout_seconds: 60 });
    const own = await claimed(ada, await ask());
    await settings({ claim_timeout_seconds: 900 });
    expect(own['expires_at']).toEqual(after(new Date(String(own['claimed_at'])), 1).toISOString());
  });

  test('repeated by its holder is not prolonged and changes nothing', async () => {
    const id = await ask();
    const first = await claimed(ada, id);
    const before = await read(id);
    expect(await claimed(ada.browser, id)).toEqual(first);
    expect(await read(id)).toEqual(before);
    expect((await verbsOf(id)).filter((verb) => verb === 'claimed')).toHaveLength(1);
  });

  test('of another person is refused, with the holder and the end', async () => {
    const id = await ask();
    const { expires_at } = await claimed(ada, id);
    const holder = { membership_id: ada.membershipId, display_name: 'Ada', expires_at };
    expect(await claim(bob, id)).toMatchObject(refused(409, 'claim_held', holder));
    expect(await holdersOf(id)).toEqual([ada.membershipId]);
  });

  test('does not keep others from deciding, and ends with the decision', async () => {
    const id = await ask();
    await claimed(ada, id);
    const decided = await decide(bob, id, { status: 'denied' });
    expect(decided).toMatchObject({ status: 200, body: { request: { status: 'denied' } } });
    expect(decided.body['request']).not.toHaveProperty('claim');
    expect(await read(id)).not.toHaveProperty('claim');
    expect(await release(ada, id)).toMatchObject(refused(404, 'not_found'));
    expect(outcome(await claim(ada, id))).toBe('409 request_not_pending');
  });

  test('needs no second factor even if the organization requires one, because it decides nothing', async () => {
    const strict = await scene({ on: app });
    await strict.settings({ require_mfa: true });
    const id = await strict.ask();
    expect((await claim(strict.owner.browser, id)).status).toBe(200);
    expect(await decide(strict.owner.browser, id)).toMatchObject(refused(403, 'mfa_required'));
  });

  test('does not end a wait; the decision does', async () => {
    const id = await ask();
    const waiting = ada.http.get(`/api/v1/requests/${id}?wait=20s`);
    await claimed(ada, id);
    expect((await release(ada, id)).status).toBe(204);
    await claimed(bob, id);
    expect((await decide(bob, id)).status).toBe(200);
    const { body } = await waiting;
    expect(body).toMatchObject({ status: 'approved' });
    expect(body).not.toHaveProperty('claim');
  });
});

describe('who may claim', () => {
  test('a person of a later level, of a team in the path, and any owner may', async () => {
    for (const member of [ada, bob, cleo, owner])
      expect((await claim(member, await ask())).status).toBe(200);
  });

  test('a reviewer added by hand may, from then on', async () => {
    const id = await ask();
    expect(await claim(outsider, id)).toMatchObject(refused(403, 'request_not_routed'));
    const added = await addReviewers(ada, id, [outsider]);
    expect(added.status).toBe(200);
    expect((await claim(outsider, id)).status).toBe(200);
  });

  test('everyone who may decide may claim a request without a path', async () => {
    expect((await claim(outsider, await ask({ agent: 'free' }))).status).toBe(200);
  });

  test('a person who is not on the path may not, whatever else they may decide', async () => {
    const powerful = await person([
      'request.read',
      'request.decide',
      'request.decide.unrouted',
      'request.claim',
    ]);
    const id = await ask();
    expect(await claim(powerful, id)).toMatchObject(refused(403, 'request_not_routed'));
    expect((await decide(powerful, id)).status).toBe(200);
  });

  test.each<[string, string, PersonSpec]>([
    ['request.claim', 'missing_permission', ['request.read', 'request.decide']],
    ['request.decide', 'missing_permission', ['request.read', 'request.claim']],
    [
      'request.decide',
      'outside_scope',
      {
        can: ['request.claim'],
        policies: [
          { scope_kind: 'agent', resource_ids: ['other'], permissions: ['request.decide'] },
        ],
      },
    ],
  ])('a member without %s for the agent may not (%s)', async (permission, reason, spec) => {
    const answer = await claim(await person(spec), await ask({ agent: 'free' }));
    expect(answer).toMatchObject(refused(403, 'permission_denied', { permission, reason }));
  });

  test('no one may while the pipeline evaluates, after a withdrawal, or after the deadline, which the attempt records', async () => {
    const evaluating = await ask({ evaluated: false });
    expect(await claim(owner, evaluating)).toMatchObject(refused(409, 'request_evaluating'));
    expect(await release(owner, evaluating)).toMatchObject(refused(404, 'not_found'));
    const [withdrawn, late] = [await ask(), await ask()];
    await claimed(ada, withdrawn);
    await withdraw(withdrawn);
    await reachDeadline(late);
    for (const [id, status] of [
      [withdrawn, 'cancelled'],
      [late, 'expired'],
    ] as const) {
      expect(await claim(bob, id)).toMatchObject(refused(409, 'request_not_pending', { status }));
      expect(await read(id)).toMatchObject({ status });
      expect(await read(id)).not.toHaveProperty('claim');
    }
  });
});

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

describe('concurrently', () => {
  const rounds = async (round: (id: string) => Promise<void>) => {
    for (let n = 0; n < ROUNDS; n += 1) await round(await ask({ agent: 'free' }));
  };
  const count = async (id: string, verb: string) =>
    (await verbsOf(id)).filter((each) => each === verb).length;
  /** Whether or not the claim came in time. */
  const endsAs = async (id: string, status: string, claiming: Answer) => {
    expect(['200', '409 request_not_pending']).toContain(outcome(claiming));
    const request = await read(id);
    expect(request).toMatchObject({ status });
    expect(request).not.toHaveProperty('claim');
    expect((await verbsOf(id)).at(-1)).toBe(status);
  };

  test('two people claim: exactly one holds it, and the other learns who', async () => {
    await rounds(async (id) => {
      const answers = await Promise.all([claim(ada, id), claim(bob, id)]);
      expect(answers.map(outcome).sort()).toEqual(['200', '409 claim_held']);
      const won = answers.find(({ status }) => status === 200)?.body['claim'];
      const lost = answers.find(({ status }) => status === 409)?.body['error']?.['details'];
      expect(lost?.['membership_id']).toBe(won?.['membership_id']);
      expect(await holdersOf(id)).toEqual([won?.['membership_id']]);
      expect((await read(id))['claim']).toEqual(won);
    });
  });

  test('one person claims twice: both answers are the same claim', async () => {
    await rounds(async (id) => {
      const [first, second] = await Promise.all([claim(ada, id), claim(ada.browser, id)]);
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(first.body).toEqual(second.body);
      expect(await count(id, 'claimed')).toBe(1);
    });
  });

  test('one claims and another decides: the decision holds, and no claim is shown', async () => {
    await rounds(async (id) => {
      const [claiming, deciding] = await Promise.all([claim(ada, id), decide(bob, id)]);
      expect(deciding.status).toBe(200);
      expect(await read(id)).toMatchObject(deciding.body['request'] ?? {});
      await endsAs(id, 'approved', claiming);
    });
  });

  test('the holder releases and another claims: at most one holds it, and the answer names them', async () => {
    await rounds(async (id) => {
      await claimed(ada, id);
      const [releasing, claiming] = await Promise.all([release(ada, id), claim(bob, id)]);
      expect(releasing.status).toBe(204);
      expect(['200', '409 claim_held']).toContain(outcome(claiming));
      expect(await holdersOf(id)).toEqual(claiming.status === 200 ? [bob.membershipId] : []);
    });
  });

  test('the holder releases and another decides: the decision holds, and nothing is recorded after it', async () => {
    await rounds(async (id) => {
      await claimed(ada, id);
      const [releasing, deciding] = await Promise.all([
        release(ada, id),
        decide(bob, id, { status: 'denied' }),
      ]);
      expect(deciding.status).toBe(200);
      expect(['204', '404 not_found']).toContain(outcome(releasing));
      expect(await count(id, 'claim_released')).toBe(releasing.status === 204 ? 1 : 0);
      expect((await verbsOf(id)).at(-1)).toBe('denied');
    });
  });

  test.each([
    ['the agent withdraws', 'cancelled', withdraw],
    ['the deadline comes', 'expired', async (id: string) => later(id, await deadlineOf(id))],
  ] as const)('one claims and %s: it is %s, and no claim is shown', async (_what, status, ends) => {
    await rounds(async (id) => {
      const [claiming] = await Promise.all([claim(ada, id), ends(id)]);
      await endsAs(id, status, claiming);
    });
  });

  test('a claim lapses while the step and its holder meet it: its end is recorded once', async () => {
    await rounds(async (id) => {
      await claimed(ada, id);
      const end = await reachLapse(id);
      const [releasing] = await Promise.all([release(ada, id), later(id, end), claim(bob, id)]);
      expect(outcome(releasing)).toMatch(/^(404 not_found|403 not_claim_holder)$/);
      expect(await count(id, 'claim_lapsed')).toBe(1);
      expect(await count(id, 'claim_released')).toBe(0);
      expect(await holdersOf(id)).toEqual([bob.membershipId]);
    });
  });

  test('a member claims and is suspended: they hold nothing afterwards', async () => {
    await rounds(async (id) => {
      const leaving = await person(REVIEWER);
      const [claiming, suspending] = await Promise.all([claim(leaving, id), suspend(leaving)]);
      expect(suspending.status).toBe(200);
      expect(['200', '403 membership_inactive']).toContain(outcome(claiming));
      expect(await holdersOf(id)).toEqual([]);
      expect(await count(id, 'claim_released')).toBe(await count(id, 'claimed'));
    });
  });
});
