/**
 * Who may decide: the routing view, the queue and the decision agree. A member who loses their
 * rights does nothing more.
 */
import { describe, expect, test } from '@jest/globals';
import type { Knex } from 'knex';
import { lockRequests } from '../../../src/data/requests/engine/lock.ts';
import type { ApiResponse } from '../../support/http.ts';
import { outcome, refused } from '../../support/refusals.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import type { PersonSpec } from '../../support/scene/cast.ts';
import {
  createOrganizationKey,
  type Policy,
  type TestMember,
} from '../../support/scene/factories.ts';
import { setMembers } from '../../support/scene/teams.ts';
import { untilBlocked } from '../../support/waiting.ts';

const { app, organization, owner, people, teams, ...verbs } = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  people: { bob: REVIEWER },
  teams: { night: { policies: [everywhere(...REVIEWER)] } },
  paths: { night: [['night']] },
  pipelines: { bot: {}, 'night-bot': 'night' },
});
const { ask, decide, claim, claimed, release, addReviewers, suspend, remove, person } = verbs;
const { read, verbsOf, holdersOf } = verbs;

const DECIDE = 'request.decide';
const UNROUTED = 'request.decide.unrouted';
const of = (slug: string, ...permissions: string[]): Policy => ({
  scope_kind: 'agent',
  resource_ids: [slug],
  permissions,
});

interface Holding {
  readonly can?: readonly string[];
  readonly policies?: readonly Policy[];
  readonly status?: 'suspended';
  readonly named: boolean;
  readonly others: boolean;
}

/**
 * What members hold besides `request.read`. Whether they may decide requests that name them, and
 * requests that name only others.
 */
const HOLDERS = {
  'nothing that decides': { named: false, others: false },
  'request.decide': { can: [DECIDE], named: true, others: false },
  'request.decide.unrouted alone': { can: [UNROUTED], named: false, others: false },
  both: { can: [DECIDE, UNROUTED], named: true, others: true },
  'both for the agent': { policies: [of('bot', DECIDE, UNROUTED)], named: true, others: true },
  'both for another agent': {
    policies: [of('other', DECIDE, UNROUTED)],
    named: false,
    others: false,
  },
  'request.decide for the agent, and unrouted for another': {
    policies: [of('bot', DECIDE), of('other', UNROUTED)],
    named: true,
    others: false,
  },
  'request.decide for another agent, and unrouted everywhere': {
    can: [UNROUTED],
    policies: [of('other', DECIDE)],
    named: false,
    others: false,
  },
  'request.decide through a team, and unrouted': { can: [UNROUTED], named: true, others: true },
  'the organization': {
    policies: [{ scope_kind: 'organization', is_owner: true }],
    named: true,
    others: true,
  },
  'both, but is suspended': {
    can: [DECIDE, UNROUTED],
    status: 'suspended',
    named: false,
    others: false,
  },
} as const;
type Holds = keyof typeof HOLDERS;
const holders = Object.keys(HOLDERS) as Holds[];

const when = { id: 'tool', field: '/request/tool', operator: 'equals', value: 'others' };
const config = { when, on_match: 'human', reason: 'ask', escalation_path: 'others' };
const matrix = await scene({
  on: app,
  people: Object.fromEntries(
    Object.entries<Holding>(HOLDERS).map(([displayName, { can = [], policies = [], status }]) => [
      displayName,
      { displayName, policies, can: ['request.read', ...can], ...(status && { status }) },
    ]),
  ) as unknown as Record<Holds, PersonSpec>,
  teams: {
    deciders: {
      members: ['request.decide through a team, and unrouted'],
      policies: [everywhere(DECIDE)],
    },
  },
  paths: { named: [holders], others: [['owner']] },
  pipelines: {
    bot: {
      blocks: [{ id: 'others', name: 'others', type: 'cel', config }],
      default_escalation_path: 'named',
    },
    other: {},
  },
});

