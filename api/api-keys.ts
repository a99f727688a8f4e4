/** Personal API keys: a member's own, and what a presented key is worth. */
import { z } from 'zod';
import { permissionEntry, type PermissionEntry } from '../src/domain/permissions.ts';
import { TOKEN_PREFIX } from '../src/domain/tokens.ts';
import { listOwnApiKeys, mintApiKey, revokeOwnApiKey, verifyApiKey } from '../src/services/api-keys.ts';
import type { MintedApiKey } from '../src/services/api-keys.ts';
import { decodeCursor, encodeCursor } from './cursors.ts';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { grantShape, permissionKey } from './grants-schema.ts';
import { cursorQuery, label, limitQuery, nextCursor, nullableTimestamp, timestamp, timestampInput, uuid } from './schema.ts';

const apiKeyShape = z
  .strictObject({
    id: uuid('The key.'),
    prefix: z.string().meta({ description: 'The public part of the token: all of it but the secret.' }),
    kind: z.enum(['personal', 'organization']).meta({ description: 'Whom it acts as: a member, or the organization.' }),
    membership_id: z.uuid().optional().meta({ description: 'The member a personal key acts as.' }),
    name: z.string().meta({ description: 'What its member calls it.' }),
    permissions: z.array(permissionKey()).nullable().meta({
      description: 'The only permissions it carries; null when it carries everything its member holds at the moment.',
    }),
    assurance_at_issue: z.enum(['single_factor', 'strong']).meta({ description: 'The assurance of the session that minted it.' }),
    status: z.enum(['active', 'expired', 'revoked']).meta({ description: 'Whether it still lives.' }),
    created_at: timestamp('When it was minted.'),
    expires_at: nullableTimestamp('When it ends; null when it lives until it is revoked.'),
    last_used_at: timestamp('When it was last used, to the minute; absent if never.').optional(),
    revoked_at: timestamp('When it was revoked.').optional(),
    revocation_reason: z.enum(['manual', 'membership_deprovisioned']).optional().meta({ description: 'Why it was revoked.' }),
    usable: z.boolean().meta({ description: 'Active and not blocked.' }),
    blocked_reason: z
      .enum(['organization_inactive', 'api_keys_disabled'])
      .optional()
      .meta({ description: 'Why an active key does not work at the moment.' }),
    grants: z.array(grantShape).meta({ description: 'Grants of its own; empty for a personal key.' }),
  })
  .meta({ id: 'APIKey', description: 'An API key, without its secret.' });

const apiKeyPermissionShape = z
  .strictObject({
    key: permissionKey(),
    area: z.string().meta({ description: 'What it is listed under.' }),
    description: z.string().meta({ description: 'What it allows.' }),
    dangerous: z.boolean().meta({ description: 'Minting a key that carries it needs a fresh session.' }),
  })
  .meta({ id: 'APIKeyPermission', description: 'A permission a key can carry.' });

function showApiKey(key: MintedApiKey['key']): z.input<typeof apiKeyShape> {
  const blocked = key.status === 'active' && !key.personalApiKeysAllowed;
  return {
    id: key.id,
    prefix: `${TOKEN_PREFIX.apiKey}_${key.id}`,
    kind: 'personal',
    membership_id: key.membershipId,
    name: key.name,
    permissions: key.permissions === null ? null : [...key.permissions],
    assurance_at_issue: key.assuranceAtIssue,
    status: key.status,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    ...(key.lastUsedAt && { last_used_at: key.lastUsedAt }),
    ...(key.revokedAt && { revoked_at: key.revokedAt }),
    ...(key.revocationReason && { revocation_reason: key.revocationReason }),
    usable: key.status === 'active' && !blocked,
    ...(blocked && { blocked_reason: 'api_keys_disabled' }),
    grants: [],
  };
}

function showPermission({ key, area, description, dangerous }: PermissionEntry): z.input<typeof apiKeyPermissionShape> {
  return { key, area, description, dangerous };
}

const apiKeyExample = {
  id: '0199a3f4-2b7e-7c3d-8e6f-4a5b6c7d8e9f',
  prefix: 'whk_0199a3f4-2b7e-7c3d-8e6f-4a5b6c7d8e9f',
  kind: 'personal',
  membership_id: '0199a3f1-7c52-7b0e-9d52-1f6a3b0c4d21',
  name: 'release script',
  permissions: null,
  assurance_at_issue: 'single_factor',
  status: 'active',
  created_at: '2026-03-02T08:31:00.000Z',
  expires_at: '2026-06-01T00:00:00.000Z',
  usable: true,
  grants: [],
};

