/** POST /requests/{id}/decision over real HTTP: what a body may say, who may decide what, and what a repeat answers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  adapterOf,
  ask,
  askUnevaluated,
  decide,
  reachDeadline,
} from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';

const everywhere = (...permissions: string[]) =>
  [{ scope_kind: 'organization', permissions }] as const;
const REVIEWER = everywhere('request.read', 'request.decide');
const refused = (status: number, code: string, details?: object) => ({
  status,
  body: { error: { code, ...(details && { details }) } },
});

describe('a decision', () => {
  let app: TestApp;
  let organization: TestOrganization;
  let agent: TestAgent;
  /** Its requests are routed to `named` alone. */
  let routedAgent: TestAgent;
  let named: TestMember;
  let reviewer: TestMember;

  beforeAll(async () => {
    app = await startApp();
    organization = await createOrganization(app);
    agent = await createAgent(app, organization);
    routedAgent = await createAgent(app, organization);
    named = await createMember(app, organization.id, { displayName: 'Named', policies: REVIEWER });
    reviewer = await createMember(app, organization.id, {
      displayName: 'Reviewer',
      policies: REVIEWER,
    });
    await activatePath(organization.owner, {
      path_key: 'named',
      name: 'One person',
      nodes: [
        {
          id: randomUUID(),
          type: 'level',
          targets: [{ type: 'user', id: named.membershipId }],
          escalate_after: '10m',
        },
      ],
    });
    await activatePipeline(organization.owner, `agents/${routedAgent.slug}`, {
      default_escalation_path: 'named',
      blocks: [],
    });
    await activatePipeline(organization.owner, `agents/${agent.slug}`, {
      blocks: [
        {
          id: 'allow',
          name: 'allow',
          type: 'cel',
          config: {
            when: { id: 'tool', field: '/request/tool', operator: 'equals', value: 'allow' },
            on_match: 'approve',
            reason: 'harmless',
          },
        },
      ],
    });
  });
  afterAll(async () => {
    await app.close();
  });

  const stateOf = async (id: string) =>
    (await organization.owner.http.get(`/api/v1/requests/${id}`)).body;

  describe('when it is well-formed', () => {
    test('answers the decision and the request it ended, and is what every later read shows', async () => {
      const id = await ask(app, agent);
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
      expect(await stateOf(id)).toEqual(answer.body['request']);
    });

    test('carries how the decider was authenticated: the session, or the key', async () => {
      const session = await app
        .db('sessions')
        .where({ membership_id: reviewer.membershipId })
        .first<{ id: string }>('id');
      const byBrowser = await decide(reviewer.browser, await ask(app, agent));
      expect(byBrowser.body['decision']).toMatchObject({
        channel: 'web',
        authentication: { method: 'local_password', session_id: session.id },
      });
      const byKey = await decide(reviewer.http, await ask(app, agent), { status: 'denied' });
      expect(byKey.body['decision']).toMatchObject({
        channel: 'api',
        authentication: { method: 'api_key', assurance: 'single_factor' },
      });
      expect(byKey.body['decision']?.['authentication']).not.toHaveProperty('session_id');
      expect(byKey.body['decision']).not.toHaveProperty('note');
    });

    test('keeps the name and address the reviewer had then', async () => {
      const leaving = await createMember(app, organization.id, {
        displayName: 'Maiden Name',
        policies: REVIEWER,
      });
      const id = await ask(app, agent);
      await decide(leaving.http, id);
      await app
        .db('users')
        .where({ id: leaving.userId })
        .update({ display_name: 'Married Name', email: `new-${leaving.email}` });
      expect((await stateOf(id))['decision']).toMatchObject({
        reviewer_display_name: 'Maiden Name',
        reviewer_email: leaving.email,
      });
    });

    test.each(['slack', 'a', 'x'.repeat(32), 'my-bot_2'])(
      'takes the channel %s as reported',
      async (channel) => {
        const answer = await decide(reviewer.browser, await ask(app, agent), {
          status: 'denied',
          channel,
        });
        expect(answer).toMatchObject({ status: 200, body: { decision: { channel } } });
      },
    );

    test('keeps a note of 4,000 characters, and an empty one', async () => {
      for (const note of ['n'.repeat(4_000), '']) {
        const answer = await decide(reviewer.http, await ask(app, agent), {
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
      id = await ask(app, agent);
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
        const answer = await decide(reviewer.http, id, body);
        expect(answer).toMatchObject({
          status: 400,
          body: { error: { type: 'invalid_request', details: { issues: [{ pointer }] } } },
        });
        expect(await stateOf(id)).toMatchObject({ status: 'pending' });
      },
    );

    test('is refused without Idempotency-Key, without a body, and with a body that is no object', async () => {
      const path = `/api/v1/requests/${id}/decision`;
      expect(await reviewer.http.post(path, { status: 'approved' })).toMatchObject(
        refused(400, 'idempotency_key_required'),
      );
      expect(await decide(reviewer.http, id, { status: 'approved' }, '')).toMatchObject(
        refused(400, 'idempotency_key_required'),
      );
      expect(
        await decide(reviewer.http, id, { status: 'approved' }, 'x'.repeat(256)),
      ).toMatchObject(refused(400, 'validation_failed'));
      const headers = { 'idempotency-key': randomUUID() };
      expect((await reviewer.http.post(path, undefined, { headers })).status).toBe(415);
      expect((await reviewer.http.post(path, '[]', { headers })).status).toBe(400);
      expect(
        await reviewer.http.post(path, '{"status":"approved","status":"denied"}', { headers }),
      ).toMatchObject(refused(400, 'duplicate_key'));
      expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    });
  });

  describe('with an idempotency key that was used', () => {
    test('answers the original outcome to the same input, by whichever credential of any member who may decide', async () => {
      const id = await ask(app, agent);
      const key = randomUUID();
      const body = { status: 'approved', note: 'fine', channel: 'chat' };
      const original = await decide(reviewer.http, id, body, key);
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

    test('compares the channel after its default: spelling it out changes nothing', async () => {
      const id = await ask(app, agent);
      const key = randomUUID();
      const original = await decide(reviewer.http, id, { status: 'denied' }, key);
      const spelled = await decide(reviewer.http, id, { status: 'denied', channel: 'api' }, key);
      expect(spelled.status).toBe(200);
      expect(spelled.body).toEqual(original.body);
    });

    test.each([
      ['status', { status: 'denied', note: 'fine' }],
      ['note', { status: 'approved', note: 'fine.' }],
      ['absent note', { status: 'approved' }],
      ['channel', { status: 'approved', note: 'fine', channel: 'chat' }],
    ])('refuses another %s', async (_name, body) => {
      const id = await ask(app, agent);
      const key = randomUUID();
      await decide(reviewer.http, id, { status: 'approved', note: 'fine' }, key);
      expect(await decide(reviewer.http, id, body, key)).toMatchObject(
        refused(409, 'idempotency_conflict'),
      );
      expect(await stateOf(id)).toMatchObject({ status: 'approved', decision: { note: 'fine' } });
    });

    test('refuses it on another request, which stays open', async () => {
      const [first, second] = [await ask(app, agent), await ask(app, agent)];
      const key = randomUUID();
      await decide(reviewer.http, first, { status: 'approved' }, key);
      expect(await decide(reviewer.http, second, { status: 'approved' }, key)).toMatchObject(
        refused(409, 'idempotency_conflict'),
      );
      expect(await stateOf(second)).toMatchObject({ status: 'pending' });
    });

    test('used on two requests at once decides exactly one of them', async () => {
      for (let round = 0; round < 20; round += 1) {
        const ids = [await ask(app, agent), await ask(app, agent)];
        const key = randomUUID();
        const answers = await Promise.all(
          ids.map((id) => decide(reviewer.http, id, { status: 'approved' }, key)),
        );
        expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
        const states = await Promise.all(ids.map(stateOf));
        expect(states.map((state) => String(state['status'])).sort()).toEqual([
          'approved',
          'pending',
        ]);
      }
    });

    test('sent many times at once is one decision and one answer', async () => {
      const id = await ask(app, agent);
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => decide(reviewer.http, id, { status: 'denied' }, key)),
      );
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    });

    test('is free in another organization, and for an automatic decision that happens to have it', async () => {
      const foreign = await createOrganization(app);
      const foreignAgent = await createAgent(app, foreign);
      const automatic = await ask(app, agent, { tool: 'allow' });
      const key = `pipeline:${automatic}`;
      expect(
        (await decide(reviewer.http, await ask(app, agent), { status: 'approved' }, key)).status,
      ).toBe(200);
      expect(
        (await decide(foreign.owner.http, await ask(app, foreignAgent), { status: 'denied' }, key))
          .status,
      ).toBe(200);
    });

    test('is answered only to those who may still decide: permission comes before the replay', async () => {
      const leaving = await createMember(app, organization.id, { policies: REVIEWER });
      const id = await ask(app, agent);
      const routed = await ask(app, routedAgent);
      const keys = [randomUUID(), randomUUID()] as const;
      await decide(leaving.http, id, { status: 'approved' }, keys[0]);
      await decide(named.http, routed, { status: 'approved' }, keys[1]);
      expect(await decide(reviewer.http, routed, { status: 'approved' }, keys[1])).toMatchObject(
        refused(403, 'request_not_routed'),
      );
      const policies = app.db('permission_policies').where({ membership_id: leaving.membershipId });
      await policies.update({ permissions: ['request.read'] });
      expect(await decide(leaving.http, id, { status: 'approved' }, keys[0])).toMatchObject(
        refused(403, 'permission_denied', { permission: 'request.decide' }),
      );
    });
  });

  describe('by somebody who', () => {
    test('is named by the path, holds request.decide.unrouted or owns the organization is taken; by anybody else refused', async () => {
      const unrouted = await createMember(app, organization.id, {
        policies: everywhere('request.decide', 'request.decide.unrouted'),
      });
      for (const member of [named, unrouted, organization.owner]) {
        expect((await decide(member.http, await ask(app, routedAgent))).status).toBe(200);
      }
      const id = await ask(app, routedAgent);
      expect(await decide(reviewer.http, id)).toMatchObject(refused(403, 'request_not_routed'));
      expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    });

    test('may read, but not decide, is refused before the body is looked at', async () => {
      const reader = await createMember(app, organization.id, {
        policies: everywhere('request.read'),
      });
      expect(await decide(reader.http, await ask(app, agent), { nonsense: true })).toMatchObject(
        refused(403, 'permission_denied'),
      );
    });

    test('may decide for another agent only is refused', async () => {
      const scoped = await createMember(app, organization.id, {
        policies: [
          {
            scope_kind: 'agent',
            resource_ids: [agent.slug],
            permissions: ['request.read', 'request.decide'],
          },
        ],
      });
      const other = await createAgent(app, organization);
      expect((await decide(scoped.http, await ask(app, agent))).status).toBe(200);
      expect(await decide(scoped.http, await ask(app, other))).toMatchObject(
        refused(403, 'request_not_routed'),
      );
    });

    test('is named by the path but lost request.decide is refused', async () => {
      const id = await ask(app, routedAgent);
      const policies = app.db('permission_policies').where({ membership_id: named.membershipId });
      await policies.clone().update({ permissions: ['request.read'] });
      expect(await decide(named.http, id)).toMatchObject(refused(403, 'permission_denied'));
      await policies.clone().update({ permissions: ['request.read', 'request.decide'] });
      expect((await decide(named.http, id)).status).toBe(200);
    });

    test('is suspended is refused, by session and by key', async () => {
      const suspended = await createMember(app, organization.id, {
        policies: REVIEWER,
        status: 'suspended',
      });
      const id = await ask(app, agent);
      for (const client of [suspended.http, suspended.browser]) {
        expect(await decide(client, id)).toMatchObject(refused(403, 'membership_inactive'));
      }
      expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    });

    test('is of another organization, an adapter, or nobody learns nothing', async () => {
      const id = await ask(app, agent);
      const foreign = await createOrganization(app);
      expect(await decide(foreign.owner.http, id)).toMatchObject(refused(404, 'not_found'));
      expect(await decide(adapterOf(app, agent), id)).toMatchObject(
        refused(403, 'permission_denied'),
      );
      expect(await decide(app.http, id)).toMatchObject(refused(401, 'authentication_required'));
      expect(await decide(reviewer.http, randomUUID())).toMatchObject(refused(404, 'not_found'));
      expect(await decide(reviewer.http, 'nonsense')).toMatchObject(refused(404, 'not_found'));
      expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    });
  });

  describe('on a request that', () => {
    test.each(['approved', 'denied'])(
      'is %s already is refused with that status, and changes nothing',
      async (status) => {
        const id = await ask(app, agent);
        const first = await decide(reviewer.http, id, { status });
        expect(await decide(named.http, id, { status: 'approved' })).toMatchObject(
          refused(409, 'already_terminal', { status }),
        );
        expect(await stateOf(id)).toEqual(first.body['request']);
      },
    );

    test('was cancelled or decided by a rule is refused with its status', async () => {
      const cancelled = await ask(app, agent);
      await adapterOf(app, agent).delete(`/api/aap/v1/requests/${cancelled}`);
      expect(await decide(reviewer.http, cancelled)).toMatchObject(
        refused(409, 'already_terminal', { status: 'cancelled' }),
      );
      const automatic = await ask(app, agent, { tool: 'allow' });
      expect(await decide(reviewer.http, automatic, { status: 'denied' })).toMatchObject(
        refused(409, 'already_terminal', { status: 'approved' }),
      );
    });

    test('reached its deadline is expired first, exactly then', async () => {
      const id = await ask(app, agent);
      await reachDeadline(app, id);
      expect(await decide(reviewer.http, id)).toMatchObject(
        refused(409, 'already_terminal', { status: 'expired' }),
      );
      const request = await stateOf(id);
      expect(request).toMatchObject({
        status: 'expired',
        decision: { status: 'expired', channel: 'system' },
      });
      expect(request['decision']?.['decided_at']).toEqual(request['deadline_at']);
      expect(request['decision']).not.toHaveProperty('membership_id');
    });

    test('is still evaluated is refused, though anybody may read it', async () => {
      const id = await askUnevaluated(app, agent);
      expect(await decide(organization.owner.http, id)).toMatchObject(
        refused(409, 'request_evaluating'),
      );
      expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    });

    test('two people decide at once has one answer for ever', async () => {
      for (let round = 0; round < 20; round += 1) {
        const id = await ask(app, agent);
        const answers = await Promise.all([
          decide(reviewer.http, id, { status: 'approved' }),
          decide(named.http, id, { status: 'denied' }),
        ]);
        expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
        const won = answers.find((answer) => answer.status === 200)?.body['request'];
        expect(await stateOf(id)).toEqual(won);
        const lost = answers.find((answer) => answer.status === 409);
        expect(lost).toMatchObject(
          refused(409, 'already_terminal', { status: String(won?.['status']) }),
        );
      }
    });
  });
});
