/** What members hold, own and through teams: the same in SQL, in a check and in a list, and found without reading whole tables. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findApiKeyHolder } from '../../../src/data/people/api-keys.ts';
import { findMemberWithPolicies } from '../../../src/data/people/memberships.ts';
import {
  listMemberAssignments,
  listTeamAssignments,
} from '../../../src/data/people/role-assignments.ts';
import { listTeamMembers, listTeams } from '../../../src/data/people/teams.ts';
import { findNonDeciders, listDeciders } from '../../../src/data/requests/deciders.ts';
import { readView } from '../../../src/data/requests/engine/view.ts';
import { findRequest } from '../../../src/data/requests/read.ts';
import { findSessionHolder } from '../../../src/data/sign-in/sessions.ts';
import { authorize, type MemberPrincipal } from '../../../src/domain/people/authorization.ts';
import type { RequestDecider } from '../../../src/domain/requests/engine/view.ts';
import { maySee, type Audience } from '../../../src/domain/requests/request-access.ts';
import { parseToken } from '../../../src/platform/crypto/tokens.ts';
import type { Db } from '../../../src/platform/postgres.ts';
import { loadEscalationPathRevision } from '../../../src/services/escalation/escalation-paths.ts';
import { memberPrincipal } from '../../../src/services/access/principals.ts';
import { appForFile } from '../../support/scene.ts';
import { explain, statementOf } from '../../support/sql/plans.ts';
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

const app = await appForFile();

const PAGE = { q: '', limit: 200, after: undefined };

describe('policies of live teams', () => {
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await createOrganization(app);
  });

  test('a member holds what their teams hold, until the team is archived or they leave it', async () => {
    const member = await createMember(app, organization.id);
    const policies = [{ scope_kind: 'organization', permissions: ['agent.read'] }] as const;
    const [first, second] = [
      await createTeam(app, organization.id, { members: [member], policies }),
      await createTeam(app, organization.id, { members: [member], policies }),
    ];
    const listing = async () => (await member.http.get('/api/v1/agents')).status;
    expect(await listing()).toBe(200);
    const me = await member.browser.get('/api/v1/me');
    expect(me.body['principal']?.['team_ids']).toEqual([first, second].sort());
    expect(me.body['assignments']).toHaveLength(2);
    expect(me.body['assignments']?.[0]).toMatchObject({
      principal_id: member.membershipId,
      permissions: ['agent.read'],
    });
    await app.db('team_members').where({ team_id: first }).delete();
    expect(await listing()).toBe(200);
    await app.db('teams').where({ id: second }).update({ archived_at: new Date() });
    expect(await listing()).toBe(403);
    expect((await member.browser.get('/api/v1/me')).body['principal']?.['team_ids']).toEqual([]);
  });

  test('a member who is in a team twice holds its policies once, and other members hold none of them', async () => {
    const [inside, outside] = [
      await createMember(app, organization.id),
      await createMember(app, organization.id),
    ];
    const team = await createTeam(app, organization.id, {
      members: [inside],
      policies: [{ scope_kind: 'organization', permissions: ['agent.read'] }],
    });
    await app.db('team_members').insert({
      team_id: team,
      membership_id: inside.membershipId,
      source: 'directory',
      created_at: new Date(),
    });
    expect((await inside.browser.get('/api/v1/me')).body['assignments']).toHaveLength(1);
    expect((await outside.http.get('/api/v1/agents')).status).toBe(403);
  });
});

describe('grants through teams and for teams', () => {
  let organization: TestOrganization;
  let members: TestMember[];
  let teamIds: string[];
  let agents: TestAgent[];
  let requestIds: string[];

  beforeAll(async () => {
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
      { numRuns: 8 },
    );
    expect([...outcomes].sort()).toEqual([200, 403]);
  });

  /** As a step reads them. */
  async function decidersOf(id: string): Promise<readonly RequestDecider[]> {
    const people = { pathKeys: [], cap: 1_000 };
    const view = await readView(app.db, id, { texts: false, people });
    return view?.routing?.people.deciders ?? [];
  }

  test('the deciders of an agent are exactly the members who may decide, for any grants, own and inherited', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        scenes(['request.decide', 'request.decide.unrouted', 'request.read']),
        async (scene) => {
          await set(scene);
          for (const [index, { slug }] of agents.entries()) {
            const found = await decidersOf(requestIds[index] ?? '');
            const deciders = found.map((decider) => decider.membershipId);
            const listed = await listDeciders(app.db, organization.id, {
              ...PAGE,
              agentSlug: slug,
            });
            expect(listed.map((each) => each.membershipId).sort()).toEqual([...deciders].sort());
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
            expect(
              found
                .filter((each) => each.decidesRoutedToOthers)
                .map((each) => each.membershipId)
                .sort(),
            ).toEqual([...ofOthers].sort());
            count += deciders.length - 1;
          }
        },
      ),
      { numRuns: 12 },
    );
    expect(count).toBeGreaterThan(0);
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
      { numRuns: 12 },
    );
    expect(listed).toBeGreaterThan(0);
  });
});

