/** Callers of the product API, people and organization keys: reads them again where they act. */
import { AppError } from '../../domain/errors.ts';
import {
  grantsFromPolicies,
  type OrganizationKeyPrincipal,
  type ProductPrincipal,
} from '../../domain/people/authorization.ts';
import {
  findOrganizationKeyHolder,
  type OrganizationKeyHolder,
} from '../../data/people/organization-api-keys.ts';
import type { Db } from '../../platform/postgres.ts';
import { apiKeyAuth, currentMember, requirePermission, type Needs } from './member-principals.ts';

/**
 * Reads the caller again, whose rights or credential may have ended while the call waited. Call it
 * after all locks, among them the organization's (`holdAccess`), so that the rights hold until the
 * commit. Throws what the next call would get.
 */
export async function recheckCaller(
  trx: Db,
  caller: ProductPrincipal,
  needs: Needs,
): Promise<ProductPrincipal> {
  const current =
    caller.kind === 'member'
      ? await currentMember(trx, caller)
      : await currentOrganizationKey(trx, caller);
  requirePermission(current, needs);
  return current;
}

async function currentOrganizationKey(
  trx: Db,
  { keyId }: OrganizationKeyPrincipal,
): Promise<OrganizationKeyPrincipal> {
  const key = await findOrganizationKeyHolder(trx, keyId);
  if (!key?.valid) throw new AppError('authentication_required');
  return organizationKeyPrincipal(key);
}

/** The integration behind a live organization key. */
export function organizationKeyPrincipal(key: OrganizationKeyHolder): OrganizationKeyPrincipal {
  const { organizationId, keyId, name } = key;
  return {
    kind: 'organization_key',
    organizationId,
    keyId,
    name,
    grants: grantsFromPolicies(key.policies, false),
    auth: apiKeyAuth(key.assurance, key.createdAt),
  };
}
