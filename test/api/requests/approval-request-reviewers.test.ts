/**
 * Asking colleagues for help with a request over HTTP: the candidates, who may ask, and the
 * effects.
 */
import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { encodeCursor } from '../../../api/http/cursors.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { scene } from '../../support/scene.ts';
import {
  ask,
  askUnevaluated,
  decide,
  reachDeadline,
  stepAt,
} from '../../support/scene/approval-requests.ts';
import { claimed, verbsOf } from '../../support/scene/claims.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  type Policy,
  type TestMember,
} from '../../support/scene/factories.ts';
import type { ApiResponse, Json } from '../../support/http.ts';

const everywhere = (...permissions: string[]): Policy[] => [
  { scope_kind: 'organization', permissions },
];
const REVIEWER = everywhere('request.read', 'request.decide', 'request.claim');
const refused = (status: number, code: string, details?: object) => ({
  status,
  body: { error: { code, ...(details && { details }) } },
});

/** In the team of the second level. */
/** May decide for another agent only. */
const levels = [randomUUID(), randomUUID()] as const;

const { app, organization } = await scene();
const agent = await createAgent(app, organization);
const unroutedAgent = await createAgent(app, organization);
const person = (displayName: string, policies = REVIEWER) =>
  createMember(app, organization.id, { displayName, policies });
const ada = await person('Ada');
const bob = await person('bob');
const cleo = await person('Cleo');
const dan = await person('Dan 100%');
const elsewhere = await person('Elsewhere', [
  {
    scope_kind: 'agent',
    resource_ids: [unroutedAgent.slug],
    permissions: ['request.read', 'request.decide'],
  },
]);
const team = await createTeam(app, organization.id, { members: [bob] });
await activatePath(organization.owner, {
  path_key: 'on-call',
  name: 'On call',
  nodes: [
    {
      id: levels[0],
      type: 'level',
      targets: [{ type: 'user', id: ada.membershipId }],
      escalate_after: '10m',
    },
    {
      id: levels[1],
      type: 'level',
      targets: [{ type: 'team', id: team }],
      escalate_after: '10m',
    },
  ],
});
await activatePipeline(organization.owner, `agents/${agent.slug}`, {
  default_escalation_path: 'on-call',
  blocks: [],
});
const candidates = async (member: TestMember, id: string, query = ''): Promise<ApiResponse> =>
  await member.http.get(`/api/v1/requests/${id}/reviewer-candidates${query}`);
const add = async (
  member: TestMember,
  id: string,
  membershipIds: readonly unknown[],
): Promise<ApiResponse> =>
  await member.http.post(`/api/v1/requests/${id}/reviewers`, { membership_ids: membershipIds });
const get = async (id: string, view = ''): Promise<Json> =>
  (await organization.owner.http.get(`/api/v1/requests/${id}${view}`)).body;
const names = (answer: ApiResponse) =>
  (answer.body['candidates'] ?? []).map((each) => String(each['display_name']));
const notifiedMembers = async (id: string, stepKey = 'added') =>
  await app
    .db('notifications')
    .where({ request_id: id, step_key: stepKey })
    .pluck<string[]>('membership_id');

