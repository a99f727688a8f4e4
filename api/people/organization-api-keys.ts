/** All API keys of the organization, and organization keys. */
import { z } from 'zod';
import { MOST_POLICIES } from '../../src/domain/people/permission-policies.ts';
import { permissionEntry } from '../../src/domain/people/permissions.ts';
import {
  getApiKey,
  issueOrganizationKey,
  listAllApiKeys,
  organizationKeyOptions,
  revokeAnyApiKey,
} from '../../src/services/people/organization-api-keys.ts';
import { apiKeyExample, apiKeyKind, apiKeySchema, apiKeyStatus } from './api-keys-schema.ts';
import {
  keyExpiry,
  maxExpiresAt,
  organizationKeyExample,
  presentApiKey,
} from './api-keys-schema.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { grantSchema } from './grants-schema.ts';
import {
  policyTermsFields,
  readTerms,
  resourceSchema,
  resourcesTruncated,
  presentEntry,
  vocabularyEntrySchema,
} from './permission-policies-schema.ts';
import { booleanQuery, cursorQuery, label, limitQuery, nextCursor, uuid } from '../http/schema.ts';
import { ENDING_DAYS } from '../../src/domain/organization/overview.ts';

const TAG = 'API keys';

const keyParams = z.strictObject({ id: uuid('The key.') });

const exampleList = [
  organizationKeyExample,
  { ...apiKeyExample, created_by: organizationKeyExample.created_by },
];

const listEndpoint = defineEndpoint({
  operationId: 'listApiKeys',
  method: 'get',
  path: '/api/v1/api_keys',
  tag: TAG,
  summary: "List the organization's API keys, newest first",
  description:
    'Includes personal keys of every member and organization keys, also expired and revoked ones. Filters combine.',
  auth: 'session',
  permission: 'api_key.read',
  query: z.strictObject({
    kind: apiKeyKind().optional().meta({ description: 'Only keys of this kind.' }),
    status: apiKeyStatus().optional().meta({ description: 'Only keys with this status.' }),
    created_by: uuid('Only keys that this member created, by the id of the membership.').optional(),
    ends_soon: booleanQuery(
      `Only keys that work and end within ${ENDING_DAYS} days. Connected apps are not included, because they renew their keys themselves.`,
    ),
    q: z.string().min(1).max(200).optional().meta({
      description:
        'Only keys whose name, creator name or creator email contains this text. Case does not matter.',
    }),
    limit: limitQuery(50),
    cursor: cursorQuery(),
  }),
  success: {
    status: 200,
    description: 'One page of keys.',
    body: z.strictObject({
      keys: z
        .array(apiKeySchema)
        .meta({ description: 'The keys of this page, each with its creator. Never a secret.' }),
      next_cursor: nextCursor(),
    }),
    example: { keys: exampleList },
  },
  errors: [],
  handler: async ({ principal, query }, context) => {
    const { kind, status, created_by: createdBy, ends_soon: endsSoon, q, limit, cursor } = query;
    const filter = [kind ?? '', status ?? '', createdBy ?? '', String(endsSoon), q ?? ''] as const;
    const pinned = z.tuple([
      z.literal('organization_api_keys'),
      ...filter.map((value) => z.literal(value)),
      z.uuid(),
    ]);
    const after = decodeCursor(cursor, pinned)?.at(-1);
    const { keys, next } = await listAllApiKeys(context, principal, {
      kind,
      status,
      createdBy,
      endsSoon,
      q,
      limit,
      after,
    });
    const next_cursor = next && encodeCursor(['organization_api_keys', ...filter, next]);
    return {
      body: {
        keys: keys.map((key) => presentApiKey(key, { organizationWide: true })),
        next_cursor,
      },
    };
  },
});

