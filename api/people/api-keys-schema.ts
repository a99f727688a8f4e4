/** API keys as the API returns them. */
import { z } from 'zod';
import { verifiedHostOf } from '../../src/domain/oauth/clients.ts';
import { OAUTH_RESOURCES } from '../../src/domain/people/key-resources.ts';
import { TOKEN_PREFIX } from '../../src/domain/tokens.ts';
import type { Grant, PermissionEntry } from '../../src/domain/people/permissions.ts';
import type { ApiKey } from '../../src/services/people/api-keys.ts';
import { grantSchema, permissionKey } from './grants-schema.ts';
import { present } from '../http/present.ts';
import {
  nullableTimestamp,
  timestamp,
  timestampInput,
  uuid,
  absentIfNull,
} from '../http/schema.ts';

export const apiKeyKind = () => z.enum(['personal', 'organization']);
export const apiKeyStatus = () => z.enum(['active', 'expired', 'revoked']);

export const apiKeySchema = z
  .strictObject({
    id: uuid('The key.'),
    prefix: z.string().meta({ description: 'The public part of the token, without the secret.' }),
    kind: apiKeyKind().meta({
      description: 'Whether the key acts as a member or as the organization.',
    }),
    membership_id: z.uuid().optional().meta({ description: 'The member a personal key acts as.' }),
    created_by: z
      .strictObject({
        membership_id: uuid('The member.'),
        display_name: z.string().meta({ description: 'Their display name.' }),
        email: z.string().meta({ description: 'Their email address.' }),
      })
      .optional()
      .meta({
        description: 'The member who created the key. Only on organization-wide lists and reads.',
      }),
    name: z.string().meta({ description: 'The name given at creation.' }),
    permissions: z.array(permissionKey()).nullable().meta({
      description:
        'The permissions of a scoped personal key. Null when the key carries everything its member currently holds.',
    }),
    assurance_at_issue: z
      .enum(['single_factor', 'strong'])
      .meta({ description: 'The assurance of the session that created the key.' }),
    oauth_client: z
      .strictObject({
        id: uuid('The client.'),
        name: z.string().meta({ description: 'What the client calls itself.' }),
        verified_host: z.string().optional().meta({
          description:
            'The host of its metadata document, which the service read there. Absent for a client that registered itself: no one has checked who it is.',
        }),
        resource: z.enum(OAUTH_RESOURCES).meta({
          description: 'What the key opens: the MCP endpoint alone, or the whole API.',
        }),
        token_issued_at: timestamp(
          'When the client got its present token, at first or by a refresh. Absent before its first token, and in the last hour before `ends_at`.',
        ).optional(),
        ends_at: timestamp(
          'When its access ends even if it refreshes. Absent without a limit on the lifetime of keys.',
        ).optional(),
      })
      .optional()
      .meta({
        description:
          'The app that the member approved with this key, at `created_at`. Present when the key was created on the consent page. Its token changes each hour, and `expires_at` moves with each refresh.',
      }),
    status: apiKeyStatus().meta({ description: 'The status of the key.' }),
    created_at: timestamp('When the key was created.'),
    expires_at: nullableTimestamp('When the key expires; null when it lives until it is revoked.'),
    last_used_at: timestamp(
      'When the key was last used, to the minute. Absent if never.',
    ).optional(),
    revoked_at: timestamp('When the key was revoked.').optional(),
    revocation_reason: z.enum(['manual', 'membership_deprovisioned']).optional().meta({
      description: 'Why the key was revoked: manually, or because its member was removed.',
    }),
    usable: z.boolean().meta({
      description:
        'True when the key is active and not blocked. Keys of suspended members are not usable, nor are organization keys in the open edition.',
    }),
    blocked_reason: z
      .enum(['organization_inactive', 'api_keys_disabled'])
      .optional()
      .meta({ description: 'Why the organization currently blocks an active key.' }),
    grants: z.array(grantSchema).meta({
      description: 'The grants of its permission policies. Empty for a personal key.',
    }),
    effective_grants: z.array(grantSchema).optional().meta({
      description:
        'Only on reads of one key: the grants it can use now. For a personal key, its member’s grants after key scoping.',
    }),
  })
  .meta({ id: 'APIKey', description: 'An API key, without its secret.' });

function presentClient({
  metadataUrl,
  tokenIssuedAt,
  endsAt,
  ...client
}: NonNullable<ApiKey['oauthClient']>) {
  const verifiedHost = verifiedHostOf({ metadataUrl: metadataUrl ?? undefined });
  return {
    id: client.id,
    name: client.name,
    ...(verifiedHost !== undefined && { verified_host: verifiedHost }),
    resource: client.resource,
    ...(tokenIssuedAt && { token_issued_at: tokenIssuedAt }),
    ...(endsAt && { ends_at: endsAt }),
  };
}

/** `organizationWide`: includes the creator, for people who manage all keys. */
export function presentApiKey(
  key: ApiKey,
  {
    organizationWide = false,
    effectiveGrants,
  }: { organizationWide?: boolean; effectiveGrants?: readonly Grant[] } = {},
): z.input<typeof apiKeySchema> {
  const { membershipId: membership_id, displayName: display_name, email } = key.createdBy;
  return present(apiKeySchema, {
    ...key,
    prefix: `${key.kind === 'personal' ? TOKEN_PREFIX.apiKey : TOKEN_PREFIX.organizationKey}_${key.id}`,
    createdBy: organizationWide ? { membership_id, display_name, email } : null,
    oauthClient: key.oauthClient && presentClient(key.oauthClient),
    blockedReason: key.status === 'active' ? key.blockedReason : null,
    effectiveGrants,
  });
}

export const apiKeyPermissionSchema = z
  .strictObject({
    key: permissionKey(),
    area: z.string().meta({ description: 'The area it is listed under.' }),
    description: z.string().meta({ description: 'What the permission allows.' }),
    dangerous: z.boolean().meta({
      description:
        'True when creating a key with this permission requires a recently authenticated session.',
    }),
  })
  .meta({ id: 'APIKeyPermission', description: 'A permission a key can carry.' });

export function presentPermission(entry: PermissionEntry): z.input<typeof apiKeyPermissionSchema> {
  return present(apiKeyPermissionSchema, entry);
}

export const keyExpiry = () =>
  absentIfNull(
    timestampInput(
      'When the key expires; must be in the future. When absent or null, the key lives until it is revoked. A limit of the deployment or the organization applies to both: an absent value becomes the limit, and a later one is refused.',
    ),
  );

export const maxExpiresAt = () =>
  timestamp('The latest expiry of a key created now. Absent when there is no limit.').optional();

export const apiKeyExample = {
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

export const organizationKeyExample = {
  id: '0199a3f5-91c0-7a5e-b7d4-6f1e2d3c4b5a',
  prefix: 'who_0199a3f5-91c0-7a5e-b7d4-6f1e2d3c4b5a',
  kind: 'organization',
  created_by: {
    membership_id: '0199a3f1-7c52-7b0e-9d52-1f6a3b0c4d21',
    display_name: 'Ada Pike',
    email: 'ada@example.com',
  },
  name: 'inventory sync',
  permissions: null,
  assurance_at_issue: 'strong',
  status: 'active',
  created_at: '2026-03-02T08:40:00.000Z',
  expires_at: null,
  usable: true,
  grants: [{ permission: 'agent.read', scope_kind: 'organization' }],
};
