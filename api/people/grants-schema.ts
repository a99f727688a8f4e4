/** Schemas of permissions and grants. */
import { z } from 'zod';
import { permissions, isPermission } from '../../src/domain/people/permissions.ts';

export const scopeKind = () =>
  z.enum(['organization', 'team', 'agent']).meta({ description: 'The kind of scope.' });
export const scopeId = () =>
  z
    .string()
    .optional()
    .meta({ description: 'The team id or agent slug; absent at organization scope.' });

/** A key of the permission vocabulary. */
export const permissionKey = () =>
  z
    .string()
    .refine(isPermission)
    .meta({ description: 'A key of the permission vocabulary.', examples: [permissions[0]?.key] });

export const grantSchema = z
  .strictObject({ permission: permissionKey(), scope_kind: scopeKind(), scope_id: scopeId() })
  .meta({ id: 'Grant', description: 'One permission at one scope.' });
