/** Frequent access queries never read whole tables of members, teams or policies. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findApiKeyHolder } from '../../../src/data/people/api-keys.ts';
import { findDeciders, findNonDeciders } from '../../../src/data/requests/deciders.ts';
import {
  listMemberAssignments,
  listTeamAssignments,
} from '../../../src/data/people/role-assignments.ts';
import { findSessionHolder } from '../../../src/data/sign-in/sessions.ts';
import { listTeamMembers, listTeams } from '../../../src/data/people/teams.ts';
import type { Db } from '../../../src/platform/postgres.ts';
import { parseToken } from '../../../src/platform/crypto/tokens.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createMember,
  createOrganization,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { explain, statementOf } from '../../support/plans.ts';

const CROWDED = ['memberships', 'users', 'teams', 'team_members', 'permission_policies'];

let app: TestApp;
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
  app = await startApp();
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
afterAll(() => app.close());

const tokenId = (token: string) => parseToken(token)?.id ?? '';

test.each<[string, (db: Db) => Promise<unknown>]>([
  [
    'the member behind a session',
    (db) => findSessionHolder(db, tokenId(member.cookie.replace('service_session=', ''))),
  ],
  ['the member behind a key', (db) => findApiKeyHolder(db, tokenId(member.apiKey))],
  ['the deciders of an agent', (db) => findDeciders(db, organization.id, 'agent-1')],
  [
    'the non-deciders among some',
    (db) =>
      findNonDeciders(db, organization.id, [member.membershipId, organization.owner.membershipId]),
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
