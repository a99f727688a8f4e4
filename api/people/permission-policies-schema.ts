/** Schemas of permission policies. Members, teams, organization keys and invitations share their terms. */
import { z } from 'zod';
import type { PolicyTerms } from '../../src/domain/people/permission-policies.ts';
import {
  isPermission,
  permissionEntry,
  type PermissionEntry,
} from '../../src/domain/people/permissions.ts';
import type { PagePolicy, PolicyPage } from '../../src/services/people/permission-policy-pages.ts';
import { permissionKey, scopeKind } from './grants-schema.ts';
import { present } from '../http/present.ts';
import { timestamp, uuid } from '../http/schema.ts';

/** What a policy grants, and where. The domain checks which combinations are valid. */
export const policyTermsFields = {
  scope_kind: scopeKind(),
  resource_ids: z
    .array(z.string().min(1).max(63))
    .max(500)
    .default([])
    .meta({ description: 'The team ids or agent slugs it is for; none at organization scope.' }),
  permissions: z.array(z.string().min(1).max(100)).max(100).default([]).meta({
    description:
      'Keys of the permission vocabulary. Empty with `is_owner`, which carries every permission a person can hold.',
  }),
  is_owner: z.boolean().default(false).meta({
    description:
      'Ownership of the organization, for a member at organization scope. Only an owner can grant or remove it.',
  }),
};

/** The terms in the form the domain checks. */
export function readTerms(body: z.output<z.ZodObject<typeof policyTermsFields>>): PolicyTerms {
  const { scope_kind: scopeKind, resource_ids: ids, permissions, is_owner: isOwner } = body;
  const resourceIds = scopeKind === 'team' ? ids.map((id) => id.toLowerCase()) : ids;
  return { scopeKind, resourceIds, permissions, isOwner };
}

export const vocabularyEntrySchema = z
  .strictObject({
    key: permissionKey(),
    area: z.string().meta({ description: 'The area it is listed under.' }),
    description: z.string().meta({ description: 'What the permission allows.' }),
    holders: z
      .array(z.enum(['human', 'api_key', 'organization_api_key', 'agent', 'gateway']))
      .meta({
        description:
          'Which kinds of credential can carry it: a session, a personal key, an organization key, an agent, the gateway.',
      }),
    resource: z
      .string()
      .meta({ description: 'The kind of resource: the part of the key before the first dot.' }),
    dangerous: z.boolean().meta({
      description:
        'True when granting it requires a recently authenticated session, with a second factor where the organization requires one.',
    }),
    scopes: z
      .array(scopeKind())
      .meta({ description: 'The scopes at which it can be granted, widest first.' }),
  })
  .meta({ id: 'Permission', description: 'An entry of the permission vocabulary.' });

export const presentEntry = (entry: PermissionEntry) => present(vocabularyEntrySchema, entry);

export const vocabularyExample = presentEntry(permissionEntry('request.decide'));

export const resourceSchema = z
  .strictObject({
    id: z.string().meta({ description: 'The team id or agent slug.' }),
    name: z.string().meta({ description: 'Display name.' }),
    kind: z.enum(['agent', 'team']).meta({ description: 'What it is.' }),
  })
  .meta({ id: 'PolicyResource', description: 'An agent or a team a policy can be for.' });

const readOnlyReason = (description: string) => z.string().optional().meta({ description });

