/** API keys as the wire shows them. */
import { z } from 'zod';
import { TOKEN_PREFIX } from '../../src/domain/tokens.ts';
import type { Grant, PermissionEntry } from '../../src/domain/people/permissions.ts';
import type { ApiKey } from '../../src/services/people/api-keys.ts';
import { grantSchema, permissionKey } from './grants-schema.ts';
import { nullableTimestamp, timestamp, timestampInput, uuid } from '../http/schema.ts';

export const apiKeyKind = () => z.enum(['personal', 'organization']);
export const apiKeyStatus = () => z.enum(['active', 'expired', 'revoked']);

export const apiKeySchema = z
  .strictObject({
    id: uuid('The key.'),
    prefix: z
      .string()
      .meta({ description: 'The public part of the token: all of it but the secret.' }),
    kind: apiKeyKind().meta({ description: 'Whom it acts as: a member, or the organization.' }),
    membership_id: z.uuid().optional().meta({ description: 'The member a personal key acts as.' }),
    created_by: z
      .strictObject({
        membership_id: uuid('The member.'),
        display_name: z.string().meta({ description: 'How he is called.' }),
        email: z.string().meta({ description: 'His email.' }),
      })
      .optional()
      .meta({ description: 'Who minted it; where keys of the whole organization are shown.' }),
    name: z.string().meta({ description: 'What it was called when it was minted.' }),
    permissions: z.array(permissionKey()).nullable().meta({
      description:
        'The only permissions a narrowed personal key carries; null when the key carries everything its holder holds at the moment.',
    }),
    assurance_at_issue: z
      .enum(['single_factor', 'strong'])
      .meta({ description: 'The assurance of the session that minted it.' }),
    status: apiKeyStatus().meta({ description: 'Whether it still lives.' }),
    created_at: timestamp('When it was minted.'),
    expires_at: nullableTimestamp('When it ends; null when it lives until it is revoked.'),
    last_used_at: timestamp('When it was last used, to the minute; absent if never.').optional(),
    revoked_at: timestamp('When it was revoked.').optional(),
    revocation_reason: z
      .enum(['manual', 'membership_deprovisioned'])
      .optional()
      .meta({ description: 'Why it was revoked: by hand, or because its member was removed.' }),
    usable: z.boolean().meta({
      description:
        'Active and not blocked. A key whose member is suspended, and an organization key in the open edition, is not usable either.',
    }),
    blocked_reason: z
      .enum(['organization_inactive', 'api_keys_disabled'])
      .optional()
      .meta({ description: 'What the organization says against an active key at the moment.' }),
    grants: z.array(grantSchema).meta({
      description: 'Grants of its own, out of its permission policies; empty for a personal key.',
    }),
    effective_grants: z.array(grantSchema).optional().meta({
      description:
        'Where one key is shown: what it carries while it is usable, for a personal key its member’s grants after narrowing.',
    }),
  })
  .meta({ id: 'APIKey', description: 'An API key, without its secret.' });

/** `organizationWide`: for those who look after all keys, who need to know whose each is. */
export function presentApiKey(
  key: ApiKey,
  {
    organizationWide = false,
    effectiveGrants,
  }: { organizationWide?: boolean; effectiveGrants?: readonly Grant[] } = {},
): z.input<typeof apiKeySchema> {
  const { membershipId: membership_id, displayName: display_name, email } = key.createdBy;
  return {
    id: key.id,
    prefix: `${key.kind === 'personal' ? TOKEN_PREFIX.apiKey : TOKEN_PREFIX.organizationKey}_${key.id}`,
    kind: key.kind,
    ...(key.membershipId !== null && { membership_id: key.membershipId }),
    ...(organizationWide && { created_by: { membership_id, display_name, email } }),
    name: key.name,
    permissions: key.permissions === null ? null : [...key.permissions],
    assurance_at_issue: key.assuranceAtIssue,
    status: key.status,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    ...(key.lastUsedAt && { last_used_at: key.lastUsedAt }),
    ...(key.revokedAt && { revoked_at: key.revokedAt }),
    ...(key.revocationReason && { revocation_reason: key.revocationReason }),
    usable: key.usable,
    ...(key.status === 'active' && key.blockedReason && { blocked_reason: key.blockedReason }),
    grants: [...key.grants],
    ...(effectiveGrants && { effective_grants: [...effectiveGrants] }),
  };
}

export const apiKeyPermissionSchema = z
  .strictObject({
    key: permissionKey(),
    area: z.string().meta({ description: 'What it is listed under.' }),
    description: z.string().meta({ description: 'What it allows.' }),
    dangerous: z
      .boolean()
      .meta({ description: 'Minting a key that carries it needs a fresh session.' }),
  })
  .meta({ id: 'APIKeyPermission', description: 'A permission a key can carry.' });

export function presentPermission({
  key,
  area,
  description,
  dangerous,
}: PermissionEntry): z.input<typeof apiKeyPermissionSchema> {
  return { key, area, description, dangerous };
}

export const keyEnd = () =>
  timestampInput(
    'When the key ends, in the future. When absent it lives until it is revoked; where the deployment or the organization limits the life of keys, it ends when that limit is reached, and a later end is refused.',
  ).optional();

export const maxExpiresAt = () =>
  timestamp(
    'The latest end a key minted now may have; absent where the life of keys is not limited.',
  ).optional();

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
