/** The organization itself: reading it, what it decides for itself, its guided setup and its end. */
import { z } from 'zod';
import { formatDuration, parseDuration } from '../../src/domain/durations.ts';
import { DURATION_BOUNDS, type TermsWanted } from '../../src/domain/organization/organizations.ts';
import {
  changeOrganization,
  deleteOrganization,
  finishOnboarding,
  readOrganization,
  type OrganizationView,
} from '../../src/services/organization/organization.ts';
import { defineEndpoint, type Endpoint, type Reply } from '../http/endpoint.ts';
import { etag } from '../revisions.ts';
import { duration, label, timestamp, uuid } from '../http/schema.ts';

const TAG = 'Organization';
const PATH = '/api/v1/organization';

const settingsSchema = z
  .strictObject({
    claim_timeout: z
      .string()
      .meta({ description: 'How long a claimed request stays claimed, for example `15m`.' }),
    personal_api_keys_allowed: z
      .boolean()
      .meta({ description: 'Whether members may issue and use personal API keys.' }),
    max_api_key_lifetime: z.string().nullable().meta({
      description:
        'The longest life of a new API key, for example `720h`; null where nothing caps it.',
    }),
    require_mfa: z.boolean().meta({
      description:
        'Whether people need a sign-in with a second factor, and personal keys one made in such a sign-in, to decide requests; and people to grant dangerous permissions (by policies, teams or invitations), to create keys that can decide or do what is dangerous, to change owners and the sensitive settings. Using any other permission one holds does not ask for it.',
    }),
    reauthentication_window: z.string().meta({
      description:
        'How long after proving who one is what is dangerous may be done, for example `15m`.',
    }),
  })
  .meta({
    id: 'OrganizationSettings',
    description:
      'What the organization decides for itself. Durations are in the largest whole unit.',
  });

const organizationSchema = z
  .strictObject({
    id: uuid('The organization.'),
    name: z.string().meta({ description: 'Its name.' }),
    slug: z.string().meta({ description: 'Made from its first name; never changes.' }),
    created_at: timestamp('When it was created.'),
    edition: z.enum(['open', 'hosted']).meta({ description: 'The edition of this deployment.' }),
    settings: settingsSchema,
    limits: z
      .strictObject({
        active_agents: z
          .int()
          .meta({ description: 'How many agents it may have that are not archived.' }),
        pending_requests: z
          .int()
          .meta({ description: 'How many requests may wait for its people at once.' }),
        seats: z
          .strictObject({
            limit: z.int().meta({ description: 'How many people it may have.' }),
            used: z
              .int()
              .meta({ description: 'Members who were not removed, and pending invitations.' }),
          })
          .meta({ description: 'Its seats.' }),
      })
      .meta({ description: 'What this deployment grants every organization.' }),
  })
  .meta({ id: 'Organization', description: 'The organization of the caller.' });

const organizationExample = {
  id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e',
  name: 'Example Works',
  slug: 'example-works',
  created_at: '2026-03-02T09:15:00.000Z',
  edition: 'open',
  settings: {
    claim_timeout: '15m',
    personal_api_keys_allowed: true,
    max_api_key_lifetime: null,
    require_mfa: false,
    reauthentication_window: '15m',
  },
  limits: { active_agents: 100, pending_requests: 1000, seats: { limit: 50, used: 12 } },
};

const etagHeader = {
  ETag: 'Revision of the organization, quoted. Pass it as If-Match when changing it.',
};

function presentOrganization(organization: OrganizationView): Reply {
  const { maxApiKeyLifetime, activeAgents, pendingRequests, seats } = organization;
  return {
    headers: etag(organization.revision),
    body: {
      id: organization.id,
      name: organization.name,
      slug: organization.slug,
      created_at: organization.createdAt,
      edition: organization.edition,
      settings: {
        claim_timeout: formatDuration(organization.claimTimeout),
        personal_api_keys_allowed: organization.personalApiKeysAllowed,
        max_api_key_lifetime: maxApiKeyLifetime === null ? null : formatDuration(maxApiKeyLifetime),
        require_mfa: organization.requireMfa,
        reauthentication_window: formatDuration(organization.reauthenticationWindow),
      },
      limits: {
        active_agents: activeAgents,
        pending_requests: pendingRequests,
        seats: { limit: seats.limit, used: seats.used },
      },
    },
  };
}

function within(term: keyof typeof DURATION_BOUNDS): string {
  const { min, max } = DURATION_BOUNDS[term];
  return `from \`${min}\` to \`${max}\``;
}

