/** Somebody who lost his membership or his rights a moment ago does nothing more, and what he did before stands. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Knex } from 'knex';
import { randomUUID } from 'node:crypto';
import { lockRequest } from '../../../src/data/requests/lock.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import { claim, claimed, holdersOf, release, verbsOf } from '../../support/scene/claims.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Answer } from '../../support/http.ts';
import { setMembers } from '../../support/scene/teams.ts';
import { untilBlocked } from '../../support/waiting.ts';

const REVIEWER = [
  { scope_kind: 'organization', permissions: ['request.read', 'request.decide', 'request.claim'] },
] as const;

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;
let agent: TestAgent;
let bob: TestMember;
/** Whose members its path asks, and may decide by its policy; empty but for the one who is about to leave it. */
let teamAgent: TestAgent;
let team: string;

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  owner = organization.owner;
  agent = await createAgent(app, organization);
  bob = await createMember(app, organization.id, { displayName: 'Bob', policies: REVIEWER });
  team = await createTeam(app, organization.id, { policies: REVIEWER });
  teamAgent = await createAgent(app, organization);
  const level = {
    id: randomUUID(),
    type: 'level',
    targets: [{ type: 'team', id: team }],
    escalate_after: '10m',
  };
  await activatePath(owner, { path_key: 'team', name: 'Team', nodes: [level] });
  await activatePipeline(owner, `agents/${teamAgent.slug}`, {
    blocks: [],
    default_escalation_path: 'team',
  });
});
afterAll(() => app.close());

const outcome = ({ status, body }: Answer) =>
  status < 300 ? String(status) : `${status} ${String(body['error']?.['code'])}`;
const statusOf = async (id: string) =>
  (await owner.http.get(`/api/v1/requests/${id}`)).body['status'] as unknown;

const acts: Readonly<Record<string, (member: TestMember, id: string) => Promise<Answer>>> = {
  decides: ({ http }, id) => decide(http, id),
  claims: ({ http }, id) => claim(http, id),
  'adds a reviewer': ({ http }, id) =>
    http.post(`/api/v1/requests/${id}/reviewers`, { membership_ids: [bob.membershipId] }),
};
const ACTS = Object.keys(acts);

const pathOf = ({ membershipId }: TestMember) => `/api/v1/members/${membershipId}`;
const suspend = (member: TestMember) =>
  owner.browser.call('PATCH', pathOf(member), { body: { status: 'suspended' } });
const remove = (member: TestMember) => owner.browser.delete(pathOf(member));
async function strip(member: TestMember): Promise<Answer> {
  const [policy] = await app
    .db('permission_policies')
    .where({ membership_id: member.membershipId })
    .pluck<string[]>('id');
  return await owner.browser.delete(`${pathOf(member)}/permission_policies/${policy}`);
}

/** He is alone in the team, and what he holds comes through it. */
async function onlyOneInTeam(): Promise<TestMember> {
  const member = await createMember(app, organization.id);
  expect((await setMembers(owner.browser, team, [member.membershipId])).status).toBe(200);
  return member;
}

interface Scene {
  readonly member: () => Promise<TestMember>;
  readonly ask: () => Promise<string>;
  readonly loses: (member: TestMember) => Promise<Answer>;
  /** A row that only the change, not the act, has to wait for. */
  readonly gate: (trx: Knex.Transaction, member: TestMember) => Promise<unknown>;
  readonly refusal: RegExp;
}

const reviewer = () => createMember(app, organization.id, { policies: REVIEWER });
const holdMembership = async (trx: Knex.Transaction, { membershipId }: TestMember) =>
  await trx('memberships').where({ id: membershipId }).forUpdate().first('id');
const own = { member: reviewer, ask: () => ask(app, agent), gate: holdMembership };

const scenes: Readonly<Record<string, Scene>> = {
  suspended: { ...own, loses: suspend, refusal: /^403 membership_inactive$/ },
  // His keys end with it.
  removed: { ...own, loses: remove, refusal: /^401 authentication_required$/ },
  'stripped of his permissions': {
    ...own,
    loses: strip,
    refusal: /^403 (request_not_routed|permission_denied)$/,
  },
  'taken out of the team': {
    member: onlyOneInTeam,
    ask: () => ask(app, teamAgent),
    loses: () => setMembers(owner.browser, team, []),
    gate: async (trx) => await trx('teams').where({ id: team }).forUpdate().first('id'),
    refusal: /^403 (request_not_routed|permission_denied)$/,
  },
};
const SCENES = Object.entries(scenes).map(([what, scene]) => ({ what, ...scene }));

