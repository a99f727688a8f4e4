/** Claiming a request and releasing it over real HTTP: who may, when, for how long, and what the walk does meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { wakeOverdue } from '../../../src/services/requests/reconciler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  adapterOf,
  ask,
  askUnevaluated,
  decide,
  deadlineOf,
  reachDeadline,
  stepAt,
} from '../../support/scene/approval-requests.ts';
import {
  claim,
  claimed,
  holdersOf,
  reachLapse,
  release,
  verbsOf,
} from '../../support/scene/claims.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  type Policy,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Json } from '../../support/http.ts';

const everywhere = (...permissions: string[]): Policy[] => [
  { scope_kind: 'organization', permissions },
];
const REVIEWER = everywhere('request.read', 'request.decide', 'request.claim');
const MINUTE_MS = 60_000;
const refused = (status: number, code: string, details?: object) => ({
  status,
  body: {
    error: { code, ...(details && { details: expect.objectContaining(details) as unknown }) },
  },
});

let app: TestApp;
let organization: TestOrganization;
let agent: TestAgent;
/** Its requests reach no path. */
let unroutedAgent: TestAgent;
let ada: TestMember;
/** In the team of the second level. */
let bob: TestMember;
let cleo: TestMember;
let outsider: TestMember;
const levels = [randomUUID(), randomUUID(), randomUUID()] as const;

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  agent = await createAgent(app, organization);
  unroutedAgent = await createAgent(app, organization);
  ada = await createMember(app, organization.id, { displayName: 'Ada', policies: REVIEWER });
  bob = await createMember(app, organization.id, { displayName: 'Bob', policies: REVIEWER });
  cleo = await createMember(app, organization.id, { displayName: 'Cleo', policies: REVIEWER });
  outsider = await createMember(app, organization.id, {
    displayName: 'Outsider',
    policies: REVIEWER,
  });
  const team = await createTeam(app, organization.id, { members: [bob] });
  const level = (id: string, target: object) => ({
    id,
    type: 'level',
    targets: [target],
    escalate_after: '10m',
  });
  await activatePath(organization.owner, {
    path_key: 'on-call',
    name: 'On call',
    nodes: [
      level(levels[0], { type: 'user', id: ada.membershipId }),
      level(levels[1], { type: 'team', id: team }),
      level(levels[2], { type: 'user', id: cleo.membershipId }),
    ],
  });
  await activatePipeline(organization.owner, `agents/${agent.slug}`, {
    default_escalation_path: 'on-call',
    blocks: [],
  });
});
afterAll(async () => {
  await app.close();
});

const get = async (id: string, view = ''): Promise<Json> =>
  (await organization.owner.http.get(`/api/v1/requests/${id}${view}`)).body;
const updatedAt = async (id: string) => String((await get(id))['updated_at']);
const nextAt = async (id: string) => new Date(String((await get(id, '/routing'))['next_at']));
const after = (instant: Date, minutes: number) => new Date(instant.getTime() + minutes * MINUTE_MS);
const statuses = (routing: Json) =>
  (routing['levels'] ?? []).map((level) => String(level['status']));
/** The levels that were told, by their numbers. */
const notifiedLevels = async (id: string) => {
  const keys = await app
    .db('escalation_steps')
    .where({ request_id: id, kind: 'notified' })
    .orderBy('at')
    .pluck<string[]>('step_key');
  return keys.map((key) => levels.findIndex((level) => key.startsWith(level)) + 1);
};

