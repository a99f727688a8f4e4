/** Personal API keys of the signed-in member, and the verification of a presented key. */
import { z } from 'zod';
import { permissionEntry, permissions } from '../../src/domain/people/permissions.ts';
import {
  listOwnApiKeys,
  issueApiKey,
  revokeOwnApiKey,
  verifyApiKey,
} from '../../src/services/people/api-keys.ts';
import {
  apiKeyExample,
  apiKeyPermissionSchema,
  apiKeySchema,
  apiKeyStatus,
  keyExpiry,
  maxExpiresAt,
  presentApiKey,
  presentPermission,
} from './api-keys-schema.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { grantSchema, permissionKey } from './grants-schema.ts';
import {
  absentIfNull,
  cursorQuery,
  label,
  limitQuery,
  nextCursor,
  searchQuery,
  uuid,
} from '../http/schema.ts';

export const apiKeyEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listMyApiKeys',
    method: 'get',
    path: '/api/v1/me/api_keys',
    tag: 'API keys',
    summary: 'List your own API keys, newest first',
    auth: 'session',
    query: z.strictObject({
      status: apiKeyStatus().optional().meta({ description: 'Only keys with this status.' }),
      q: searchQuery('Only keys whose name contains this text.'),
      limit: limitQuery(50),
      cursor: cursorQuery(),
    }),
    success: {
      status: 200,
      description: 'The keys, and the permissions a new key could carry.',
      body: z.strictObject({
        keys: z.array(apiKeySchema).meta({
          description:
            'Newest first, including revoked and expired keys unless `status` says otherwise. Never a secret.',
        }),
        personal_api_keys_allowed: z
          .boolean()
          .meta({ description: 'Whether the organization allows personal keys.' }),
        scoping_enabled: z
          .boolean()
          .meta({ description: 'Whether a key can be scoped to chosen permissions.' }),
        bearable_permissions: z
          .array(apiKeyPermissionSchema)
          .meta({ description: 'The permissions that a new key carries, or can be scoped to.' }),
        max_expires_at: maxExpiresAt(),
        next_cursor: nextCursor(),
      }),
      example: {
        keys: [apiKeyExample],
        personal_api_keys_allowed: true,
        scoping_enabled: false,
        bearable_permissions: [presentPermission(permissionEntry('request.read'))],
      },
    },
    errors: [],
    handler: async ({ principal, query }, context) => {
      const { status, q, limit, cursor } = query;
      const filter = [status ?? '', q ?? ''] as const;
      const pinned = z.tuple([
        z.literal('api_keys'),
        ...filter.map((value) => z.literal(value)),
        z.uuid(),
      ]);
      const after = decodeCursor(cursor, pinned)?.at(-1);
      const page = await listOwnApiKeys(context, principal, { status, q, limit, after });
      const body = {
        keys: page.keys.map((key) => presentApiKey(key)),
        personal_api_keys_allowed: page.personalApiKeysAllowed,
        scoping_enabled: page.scopingEnabled,
        bearable_permissions: page.bearable.map(presentPermission),
        max_expires_at: page.latestExpiry,
        next_cursor: page.next && encodeCursor(['api_keys', ...filter, page.next]),
      };
      return { body };
    },
  }),
  defineEndpoint({
    operationId: 'createMyApiKey',
    method: 'post',
    path: '/api/v1/me/api_keys',
    tag: 'API keys',
    summary: 'Create a personal API key',
    description:
      'The key acts as its member, with everything the member holds at each call. In the hosted edition, `permissions` can scope it to a part of that. The key keeps the assurance of the session and ends with the membership.\n\n' +
      'A key that can decide requests, or carries a dangerous permission, requires:\n' +
      '- a sign-in within the organization’s re-authentication window (15 minutes by default)\n' +
      '- a second factor, where the organization requires one',
    auth: 'session',
    permission: 'api_key.issue',
    body: z.strictObject({
      name: label('The name of the key.', 100),
      permissions: absentIfNull(z.array(z.string()).max(permissions.length)).meta({
        description:
          'Scopes the key to these permissions; at least one, and each must be held by the caller. Null means absent. Only in the hosted edition.',
      }),
      expires_at: keyExpiry(),
    }),
    requestExample: { name: 'release script', expires_at: '2026-06-01T00:00:00Z' },
    success: {
      status: 201,
      description: 'The key and its token. The token is shown only once.',
      body: z.strictObject({
        key: apiKeySchema,
        token: z.string().meta({
          description:
            'The bearer token `whk_<id>_<secret>`. The service stores only a hash of it.',
        }),
      }),
      example: { key: apiKeyExample, token: `${apiKeyExample.prefix}_<secret>` },
    },
    errors: [
      'api_keys_disabled',
      'api_key_scoping_unavailable',
      'grant_exceeds_own',
      'mfa_required',
      'reauthentication_required',
    ],
    handler: async ({ principal, body }, context) => {
      const { name, permissions, expires_at: expiresAt } = body;
      const { key, token } = await issueApiKey(context, principal, {
        name,
        permissions,
        expiresAt,
      });
      return { body: { key: presentApiKey(key), token } };
    },
  }),
  defineEndpoint({
    operationId: 'revokeMyApiKey',
    method: 'delete',
    path: '/api/v1/me/api_keys/{id}',
    tag: 'API keys',
    summary: 'Revoke one of your API keys',
    description:
      'Takes effect at once and cannot be undone. A repeat succeeds without changing anything.',
    auth: 'session',
    params: z.strictObject({ id: uuid('The key.') }),
    success: { status: 204, description: 'Revoked.' },
    errors: [],
    handler: async ({ principal, params }, context) => {
      await revokeOwnApiKey(context, principal, params.id);
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'verifyApiKey',
    method: 'get',
    path: '/api/v1/api_keys/verify',
    tag: 'API keys',
    summary: 'Verify the presented API key',
    auth: 'product',
    opensToMcpKeys: true,
    success: {
      status: 200,
      description: 'The key with its current permissions, after key scoping and current roles.',
      body: z.strictObject({
        key: apiKeySchema,
        permissions: z
          .array(permissionKey())
          .meta({ description: 'The permissions it can use at any scope, sorted.' }),
        effective_grants: z.array(grantSchema).meta({ description: 'The grants it can use.' }),
      }),
      example: {
        key: apiKeyExample,
        permissions: ['request.read'],
        effective_grants: [{ permission: 'request.read', scope_kind: 'organization' }],
      },
    },
    errors: ['api_key_required'],
    handler: async ({ principal }, context) => {
      const { key, permissions, grants } = await verifyApiKey(context, principal);
      return { body: { key: presentApiKey(key), permissions, effective_grants: grants } };
    },
  }),
];