const optionsEndpoint = defineEndpoint({
  operationId: 'getApiKeyOptions',
  method: 'get',
  path: '/api/v1/api_keys/options',
  tag: TAG,
  summary: 'Get the options for a new organization key',
  description:
    'The permissions, grants and resources that this caller can use in `POST /api/v1/api_keys`. Hosted edition only.',
  auth: 'session',
  permission: 'api_key.organization.issue',
  edition: 'hosted',
  success: {
    status: 200,
    description: 'What the caller can grant to an organization key.',
    body: z.strictObject({
      permissions: z.array(vocabularyEntrySchema).meta({
        description:
          'Permissions that an organization key can hold and the caller holds at some scope.',
      }),
      grants: z.array(grantSchema).meta({
        description:
          'The caller’s grants of these permissions. Each can be granted as is, or for single teams or agents within it.',
      }),
      resources: z.array(resourceSchema).meta({
        description: 'The agents and teams within these grants, by name; the first 500 of each.',
      }),
      resources_truncated: resourcesTruncated(),
      max_expires_at: maxExpiresAt(),
    }),
    example: {
      permissions: [presentEntry(permissionEntry('request.read'))],
      grants: [{ permission: 'request.read', scope_kind: 'organization' }],
      resources: [{ id: 'deploy-bot', name: 'Deploy bot', kind: 'agent' }],
      resources_truncated: false,
    },
  },
  errors: [],
  handler: async ({ principal }, context) => {
    const {
      permissions,
      latestExpiry,
      resourcesTruncated: resources_truncated,
      ...options
    } = await organizationKeyOptions(context, principal);
    return {
      body: {
        permissions: permissions.map(presentEntry),
        ...options,
        resources_truncated,
        max_expires_at: latestExpiry,
      },
    };
  },
});

const issueEndpoint = defineEndpoint({
  operationId: 'createApiKey',
  method: 'post',
  path: '/api/v1/api_keys',
  tag: TAG,
  summary: 'Issue an organization key',
  description:
    'For a shared integration. The key acts for the organization under its own permission policies and keeps working after its creator leaves. It can carry only what the caller holds at the same scope or wider, and it can never decide requests. Requires a recently authenticated session, with a second factor where the organization requires one. Hosted edition only.',
  auth: 'session',
  permission: 'api_key.organization.issue',
  edition: 'hosted',
  body: z.strictObject({
    name: label('The name of the key.', 100),
    permission_policies: z
      .array(
        z
          .strictObject(policyTermsFields)
          .meta({ description: 'Permissions at one scope. Never ownership.' }),
      )
      .min(1)
      .max(MOST_POLICIES)
      .meta({ description: 'The permission policies of the key; at least one.' }),
    expires_at: keyExpiry(),
  }),
  requestExample: {
    name: 'inventory sync',
    permission_policies: [
      { scope_kind: 'organization', resource_ids: [], permissions: ['agent.read'] },
    ],
  },
  success: {
    status: 201,
    description: 'The key and its token. The token is shown only once.',
    body: z.strictObject({
      key: apiKeySchema,
      token: z.string().meta({
        description: 'The bearer token `who_<id>_<secret>`. The service stores only a hash of it.',
      }),
    }),
    example: { key: organizationKeyExample, token: `${organizationKeyExample.prefix}_<secret>` },
  },
  errors: ['grant_exceeds_own', 'mfa_required', 'reauthentication_required'],
  handler: async ({ principal, body }, context) => {
    const policies = body.permission_policies.map(readTerms);
    const { key, token } = await issueOrganizationKey(context, principal, {
      name: body.name,
      policies,
      expiresAt: body.expires_at,
    });
    return { body: { key: presentApiKey(key, { organizationWide: true }), token } };
  },
});

const getEndpoint = defineEndpoint({
  operationId: 'getApiKey',
  method: 'get',
  path: '/api/v1/api_keys/{id}',
  tag: TAG,
  summary: 'Get an API key of the organization',
  auth: 'session',
  permission: 'api_key.read',
  params: keyParams,
  success: {
    status: 200,
    description: 'The key with its effective grants.',
    body: z.strictObject({ key: apiKeySchema }),
    example: {
      key: { ...organizationKeyExample, effective_grants: organizationKeyExample.grants },
    },
  },
  errors: [],
  handler: async ({ principal, params }, context) => {
    const { key, effectiveGrants } = await getApiKey(context, principal, params.id);
    return { body: { key: presentApiKey(key, { organizationWide: true, effectiveGrants }) } };
  },
});

const revokeEndpoint = defineEndpoint({
  operationId: 'revokeApiKey',
  method: 'delete',
  path: '/api/v1/api_keys/{id}',
  tag: TAG,
  summary: 'Revoke an API key of the organization',
  description:
    'Revokes any personal or organization key. It takes effect at once and cannot be undone. A repeat succeeds without changing anything.',
  auth: 'session',
  permission: 'api_key.revoke',
  params: keyParams,
  success: { status: 204, description: 'Revoked.' },
  errors: [],
  handler: async ({ principal, params }, context) => {
    await revokeAnyApiKey(context, principal, params.id);
    return {};
  },
});

/** `options` comes before `{id}`, so that the router matches it first. */
export const organizationApiKeyEndpoints: readonly Endpoint[] = [
  listEndpoint,
  optionsEndpoint,
  issueEndpoint,
  getEndpoint,
  revokeEndpoint,
];
