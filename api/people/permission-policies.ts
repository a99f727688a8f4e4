/** Permission policies of members, teams and organization keys: one set of operations for all three, and the vocabulary. */
import { MOST_POLICIES, type PolicyHolder } from '../../src/domain/people/permission-policies.ts';
import { z } from 'zod';
import type { ErrorCode } from '../../src/domain/errors.ts';
import {
  createPolicy,
  removePolicy,
  replacePolicy,
} from '../../src/services/people/permission-policies.ts';
import {
  readPolicyPage,
  servedPermissions,
} from '../../src/services/people/permission-policy-pages.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import {
  pageExample,
  pageSchema,
  policyExample,
  policySchema,
  policyTermsFields,
  readTerms,
  presentEntry,
  presentPage,
  presentPolicy,
  vocabularyEntrySchema,
  vocabularyExample,
} from './permission-policies-schema.ts';
import { uuid } from '../http/schema.ts';

const TAG = 'Permission policies';

const listPermissionsEndpoint = defineEndpoint({
  operationId: 'listPermissions',
  method: 'get',
  path: '/api/v1/permissions',
  tag: TAG,
  summary: 'List the permission vocabulary',
  description: 'The open edition neither lists nor grants permissions of the hosted edition.',
  auth: 'member',
  permission: 'permission_policy.read',
  orPermission: 'permission_policy.write',
  permissionAt: () => ({ kind: 'any' }),
  success: {
    status: 200,
    description: 'Every permission of this edition.',
    body: z.strictObject({
      permissions: z.array(vocabularyEntrySchema).meta({ description: 'The entries, by area.' }),
    }),
    example: { permissions: [vocabularyExample] },
  },
  errors: [],
  handler: (_call, { edition }) =>
    Promise.resolve({ body: { permissions: servedPermissions(edition).map(presentEntry) } }),
});

/** What differs between the three holders. */
interface HolderKind {
  readonly kind: PolicyHolder['kind'];
  /** Suffix of the operation ids. */
  readonly noun: string;
  readonly words: string;
  readonly path: string;
  readonly edition?: 'hosted';
  /** The error for a holder that can receive no more grants. */
  readonly closedErrors: readonly ErrorCode[];
  readonly note: string;
}

const GRANTING =
  'The caller can grant, change or remove only what they hold at the same scope or wider (`grant_exceeds_own`). A dangerous ' +
  'permission requires a recently authenticated session, with a second factor where the organization requires one. So does ' +
  '`request.decide`, unless a key grants it.';

/** Errors of `requireMayGrant`. */
const GRANTING_ERRORS: readonly ErrorCode[] = [
  'grant_exceeds_own',
  'owner_required',
  'session_required',
  'mfa_required',
  'reauthentication_required',
];

const requestExample = {
  scope_kind: 'organization',
  resource_ids: [],
  permissions: ['agent.read'],
};

/** What the operations of one kind have in common. */
function shared({ edition }: HolderKind) {
  return { tag: TAG, auth: 'member', ...(edition && { edition }) } as const;
}

const holderId = (words: string) => uuid(`Id of ${words}.`);
const holderParams = ({ words }: HolderKind) => z.strictObject({ id: holderId(words) });
const policyParams = ({ words }: HolderKind) =>
  z.strictObject({ id: holderId(words), policy_id: uuid('Id of the policy.') });

function changingErrors({ kind, closedErrors }: HolderKind): readonly ErrorCode[] {
  const ofOwners: readonly ErrorCode[] = kind === 'membership' ? ['last_owner'] : [];
  return [
    ...new Set<ErrorCode>([...closedErrors, ...GRANTING_ERRORS, 'read_only_policy', ...ofOwners]),
  ];
}

function listEndpoint(holder: HolderKind): Endpoint {
  return defineEndpoint({
    ...shared(holder),
    operationId: `list${holder.noun}PermissionPolicies`,
    method: 'get',
    path: holder.path,
    summary: `List the permission policies of ${holder.words}`,
    description:
      `${holder.note} \`can_edit\` and \`read_only_reason\` say whether the caller can change a policy. They do not consider how ` +
      'recently or how strongly the caller authenticated.',
    permission: 'permission_policy.read',
    orPermission: 'permission_policy.write',
    params: holderParams(holder),
    success: { status: 200, description: 'All of them.', body: pageSchema, example: pageExample },
    errors: [],
    handler: async ({ principal, params }, context) => {
      const page = await readPolicyPage(context, principal, { kind: holder.kind, id: params.id });
      return { body: presentPage(page) };
    },
  });
}