describe('a claim', () => {
  test('says who looks after the request and for how long, in the answer, in the request and in the list', async () => {
    const id = await ask(app, agent);
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
    expect((await get(id))['claim']).toEqual(own);
    expect(await updatedAt(id)).toEqual(own?.['claimed_at']);
    expect(String(own?.['claimed_at']) > before).toBe(true);
    const { body } = await ada.browser.get('/api/v1/requests?limit=1');
    expect(body['requests']?.[0]).toMatchObject({ id, status: 'pending', claim: own });
    const events = (await get(id, '/timeline'))['events'] ?? [];
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

  test('ends at the deadline where that comes before the claim timeout, and follows a changed timeout', async () => {
    const soon = await ask(app, agent, { timeout: '5m' });
    expect((await claimed(ada.http, soon))['expires_at']).toEqual(
      (await deadlineOf(app, soon)).toISOString(),
    );
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ claim_timeout_seconds: 60 });
    const own = await claimed(ada.http, await ask(app, agent));
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ claim_timeout_seconds: 900 });
    expect(own['expires_at']).toEqual(after(new Date(String(own['claimed_at'])), 1).toISOString());
  });

  test('made again by its holder is the same, is not prolonged and changes nothing', async () => {
    const id = await ask(app, agent);
    const first = await claimed(ada.http, id);
    const before = await get(id);
    expect(await claimed(ada.browser, id)).toEqual(first);
    expect(await get(id)).toEqual(before);
    expect((await verbsOf(app, id)).filter((verb) => verb === 'claimed')).toHaveLength(1);
  });

  test('of somebody else is refused with who holds it and until when', async () => {
    const id = await ask(app, agent);
    const { expires_at } = await claimed(ada.http, id);
    const holder = { membership_id: ada.membershipId, display_name: 'Ada', expires_at };
    expect(await claim(bob.http, id)).toMatchObject(refused(409, 'claim_held', holder));
    expect(await holdersOf(app, id)).toEqual([ada.membershipId]);
  });

  test('keeps nobody from deciding, and ends with the decision', async () => {
    const id = await ask(app, agent);
    await claimed(ada.http, id);
    const decided = await decide(bob.http, id, { status: 'denied' });
    expect(decided).toMatchObject({ status: 200, body: { request: { status: 'denied' } } });
    expect(decided.body['request']).not.toHaveProperty('claim');
    expect(await get(id)).not.toHaveProperty('claim');
    expect(await release(ada.http, id)).toMatchObject(refused(404, 'not_found'));
    expect(await claim(ada.http, id)).toMatchObject(
      refused(409, 'request_not_pending', { status: 'denied' }),
    );
  });

  test('needs no second factor where the organization requires one, since it decides nothing', async () => {
    const strict = await createOrganization(app);
    const id = await ask(app, await createAgent(app, strict));
    await app.db('organizations').where({ id: strict.id }).update({ require_mfa: true });
    expect((await claim(strict.owner.browser, id)).status).toBe(200);
    expect(await decide(strict.owner.browser, id)).toMatchObject(refused(403, 'mfa_required'));
  });

  test('does not cut a wait short; the decision that ends it does', async () => {
    const id = await ask(app, agent);
    const waiting = ada.http.get(`/api/v1/requests/${id}?wait=20s`);
    await claimed(ada.http, id);
    expect((await release(ada.http, id)).status).toBe(204);
    await claimed(bob.http, id);
    expect((await decide(bob.http, id)).status).toBe(200);
    const { body } = await waiting;
    expect(body).toMatchObject({ status: 'approved' });
    expect(body).not.toHaveProperty('claim');
  });
});

