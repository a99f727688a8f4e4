/** Grants through teams and grants for teams mean the same in SQL, in a check and in a list. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findRequest } from '../../../src/data/requests/read.ts';
import { findDeciders, findUnroutedDeciders } from '../../../src/data/requests/deciders.ts';
import { findMemberWithPolicies } from '../../../src/data/people/memberships.ts';
import { authorize, type MemberPrincipal } from '../../../src/domain/people/authorization.ts';
import { maySee, type Audience } from '../../../src/domain/requests/request-access.ts';
import { loadEscalationPathRevision } from '../../../src/services/escalation/escalation-paths.ts';
import { memberPrincipal } from '../../../src/services/people/member-principals.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  grant,
  type Policy,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';

let app: TestApp;
let organization: TestOrganization;
let members: TestMember[];
let teamIds: string[];
let agents: TestAgent[];
let requestIds: string[];

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  members = [];
  for (let n = 0; n < 3; n += 1) members.push(await createMember(app, organization.id));
  teamIds = [];
  for (let n = 0; n < 4; n += 1) teamIds.push(await createTeam(app, organization.id));
  agents = [await createAgent(app, organization), await createAgent(app, organization)];
  requestIds = [];
  for (const agent of agents) requestIds.push(await ask(app, agent));
  const nodes = [
    {
      id: randomUUID(),
      type: 'level',
      targets: [{ type: 'user', id: members[0]?.membershipId }],
      escalate_after: '10m',
    },
  ];
  await activatePath(organization.owner, { path_key: 'first', name: 'First', nodes });
  await activatePipeline(organization.owner, 'organization', {
    blocks: [],
    default_escalation_path: 'first',
  });
  for (const agent of agents) requestIds.push(await ask(app, agent));
});
afterAll(() => app.close());

interface Scene {
  /** The own policies of each member. */
  readonly own: readonly (readonly Policy[])[];
  readonly teams: readonly {
    readonly archived: boolean;
    readonly roster: readonly number[];
    readonly policies: readonly Policy[];
  }[];
}

/**
 * Policies with some of these permissions at any scope. Those at a scope that a permission does not
 * have grant nothing.
 */
function scenes(permissions: readonly string[]): fc.Arbitrary<Scene> {
  const keys = fc.subarray([...permissions], { minLength: 1 });
  const policy = fc.oneof(
    keys.map((chosen): Policy => ({ scope_kind: 'organization', permissions: chosen })),
    fc
      .tuple(keys, fc.subarray([0, 1, 2, 3], { minLength: 1 }))
      .map(([chosen, indices]): Policy => ({
        scope_kind: 'team',
        resource_ids: indices.map((index) => teamIds[index] ?? ''),
        permissions: chosen,
      })),
    fc.tuple(keys, fc.subarray([0, 1], { minLength: 1 })).map(([chosen, indices]): Policy => ({
      scope_kind: 'agent',
      resource_ids: indices.map((index) => agents[index]?.slug ?? ''),
      permissions: chosen,
    })),
  );
  const policies = fc.array(policy, { maxLength: 2 });
  const team = fc.record({
    archived: fc.constantFrom(false, false, true),
    roster: fc.subarray([0, 1, 2]),
    policies,
  });
  return fc.record({
    own: fc.array(policies, { minLength: 3, maxLength: 3 }),
    teams: fc.array(team, { minLength: 4, maxLength: 4 }),
  });
}

async function set({ own, teams }: Scene): Promise<void> {
  const membershipIds = members.map((member) => member.membershipId);
  await app
    .db('permission_policies')
    .whereIn('membership_id', membershipIds)
    .orWhereIn('team_id', teamIds)
    .delete();
  await app.db('team_members').whereIn('team_id', teamIds).delete();
  for (const [index, policies] of own.entries()) {
    for (const policy of policies)
      await grant(app.db, organization.id, { membershipId: membershipIds[index] ?? '', policy });
  }
  for (const [index, { archived, roster, policies }] of teams.entries()) {
    const teamId = teamIds[index] ?? '';
    await app
      .db('teams')
      .where({ id: teamId })
      .update({ archived_at: archived ? new Date() : null });
    for (const policy of policies) await grant(app.db, organization.id, { teamId, policy });
    // Each by one source, and the first by both.
    const rows = roster.flatMap((each, place) =>
      (place === 0 ? ['manual', 'directory'] : ['directory']).map((source) => ({ each, source })),
    );
    for (const { each, source } of rows) {
      const row = {
        team_id: teamId,
        membership_id: membershipIds[each] ?? '',
        source,
        created_at: new Date(),
      };
      await app.db('team_members').insert(row);
    }
  }
}

