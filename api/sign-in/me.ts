/** GET /me: the caller, and the schemas it shares with sign-in. */
import { z } from 'zod';
import { formatDuration } from '../../src/domain/durations.ts';
import { readAccount, type Account } from '../../src/services/sign-in/me.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { grantSchema, permissionKey } from '../people/grants-schema.ts';
import { roleAssignmentSchema, presentAssignment } from '../people/role-assignments-schema.ts';
import { authContextSchema, nullableTimestamp, timestamp, uuid } from '../http/schema.ts';
import { settingsSchema } from '../organization/organization.ts';

const principalSchema = z
  .strictObject({
    actor_type: z
      .enum(['human', 'agent', 'system', 'gateway'])
      .meta({ description: '`human` for a session and for a personal key.' }),
    actor_id: uuid('Who the audit log names: the membership id of a person.'),
    organization_id: uuid('The organization.'),
    membership_id: z.uuid().optional().meta({ description: 'The membership; people only.' }),
    permissions: z
      .array(permissionKey())
      .meta({ description: 'The permissions the credential can use at any scope, sorted.' }),
    grants: z.array(grantSchema).meta({ description: 'The grants the credential can use.' }),
    team_ids: z.array(uuid('A team.')).meta({ description: 'The teams the person is in.' }),
    auth: authContextSchema,
  })
  .meta({ id: 'Principal', description: 'The caller.' });

export const accountSchema = z
  .strictObject({
    principal: principalSchema,
    user: z
      .strictObject({
        display_name: z.string().meta({ description: 'The name others see.' }),
        email: z.string().meta({ description: 'The email the person signs in with.' }),
        has_password: z.boolean().meta({
          description:
            'False for an account of an identity provider, which has no password to change.',
        }),
      })
      .meta({ description: 'The person.' }),
    organization: z
      .strictObject({
        name: z.string().meta({ description: 'The name of the organization.' }),
        slug: z.string().meta({ description: 'Its short name.' }),
      })
      .meta({ description: 'The organization.' }),
    assignments: z
      .array(roleAssignmentSchema)
      .meta({ description: "The person's own assignments and those inherited through teams." }),
    onboarding: z
      .strictObject({
        required: z.boolean().meta({
          description:
            'True while the guided setup is neither finished nor skipped and this person can run it.',
        }),
        completed_at: nullableTimestamp('When it was finished or skipped; null until then.'),
      })
      .meta({ description: 'The guided setup of the organization.' }),
    session: z
      .strictObject({
        expires_at: timestamp('When it ends at the latest.'),
        idle_expires_at: timestamp(
          'When it ends if it is not used until then, to the minute; never after `expires_at`.',
        ),
        fresh_until: timestamp(
          'Until when it counts as recently authenticated; in the past when it no longer does.',
        ),
      })
      .optional()
      .meta({ description: 'The session of this call; absent for an API key.' }),
    settings: settingsSchema
      .pick({ claim_timeout: true, require_mfa: true })
      .meta({ description: 'The settings of the organization that concern every member.' }),
  })
  .meta({ id: 'Account', description: 'The caller, their person and their organization.' });

export function presentAccount({ principal, ...account }: Account): z.input<typeof accountSchema> {
  return {
    principal: {
      actor_type: 'human',
      actor_id: principal.membershipId,
      organization_id: principal.organizationId,
      membership_id: principal.membershipId,
      permissions: [...account.permissions],
      grants: [...account.grants],
      team_ids: [...principal.teamIds],
      auth: principal.auth,
    },
    user: {
      display_name: principal.displayName,
      email: principal.email,
      has_password: account.hasPassword,
    },
    organization: { name: account.organizationName, slug: account.organizationSlug },
    assignments: account.assignments.map((assignment) =>
      presentAssignment(assignment, {
        organizationId: principal.organizationId,
        kind: 'membership',
      }),
    ),
    onboarding: {
      required: account.onboardingRequired,
      completed_at: account.onboardingCompletedAt,
    },
    session: account.session && {
      expires_at: account.session.expiresAt,
      idle_expires_at: account.session.idleExpiresAt,
      fresh_until: account.session.freshUntil,
    },
    settings: {
      claim_timeout: formatDuration(account.claimTimeout),
      require_mfa: account.requireMfa,
    },
  };
}

const membershipId = '0199a3f1-7c52-7b0e-9d52-1f6a3b0c4d21';
const organizationId = '0199a3f1-7c51-7c11-8a44-5be0c1d2e3f4';

/** A response of GET /me, of a member who reads and decides requests of one agent. */
export const accountExample = {
  principal: {
    actor_type: 'human',
    actor_id: membershipId,
    organization_id: organizationId,
    membership_id: membershipId,
    permissions: ['request.decide', 'request.read'],
    grants: [
      { permission: 'request.decide', scope_kind: 'agent', scope_id: 'deploy-bot' },
      { permission: 'request.read', scope_kind: 'agent', scope_id: 'deploy-bot' },
    ],
    team_ids: [],
    auth: {
      method: 'local_password',
      assurance: 'single_factor',
      authenticated_at: '2026-03-02T08:30:00.000Z',
      session_id: '0199a3f2-0d3e-7a55-b1c7-6f0e9d8c7b6a',
    },
  },
  user: { display_name: 'Ada Marsh', email: 'ada@example.com', has_password: true },
  organization: { name: 'Example Works', slug: 'example-works' },
  assignments: [
    {
      id: '6f3d1f64-9f0c-5d7a-8a57-0c4f0b5f2b11',
      organization_id: organizationId,
      principal_kind: 'membership',
      principal_id: membershipId,
      scope_kind: 'agent',
      scope_id: 'deploy-bot',
      scope_name: 'Deploy bot',
      source: 'manual',
      granted_by_actor_id: '0199a3f1-7c53-7d2f-8e63-2a7b4c5d6e32',
      created_at: '2026-03-01T12:00:00.000Z',
      permissions: ['request.decide', 'request.read'],
      is_owner: false,
      permission_policy_id: '0199a3f1-7c54-7e30-9f74-3b8c5d6e7f43',
    },
  ],
  onboarding: { required: false, completed_at: null },
  session: {
    expires_at: '2026-03-09T08:30:00.000Z',
    idle_expires_at: '2026-03-03T08:30:00.000Z',
    fresh_until: '2026-03-02T08:45:00.000Z',
  },
  settings: { claim_timeout: '15m', require_mfa: false },
};

export const meEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getMe',
    method: 'get',
    path: '/api/v1/me',
    tag: 'Account',
    summary: 'Get the caller',
    description:
      'Requires no permission. The response has the permissions and grants of the presented credential.',
    auth: 'member',
    success: {
      status: 200,
      description: 'The caller.',
      body: accountSchema,
      example: accountExample,
    },
    errors: [],
    handler: async ({ principal, background }, context) => ({
      body: presentAccount(await readAccount(context, principal, { background })),
    }),
  }),
];
