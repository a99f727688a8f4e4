/** The members of the organization: list, suspend, reactivate, remove. */
import { MEMBERSHIP_STATUSES, type MemberPosition } from '../../src/domain/people/memberships.ts';
import { z } from 'zod';
import { troublesOfMember } from '../../src/services/notifications/channel-states.ts';
import { presentTroubled, troubledChannels } from '../notifications/channel-state-schema.ts';
import {
  changeMemberStatus,
  getMember,
  listMembers,
  removeMember,
  type Member,
} from '../../src/services/people/members.ts';
import { present } from '../http/present.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { roleAssignmentSchema, presentAssignment } from './role-assignments-schema.ts';
import {
  booleanQuery,
  cursorQuery,
  limitQuery,
  nextCursor,
  timestamp,
  uuid,
} from '../http/schema.ts';

const TAG = 'Members';

const memberParams = z.strictObject({ id: uuid('Id of the membership.') });

const memberStatus = () =>
  z.enum(MEMBERSHIP_STATUSES).meta({
    description:
      'Only an `active` member can act. A `suspended` member keeps their grants. A `deprovisioned` member was removed.',
  });

const common = {
  id: uuid(
    'The membership: who the person is in this organization, in requests, paths and policies.',
  ),
  status: memberStatus(),
  assignments: z.array(roleAssignmentSchema).meta({
    description: 'What the member holds: their own grants and those inherited through teams.',
  }),
  admission_source: z.enum(['manual', 'invite', 'sso_jit', 'directory']).meta({
    description:
      'How the member joined: manually, by invitation, through a first single sign-on, or from the directory.',
  }),
  directory_managed: z.boolean().meta({
    description: 'True when the directory manages the status. Changes here are refused.',
  }),
  team_ids: z.array(z.uuid()).meta({ description: 'The live teams the member is in.' }),
  created_at: timestamp('When the person became a member.'),
};

const memberSchema = z
  .strictObject({
    ...common,
    display_name: z.string().meta({ description: 'Name of the person.' }),
    email: z.string().meta({ description: 'Email of the person.' }),
    has_second_factor: z
      .boolean()
      .meta({ description: 'Whether the person has an authenticator app here.' }),
    last_seen_at: timestamp(
      'When they last used the web app. Absent when they did not within 90 days.',
    ).optional(),
  })
  .meta({ id: 'Member', description: 'A person in the organization.' });

const membershipSchema = z
  .strictObject({
    ...common,
    user_id: uuid('The person, who may be a member of other organizations too.'),
    organization_id: uuid('The organization.'),
    updated_at: timestamp('When the membership last changed.'),
  })
  .meta({ id: 'Membership', description: 'The stored membership of a person.' });

const commonExample = {
  id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
  status: 'active',
  assignments: [],
  admission_source: 'invite',
  directory_managed: false,
  team_ids: ['0198f3a2-6c00-7d3e-8f10-1a2b3c4d5e6f'],
  created_at: '2026-03-02T09:15:00.000Z',
};

const memberExample = {
  ...commonExample,
  display_name: 'Ada Reyes',
  email: 'ada@example.com',
  has_second_factor: true,
  last_seen_at: '2026-05-04T16:20:00.000Z',
};

const membershipExample = {
  ...commonExample,
  status: 'suspended',
  user_id: '0198f3a2-5b1f-7c3e-9d58-1f2a3b4c5d6e',
  organization_id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e',
  updated_at: '2026-05-04T16:20:00.000Z',
};

function withAssignments(member: Member) {
  const holder = { organizationId: member.organizationId, kind: 'membership' } as const;
  return {
    ...member,
    assignments: member.assignments.map((assignment) => presentAssignment(assignment, holder)),
  };
}

const presentMember = (member: Member) => present(memberSchema, withAssignments(member));

const presentMembership = (member: Member) => present(membershipSchema, withAssignments(member));

const listMembersEndpoint = defineEndpoint({
  operationId: 'listMembers',
  method: 'get',
  path: '/api/v1/members',
  tag: TAG,
  summary: 'List members',
  description: 'Active members first, then suspended, then removed ones, each by name.',
  auth: 'product',
  permission: 'membership.read',
  query: z.strictObject({
    status: z
      .enum(MEMBERSHIP_STATUSES)
      .optional()
      .meta({ description: 'Only members of this status.' }),
    q: z.string().min(1).max(100).optional().meta({
      description: 'Only members whose name or email contains this text. Case does not matter.',
    }),
    team_id: uuid('Only members of this team.').optional(),
    limit: limitQuery(200),
    cursor: cursorQuery(),
  }),
  success: {
    status: 200,
    description: 'One page of members.',
    body: z.strictObject({
      members: z.array(memberSchema).meta({ description: 'The members of this page.' }),
      next_cursor: nextCursor(),
    }),
    example: { members: [memberExample] },
  },
  errors: [],
  handler: async ({ principal, query: { limit, cursor, ...filter } }, context) => {
    const after = readPosition(cursor, filter);
    const { status, q, team_id: teamId } = filter;
    const page = { status, q, teamId, limit, after };
    const { members, next } = await listMembers(context, principal, page);
    const next_cursor =
      next && encodeCursor(['members', ...filterKeys(filter), next.status, next.id]);
    return { body: { members: members.map(presentMember), next_cursor } };
  },
});

