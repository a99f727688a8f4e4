/** Claiming a request over HTTP: who may, when, for how long, and what holds when several calls meet. */
import { describe, expect, test } from '@jest/globals';
import type { ApiResponse } from '../../../support/http.ts';
import { outcome, refused } from '../../../support/refusals.ts';
import { ROUNDS } from '../../../support/rounds.ts';
import { REVIEWER, scene } from '../../../support/scene.ts';
import type { PersonSpec } from '../../../support/scene/cast.ts';
import { after, claimsScene } from './claims-scene.ts';

const { app, owner, people, ...verbs } = await claimsScene();
const { ask, withdraw, decide, claim, claimed, release, addReviewers, later } = verbs;
const { person, suspend, settings, read, updatedAt, timeline } = verbs;
const { verbsOf, holdersOf, deadlineOf, reachDeadline, reachLapse } = verbs;
const { ada, bob, cleo, outsider } = people;

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

describe('concurrently', () => {
  const rounds = async (round: (id: string) => Promise<void>) => {
    for (let n = 0; n < ROUNDS; n += 1) await round(await ask({ agent: 'free' }));
  };
  const count = async (id: string, verb: string) =>
    (await verbsOf(id)).filter((each) => each === verb).length;
  /** Whether or not the claim came in time. */
  const endsAs = async (id: string, status: string, claiming: ApiResponse) => {
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