const changeBody = z.strictObject({
  name: label('A new name. The slug stays.').optional(),
  settings: z
    .strictObject({
      claim_timeout: duration(
        `How long a claim holds, ${within('claimTimeout')}.`,
        DURATION_BOUNDS.claimTimeout,
      ).optional(),
      personal_api_keys_allowed: z.boolean().optional().meta({
        description:
          'False: no personal API key works any more, and none is issued. True: they work again.',
      }),
      max_api_key_lifetime: duration('A duration.', DURATION_BOUNDS.maxApiKeyLifetime)
        .nullable()
        .optional()
        .meta({
          description: `The longest life of a new API key, ${within('maxApiKeyLifetime')}; null lifts the cap.`,
        }),
      require_mfa: z
        .boolean()
        .optional()
        .meta({ description: 'True needs that the caller has signed in with a second factor.' }),
      reauthentication_window: duration(
        `How long a proof stays fresh, ${within('reauthenticationWindow')}.`,
        DURATION_BOUNDS.reauthenticationWindow,
      ).optional(),
    })
    .optional()
    .meta({ description: 'The settings to change; the others stay.' }),
});

/** Whole seconds: the grammar of durations knows nothing smaller. */
function seconds<Absent extends null | undefined>(text: string | Absent): number | Absent {
  return typeof text === 'string' ? (parseDuration(text) ?? 0) / 1_000 : text;
}

function toTerms({ name, settings = {} }: z.output<typeof changeBody>): TermsWanted {
  const {
    claim_timeout: claim,
    max_api_key_lifetime: lifetime,
    reauthentication_window: window,
  } = settings;
  return {
    name,
    claimTimeout: seconds(claim),
    personalApiKeysAllowed: settings.personal_api_keys_allowed,
    maxApiKeyLifetime: seconds(lifetime),
    requireMfa: settings.require_mfa,
    reauthenticationWindow: seconds(window),
  };
}

export const organizationEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getOrganization',
    method: 'get',
    path: PATH,
    tag: TAG,
    summary: 'Get the organization',
    auth: 'product',
    permission: 'organization.read',
    success: {
      status: 200,
      description: 'The organization.',
      body: organizationSchema,
      headers: etagHeader,
      example: organizationExample,
    },
    errors: [],
    handler: async ({ principal }, context) =>
      presentOrganization(await readOrganization(context, principal)),
  }),
  defineEndpoint({
    operationId: 'updateOrganization',
    method: 'patch',
    path: PATH,
    tag: TAG,
    summary: 'Change the name or the settings of the organization',
    description:
      'What the body leaves out stays, and the slug always does. Takes the revision the caller has read as `If-Match`; 412 with ' +
      '`details.active_revision` when it has changed since. Every setting but `claim_timeout` says how people and keys prove who they ' +
      'are: changing one needs a session that was proven again lately. A change works from the next call on, in every process.',
    auth: 'member',
    permission: 'organization.settings.write',
    headers: { ifMatch: 'required' },
    body: changeBody,
    requestExample: { name: 'Example Works', settings: { claim_timeout: '30m' } },
    success: {
      status: 200,
      description: 'The organization, changed. When nothing differs its revision is the same.',
      body: organizationSchema,
      headers: etagHeader,
      example: {
        ...organizationExample,
        settings: { ...organizationExample.settings, claim_timeout: '30m' },
      },
    },
    errors: ['revision_conflict', 'session_required', 'mfa_required', 'reauthentication_required'],
    handler: async ({ principal, body, ifMatch }, context) =>
      presentOrganization(
        await changeOrganization(context, principal, { expected: ifMatch, wanted: toTerms(body) }),
      ),
  }),
  defineEndpoint({
    operationId: 'deleteOrganization',
    method: 'delete',
    path: PATH,
    tag: TAG,
    summary: 'Delete the organization',
    description:
      'For good: every session, API key, invitation and agent credential ends at once, its members are removed, and every open request is ' +
      'cancelled. What happened in it stays on record. Afterwards the operator can let a new first owner in with the bootstrap secret, ' +
      'which the service writes anew.',
    auth: 'session',
    permission: 'organization.delete',
    query: z.strictObject({
      confirm: z.string().meta({
        description: 'The slug of the organization, so that nobody deletes it by accident.',
      }),
    }),
    success: { status: 204, description: 'Deleted.' },
    errors: ['mfa_required', 'reauthentication_required'],
    handler: async ({ principal, query }, context) => {
      await deleteOrganization(context, principal, query.confirm);
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'completeOnboarding',
    method: 'post',
    path: `${PATH}/onboarding/complete`,
    tag: TAG,
    summary: 'Finish or skip the guided setup',
    description:
      'Once for the organization: from now on `onboarding.required` is false for everybody. Again, nothing more happens.',
    auth: 'member',
    permission: 'organization.settings.write',
    success: { status: 204, description: 'Finished.' },
    errors: [],
    handler: async ({ principal }, context) => {
      await finishOnboarding(context, principal);
      return {};
    },
  }),
];
