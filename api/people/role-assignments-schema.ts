/** Role assignments: what members and teams hold, one entry for each policy and scope. */
import { z } from 'zod';
import type { RoleAssignment } from '../../src/services/people/role-assignments.ts';
import { permissionKey, scopeId, scopeKind } from './grants-schema.ts';
import { present } from '../http/present.ts';
import { timestamp, uuid } from '../http/schema.ts';

export const roleAssignmentSchema = z
  .strictObject({
    id: uuid(
      'The assignment: a permission policy at one scope. It stays the same while the policy names the scope.',
    ),
    organization_id: uuid('The organization.'),
    principal_kind: z
      .enum(['membership', 'team', 'agent'])
      .meta({ description: 'The kind of holder.' }),
    principal_id: uuid('The membership or team that holds it.'),
    scope_kind: scopeKind(),
    scope_id: scopeId(),
    scope_name: z
      .string()
      .optional()
      .meta({ description: 'The name of the organization, team or agent.' }),
    source: z
      .enum(['manual', 'directory'])
      .meta({ description: 'Whether a person or the directory assigned it.' }),
    granted_by_actor_id: z
      .uuid()
      .optional()
      .meta({ description: 'The actor who granted it. Absent for the first owner.' }),
    via_team_id: z
      .uuid()
      .optional()
      .meta({ description: 'The team a member inherits it through.' }),
    via_team_name: z.string().optional().meta({ description: 'The name of that team.' }),
    created_at: timestamp('When it was granted.'),
    permissions: z.array(permissionKey()).meta({
      description: 'The permissions it grants. For an owner, every permission a person can hold.',
    }),
    is_owner: z.boolean().meta({ description: 'True for ownership of the organization.' }),
    permission_policy_id: uuid('The permission policy it comes from.'),
  })
  .meta({ id: 'RoleAssignment', description: 'What a permission policy grants at one scope.' });

export function presentAssignment(
  assignment: RoleAssignment,
  holder: { readonly organizationId: string; readonly kind: 'membership' | 'team' },
): z.input<typeof roleAssignmentSchema> {
  return present(roleAssignmentSchema, {
    ...assignment,
    organizationId: holder.organizationId,
    principalKind: holder.kind,
    viaTeamId: assignment.via?.teamId,
    viaTeamName: assignment.via?.teamName,
    permissionPolicyId: assignment.policyId,
  });
}
