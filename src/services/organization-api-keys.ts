/** Organization API keys: a shared integration acts for the organization, with grants of its own. Hosted edition only. */
import { AppError } from '../domain/errors.ts';
import { grantsFromPolicies, type OrganizationKeyPrincipal } from '../domain/authorization.ts';
import { touchApiKey } from '../data/api-keys.ts';
import { findOrganizationKeyHolder } from '../data/organization-api-keys.ts';
import { secretMatches, type PresentedToken } from '../platform/tokens.ts';
import type { ServiceContext } from './context.ts';

/** The integration behind an organization key. 401 when it is unknown, expired or revoked, and always in the open edition. */
export async function authenticateOrganizationKey(context: ServiceContext, token: PresentedToken): Promise<OrganizationKeyPrincipal> {
  const key = context.edition === 'hosted' ? await findOrganizationKeyHolder(context.db, token.id) : undefined;
  if (!key?.valid || !secretMatches(token.secret, key.tokenHash)) throw new AppError('authentication_required');
  if (key.useIsStale) {
    touchApiKey(context.db, key.organizationId, key.keyId).catch((error: unknown) => {
      context.logger.warn({ err: error }, 'could not record the use of an API key');
    });
  }
  return {
    kind: 'organization_key',
    organizationId: key.organizationId,
    keyId: key.keyId,
    name: key.name,
    grants: grantsFromPolicies(key.policies, false),
    auth: { method: 'api_key', assurance: key.assurance, authenticated_at: key.createdAt },
  };
}