/** The id of the last key of the page before. */
const lastKey = z.tuple([z.literal('api_keys'), z.uuid()]);

export const apiKeyEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listMyApiKeys',
    method: 'get',
    path: '/api/v1/me/api_keys',
    tag: 'API keys',
    summary: "List one's own API keys, newest first",
    auth: 'session',
    query: z.strictObject({ limit: limitQuery(50), cursor: cursorQuery() }),
    success: {
      status: 200,
      description: 'The keys, and what a new one would carry.',
      body: z.strictObject({
        keys: z.array(apiKeyShape).meta({ description: 'Newest first, revoked and expired ones included; never a secret.' }),
        personal_api_keys_allowed: z.boolean().meta({ description: 'Whether the organization allows personal keys.' }),
        scoping_enabled: z.boolean().meta({ description: 'Whether a key can be narrowed to chosen permissions.' }),
        bearable_permissions: z.array(apiKeyPermissionShape).meta({ description: 'What a new key would carry.' }),
        next_cursor: nextCursor(),
      }),
      example: {
        keys: [apiKeyExample],
        personal_api_keys_allowed: true,
        scoping_enabled: false,
        bearable_permissions: [showPermission(permissionEntry('request.read'))],
      },
    },
    errors: [],
    handler: async ({ principal, query }, context) => {
      const after = decodeCursor(query.cursor, lastKey)?.[1];
      const page = await listOwnApiKeys(context, principal, { limit: query.limit, after });
      const body = {
        keys: page.keys.map(showApiKey),
        personal_api_keys_allowed: page.personalApiKeysAllowed,
        scoping_enabled: false,
        bearable_permissions: page.bearable.map(showPermission),
        next_cursor: page.next && encodeCursor(['api_keys', page.next]),
      };
      return { body };
    },
  }),
  defineEndpoint({
    operationId: 'createMyApiKey',
    method: 'post',
    path: '/api/v1/me/api_keys',
    tag: 'API keys',
    summary: 'Mint a personal API key',
    description:
      'The key acts as its member with everything the member holds at each call. Where that includes deciding requests or a dangerous permission, the sign-in must be younger than 15 minutes: sign in again.',
    auth: 'session',
    permission: 'api_key.issue',
    body: z.strictObject({
      name: label('What to call the key.', 100),
      permissions: z
        .array(z.string())
        .optional()
        .meta({ description: 'The only permissions to carry. The open edition refuses it: its keys carry what their member holds.' }),
      expires_at: timestampInput('When the key ends, in the future; it lives until revoked when absent.').optional(),
    }),
    requestExample: { name: 'release script', expires_at: '2026-06-01T00:00:00Z' },
    success: {
      status: 201,
      description: 'The key, and its token, which is shown this once.',
      body: z.strictObject({
        key: apiKeyShape,
        token: z.string().meta({ description: 'The bearer token `whk_<id>_<secret>`. Only a hash of it is kept.' }),
      }),
      example: { key: apiKeyExample, token: `${apiKeyExample.prefix}_<secret>` },
    },
    errors: ['api_keys_disabled', 'api_key_scoping_unavailable', 'reauthentication_required'],
    handler: async ({ principal, body }, context) => {
      const { name, permissions, expires_at: expiresAt } = body;
      const { key, token } = await mintApiKey(context, principal, { name, permissions, expiresAt });
      return { body: { key: showApiKey(key), token } };
    },
  }),
  defineEndpoint({
    operationId: 'revokeMyApiKey',
    method: 'delete',
    path: '/api/v1/me/api_keys/{id}',
    tag: 'API keys',
    summary: "Revoke one of one's own API keys",
    description: 'For good, and at once. A repeat succeeds without changing anything.',
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
    summary: 'What the presented key is and may do now',
    auth: 'product',
    success: {
      status: 200,
      description: 'The key with its permissions after narrowing and current roles.',
      body: z.strictObject({
        key: apiKeyShape,
        permissions: z.array(permissionKey()).meta({ description: 'What it can use at some scope, sorted, each once.' }),
        effective_grants: z.array(grantShape).meta({ description: 'What it can use, and where.' }),
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
      return { body: { key: showApiKey(key), permissions, effective_grants: grants } };
    },
  }),
];