interface MemberFilter {
  readonly status?: string | undefined;
  readonly q?: string | undefined;
  readonly team_id?: string | undefined;
}

const filterKeys = ({ status = '', q = '', team_id = '' }: MemberFilter) =>
  [status, q, team_id] as const;

function readPosition(
  cursor: string | undefined,
  filter: MemberFilter,
): MemberPosition | undefined {
  const [status, q, team] = filterKeys(filter);
  const pinned = [z.literal('members'), z.literal(status), z.literal(q), z.literal(team)] as const;
  const keys = decodeCursor(cursor, z.tuple([...pinned, z.enum(MEMBERSHIP_STATUSES), z.uuid()]));
  return keys && { status: keys[4], id: keys[5] };
}

const getMemberEndpoint = defineEndpoint({
  operationId: 'getMember',
  method: 'get',
  path: '/api/v1/members/{id}',
  tag: TAG,
  summary: 'Get a member',
  auth: 'product',
  permission: 'membership.read',
  params: memberParams,
  success: {
    status: 200,
    description: 'The member.',
    body: memberSchema
      .extend({
        troubled_channels: troubledChannels(
          'Notification channels that do not reach the member now.',
        ),
      })
      .meta({
        id: 'MemberDetail',
        description: 'A person in the organization, and what does not reach them.',
      }),
    example: { ...memberExample, troubled_channels: [] },
  },
  errors: [],
  handler: async ({ principal, params }, context) => ({
    body: {
      ...presentMember(await getMember(context, principal, params.id)),
      troubled_channels: presentTroubled(
        await troublesOfMember(context, { ...principal, membershipId: params.id }),
      ),
    },
  }),
});

const GUARDS =
  'Refused, in this order:\n' +
  '- `self_change`: it is your own membership.\n' +
  '- `owner_required`: the member is an owner, and you are not.\n' +
  '- `session_required`, `reauthentication_required`: the member is an owner, and your session is not recently authenticated.\n' +
  '- `mfa_required`: the member is an owner, and your session has no second factor although the organization requires one.\n' +
  '{removed}- `directory_managed`: the directory manages the member.\n' +
  '- `membership_in_escalation_path`: active escalation paths or team escalation policies target the member, and `force` is not set. ' +
  '`details.escalation_paths` and `details.team_escalation_policies` list them.\n' +
  '- `last_owner`: no active owner would remain.\n\n' +
  'With `force`, the audit event lists the paths and policies that still target the member.';

/** Errors of changing an owner's status. */
const OWNER_ERRORS = [
  'owner_required',
  'session_required',
  'mfa_required',
  'reauthentication_required',
] as const;

const changeMemberEndpoint = defineEndpoint({
  operationId: 'changeMemberStatus',
  method: 'patch',
  path: '/api/v1/members/{id}',
  tag: TAG,
  summary: 'Suspend or reactivate a member',
  description:
    'A suspended member keeps every grant, but their sessions and keys return 403 `membership_inactive` from the next call on. ' +
    'Reactivation restores their access. Setting the current status again writes nothing.\n\n' +
    GUARDS.replace('{removed}', '- `membership_removed`: the member was removed.\n'),
  auth: 'member',
  permission: 'membership.write',
  params: memberParams,
  body: z.strictObject({
    status: z.enum(['active', 'suspended']).meta({ description: 'The new status.' }),
    force: z.boolean().default(false).meta({
      description: 'Suspend the member even if escalation paths or policies target them.',
    }),
  }),
  requestExample: { status: 'suspended' },
  success: {
    status: 200,
    description: 'The changed membership.',
    body: z.strictObject({ member: membershipSchema }),
    example: { member: membershipExample },
  },
  errors: [
    ...OWNER_ERRORS,
    'self_change',
    'membership_removed',
    'directory_managed',
    'membership_in_escalation_path',
    'last_owner',
  ],
  handler: async ({ principal, params, body }, context) => ({
    body: {
      member: presentMembership(
        await changeMemberStatus(context, principal, { id: params.id, ...body }),
      ),
    },
  }),
});

const removeMemberEndpoint = defineEndpoint({
  operationId: 'removeMember',
  method: 'delete',
  path: '/api/v1/members/{id}',
  tag: TAG,
  summary: 'Remove a member',
  description:
    'Deletes the member’s permission policies and manual team memberships, and revokes their sessions and personal keys. ' +
    'The record stays as `deprovisioned`. Only a new invitation brings the person back. Removing a member again returns 204.\n\n' +
    GUARDS.replace('{removed}', ''),
  auth: 'member',
  permission: 'membership.write',
  params: memberParams,
  query: z.strictObject({
    force: booleanQuery('Remove the member even if escalation paths or policies target them.'),
  }),
  success: { status: 204, description: 'The member is removed.' },
  errors: [
    ...OWNER_ERRORS,
    'self_change',
    'directory_managed',
    'membership_in_escalation_path',
    'last_owner',
  ],
  handler: async ({ principal, params, query }, context) => {
    await removeMember(context, principal, { id: params.id, force: query.force });
    return {};
  },
});

export const memberEndpoints: readonly Endpoint[] = [
  listMembersEndpoint,
  getMemberEndpoint,
  changeMemberEndpoint,
  removeMemberEndpoint,
];