function createEndpoint(holder: HolderKind): Endpoint {
  return defineEndpoint({
    ...shared(holder),
    operationId: `create${holder.noun}PermissionPolicy`,
    method: 'post',
    path: holder.path,
    summary: `Grant permissions to ${holder.words}`,
    description: `${GRANTING} Repeating the same key and body returns 200 with the current policy, or 404 after its removal. A holder has at most ${MOST_POLICIES} policies (409 \`policy_limit_reached\`).`,
    permission: 'permission_policy.write',
    headers: { idempotencyKey: 'required' },
    params: holderParams(holder),
    body: z.strictObject(policyTermsFields),
    requestExample,
    success: {
      status: [201, 200],
      description: 'The policy; 200 for a repeat.',
      body: policySchema,
      example: policyExample,
    },
    errors: [
      ...holder.closedErrors,
      ...GRANTING_ERRORS,
      'policy_limit_reached',
      'idempotency_conflict',
    ],
    handler: async ({ principal, params, body, idempotencyKey }, context) => {
      const input = {
        holder: { kind: holder.kind, id: params.id },
        terms: readTerms(body),
        idempotencyKey,
      };
      const { policy, created } = await createPolicy(context, principal, input);
      return { status: created ? 201 : 200, body: presentPolicy(policy) };
    },
  });
}

function replaceEndpoint(holder: HolderKind): Endpoint {
  return defineEndpoint({
    ...shared(holder),
    operationId: `replace${holder.noun}PermissionPolicy`,
    method: 'put',
    path: `${holder.path}/{policy_id}`,
    summary: `Replace a permission policy of ${holder.words}`,
    description:
      `${GRANTING} This applies to the old and to the new terms. If the policy has another revision now: 409 ` +
      '`policy_changed` with `details.revision`. Unchanged terms write nothing.',
    permission: 'permission_policy.write',
    params: policyParams(holder),
    body: z.strictObject({
      ...policyTermsFields,
      revision: z.int().min(1).meta({ description: 'The revision the change is based on.' }),
    }),
    requestExample: { ...requestExample, revision: 1 },
    success: {
      status: 200,
      description: 'The changed policy.',
      body: policySchema,
      example: { ...policyExample, revision: 2 },
    },
    errors: [...changingErrors(holder), 'policy_changed'],
    handler: async ({ principal, params, body }, context) => {
      const reference = { holder: { kind: holder.kind, id: params.id }, id: params.policy_id };
      const change = { ...reference, terms: readTerms(body), revision: body.revision };
      return { body: presentPolicy(await replacePolicy(context, principal, change)) };
    },
  });
}

function deleteEndpoint(holder: HolderKind): Endpoint {
  return defineEndpoint({
    ...shared(holder),
    operationId: `delete${holder.noun}PermissionPolicy`,
    method: 'delete',
    path: `${holder.path}/{policy_id}`,
    summary: `Delete a permission policy of ${holder.words}`,
    description: `${GRANTING} A deleted policy returns 404.`,
    permission: 'permission_policy.write',
    params: policyParams(holder),
    success: { status: 204, description: 'The policy is deleted.' },
    errors: changingErrors(holder),
    handler: async ({ principal, params }, context) => {
      await removePolicy(context, principal, {
        holder: { kind: holder.kind, id: params.id },
        id: params.policy_id,
      });
      return {};
    },
  });
}

function policyEndpoints(holder: HolderKind): readonly Endpoint[] {
  return [
    listEndpoint(holder),
    createEndpoint(holder),
    replaceEndpoint(holder),
    deleteEndpoint(holder),
  ];
}

export const permissionPolicyEndpoints: readonly Endpoint[] = [
  listPermissionsEndpoint,
  ...policyEndpoints({
    kind: 'membership',
    noun: 'Member',
    words: 'a member',
    path: '/api/v1/members/{id}/permission_policies',
    closedErrors: ['membership_removed'],
    note: 'The own ones and those inherited through teams, which are changed at the team.',
  }),
  ...policyEndpoints({
    kind: 'team',
    noun: 'Team',
    words: 'a team',
    path: '/api/v1/teams/{id}/permission_policies',
    closedErrors: ['team_archived'],
    note: 'Every member of the team inherits them.',
  }),
  ...policyEndpoints({
    kind: 'organization_api_key',
    noun: 'OrganizationApiKey',
    words: 'an organization key',
    path: '/api/v1/api_keys/{id}/permission_policies',
    edition: 'hosted',
    closedErrors: ['read_only_policy'],
    note: 'Personal keys have none: they carry what their member holds. A revoked or expired key can be granted nothing more (409 `read_only_policy`).',
  }),
];
