/** Teams and their members. */
import type { TeamMember } from '../../src/domain/people/teams.ts';
import { z } from 'zod';
import {
  archiveTeam,
  createTeam,
  getTeam,
  listVisibleTeams,
  renameTeam,
  setTeamMembers,
  type Team,
} from '../../src/services/people/teams.ts';
import { BLANK_RULE, hasUnseen, isBlank, UNSEEN_RULE } from '../../src/domain/labels.ts';
import { present } from '../http/present.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { roleAssignmentSchema, presentAssignment } from './role-assignments-schema.ts';
import {
  cursorQuery,
  limitQuery,
  nextCursor,
  nullableTimestamp,
  SAME_NAME,
  timestamp,
  uuid,
} from '../http/schema.ts';

const TAG = 'Teams';

const teamParams = z.strictObject({ id: uuid('Id of the team.') });
const atTeam = ({ id }: { readonly id: string }) => ({ kind: 'team', id }) as const;

const teamName = () =>
  z
    .string()
    .trim()
    .max(100)
    .refine((text) => !isBlank(text), { error: BLANK_RULE })
    .refine((text) => !hasUnseen(text), { error: UNSEEN_RULE })
    .meta({
      description: `Display name, unique among the live teams, kept without surrounding spaces. ${SAME_NAME}`,
      override: { type: 'string', minLength: 1, maxLength: 100 },
    });

const teamSchema = z
  .strictObject({
    id: uuid('The team.'),
    name: z.string().meta({ description: 'Display name, unique among the live teams.' }),
    directory_managed: z
      .boolean()
      .meta({ description: 'True when the directory names and archives it.' }),
    member_count: z.int().meta({
      description: 'Number of members from all sources, without removed ones.',
    }),
    assignments: z.array(roleAssignmentSchema).meta({ description: 'What every member inherits.' }),
    escalation_policy: z
      .strictObject({
        active_revision: z.int().nullable().meta({ description: 'The active revision, or null.' }),
        latest_revision: z
          .int()
          .nullable()
          .meta({ description: 'The newest revision; null when there never was one.' }),
      })
      .meta({
        description:
          'The team’s escalation policy. Without an active revision, a level that targets the team notifies all members at once.',
      }),
    archived_at: nullableTimestamp('When the team was archived; null while it lives.'),
    created_at: timestamp('When the team was created.'),
  })
  .meta({ id: 'Team', description: 'A group of members, who inherit what the team is granted.' });

const memberSchema = z
  .strictObject({
    membership_id: uuid('The member.'),
    display_name: z.string().meta({ description: 'Name of the person.' }),
    email: z.string().meta({ description: 'Email of the person.' }),
    status: z
      .enum(['active', 'suspended'])
      .meta({ description: 'A suspended member stays in the team but cannot act.' }),
    sources: z.array(z.enum(['directory', 'manual'])).meta({
      description: 'How the member was added: manually, by the directory, or both.',
    }),
  })
  .meta({ id: 'TeamMember', description: 'One person in a team.' });

const teamExample = {
  id: '0198f3a2-6c00-7d3e-8f10-1a2b3c4d5e6f',
  name: 'Platform on-call',
  directory_managed: false,
  member_count: 1,
  assignments: [],
  escalation_policy: { active_revision: null, latest_revision: null },
  archived_at: null,
  created_at: '2026-03-02T09:15:00.000Z',
};

const memberExample = {
  membership_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
  display_name: 'Ada Reyes',
  email: 'ada@example.com',
  status: 'active',
  sources: ['manual'],
};

function presentTeam(team: Team) {
  const holder = { organizationId: team.organizationId, kind: 'team' } as const;
  return present(teamSchema, {
    ...team,
    assignments: team.assignments.map((assignment) => presentAssignment(assignment, holder)),
    escalationPolicy: {
      active_revision: team.activePolicyRevision,
      latest_revision: team.latestPolicyRevision,
    },
  });
}

const presentMember = (member: TeamMember) => present(memberSchema, member);

const teamAlone = z.strictObject({ team: teamSchema });
const membersBody = z
  .array(memberSchema)
  .meta({ description: 'The members of the team, by name.' });

const listTeamsEndpoint = defineEndpoint({
  operationId: 'listTeams',
  method: 'get',
  path: '/api/v1/teams',
  tag: TAG,
  summary: 'List teams',
  description:
    'By name. A grant for the organization shows every team, a grant for some teams only those.',
  auth: 'product',
  permission: 'team.read',
  permissionAt: () => ({ kind: 'any' }),
  query: z.strictObject({
    status: z
      .enum(['live', 'archived', 'all'])
      .default('live')
      .meta({ description: 'Live teams, archived ones, or all.' }),
    q: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'Only teams whose name contains this text. Case does not matter.' }),
    limit: limitQuery(200),
    cursor: cursorQuery(),
  }),
  success: {
    status: 200,
    description: 'One page of teams.',
    body: z.strictObject({
      teams: z.array(teamSchema).meta({ description: 'The teams of this page.' }),
      next_cursor: nextCursor(),
    }),
    example: { teams: [teamExample] },
  },
  errors: [],
  handler: async ({ principal, query: { status, q = '', limit, cursor } }, context) => {
    const keys = decodeCursor(
      cursor,
      z.tuple([z.literal('teams'), z.literal(status), z.literal(q), z.uuid()]),
    );
    const { teams, next } = await listVisibleTeams(context, principal, {
      status,
      q,
      limit,
      after: keys?.[3],
    });
    return {
      body: {
        teams: teams.map(presentTeam),
        next_cursor: next && encodeCursor(['teams', status, q, next]),
      },
    };
  },
});

