/** What members may do in the end, and what a change of access would do. */
import { z } from 'zod';
import { previewAccessChange } from '../../src/services/people/access-preview.ts';
import { readMemberAccess } from '../../src/services/people/effective-access.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { uuid } from '../http/schema.ts';
import {
  accessExample,
  accessSchema,
  changeExample,
  changeSchema,
  effectExample,
  effectSchema,
  presentAccess,
  presentEffect,
  readChange,
} from './access-schema.ts';

const TAG = 'Permission policies';

const getMemberAccessEndpoint = defineEndpoint({
  operationId: 'getMemberAccess',
  method: 'get',
  path: '/api/v1/members/{id}/access',
  tag: TAG,
  summary: 'Read what a member may do in the end',
  description:
    'By their own policies, those of their teams, and ownership. Each right names all policies that give it.',
  auth: 'member',
  permission: 'permission_policy.read',
  orPermission: 'permission_policy.write',
  params: z.strictObject({ id: uuid('Id of the membership.') }),
  success: {
    status: 200,
    description: 'All their rights.',
    body: accessSchema,
    example: accessExample,
  },
  errors: [],
  handler: async ({ principal, params }, context) => ({
    body: presentAccess(await readMemberAccess(context, principal, params.id)),
  }),
});

const previewAccessChangeEndpoint = defineEndpoint({
  operationId: 'previewAccessChange',
  method: 'post',
  path: '/api/v1/permission_policies/preview',
  tag: TAG,
  summary: 'Preview a change of access',
  description:
    'Who gains and loses what, and who may decide for each agent afterwards. It saves nothing, and does not check whether the caller may make the change.',
  auth: 'member',
  permission: 'permission_policy.read',
  orPermission: 'permission_policy.write',
  body: changeSchema,
  requestExample: changeExample,
  success: {
    status: 200,
    description: 'What the change would do.',
    body: effectSchema,
    example: effectExample,
  },
  errors: ['not_found', 'membership_removed', 'team_archived', 'read_only_policy'],
  handler: async ({ principal, body }, context) => ({
    body: presentEffect(await previewAccessChange(context, principal, readChange(body))),
  }),
});

export const accessEndpoints: readonly Endpoint[] = [
  getMemberAccessEndpoint,
  previewAccessChangeEndpoint,
];