describe('who may claim', () => {
  test('somebody of a later level, of a team the path names, and any owner', async () => {
    for (const member of [ada, bob, cleo, organization.owner])
      expect((await claim(member.http, await ask(app, agent))).status).toBe(200);
  });

  test('somebody added by hand, from then on', async () => {
    const id = await ask(app, agent);
    expect(await claim(outsider.http, id)).toMatchObject(refused(403, 'request_not_routed'));
    const added = await ada.http.post(`/api/v1/requests/${id}/reviewers`, {
      membership_ids: [outsider.membershipId],
    });
    expect(added.status).toBe(200);
    expect((await claim(outsider.http, id)).status).toBe(200);
  });

  test('of a request without a path everybody who may decide it', async () => {
    expect((await claim(outsider.http, await ask(app, unroutedAgent))).status).toBe(200);
  });

  test('nobody off the path, whatever else he may decide', async () => {
    const powerful = await createMember(app, organization.id, {
      policies: everywhere(
        'request.read',
        'request.decide',
        'request.decide.unrouted',
        'request.claim',
      ),
    });
    const id = await ask(app, agent);
    expect(await claim(powerful.http, id)).toMatchObject(refused(403, 'request_not_routed'));
    expect((await decide(powerful.http, id)).status).toBe(200);
  });

  test.each([
    ['request.claim', 'missing_permission', everywhere('request.read', 'request.decide')],
    ['request.decide', 'missing_permission', everywhere('request.read', 'request.claim')],
    [
      'request.decide',
      'outside_scope',
      [
        ...everywhere('request.claim'),
        { scope_kind: 'agent', resource_ids: ['other'], permissions: ['request.decide'] },
      ],
    ],
  ] as const)('nobody without %s for the agent (%s)', async (permission, reason, policies) => {
    const member = await createMember(app, organization.id, { policies });
    const answer = await claim(member.http, await ask(app, unroutedAgent));
    expect(answer).toMatchObject(refused(403, 'permission_denied', { permission, reason }));
  });

  test('no suspended member, no agent, nobody unknown, and nobody of another organization', async () => {
    const id = await ask(app, unroutedAgent);
    const suspended = await createMember(app, organization.id, {
      policies: REVIEWER,
      status: 'suspended',
    });
    expect(await claim(suspended.http, id)).toMatchObject(refused(403, 'membership_inactive'));
    expect(await claim(adapterOf(app, unroutedAgent), id)).toMatchObject(
      refused(403, 'permission_denied'),
    );
    expect((await claim(app.http, id)).status).toBe(401);
    const { owner } = await createOrganization(app);
    for (const call of [claim, release])
      expect(await call(owner.http, id)).toMatchObject(refused(404, 'not_found'));
    for (const call of [claim, release])
      expect(await call(ada.http, randomUUID())).toMatchObject(refused(404, 'not_found'));
    expect(await holdersOf(app, id)).toEqual([]);
  });

  test('nobody while the pipeline evaluates', async () => {
    const id = await askUnevaluated(app, agent);
    expect(await claim(organization.owner.http, id)).toMatchObject(
      refused(409, 'request_evaluating'),
    );
    expect(await release(organization.owner.http, id)).toMatchObject(refused(404, 'not_found'));
  });

  test.each(['approved', 'denied'])('nobody once it is %s', async (status) => {
    const id = await ask(app, agent);
    await decide(ada.http, id, { status });
    expect(await claim(bob.http, id)).toMatchObject(
      refused(409, 'request_not_pending', { status }),
    );
  });

  test('nobody once it is withdrawn', async () => {
    const id = await ask(app, agent);
    await claimed(ada.http, id);
    expect((await adapterOf(app, agent).delete(`/api/aap/v1/requests/${id}`)).status).toBe(200);
    expect(await claim(bob.http, id)).toMatchObject(
      refused(409, 'request_not_pending', { status: 'cancelled' }),
    );
    expect(await get(id)).not.toHaveProperty('claim');
  });

  test('nobody past the deadline, which the attempt records', async () => {
    const id = await ask(app, agent);
    await reachDeadline(app, id);
    expect(await claim(ada.http, id)).toMatchObject(
      refused(409, 'request_not_pending', { status: 'expired' }),
    );
    expect(await get(id)).toMatchObject({ status: 'expired' });
  });
});

describe('a release', () => {
  test('ends the claim at once, is on the record, and lets the next one claim', async () => {
    const id = await ask(app, agent);
    const { id: claim_id, claimed_at } = await claimed(ada.http, id);
    const answer = await release(ada.browser, id);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    expect(await get(id)).not.toHaveProperty('claim');
    expect((await updatedAt(id)) > String(claimed_at)).toBe(true);
    const events = (await get(id, '/timeline'))['events'] ?? [];
    expect(events.at(-1)).toMatchObject({
      event_type: 'approval_request.claim_released',
      actor_id: ada.membershipId,
      data: { claim_id, membership_id: ada.membershipId, display_name: 'Ada' },
    });
    expect(await release(ada.http, id)).toMatchObject(refused(404, 'not_found'));
    expect((await claim(bob.http, id)).status).toBe(200);
  });

  test("of another's claim is refused, even to an owner; to somebody off the path without a word about it", async () => {
    const id = await ask(app, agent);
    await claimed(ada.http, id);
    for (const { http } of [bob, organization.owner]) {
      expect(await release(http, id)).toMatchObject(
        refused(403, 'not_claim_holder', { membership_id: ada.membershipId }),
      );
    }
    const off = await release(outsider.http, id);
    expect(off).toMatchObject(refused(403, 'request_not_routed'));
    expect(off.text).not.toContain(ada.membershipId);
    expect(await holdersOf(app, id)).toEqual([ada.membershipId]);
  });

  test('is open to a holder who may decide no more', async () => {
    const leaving = await createMember(app, organization.id, { policies: REVIEWER });
    const id = await ask(app, unroutedAgent);
    await claimed(leaving.http, id);
    await app
      .db('permission_policies')
      .where({ membership_id: leaving.membershipId })
      .update({ permissions: ['request.claim'] });
    expect((await release(leaving.http, id)).status).toBe(204);
  });
});