export const policySchema = z
  .strictObject({
    id: uuid('The policy.'),
    scope_kind: scopeKind(),
    resource_ids: z
      .array(z.string())
      .meta({ description: 'The team ids or agent slugs it is for; none at organization scope.' }),
    permissions: z.array(permissionKey()).meta({
      description:
        'The permissions it grants. Empty for ownership, which carries every permission.',
    }),
    is_owner: z.boolean().meta({ description: 'True for ownership of the organization.' }),
    revision: z.int().meta({
      description:
        'Counts changes of the policy, from 1. A change names the revision it is based on.',
    }),
    resources: z.array(resourceSchema).meta({
      description: 'The agents and teams of `resource_ids`, with their names; archived ones too.',
    }),
    source: z
      .enum(['manual', 'directory'])
      .meta({ description: 'Whether a person or the directory set it.' }),
    via_team_id: z
      .uuid()
      .optional()
      .meta({ description: 'The team a member inherits it through.' }),
    via_team_name: z.string().optional().meta({ description: 'The name of that team.' }),
    can_edit: z.boolean().meta({
      description: 'Whether the caller may change and remove it here, once recently authenticated.',
    }),
    read_only_reason: readOnlyReason(
      'Why the caller cannot:\n' +
        '- `inherited`: change it at its team.\n' +
        '- `directory_managed`: the directory set it.\n' +
        '- `membership_removed`, `team_archived`, `api_key_inactive`: its holder is no longer active.\n' +
        '- `permission_policy_write_missing`, `owner_required`: the caller may not.\n' +
        '- `exceeds_own`: it grants more than the caller holds.\n' +
        '- `session_required`: it is dangerous, and the caller uses a key.\n' +
        '- `last_owner`: no active owner would remain.',
    ),
    granted_by_actor_id: z
      .uuid()
      .optional()
      .meta({ description: 'The member who set it last; absent for the first owner.' }),
    created_at: timestamp('When it was granted first.'),
  })
  .meta({
    id: 'PermissionPolicy',
    description: 'What a member, a team or an organization key may do, and where.',
  });

export const policyExample = {
  id: '0198f3a2-7a00-7b1c-9d2e-3f4a5b6c7d8e',
  scope_kind: 'agent',
  resource_ids: ['deploy-bot'],
  permissions: ['request.read', 'request.decide'],
  is_owner: false,
  revision: 1,
  resources: [{ id: 'deploy-bot', name: 'Deploy bot', kind: 'agent' }],
  source: 'manual',
  can_edit: true,
  granted_by_actor_id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
  created_at: '2026-03-02T09:15:00.000Z',
};

export function presentPolicy(policy: PagePolicy) {
  return present(policySchema, {
    ...policy,
    permissions: policy.permissions.filter(isPermission),
    canEdit: policy.readOnlyReason === undefined,
  });
}

export const resourcesTruncated = () =>
  z.boolean().meta({
    description:
      'True when the caller could name more agents, or more teams, than the 500 that are listed.',
  });

export const pageSchema = z
  .strictObject({
    name: z.string().meta({ description: 'Name of the member, the team or the key.' }),
    policies: z.array(policySchema).meta({
      description:
        "The holder's own policies, oldest first. For a member, those of their teams follow, by the team's name.",
    }),
    resources: z.array(resourceSchema).meta({
      description:
        'The agents and teams that the policies name, and the live ones that the caller can name in a new policy. The first 500 of each, by name.',
    }),
    resources_truncated: resourcesTruncated(),
    permissions: z
      .array(vocabularyEntrySchema)
      .meta({ description: 'The entries of the vocabulary this kind of holder can be granted.' }),
    can_create: z
      .boolean()
      .meta({ description: 'Whether the caller may add a policy, within what they hold.' }),
    is_owner: z
      .boolean()
      .meta({ description: 'True when a policy makes the member an owner of the organization.' }),
    read_only_reason: readOnlyReason(
      'Why no policy can be added: `membership_removed`, `team_archived`, `api_key_inactive`, `permission_policy_write_missing`.',
    ),
  })
  .meta({
    id: 'PermissionPolicyPage',
    description: 'The policies of one holder, and what the caller may change.',
  });

export const pageExample = {
  name: 'Ada Reyes',
  policies: [policyExample],
  resources: policyExample.resources,
  resources_truncated: false,
  permissions: [vocabularyExample],
  can_create: true,
  is_owner: false,
};

export function presentPage(page: PolicyPage) {
  return present(pageSchema, {
    ...page,
    policies: page.policies.map(presentPolicy),
    permissions: page.permissions.map(presentEntry),
    canCreate: page.readOnlyReason === undefined,
  });
}