const createTeamEndpoint = defineEndpoint({
  operationId: 'createTeam',
  method: 'post',
  path: '/api/v1/teams',
  tag: TAG,
  summary: 'Create a team',
  description: 'A new team is empty and grants nothing.',
  auth: 'member',
  permission: 'team.write',
  body: z.strictObject({ name: teamName() }),
  requestExample: { name: 'Platform on-call' },
  success: {
    status: 201,
    description: 'The new team.',
    body: teamAlone,
    example: { team: { ...teamExample, member_count: 0 } },
  },
  errors: ['team_name_taken'],
  handler: async ({ principal, body }, context) => ({
    body: { team: presentTeam(await createTeam(context, principal, body.name)) },
  }),
});

const getTeamEndpoint = defineEndpoint({
  operationId: 'getTeam',
  method: 'get',
  path: '/api/v1/teams/{id}',
  tag: TAG,
  summary: 'Get a team and its members',
  description: 'An archived team lists its last members.',
  auth: 'product',
  permission: 'team.read',
  permissionAt: atTeam,
  params: teamParams,
  success: {
    status: 200,
    description: 'The team.',
    body: teamAlone.extend({ members: membersBody }),
    example: { team: teamExample, members: [memberExample] },
  },
  errors: [],
  handler: async ({ principal, params }, context) => {
    const { team, members } = await getTeam(context, principal, params.id);
    return { body: { team: presentTeam(team), members: members.map(presentMember) } };
  },
});

const renameTeamEndpoint = defineEndpoint({
  operationId: 'renameTeam',
  method: 'patch',
  path: '/api/v1/teams/{id}',
  tag: TAG,
  summary: 'Rename a team',
  auth: 'member',
  permission: 'team.write',
  permissionAt: atTeam,
  params: teamParams,
  body: z.strictObject({ name: teamName() }),
  requestExample: { name: 'Platform on-call' },
  success: {
    status: 200,
    description: 'The team.',
    body: teamAlone,
    example: { team: teamExample },
  },
  errors: ['team_archived', 'directory_managed', 'team_name_taken'],
  handler: async ({ principal, params, body }, context) => ({
    body: {
      team: presentTeam(await renameTeam(context, principal, { id: params.id, name: body.name })),
    },
  }),
});

const archiveTeamEndpoint = defineEndpoint({
  operationId: 'archiveTeam',
  method: 'delete',
  path: '/api/v1/teams/{id}',
  tag: TAG,
  summary: 'Archive a team',
  description:
    'Permanent. Members lose at once what they inherited through the team, its escalation policy becomes inactive, and the name ' +
    'becomes free. Refused while an active escalation path or the path of a waiting request targets the team ' +
    '(`team_in_escalation_path`; `details.escalation_paths` lists the active paths, `details.request_ids` the first 20 of ' +
    '`details.request_count` requests, soonest deadline first). Archiving it again succeeds and changes nothing. ' +
    'The caller must hold all that the team grants otherwise than through this team, as for taking out its members.',
  auth: 'member',
  permission: 'team.write',
  permissionAt: atTeam,
  params: teamParams,
  success: { status: 204, description: 'The team is archived.' },
  errors: [
    'directory_managed',
    'team_in_escalation_path',
    'grant_exceeds_own',
    'session_required',
    'mfa_required',
    'reauthentication_required',
  ],
  handler: async ({ principal, params }, context) => {
    await archiveTeam(context, principal, params.id);
    return {};
  },
});

const setTeamMembersEndpoint = defineEndpoint({
  operationId: 'setTeamMembers',
  method: 'put',
  path: '/api/v1/teams/{id}/members',
  tag: TAG,
  summary: 'Replace the manually added members of a team',
  description:
    'Members added by the directory stay.\n\n' +
    '- **Adding.** Suspended members can be added, removed ones cannot. Members inherit what the team grants, so the caller must hold ' +
    'all of it at the same scope or wider. If some of it is dangerous or decides requests, the call needs a recently authenticated session.\n' +
    '- **Taking out.** The same is needed, since members lose what the team grants. To take out anyone but themselves, the caller must hold it otherwise than through this team: ' +
    'by their own policies, through another team, or as an owner. Without `force`, members that the team’s active escalation policy targets cannot be taken out ' +
    '(`team_member_in_escalation_policy`; `details.membership_ids` lists them). ' +
    'With `force`, the audit event lists the members that the policy still targets.',
  auth: 'member',
  permission: 'team.member.write',
  permissionAt: atTeam,
  params: teamParams,
  body: z.strictObject({
    membership_ids: z.array(uuid('A membership.')).max(1000).meta({
      description: 'The complete list of manually added members. An empty list removes them all.',
    }),
    force: z
      .boolean()
      .default(false)
      .meta({ description: 'Also take out members that the team’s escalation policy targets.' }),
  }),
  requestExample: { membership_ids: ['0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70'] },
  success: {
    status: 200,
    description: 'The members of the team now.',
    body: z.strictObject({ members: membersBody }),
    example: { members: [memberExample] },
  },
  errors: [
    'team_archived',
    'team_member_in_escalation_policy',
    'grant_exceeds_own',
    'session_required',
    'mfa_required',
    'reauthentication_required',
  ],
  handler: async ({ principal, params, body }, context) => {
    const members = await setTeamMembers(context, principal, {
      id: params.id,
      membershipIds: body.membership_ids,
      force: body.force,
    });
    return { body: { members: members.map(presentMember) } };
  },
});

export const teamEndpoints: readonly Endpoint[] = [
  listTeamsEndpoint,
  createTeamEndpoint,
  getTeamEndpoint,
  renameTeamEndpoint,
  archiveTeamEndpoint,
  setTeamMembersEndpoint,
];