async function principalOf({ membershipId }: TestMember): Promise<MemberPrincipal> {
  const found = await findMemberWithPolicies(app.db, organization.id, membershipId);
  if (!found) throw new Error('a member is gone');
  return memberPrincipal(found, {
    via: { kind: 'api_key', keyId: membershipId, scopedTo: null },
    auth: { method: 'api_key', assurance: 'single_factor', authenticated_at: new Date() },
  });
}

test('a list of teams shows exactly those that a read allows, for any grants, own and inherited', async () => {
  const outcomes = new Set<number>();
  await fc.assert(
    fc.asyncProperty(scenes(['team.read', 'team.write', 'agent.read']), async (scene) => {
      await set(scene);
      for (const member of members) {
        const principal = await principalOf(member);
        const allowed = teamIds.filter(
          (id) => authorize(principal, 'team.read', { kind: 'team', id }).allowed,
        );
        const list = await member.http.get('/api/v1/teams?status=all');
        outcomes.add(list.status);
        expect(list.status).toBe(
          authorize(principal, 'team.read', { kind: 'any' }).allowed ? 200 : 403,
        );
        const shown =
          list.status === 200
            ? (list.body as unknown as { teams: { id: string }[] }).teams.map((team) => team.id)
            : [];
        expect([...shown].sort()).toEqual([...allowed].sort());
        for (const id of teamIds)
          expect((await member.http.get(`/api/v1/teams/${id}`)).status).toBe(
            allowed.includes(id) ? 200 : 403,
          );
      }
    }),
    { numRuns: 25 },
  );
  expect([...outcomes].sort()).toEqual([200, 403]);
});

test('the deciders of an agent are exactly the members who may decide, for any grants, own and inherited', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      scenes(['request.decide', 'request.decide.unrouted', 'request.read']),
      async (scene) => {
        await set(scene);
        for (const { slug } of agents) {
          const deciders = (await findDeciders(app.db, organization.id, slug)).map(
            (decider) => decider.membershipId,
          );
          const allowed = [organization.owner.membershipId];
          for (const member of members) {
            const { allowed: may } = authorize(await principalOf(member), 'request.decide', {
              kind: 'agent',
              slug,
            });
            if (may) allowed.push(member.membershipId);
          }
          expect([...deciders].sort()).toEqual([...allowed].sort());
          const ofOthers = [organization.owner.membershipId];
          for (const member of members) {
            const { allowed: may } = authorize(
              await principalOf(member),
              'request.decide.unrouted',
              { kind: 'agent', slug },
            );
            if (may && deciders.includes(member.membershipId)) ofOthers.push(member.membershipId);
          }
          expect([...(await findUnroutedDeciders(app.db, organization.id, slug))].sort()).toEqual(
            [...ofOthers].sort(),
          );
          found += deciders.length - 1;
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(found).toBeGreaterThan(0);
});

test('a list of requests shows exactly those that may be seen, for any grants, own and inherited', async () => {
  const seen = new Map<string, { request: Parameters<typeof maySee>[1]; routed: Audience }>();
  for (const id of requestIds) {
    const request = (await findRequest(app.db, id))?.request;
    const revisionId = request?.route?.pathRevisionId;
    if (!request) throw new Error('a request is gone');
    const targets =
      revisionId === undefined
        ? undefined
        : (await loadEscalationPathRevision(app.db, revisionId)).targets;
    seen.set(id, { request, routed: { targets, added: [] } });
  }
  expect([...seen.values()].filter(({ routed }) => routed.targets)).toHaveLength(2);
  let listed = 0;
  const keys = [
    'request.read',
    'request.read.unrouted',
    'request.decide',
    'request.decide.unrouted',
  ];
  await fc.assert(
    fc.asyncProperty(scenes(keys), async (scene) => {
      await set(scene);
      for (const member of members) {
        const principal = await principalOf(member);
        const list = await member.http.get('/api/v1/requests');
        expect(list.status).toBe(
          authorize(principal, 'request.read', { kind: 'any' }).allowed ? 200 : 403,
        );
        if (list.status === 403) continue;
        const shown = (list.body as unknown as { requests: { id: string }[] }).requests.map(
          (request) => request.id,
        );
        const visible = [...seen]
          .filter(([, { request, routed }]) => maySee(principal, request, routed))
          .map(([id]) => id);
        expect([...shown].sort()).toEqual(visible.sort());
        listed += shown.length;
      }
    }),
    { numRuns: 40 },
  );
  expect(listed).toBeGreaterThan(0);
});