describe('the routing view, the queue and the decision agree', () => {
  test('of each person in the path: the routing view shows what they hold now', async () => {
    const id = await matrix.ask({ agent: 'bot' });
    const { levels } = await matrix.routing(id);
    const targets = (levels?.[0]?.['targets'] ?? []).map(({ name, members }) => ({
      name: String(name),
      can: Boolean(members?.[0]?.['can_decide']),
      notified: members?.[0]?.['notified_at'] !== undefined,
    }));
    expect(targets).toEqual(
      holders.map((name) => ({ name, can: HOLDERS[name].named, notified: HOLDERS[name].named })),
    );
  });

  test.each(holders)(
    'a member who holds %s finds in their queue what they may decide, and can decide only that',
    async (holds) => {
      const member = matrix.people[holds];
      const listed = async (scope: string, id: string) => {
        const { body } = await member.browser.get(`/api/v1/requests?scope=${scope}`);
        return (body['requests'] ?? []).some((each) => String(each['id']) === id);
      };
      for (const tool of ['named', 'others'] as const) {
        const may = HOLDERS[holds][tool];
        const id = await matrix.ask({ agent: 'bot', tool });
        expect(await listed('decidable', id)).toBe(may);
        expect(await listed('notified', id)).toBe(tool === 'named' && may);
        for (const client of [member.browser, member.http]) {
          const { body } = await client.get(`/api/v1/requests/${id}`);
          expect(body['id'] !== undefined).toBe(may);
        }
        expect((await decide(member, id)).status).toBe(may ? 200 : 403);
        expect(await matrix.read(id)).toMatchObject({ status: may ? 'approved' : 'pending' });
      }
    },
  );

  test('without request.decide, the refusal names this permission', async () => {
    const answer = await decide(
      matrix.people['request.decide.unrouted alone'],
      await matrix.ask({ agent: 'bot' }),
    );
    const details = {
      permission: DECIDE,
      scope_kind: 'organization',
      reason: 'missing_permission',
    };
    expect(answer).toMatchObject(refused(403, 'permission_denied', details));
  });
});

const statusOf = async (id: string) => String((await read(id))['status']);

/** Once a team is empty, the routing goes on by itself, soon or later. */
const ROUTING_VERBS = ['level_skipped', 'path_exhausted', 'unreachable'];
const actsOn = async (id: string) =>
  (await verbsOf(id)).filter((verb) => !ROUTING_VERBS.includes(verb));

const acts: Readonly<Record<string, (member: TestMember, id: string) => Promise<ApiResponse>>> = {
  decides: decide,
  claims: claim,
  'adds a reviewer': (member, id) => addReviewers(member, id, [people.bob]),
};
const ACTS = Object.keys(acts);

async function strip({ membershipId }: TestMember): Promise<ApiResponse> {
  const [policy] = await app
    .db('permission_policies')
    .where({ membership_id: membershipId })
    .pluck<string[]>('id');
  return await owner.browser.delete(
    `/api/v1/members/${membershipId}/permission_policies/${policy}`,
  );
}

const reviewer = () => person(REVIEWER);
/** Alone in the team, which grants their permissions. */
async function onlyOneInTeam(): Promise<TestMember> {
  const member = await person();
  expect((await setMembers(owner.browser, teams.night, [member.membershipId])).status).toBe(200);
  return member;
}

interface Loss {
  readonly member: () => Promise<TestMember>;
  readonly ask: () => Promise<string>;
  readonly loses: (member: TestMember) => Promise<ApiResponse>;
  /** A row that only the change has to wait for, not the act. */
  readonly gate: (trx: Knex.Transaction, member: TestMember) => Promise<unknown>;
  readonly refusal: RegExp;
}

const lockMembership = async (trx: Knex.Transaction, { membershipId }: TestMember) =>
  await trx('memberships').where({ id: membershipId }).forUpdate().first('id');
const own = { member: reviewer, ask: () => ask(), gate: lockMembership };

const losses: Readonly<Record<string, Loss>> = {
  suspended: { ...own, loses: suspend, refusal: /^403 membership_inactive$/ },
  // Their keys end with the membership.
  removed: { ...own, loses: remove, refusal: /^401 authentication_required$/ },
  'stripped of their permissions': {
    ...own,
    loses: strip,
    refusal: /^403 (request_not_routed|permission_denied)$/,
  },
  'taken out of the team': {
    member: onlyOneInTeam,
    ask: () => ask({ agent: 'night-bot' }),
    loses: () => setMembers(owner.browser, teams.night, []),
    gate: async (trx) => await trx('teams').where({ id: teams.night }).forUpdate().first('id'),
    refusal: /^403 (request_not_routed|permission_denied)$/,
  },
};
const LOSSES = Object.entries(losses).map(([what, loss]) => ({ what, ...loss }));

describe.each(LOSSES)(
  'a reviewer who is being $what',
  ({ member: create, ask: request, loses, gate, refusal }) => {
    test.each(ACTS)('and %s meanwhile is refused, and nothing is written', async (act) => {
      const member = await create();
      const id = await request();
      const before = await actsOn(id);
      const calls = await app.db.transaction(async (trx) => {
        await gate(trx, member);
        // The change has begun and waits for the gate. Until it ends, the reviewer's call is let in.
        const lost = loses(member);
        await untilBlocked(trx);
        const acted = acts[act]?.(member, id);
        await untilBlocked(trx, 2);
        return { lost, acted };
      });
      expect((await calls.lost).status).toBeLessThan(300);
      expect(outcome((await calls.acted) ?? (await calls.lost))).toMatch(refusal);
      expect(await statusOf(id)).toBe('pending');
      expect(await actsOn(id)).toEqual(before);
      expect(await holdersOf(id)).toEqual([]);
      expect(await app.db('added_reviewers').where({ request_id: id })).toEqual([]);
      expect(await app.db('decisions').where({ request_id: id })).toEqual([]);
    });

    test.each(ACTS)(
      'and %s before is not overtaken: the change waits until the act is written',
      async (act) => {
        const member = await create();
        const id = await request();
        const calls = await app.db.transaction(async (trx) => {
          await lockRequests(trx, [id]);
          const acted = acts[act]?.(member, id);
          await untilBlocked(trx);
          const lost = loses(member);
          await untilBlocked(trx, 2);
          return { acted, lost };
        });
        expect((await calls.acted)?.status).toBe(200);
        expect((await calls.lost).status).toBeLessThan(300);
      },
    );
  },
);

