/** The organization: its settings, its guided setup and its deletion. */
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
import { hiddenNamesChange, hiddenNamesSchema } from './hidden-names.ts';
import { duration, editionSchema, label, timestamp, uuid } from '../http/schema.ts';

const TAG = 'Organization';
const PATH = '/api/v1/organization';

export const settingsSchema = z
  .strictObject({
    claim_timeout: z
      .string()
      .meta({ description: 'How long a claimed request stays claimed, for example `15m`.' }),
    personal_api_keys_allowed: z
      .boolean()
      .meta({ description: 'Whether members may issue and use personal API keys.' }),
    max_api_key_lifetime: z.string().nullable().meta({
      description:
        'The longest lifetime of a new API key, for example `720h`; null without a limit.',
    }),
    require_mfa: z.boolean().meta({
      description:
        'Whether sensitive operations require a second factor. Other operations never require one. A personal key decides only if a session with a second factor created it. Sensitive operations are:\n' +
        '- deciding requests\n' +
        '- granting dangerous permissions, by policies, teams or invitations\n' +
        '- creating keys that can decide or carry dangerous permissions\n' +
        '- changing owners\n' +
        '- changing sensitive settings',
    }),
    reauthentication_window: z.string().meta({
      description:
        'How long after authentication a session may do sensitive operations, for example `15m`.',
    }),
    agent_pending_share: z.number().meta({
      description:
        'How much of `limits.pending_requests` the requests of one agent may take, rounded down to whole requests, and at least one request.',
    }),
    hidden_names: hiddenNamesSchema,
  })
  .meta({
    id: 'OrganizationSettings',
    description: 'The settings of the organization. Durations use the largest whole unit.',
  });

const organizationSchema = z
  .strictObject({
    id: uuid('The organization.'),
    name: z.string().meta({ description: 'Its name.' }),
    slug: z.string().meta({ description: 'Derived from its first name; never changes.' }),
    created_at: timestamp('When it was created.'),
    edition: editionSchema(),
    settings: settingsSchema,
    limits: z
      .strictObject({
        active_agents: z.int().meta({ description: 'Most agents that are not archived.' }),
        pending_requests: z
          .int()
          .meta({ description: 'Most requests that may wait for people at once.' }),
        seats: z
          .strictObject({
            limit: z.int().meta({ description: 'Most people.' }),
            used: z
              .int()
              .meta({ description: 'Members that are not removed, plus pending invitations.' }),
          })
          .meta({ description: 'Its seats.' }),
      })
      .meta({ description: 'The limits of this deployment for every organization.' }),
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
    agent_pending_share: 0.25,
    hidden_names: { defaults: true, add: ['iban'] },
  },
  limits: { active_agents: 100, pending_requests: 1000, seats: { limit: 50, used: 12 } },
};

const etagHeader = {
  ETag: 'Revision of the organization, quoted. Pass it as If-Match when changing it.',
};

function presentOrganization(organization: OrganizationView): Reply {
  const { maxApiKeyLifetime, limits, seats } = organization;
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
        agent_pending_share: organization.agentPendingShare,
        hidden_names: { ...organization.hiddenNames, add: [...organization.hiddenNames.add] },
      },
      limits: {
        active_agents: limits.activeAgents,
        pending_requests: limits.pendingRequests,
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
          'False: personal API keys stop working and cannot be created. True: they work again.',
      }),
      max_api_key_lifetime: duration('A duration.', DURATION_BOUNDS.maxApiKeyLifetime)
        .nullable()
        .optional()
        .meta({
          description: `The longest lifetime of a new API key, ${within('maxApiKeyLifetime')}; null removes the limit. A key of an OAuth client is held to it at its next refresh.`,
        }),
      require_mfa: z.boolean().optional().meta({
        description: 'Setting it to true requires that the caller signed in with a second factor.',
      }),
      reauthentication_window: duration(
        `How long an authentication counts as recent, ${within('reauthenticationWindow')}.`,
        DURATION_BOUNDS.reauthenticationWindow,
      ).optional(),
      agent_pending_share: z.number().min(0.01).max(1).multipleOf(0.01).optional().meta({
        description:
          'How much of the cap on pending requests one agent may take, in hundredths. 1: all of it.',
      }),
      hidden_names: hiddenNamesChange.optional(),
    })
    .optional()
    .meta({ description: 'The settings to change; the others stay.' }),
});

/** Whole seconds: the smallest unit of the duration grammar. */
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
    agentPendingShare: settings.agent_pending_share,
    hiddenNames: settings.hidden_names,
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
      'Fields that the body leaves out keep their value; the slug never changes. `If-Match` is the revision the caller read; 412 with ' +
      '`details.active_revision` when the organization changed since. Every setting but `claim_timeout`, `agent_pending_share` and `hidden_names` ' +
      'affects how people and keys authenticate: changing one requires a recently authenticated session. A change applies from the next call on, in every process.',
    auth: 'member',
    permission: 'organization.settings.write',
    headers: { ifMatch: 'required' },
    body: changeBody,
    requestExample: { name: 'Example Works', settings: { claim_timeout: '30m' } },
    success: {
      status: 200,
      description: 'The changed organization. If nothing differs, its revision stays the same.',
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
      'Permanent. Every session, API key, invitation and agent credential ends at once, members are removed, and open requests are ' +
      'cancelled. The audit log stays. The service writes a new bootstrap secret, with which the operator can create a new organization.',
    auth: 'session',
    permission: 'organization.delete',
    query: z.strictObject({
      confirm: z.string().meta({
        description: 'The slug of the organization, as a safeguard against accidental deletion.',
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
      'Once for the organization: `onboarding.required` becomes false for everyone. A repeat changes nothing.',
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