describe('the walk', () => {
  test('asks nobody while the request is claimed; released, it asks the next level at once and the one behind in its own time', async () => {
    const id = await ask(app, agent, { timeout: '2h' });
    const due = await nextAt(id);
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ claim_timeout_seconds: 3_600 });
    await claimed(ada.http, id);
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ claim_timeout_seconds: 900 });
    await stepAt(app, id, after(due, 25));
    expect(await notifiedLevels(id)).toEqual([1]);
    const paused = await get(id, '/routing');
    expect(paused).toMatchObject({
      state: 'paused',
      next_step: { kind: 'level', node_id: levels[1] },
    });
    expect(paused).not.toHaveProperty('next_at');
    expect(statuses(paused)).toEqual(['current', 'upcoming', 'upcoming']);

    expect((await release(ada.http, id)).status).toBe(204);
    await stepAt(app, id, after(due, 26));
    expect(await notifiedLevels(id)).toEqual([1, 2]);
    const waiting = await get(id, '/routing');
    expect(waiting).toMatchObject({ state: 'waiting', next_at: after(due, 36).toISOString() });
    expect(statuses(waiting)).toEqual(['done', 'current', 'upcoming']);
    await stepAt(app, id, after(due, 35));
    expect(await notifiedLevels(id)).toEqual([1, 2]);
    await stepAt(app, id, after(due, 36));
    expect(await notifiedLevels(id)).toEqual([1, 2, 3]);
    expect((await verbsOf(app, id)).slice(3)).toEqual([
      'level_notified',
      'claimed',
      'claim_released',
      'level_notified',
      'level_notified',
    ]);
  });

  test('looks again at the very end of the claim, records that it lapsed, and goes on', async () => {
    const id = await ask(app, agent, { timeout: '2h' });
    const end = new Date(String((await claimed(ada.http, id))['expires_at']));
    await stepAt(app, id, after(end, -0.1));
    const row = await app.db('approval_requests').where({ id }).first<{ wake_at: Date }>('wake_at');
    expect(row.wake_at.getTime() - end.getTime()).toBe(5_000);
    expect(await notifiedLevels(id)).toEqual([1]);
    await stepAt(app, id, end);
    expect(await notifiedLevels(id)).toEqual([1, 2]);
    expect(await get(id)).not.toHaveProperty('claim');
    expect(await updatedAt(id)).toEqual(end.toISOString());
    const events = (await get(id, '/timeline'))['events'] ?? [];
    expect(events.slice(-2).map((event) => [event['event_type'], event['actor_type']])).toEqual([
      ['approval_request.claim_lapsed', 'system'],
      ['approval_request.level_notified', 'system'],
    ]);
    expect(await nextAt(id)).toEqual(after(end, 10));
  });

  test('goes on by the reconciler where Temporal is away: after the lapse, and after a release', async () => {
    const lapsing = await ask(app, agent, { timeout: '2h' });
    await claimed(ada.http, lapsing);
    await reachLapse(app, lapsing);
    const overdue = app.db.raw(`clock_timestamp() - interval '6 seconds'`);
    await app.db('approval_requests').where({ id: lapsing }).update({ wake_at: overdue });
    await wakeOverdue(app.context);
    expect((await verbsOf(app, lapsing)).slice(-2)).toEqual(['claim_lapsed', 'level_notified']);
    expect(await notifiedLevels(lapsing)).toEqual([1, 2]);

    const released = await ask(app, agent, { timeout: '2h' });
    const due = await nextAt(released);
    await claimed(ada.http, released);
    await release(ada.http, released);
    const row = await app
      .db('approval_requests')
      .where({ id: released })
      .first<{ wake_at: Date; updated_at: Date }>('wake_at', 'updated_at');
    expect(row.wake_at.getTime() - row.updated_at.getTime()).toBe(3_000);
    await app
      .db('approval_requests')
      .where({ id: released })
      .update({ last_at: due, wake_at: overdue });
    await wakeOverdue(app.context);
    expect(await notifiedLevels(released)).toEqual([1, 2]);
  });
});

