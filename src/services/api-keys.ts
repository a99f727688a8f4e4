/** Personal API keys: a script acts as its member, with what the member holds at that moment. */
import { AppError } from '../domain/errors.ts';
import type { MemberPrincipal } from '../domain/authorization.ts';
import { isPermission } from '../domain/permissions.ts';
import { findApiKeyHolder, touchApiKey } from '../data/api-keys.ts';
import { secretMatches, type PresentedToken } from '../platform/tokens.ts';
import type { ServiceContext } from './context.ts';
import { memberPrincipal } from './memberships.ts';

export const API_KEY_TOKEN_PREFIX = 'whk';

/**
 * The member behind a personal key. 401 when it is unknown, expired or revoked; 403 `membership_inactive`, and
 * `api_keys_disabled` while the organization does not allow personal keys.
 */
export async function authenticateApiKey(context: ServiceContext, token: PresentedToken): Promise<MemberPrincipal> {
  const key = token.prefix === API_KEY_TOKEN_PREFIX ? await findApiKeyHolder(context.db, token.id) : undefined;
  if (!key?.valid || !secretMatches(token.secret, key.tokenHash)) throw new AppError('authentication_required');
  const principal = memberPrincipal(key, {
    via: { kind: 'api_key', keyId: key.keyId, narrowed: key.permissions?.filter(isPermission) ?? null },
    auth: { method: 'api_key', assurance: key.assurance, authenticated_at: key.createdAt },
  });
  if (!key.personalApiKeysAllowed) throw new AppError('api_keys_disabled');
  if (key.useIsStale) {
    touchApiKey(context.db, key.organizationId, key.keyId).catch((error: unknown) => {
      context.logger.warn({ err: error }, 'could not record the use of an API key');
    });
  }
  return principal;
}
