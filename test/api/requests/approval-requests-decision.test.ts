/** POST /requests/{id}/decision over HTTP: the body, who may decide, and what a repeat answers. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { refused } from '../../support/refusals.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { scene } from '../../support/scene.ts';

const DECIDER = ['request.read', 'request.decide'];
const when = { id: 'tool', field: '/request/tool', operator: 'equals', value: 'allow' };
const config = { when, on_match: 'approve', reason: 'harmless' };

const { app, organization, owner, people, ...verbs } = await scene({
  people: { named: DECIDER, reviewer: DECIDER },
  paths: { named: [['named']] },
  pipelines: {
    bot: { blocks: [{ id: 'allow', name: 'allow', type: 'cel', config }] },
    routed: 'named',
  },
});
const { ask, withdraw, decide, permit, person, reachDeadline, read } = verbs;
const { named, reviewer } = people;

describe('a decision', () => {
  describe('when it is well-formed', () => {
    test('answers the decision and the closed request, like every later read', async () => {
      const id = await ask();
      const answer = await decide(
        reviewer.browser,
        id,
        { status: 'approved', note: 'fine' },
        'the key',
      );
      expect(answer.status).toBe(200);
      expect(answer.body['decision']).toEqual({
        id: expect.any(String),
        request_id: id,
        organization_id: organization.id,
        membership_id: reviewer.membershipId,
        status: 'approved',
        note: 'fine',
        channel: 'web',
        reviewer_display_name: 'Reviewer',
        reviewer_email: reviewer.email,
        authentication: {
          method: 'local_password',
          assurance: 'single_factor',
          authenticated_at: expect.any(String),
          session_id: expect.any(String),
        },
        idempotency_key: 'the key',
        decided_at: expect.any(String),
      });
      expect(answer.body['request']).toMatchObject({
        id,
        status: 'approved',
        decision: answer.body['decision'],
      });
      expect(answer.body['request']?.['updated_at']).toEqual(
        answer.body['decision']?.['decided_at'],
      );
      expect(await read(id)).toMatchObject(answer.body['request'] ?? {});
    });

    test('records how the decider authenticated: session or key', async () => {
      const session = await app
        .db('sessions')
        .where({ membership_id: reviewer.membershipId })
        .first<{ id: string }>('id');
      const byBrowser = await decide(reviewer.browser, await ask());
      expect(byBrowser.body['decision']).toMatchObject({
        channel: 'web',
        authentication: { method: 'local_password', session_id: session.id },
      });
      const byKey = await decide(reviewer, await ask(), { status: 'denied' });
      expect(byKey.body['decision']).toMatchObject({
        channel: 'api',
        authentication: { method: 'api_key', assurance: 'single_factor' },
      });
      expect(byKey.body['decision']?.['authentication']).not.toHaveProperty('session_id');
      expect(byKey.body['decision']).not.toHaveProperty('note');
    });

    test('keeps the name and address that the reviewer had then', async () => {
      const leaving = await person({ displayName: 'Maiden Name', can: DECIDER });
      const id = await ask();
      await decide(leaving, id);
      await app
        .db('users')
        .where({ id: leaving.userId })
        .update({ display_name: 'Married Name', email: `new-${leaving.email}` });
      expect((await read(id))['decision']).toMatchObject({
        reviewer_display_name: 'Maiden Name',
        reviewer_email: leaving.email,
      });
    });

    test.each(['web', 'a', 'x'.repeat(32), 'my-bot_2'])(
      'accepts the channel %s as reported',
      async (channel) => {
        const answer = await decide(reviewer.browser, await ask(), {
          status: 'denied',
          channel,
        });
        expect(answer).toMatchObject({ status: 200, body: { decision: { channel } } });
      },
    );

    test.each([
      ['key', 'web'],
      ...['slack', 'email', 'push'].flatMap((channel) => [
        ['key', channel],
        ['session', channel],
      ]),
    ])('refuses a %s that claims the channel %s of the service', async (credential, channel) => {
      const id = await ask();
      const body = { status: 'approved', channel };
      const by = credential === 'key' ? reviewer : reviewer.browser;
      expect(await decide(by, id, body)).toMatchObject({
        status: 400,
        body: {
          error: { details: { issues: [{ pointer: '/channel', code: 'invalid_value' }] } },
        },
      });
      expect((await read(id))['status']).toBe('pending');
    });

    test('keeps a note of 4,000 characters, and an empty one', async () => {
      for (const note of ['n'.repeat(4_000), '']) {
        const answer = await decide(reviewer, await ask(), {
          status: 'denied',
          note,
        });
        expect(answer).toMatchObject({ status: 200, body: { decision: { note } } });
      }
    });
  });

  describe('when it is malformed', () => {
    let id: string;
    beforeAll(async () => {
      id = await ask();
    });

    test.each<[string, Record<string, unknown>, string]>([
      ['no status', {}, '/status'],
      ['the status expired', { status: 'expired' }, '/status'],
      ['the status null', { status: null }, '/status'],
      ['a note too long', { status: 'approved', note: 'n'.repeat(4_001) }, '/note'],
      ['a note that is null', { status: 'approved', note: null }, '/note'],
      ['a note with NUL', { status: 'approved', note: 'a\0b' }, '/note'],
      ['a note that is a number', { status: 'approved', note: 1 }, '/note'],
      ['an empty channel', { status: 'approved', channel: '' }, '/channel'],
      ['a channel too long', { status: 'approved', channel: 'x'.repeat(33) }, '/channel'],
      ['a channel in capitals', { status: 'approved', channel: 'Slack' }, '/channel'],
      ['a channel that starts with a digit', { status: 'approved', channel: '1st' }, '/channel'],
      ['the reserved channel pipeline', { status: 'approved', channel: 'pipeline' }, '/channel'],
      ['the reserved channel system', { status: 'approved', channel: 'system' }, '/channel'],
      ['the reserved channel aap', { status: 'approved', channel: 'aap' }, '/channel'],
      ['an unknown member', { status: 'approved', reviewer: 'me' }, '/reviewer'],
    ])(
      'with %s is refused with a pointer, and nothing is decided',
      async (_name, body, pointer) => {
        const answer = await decide(reviewer, id, body);
        expect(answer).toMatchObject({
          status: 400,
          body: { error: { type: 'invalid_request', details: { issues: [{ pointer }] } } },
        });
        expect(await read(id)).toMatchObject({ status: 'pending' });
      },
    );

    test('is refused without Idempotency-Key, without a body, and with a body that is no object', async () => {
      const path = `/api/v1/requests/${id}/decision`;
      expect(await reviewer.http.post(path, { status: 'approved' })).toMatchObject(
        refused(400, 'idempotency_key_required'),
      );
      expect(await decide(reviewer, id, { status: 'approved' }, '')).toMatchObject(
        refused(400, 'idempotency_key_required'),
      );
      expect(await decide(reviewer, id, { status: 'approved' }, 'x'.repeat(1_025))).toMatchObject(
        refused(400, 'validation_failed'),
      );
      const headers = { 'idempotency-key': randomUUID() };
      expect((await reviewer.http.post(path, undefined, { headers })).status).toBe(415);
      expect((await reviewer.http.post(path, '[]', { headers })).status).toBe(400);
      expect(
        await reviewer.http.post(path, '{"status":"approved","status":"denied"}', { headers }),
      ).toMatchObject(refused(400, 'duplicate_key'));
      expect(await read(id)).toMatchObject({ status: 'pending' });
    });
  });

  describe('with an idempotency key that was used', () => {
    test('answers the original outcome to the same input, with any credential of any member who may decide', async () => {
      const id = await ask();
      const key = randomUUID();
      const body = { status: 'approved', note: 'fine', channel: 'chat' };
      const original = await decide(reviewer, id, body, key);
      for (const client of [reviewer.http, reviewer.browser]) {
        const again = await decide(client, id, body, key);
        expect(again.status).toBe(200);
        expect(again.body).toEqual(original.body);
      }
      const { rows } = await app.db.raw<{ rows: unknown[] }>(
        `select 1 from audit_events where subject_id = :id and event_type = 'approval_request.approved'`,
        { id },
      );
      expect(rows).toHaveLength(1);
    });

    test('keeps any key, and shows it as its caller wrote it', async () => {
      for (const written of ['clé 鍵', 'caf\u00e9', '\u00ff'.repeat(1_024)]) {
        const id = await ask();
        const sent = written.includes('鍵') ? Buffer.from(written).toString('latin1') : written;
        const original = await decide(reviewer, id, { status: 'approved' }, sent);
        expect(original).toMatchObject({
          status: 200,
          body: { decision: { idempotency_key: written } },
        });
        expect(await decide(reviewer, id, { status: 'approved' }, sent)).toMatchObject({
          status: 200,
          body: original.body,
        });
      }
    });

    test('compares the channel after its default is set: naming the default changes nothing', async () => {
      const id = await ask();
      const key = randomUUID();
      const original = await decide(reviewer, id, { status: 'denied' }, key);
      const spelled = await decide(reviewer, id, { status: 'denied', channel: 'api' }, key);
      expect(spelled.status).toBe(200);
      expect(spelled.body).toEqual(original.body);
    });

    test.each([
      ['status', { status: 'denied', note: 'fine' }],
      ['note', { status: 'approved', note: 'fine.' }],
      ['absent note', { status: 'approved' }],
      ['channel', { status: 'approved', note: 'fine', channel: 'chat' }],
    ])('refuses another %s', async (_name, body) => {
      const id = await ask();
      const key = randomUUID();
      await decide(reviewer, id, { status: 'approved', note: 'fine' }, key);
      expect(await decide(reviewer, id, body, key)).toMatchObject(
        refused(409, 'idempotency_conflict'),
      );
      expect(await read(id)).toMatchObject({ status: 'approved', decision: { note: 'fine' } });
    });

    test('refuses it on another request, which stays open', async () => {
      const [first, second] = [await ask(), await ask()];
      const key = randomUUID();
      await decide(reviewer, first, { status: 'approved' }, key);
      expect(await decide(reviewer, second, { status: 'approved' }, key)).toMatchObject(
        refused(409, 'idempotency_conflict'),
      );
      expect(await read(second)).toMatchObject({ status: 'pending' });
    });

    test('used on two requests at once decides exactly one of them', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const ids = [await ask(), await ask()];
        const key = randomUUID();
        const answers = await Promise.all(
          ids.map((id) => decide(reviewer, id, { status: 'approved' }, key)),
        );
        expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
        const states = await Promise.all(ids.map(read));
        expect(states.map((state) => String(state['status'])).sort()).toEqual([
          'approved',
          'pending',
        ]);
      }
    });

    test('sent many times at once makes one decision with one answer', async () => {
      const id = await ask();
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => decide(reviewer, id, { status: 'denied' }, key)),
      );
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    });

    test('is free in another organization, and for an automatic decision with the same key', async () => {
      const foreign = await scene({ on: app });
      const automatic = await ask({ tool: 'allow' });
      const key = `pipeline:${automatic}`;
      expect((await decide(reviewer, await ask(), { status: 'approved' }, key)).status).toBe(200);
      expect(
        (await decide(foreign.owner, await foreign.ask(), { status: 'denied' }, key)).status,
      ).toBe(200);
    });

    test('is answered only to people who may still decide: the permission check comes before the replay', async () => {
      const leaving = await person(DECIDER);
      const id = await ask();
      const routed = await ask({ agent: 'routed' });
      const keys = [randomUUID(), randomUUID()] as const;
      await decide(leaving, id, { status: 'approved' }, keys[0]);
      await decide(named, routed, { status: 'approved' }, keys[1]);
      expect(await decide(reviewer, routed, { status: 'approved' }, keys[1])).toMatchObject(
        refused(403, 'request_not_routed'),
      );
      await permit(leaving, 'request.read');
      expect(await decide(leaving, id, { status: 'approved' }, keys[0])).toMatchObject(
        refused(403, 'permission_denied', { permission: 'request.decide' }),
      );
    });
  });

  describe('by a member', () => {
    test('who may read, but not decide, is refused before the body is read', async () => {
      const reader = await person(['request.read']);
      expect(await decide(reader, await ask(), { nonsense: true })).toMatchObject(
        refused(403, 'permission_denied'),
      );
    });

    test('on the path is refused after losing request.decide, and accepted after getting it back', async () => {
      const id = await ask({ agent: 'routed' });
      await permit(named, 'request.read');
      expect(await decide(named, id)).toMatchObject(refused(403, 'permission_denied'));
      await permit(named, ...DECIDER);
      expect((await decide(named, id)).status).toBe(200);
    });

    test('is refused for an unknown request', async () => {
      for (const id of [randomUUID(), 'nonsense'])
        expect(await decide(reviewer, id)).toMatchObject(refused(404, 'not_found'));
    });
  });

  describe('on a request that', () => {
    test.each(['approved', 'denied'])(
      'is %s already is refused with that status, and changes nothing',
      async (status) => {
        const id = await ask();
        const first = await decide(reviewer, id, { status });
        expect(await decide(named, id, { status: 'approved' })).toMatchObject(
          refused(409, 'already_terminal', { status }),
        );
        expect(await read(id)).toMatchObject(first.body['request'] ?? {});
      },
    );

    test('was cancelled or decided by a rule is refused with its status', async () => {
      const cancelled = await ask();
      await withdraw(cancelled);
      expect(await decide(reviewer, cancelled)).toMatchObject(
        refused(409, 'already_terminal', { status: 'cancelled' }),
      );
      const automatic = await ask({ tool: 'allow' });
      expect(await decide(reviewer, automatic, { status: 'denied' })).toMatchObject(
        refused(409, 'already_terminal', { status: 'approved' }),
      );
    });

    test('reached its deadline expires first, at exactly that moment', async () => {
      const id = await ask();
      await reachDeadline(id);
      expect(await decide(reviewer, id)).toMatchObject(
        refused(409, 'already_terminal', { status: 'expired' }),
      );
      const request = await read(id);
      expect(request).toMatchObject({
        status: 'expired',
        decision: { status: 'expired', channel: 'system' },
      });
      expect(request['decision']?.['decided_at']).toEqual(request['deadline_at']);
      expect(request['decision']).not.toHaveProperty('membership_id');
    });

    test('is still evaluated is refused, even if it may be read', async () => {
      const id = await ask({ evaluated: false });
      expect(await decide(owner, id)).toMatchObject(refused(409, 'request_evaluating'));
      expect(await read(id)).toMatchObject({ status: 'pending' });
    });

    test('two people decide at once keeps one answer', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = await ask();
        const answers = await Promise.all([
          decide(reviewer, id, { status: 'approved' }),
          decide(named, id, { status: 'denied' }),
        ]);
        expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
        const won = answers.find((answer) => answer.status === 200)?.body['request'];
        expect(await read(id)).toMatchObject(won ?? {});
        const lost = answers.find((answer) => answer.status === 409);
        expect(lost).toMatchObject(
          refused(409, 'already_terminal', { status: String(won?.['status']) }),
        );
      }
    });
  });
});