describe('frequent access queries', () => {
  const CROWDED = ['memberships', 'users', 'teams', 'team_members', 'permission_policies'];

  let organization: TestOrganization;
  let member: TestMember;
  let teamId: string;

  /**
   * 5,000 members with a policy each, 3,000 teams with two, and 30,000 team memberships, a fifth of
   * them from both sources.
   */
  async function fillTables(organizationId: string): Promise<void> {
    const statements = [
      `with people as (
         insert into users (id, email, display_name, created_at)
         select gen_random_uuid(), 'crowd-' || n || '@example.com', 'Person ' || n, clock_timestamp() from generate_series(1, 5000) as n
         returning id
       )
       insert into memberships (id, organization_id, user_id, status, admission_source, created_at, updated_at)
       select gen_random_uuid(), :organizationId, id, 'active', 'manual', clock_timestamp(), clock_timestamp() from people`,
      `insert into teams (id, organization_id, name, created_at)
       select gen_random_uuid(), :organizationId, 'Team ' || n, clock_timestamp() from generate_series(1, 3000) as n`,
      `insert into permission_policies (id, organization_id, membership_id, scope_kind, resource_ids, permissions, is_owner, created_at)
       select gen_random_uuid(), organization_id, id, 'organization', '{}', '{request.read}', false, clock_timestamp()
         from memberships where organization_id = :organizationId`,
      `insert into permission_policies (id, organization_id, team_id, scope_kind, resource_ids, permissions, is_owner, created_at)
       select gen_random_uuid(), organization_id, id, 'agent', array['agent-' || n], '{request.read,request.decide}', false, clock_timestamp()
         from teams, generate_series(1, 2) as n where organization_id = :organizationId`,
      `insert into team_members (team_id, membership_id, source, created_at)
       select t.id, m.id, source, clock_timestamp()
         from (select id, row_number() over (order by id) as n from teams where organization_id = :organizationId) as t
         join (select id, row_number() over (order by id) as n from memberships where organization_id = :organizationId) as m
           on (m.n * 7 + t.n * 13) % 600 = 0
        cross join lateral unnest(case when m.n % 5 = 0 then array['manual', 'directory'] else array['manual'] end) as source`,
    ];
    for (const statement of statements) await app.db.raw(statement, { organizationId });
  }

  beforeAll(async () => {
    await fillTables((await createOrganization(app)).id);
    organization = await createOrganization(app);
    const people: TestMember[] = [];
    for (let n = 0; n < 12; n += 1) people.push(await createMember(app, organization.id));
    const policies = [
      { scope_kind: 'agent', resource_ids: ['agent-1'], permissions: ['request.decide'] },
    ] as const;
    for (let n = 0; n < 3; n += 1)
      teamId = await createTeam(app, organization.id, { members: people.slice(n), policies });
    member = people.at(-1) ?? organization.owner;
    await app.db.raw('vacuum analyze');
  });

  const tokenId = (token: string) => parseToken(token)?.id ?? '';

  test.each<[string, (db: Db) => Promise<unknown>]>([
    [
      'the member behind a session',
      (db) => findSessionHolder(db, tokenId(member.cookie.replace('service_session=', ''))),
    ],
    ['the member behind a key', (db) => findApiKeyHolder(db, tokenId(member.apiKey))],
    [
      'the deciders of an agent',
      (db) => listDeciders(db, organization.id, { ...PAGE, agentSlug: 'agent-1' }),
    ],
    [
      'the non-deciders among some',
      (db) =>
        findNonDeciders(db, organization.id, [
          member.membershipId,
          organization.owner.membershipId,
        ]),
    ],
    [
      'what members are assigned',
      (db) => listMemberAssignments(db, organization.id, [member.membershipId]),
    ],
    ['what teams are assigned', (db) => listTeamAssignments(db, organization.id, [teamId])],
    [
      'the teams of an organization',
      (db) => listTeams(db, organization.id, { status: 'live', limit: 200 }),
    ],
    ['the members of a team', (db) => listTeamMembers(db, organization.id, teamId)],
  ])(
    'among 5,000 members and 3,000 teams of another organization, %s: found without a sequential scan',
    async (_name, run) => {
      const nodes = await explain(app, await statementOf(app, run));
      const read = nodes.filter((node) => CROWDED.includes(node['Relation Name'] ?? ''));
      expect(read.length).toBeGreaterThan(0);
      expect(read.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
    },
  );
});