describe.each(SCENES)(
  'somebody who is being $what',
  ({ member: create, ask: request, loses, gate, refusal }) => {
    test.each(ACTS)('and %s meanwhile is refused, and nothing is written', async (act) => {
      const member = await create();
      const id = await request();
      const before = await verbsOf(app, id);
      const calls = await app.db.transaction(async (trx) => {
        await gate(trx, member);
        // It has begun, and waits for the gate; his call was let in as long as it has not ended.
        const lost = loses(member);
        await untilBlocked(app.db);
        const acted = acts[act]?.(member, id);
        await untilBlocked(app.db, 2);
        return { lost, acted };
      });
      expect((await calls.lost).status).toBeLessThan(300);
      expect(outcome((await calls.acted) ?? (await calls.lost))).toMatch(refusal);
      expect(await statusOf(id)).toBe('pending');
      expect(await verbsOf(app, id)).toEqual(before);
      expect(await holdersOf(app, id)).toEqual([]);
      expect(await app.db('added_reviewers').where({ request_id: id })).toEqual([]);
      expect(await app.db('decisions').where({ request_id: id })).toEqual([]);
    });

    test.each(ACTS)(
      'and %s before, is not overtaken: the change waits until what he did is written',
      async (act) => {
        const member = await create();
        const id = await request();
        const calls = await app.db.transaction(async (trx) => {
          await lockRequest(trx, id);
          const acted = acts[act]?.(member, id);
          await untilBlocked(app.db);
          const lost = loses(member);
          await untilBlocked(app.db, 2);
          return { acted, lost };
        });
        expect((await calls.acted)?.status).toBe(200);
        expect((await calls.lost).status).toBeLessThan(300);
      },
    );
  },
);

describe('20 times at the same moment', () => {
  /** Types of what happened to the request and to the member, in the order of the log. */
  async function history(id: string, { membershipId }: TestMember): Promise<string[]> {
    const rows = app
      .db('audit_events')
      .whereIn('subject_id', [id, membershipId])
      .orderBy('sequence');
    const told = ['approval_request.approved', 'membership.suspended', 'membership.deprovisioned'];
    return (await rows.pluck<string[]>('event_type')).filter((type) => told.includes(type));
  }

  test.each([
    ['suspended', suspend, 'membership.suspended'],
    ['removed', remove, 'membership.deprovisioned'],
  ] as const)(
    'somebody decides and is %s: it is decided and then he goes, or he is gone and it waits',
    async (_how, leave, event) => {
      for (let round = 0; round < 20; round += 1) {
        const member = await reviewer();
        const id = await ask(app, agent);
        const [decided, left] = await Promise.all([decide(member.http, id), leave(member)]);
        expect(left.status).toBeLessThan(300);
        const stands = decided.status === 200;
        expect(
          stands ? [event] : ['401 authentication_required', '403 membership_inactive'],
        ).toContain(stands ? event : outcome(decided));
        expect(await history(id, member)).toEqual(
          stands ? ['approval_request.approved', event] : [event],
        );
        expect(await statusOf(id)).toBe(stands ? 'approved' : 'pending');
        expect(await app.db('decisions').where({ request_id: id })).toHaveLength(stands ? 1 : 0);
        expect([401, 403]).toContain((await decide(member.http, id, { status: 'denied' })).status);
        expect(await statusOf(id)).toBe(stands ? 'approved' : 'pending');
      }
    },
  );

  test('the holder of a claim decides, releases and is suspended: all end, without a deadlock', async () => {
    for (let round = 0; round < 20; round += 1) {
      const member = await reviewer();
      const id = await ask(app, agent);
      await claimed(member.http, id);
      const [decided, released, left] = await Promise.all([
        decide(member.http, id),
        release(member.http, id),
        suspend(member),
      ]);
      expect(left.status).toBe(200);
      expect(['200', '403 membership_inactive']).toContain(outcome(decided));
      expect(['204', '404 not_found', '403 membership_inactive']).toContain(outcome(released));
      expect((await owner.http.get(`/api/v1/requests/${id}`)).body).not.toHaveProperty('claim');
      expect(await history(id, member)).toEqual([
        ...(decided.status === 200 ? ['approval_request.approved'] : []),
        'membership.suspended',
      ]);
    }
  });
});
