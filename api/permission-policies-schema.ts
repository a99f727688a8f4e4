/** The terms of a permission policy in a body: the same for members, teams, organization keys and invitations. */
import { z } from 'zod';
import type { PolicyTerms } from '../src/domain/permission-policies.ts';
import { scopeKind } from './grants-schema.ts';

/** What a policy grants and where. Which combinations are valid is judged by the domain, which names each field. */
export const policyTermsFields = {
  scope_kind: scopeKind(),
  resource_ids: z
    .array(z.string().min(1).max(63))
    .max(500)
    .default([])
    .meta({ description: 'The team ids or agent slugs it is for; none at organization scope.' }),
  permissions: z
    .array(z.string().min(1).max(100))
    .max(100)
    .default([])
    .meta({ description: 'Keys of the permission vocabulary; none with `is_owner`, which carries every permission a person can hold.' }),
  is_owner: z
    .boolean()
    .default(false)
    .meta({
      description: 'Ownership of the organization, for a member at organization scope. Only an owner hands it out or takes it away.',
    }),
};

/** The terms as the domain judges them. */
export function readTerms(body: z.output<z.ZodObject<typeof policyTermsFields>>): PolicyTerms {
  return { scopeKind: body.scope_kind, resourceIds: body.resource_ids, permissions: body.permissions, isOwner: body.is_owner };
}