describe('candidates', () => {
  test('are the active members who may decide for the agent, by name, and show who is routed already', async () => {
    await createMember(app, organization.id, {
      displayName: 'Suspended',
      policies: REVIEWER,
      status: 'suspended',
    });
    await createMember(app, organization.id, {
      displayName: 'Reader',
      policies: everywhere('request.read'),
    });
    const id = await ask(app, agent);
    const answer = await candidates(ada, id);
    expect(answer.status).toBe(200);
    const shown = (member: TestMember, already_routed: boolean, isNotified = false) => ({
      membership_id: member.membershipId,
      display_name: member.displayName,
      email: member.email,
      already_routed,
      ...(isNotified && { notified_at: expect.any(String) as unknown }),
    });
    expect(answer.body).toEqual({
      candidates: [
        shown(ada, true, true),
        // On a level that is not reached yet.
        shown(bob, true),
        shown(cleo, false),
        shown(dan, false),
        shown(organization.owner, false),
      ],
    });
    expect((await add(ada, id, [cleo.membershipId])).status).toBe(200);
    expect((await candidates(ada, id, '?q=cleo')).body).toEqual({
      candidates: [shown(cleo, true, true)],
    });
  });

  test('of a request without a path are all routed already', async () => {
    const { body } = await candidates(cleo, await ask(app, unroutedAgent));
    expect(
      (body['candidates'] ?? []).every((each) => String(each['already_routed']) === 'true'),
    ).toBe(true);
    expect(body['candidates']).toHaveLength(6);
  });

  test('can be searched by name and email, and paged without losing or repeating one', async () => {
    const id = await ask(app, agent);
    expect(names(await candidates(ada, id, '?q=BOB'))).toEqual(['bob']);
    expect(
      names(await candidates(ada, id, `?q=${encodeURIComponent(cleo.email.toUpperCase())}`)),
    ).toEqual(['Cleo']);
    expect(names(await candidates(ada, id, '?q=100%25'))).toEqual(['Dan 100%']);
    expect(names(await candidates(ada, id, '?q=_'))).toEqual([]);
    const all: string[] = [];
    let cursor = '';
    for (let page = 0; page < 5; page += 1) {
      const answer = await candidates(ada, id, `?limit=2${cursor}`);
      all.push(...names(answer));
      const next = answer.body['next_cursor'] as string | undefined;
      if (next === undefined) break;
      cursor = `&cursor=${next}`;
    }
    expect(all).toEqual(names(await candidates(ada, id)));
    expect(await candidates(ada, await ask(app, agent), cursor.replace('&', '?'))).toMatchObject(
      refused(400, 'validation_failed'),
    );
    expect((await candidates(ada, id, '?limit=501')).status).toBe(400);
  });

  test('answer nothing to a forged cursor that names a member of another organization', async () => {
    const id = await ask(app, agent);
    const foreign = await createOrganization(app);
    const aaron = await createMember(app, foreign.id, { displayName: 'Aaron' });
    const cursor = encodeCursor(['reviewer-candidates', id, '', aaron.membershipId]);
    const answer = await candidates(ada, id, `?cursor=${cursor}`);
    expect({ status: answer.status, names: names(answer) }).toEqual({ status: 200, names: [] });
  });

  test('are visible only to people who may decide the request', async () => {
    const id = await ask(app, agent);
    expect(await candidates(cleo, id)).toMatchObject(refused(403, 'request_not_routed'));
    expect(await candidates(elsewhere, id)).toMatchObject(refused(403, 'permission_denied'));
    const reader = await createMember(app, organization.id, {
      policies: everywhere('request.read', 'request.read.unrouted'),
    });
    expect(await candidates(reader, id)).toMatchObject(refused(403, 'permission_denied'));
    const { owner } = await createOrganization(app);
    expect(await candidates(owner, id)).toMatchObject(refused(404, 'not_found'));
    expect(await candidates(ada, randomUUID())).toMatchObject(refused(404, 'not_found'));
  });
});