describe('a claim whose time is over', () => {
  const lapsed = async () => {
    const id = await ask(app, agent, { timeout: '2h' });
    await claimed(ada.http, id);
    await reachLapse(app, id);
    return id;
  };

  test('is shown to nobody, though nobody has recorded it yet', async () => {
    const id = await lapsed();
    expect(await get(id)).not.toHaveProperty('claim');
    const { body } = await ada.browser.get('/api/v1/requests?limit=1');
    expect(body['requests']?.[0]).toMatchObject({ id });
    expect(body['requests']?.[0]).not.toHaveProperty('claim');
    expect(await get(id, '/routing')).toMatchObject({ state: 'waiting' });
    expect(await verbsOf(app, id)).not.toContain('claim_lapsed');
  });

  test('gives way to the next one, also of the same person, which records it first', async () => {
    for (const next of [ada, bob]) {
      const id = await lapsed();
      expect(await claimed(next.http, id)).toMatchObject({ membership_id: next.membershipId });
      expect((await verbsOf(app, id)).slice(-3)).toEqual(['claimed', 'claim_lapsed', 'claimed']);
    }
  });

  test('cannot be released: the attempt records its end', async () => {
    const id = await lapsed();
    expect(await release(ada.http, id)).toMatchObject(refused(404, 'not_found'));
    expect((await verbsOf(app, id)).at(-1)).toBe('claim_lapsed');
  });

  test('is recorded before the decision that comes after it', async () => {
    const id = await lapsed();
    expect((await decide(bob.http, id)).status).toBe(200);
    expect((await verbsOf(app, id)).slice(-2)).toEqual(['claim_lapsed', 'approved']);
  });
});

describe('a claim of somebody who leaves', () => {
  test.each(['suspended', 'removed'])(
    'ends when he is %s, on the record, and the walk is woken',
    async (how) => {
      const leaving = await createMember(app, organization.id, {
        displayName: 'Leaving',
        policies: REVIEWER,
      });
      const id = await ask(app, unroutedAgent);
      const other = await ask(app, unroutedAgent);
      const { id: claim_id } = await claimed(leaving.http, id);
      await claimed(ada.http, other);
      const { http } = organization.owner;
      const member = `/api/v1/members/${leaving.membershipId}`;
      const left =
        how === 'removed'
          ? await http.delete(member)
          : await http.call('PATCH', member, { body: { status: 'suspended' } });
      expect(left.status).toBeLessThan(300);
      expect(await get(id)).not.toHaveProperty('claim');
      expect(await get(other)).toHaveProperty('claim');
      const events = (await get(id, '/timeline'))['events'] ?? [];
      expect(events.at(-1)).toMatchObject({
        event_type: 'approval_request.claim_released',
        actor_id: organization.owner.membershipId,
        data: {
          claim_id,
          membership_id: leaving.membershipId,
          display_name: 'Leaving',
          reason: `membership_${how}`,
        },
      });
      const row = await app
        .db('approval_requests')
        .where({ id })
        .first<{ wake_at: Date; updated_at: Date }>('wake_at', 'updated_at');
      expect(row.wake_at.getTime() - row.updated_at.getTime()).toBe(3_000);
      expect((await claim(bob.http, id)).status).toBe(200);
    },
  );
});