describe('concurrently', () => {
  /** Types of the events of the request and the member, in the order of the log. */
  async function history(id: string, { membershipId }: TestMember): Promise<string[]> {
    const rows = app
      .db('audit_events')
      .whereIn('subject_id', [id, membershipId])
      .orderBy('sequence');
    const relevant = [
      'approval_request.approved',
      'membership.suspended',
      'membership.deprovisioned',
    ];
    return (await rows.pluck<string[]>('event_type')).filter((type) => relevant.includes(type));
  }

  test.each([
    ['suspended', suspend, 'membership.suspended'],
    ['removed', remove, 'membership.deprovisioned'],
  ] as const)(
    'a reviewer decides and is %s: either the decision came first, or the request stays open',
    async (_how, leave, event) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const member = await reviewer();
        const id = await ask();
        const [decided, left] = await Promise.all([decide(member, id), leave(member)]);
        expect(left.status).toBeLessThan(300);
        const decidedFirst = decided.status === 200;
        expect(
          decidedFirst ? [event] : ['401 authentication_required', '403 membership_inactive'],
        ).toContain(decidedFirst ? event : outcome(decided));
        expect(await history(id, member)).toEqual(
          decidedFirst ? ['approval_request.approved', event] : [event],
        );
        expect(await statusOf(id)).toBe(decidedFirst ? 'approved' : 'pending');
        expect(await app.db('decisions').where({ request_id: id })).toHaveLength(
          decidedFirst ? 1 : 0,
        );
        expect([401, 403]).toContain((await decide(member, id, { status: 'denied' })).status);
        expect(await statusOf(id)).toBe(decidedFirst ? 'approved' : 'pending');
      }
    },
  );

  test('the holder of a claim decides, releases and is suspended: all end, without a deadlock', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const member = await reviewer();
      const id = await ask();
      await claimed(member, id);
      const [decided, released, left] = await Promise.all([
        decide(member, id),
        release(member, id),
        suspend(member),
      ]);
      expect(left.status).toBe(200);
      expect(['200', '403 membership_inactive']).toContain(outcome(decided));
      expect(['204', '404 not_found', '403 membership_inactive']).toContain(outcome(released));
      expect(await read(id)).not.toHaveProperty('claim');
      expect(await history(id, member)).toEqual([
        ...(decided.status === 200 ? ['approval_request.approved'] : []),
        'membership.suspended',
      ]);
    }
  });
});

describe('a member who loses a permission while their call waits for others', () => {
  const keyId = async () => (await createOrganizationKey(app, organization)).id;
  const changes: readonly {
    readonly change: string;
    readonly permission: string;
    readonly make: (caller: TestMember) => Promise<ApiResponse>;
    readonly status: number;
  }[] = [
    {
      change: 'creating a team',
      permission: 'team.write',
      make: ({ http }) => http.post('/api/v1/teams', { name: 'On call' }),
      status: 201,
    },
    {
      change: 'renaming a team',
      permission: 'team.write',
      make: ({ http }) =>
        http.call('PATCH', `/api/v1/teams/${teams.night}`, { body: { name: 'Night shift' } }),
      status: 200,
    },
    {
      change: 'finishing the guided setup',
      permission: 'organization.settings.write',
      make: ({ http }) => http.post('/api/v1/organization/onboarding/complete'),
      status: 204,
    },
    {
      change: 'revoking a key',
      permission: 'api_key.revoke',
      make: async ({ browser }) => browser.delete(`/api/v1/api_keys/${await keyId()}`),
      status: 204,
    },
  ];

  test.each(changes)(
    'is refused $change, which succeeds while the permission stays',
    async ({ permission, make, status }) => {
      const caller = await person([permission]);
      const { body } = await app.db
        .transaction(async (gate) => {
          await gate('organizations').where({ id: organization.id }).forUpdate().first('id');
          const answer = make(caller);
          await untilBlocked(gate);
          await gate('permission_policies').where({ membership_id: caller.membershipId }).delete();
          return { answer };
        })
        .then(async ({ answer }) => await answer);
      expect(body['error']).toMatchObject({ code: 'permission_denied', details: { permission } });
      expect((await make(await person([permission]))).status).toBe(status);
    },
  );
});