describe('adding reviewers', () => {
  test('notifies them once, and lets them see, decide and find the request from then on', async () => {
    const id = await ask(app, agent);
    const path = `/api/v1/requests/${id}`;
    expect(await cleo.http.get(path)).toMatchObject(refused(403, 'request_not_routed'));
    const before = String((await get(id))['updated_at']);
    const answer = await add(ada, id, [cleo.membershipId]);
    expect(answer.status).toBe(200);
    const added = {
      membership_id: cleo.membershipId,
      display_name: 'Cleo',
      added_by: ada.membershipId,
      added_at: expect.any(String) as unknown,
    };
    expect(answer.body).toEqual({ reviewers: [added] });
    expect(await get(id)).toMatchObject({
      updated_at: answer.body['reviewers']?.[0]?.['added_at'],
    });
    expect(String((await get(id))['updated_at']) > before).toBe(true);
    expect(await notifiedMembers(id)).toEqual([cleo.membershipId]);
    expect((await get(id, '/routing'))['added']).toEqual([added]);
    const events = (await get(id, '/timeline'))['events'] ?? [];
    expect(events.at(-1)).toMatchObject({
      event_type: 'approval_request.reviewers_added',
      actor_id: ada.membershipId,
      actor_display_name: 'Ada',
      data: {
        added: [{ membership_id: cleo.membershipId, display_name: 'Cleo' }],
        by: ada.membershipId,
      },
    });
    expect((await cleo.http.get(path)).status).toBe(200);
    for (const scope of ['notified', 'decidable', 'visible']) {
      const { body } = await cleo.browser.get(`/api/v1/requests?scope=${scope}&limit=1`);
      expect(body['requests']?.[0]).toMatchObject({ id });
    }
    expect((await decide(cleo.http, id)).status).toBe(200);
  });

  test('again is no error, notifies no one and changes nothing', async () => {
    const id = await ask(app, agent);
    const first = await add(ada, id, [cleo.membershipId, cleo.membershipId]);
    const before = await get(id);
    const again = await add(bob, id, [cleo.membershipId]);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(await get(id)).toEqual(before);
    expect(await notifiedMembers(id)).toEqual([cleo.membershipId]);
    expect((await verbsOf(app, id)).filter((verb) => verb === 'reviewers_added')).toHaveLength(1);
  });

  test('from a later level of the path notifies them now, and again with their level', async () => {
    const id = await ask(app, agent);
    expect((await add(ada, id, [bob.membershipId])).status).toBe(200);
    expect(await notifiedMembers(id)).toEqual([bob.membershipId]);
    await stepAt(app, id, new Date(String((await get(id, '/routing'))['next_at'])));
    expect(await notifiedMembers(id, `${levels[1]}:1`)).toEqual([bob.membershipId]);
  });

  test('of a request without a path notifies a person again, by name', async () => {
    const id = await ask(app, unroutedAgent);
    expect(await notifiedMembers(id, 'unrouted')).toContain(cleo.membershipId);
    expect((await add(ada, id, [cleo.membershipId])).status).toBe(200);
    expect(await notifiedMembers(id)).toEqual([cleo.membershipId]);
    expect(await get(id, '/routing')).toMatchObject({
      state: 'unrouted',
      added: [{ membership_id: cleo.membershipId }],
    });
  });

  test('works while the request is claimed, and leaves the claim and the pause unchanged', async () => {
    const id = await ask(app, agent);
    const claim = await claimed(ada.http, id);
    expect((await add(ada, id, [cleo.membershipId])).status).toBe(200);
    expect(await notifiedMembers(id)).toEqual([cleo.membershipId]);
    expect((await get(id))['claim']).toEqual(claim);
    expect(await get(id, '/routing')).toMatchObject({ state: 'paused' });
  });

  test('refuses people who may not decide for the agent, each with a pointer, and adds no one', async () => {
    const suspended = await createMember(app, organization.id, {
      policies: REVIEWER,
      status: 'suspended',
    });
    const foreign = (await createOrganization(app)).owner;
    const id = await ask(app, agent);
    const ids = [cleo, elsewhere, suspended, foreign].map((member) => member.membershipId);
    const answer = await add(ada, id, [...ids, randomUUID()]);
    expect(answer).toMatchObject(refused(400, 'validation_failed'));
    const issues = (answer.body['error']?.['details']?.['issues'] ?? []) as unknown as {
      pointer: string;
      code: string;
    }[];
    expect(issues.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(
      [1, 2, 3, 4].map((n) => `/membership_ids/${n} cannot_decide`),
    );
    expect(await notifiedMembers(id)).toEqual([]);
    expect((await get(id, '/routing'))['added']).toEqual([]);
  });

  test.each([
    ['no one', []],
    ['more than twenty', Array.from({ length: 21 }, () => randomUUID())],
    ['what is no id', ['ada']],
  ])('refuses %s', async (_what, ids) => {
    expect(await add(ada, await ask(app, agent), ids)).toMatchObject(
      refused(400, 'validation_failed'),
    );
  });

  test('is for people who may decide the request: the named, the added, and owners', async () => {
    const id = await ask(app, agent);
    expect(await add(cleo, id, [dan.membershipId])).toMatchObject(
      refused(403, 'request_not_routed'),
    );
    expect(await add(elsewhere, id, [dan.membershipId])).toMatchObject(
      refused(403, 'permission_denied'),
    );
    expect((await add(organization.owner, id, [cleo.membershipId])).status).toBe(200);
    const chained = await add(cleo, id, [dan.membershipId]);
    expect((chained.body['reviewers'] ?? []).map((each) => each['added_by'])).toEqual([
      organization.owner.membershipId,
      cleo.membershipId,
    ]);
    const reader = await createMember(app, organization.id, {
      policies: everywhere('request.read', 'request.claim'),
    });
    expect(await add(reader, id, [dan.membershipId])).toMatchObject(
      refused(403, 'permission_denied'),
    );
    const { owner } = await createOrganization(app);
    expect(await add(owner, id, [owner.membershipId])).toMatchObject(refused(404, 'not_found'));
  });

  test('is refused after the answer, after the deadline and during evaluation', async () => {
    const ids = [cleo.membershipId];
    const evaluating = await askUnevaluated(app, agent);
    expect(await add(organization.owner, evaluating, ids)).toMatchObject(
      refused(409, 'request_evaluating'),
    );
    const denied = await ask(app, agent);
    await decide(ada.http, denied, { status: 'denied' });
    expect(await add(ada, denied, ids)).toMatchObject(
      refused(409, 'request_not_pending', { status: 'denied' }),
    );
    const late = await ask(app, agent);
    await reachDeadline(app, late);
    expect(await add(ada, late, ids)).toMatchObject(
      refused(409, 'request_not_pending', { status: 'expired' }),
    );
    expect(await get(late)).toMatchObject({ status: 'expired' });
  });

  test('by two people at once adds and notifies the same colleague once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await ask(app, agent);
      const answers = await Promise.all([
        add(ada, id, [cleo.membershipId]),
        add(bob, id, [cleo.membershipId]),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[0].body).toEqual(answers[1].body);
      expect(await notifiedMembers(id)).toEqual([cleo.membershipId]);
      expect((await verbsOf(app, id)).filter((verb) => verb === 'reviewers_added')).toHaveLength(1);
    }
  });
});
