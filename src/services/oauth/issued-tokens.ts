/** The tokens of a client: the present token of its key, and the refresh token that gives the next ones. */
import { effectivePermissions } from '../../domain/people/authorization.ts';
import type { Permission } from '../../domain/people/permissions.ts';
import { AppError } from '../../domain/errors.ts';
import { SYSTEM } from '../../domain/audit/events.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import { latestExpiry, longestLife } from '../../domain/people/api-keys.ts';
import { findApiKeyHolder, findApiKeyRules } from '../../data/people/api-keys.ts';
import { endGrantBy, giveTokens, lockLiveKey, type Grant } from '../../data/oauth/oauth-grants.ts';
import { issueToken } from '../../platform/crypto/tokens.ts';
import type { Trx } from '../../platform/postgres.ts';
import { apiKeyPrincipal } from '../access/principals.ts';
import { revokeWithAudit } from '../people/api-keys.ts';
import type { Runtime } from '../context.ts';

export interface IssuedTokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly refreshToken: string;
  /** What the key can use now. */
  readonly permissions: readonly Permission[];
}

/**
 * Locks the key of a grant until the commit. Each token is a new one, so the limits of today count: the grant ends no later
 * than a key that was made with it would, and is revoked when that is over. False when the key is revoked or over. What this call ended must be committed.
 */
export async function lockKeyOf(trx: Trx, { limits }: Runtime, grant: Grant): Promise<boolean> {
  const key = await lockLiveKey(trx, grant);
  if (!key) return false;
  const { maxLifetimeSeconds } = await findApiKeyRules(trx, grant.organizationId);
  const longest = longestLife(limits.apiKeyLifetimeMs, maxLifetimeSeconds);
  const latest = latestExpiry(key.createdAt, longest);
  if (latest === undefined || (await endGrantBy(trx, grant, latest))) return true;
  await revokeWithAudit(trx, grant.organizationId, {
    id: grant.apiKeyId,
    actor: SYSTEM,
    reason: 'lifetime_limit_lowered',
  });
  return false;
}

/** Call it with the key locked. */
export async function issueTokensOf(
  trx: Trx,
  runtime: Runtime,
  grant: Pick<Grant, 'id' | 'apiKeyId'>,
): Promise<IssuedTokens & { readonly refreshId: string }> {
  const permissions = await permissionsOf(trx, runtime, grant);
  const access = issueToken(TOKEN_PREFIX.apiKey, grant.apiKeyId);
  const refresh = issueToken(TOKEN_PREFIX.oauthRefresh);
  const expiresInSeconds = await giveTokens(trx, { grant, accessHash: access.hash, refresh });
  return {
    accessToken: access.token,
    expiresInSeconds,
    refreshToken: refresh.token,
    refreshId: refresh.id,
    permissions,
  };
}

/** Throws `invalid_grant` for a member who may not act now. Their key may work again later. */
export async function permissionsOf(
  trx: Trx,
  { edition }: Runtime,
  { apiKeyId }: Pick<Grant, 'apiKeyId'>,
): Promise<readonly Permission[]> {
  const holder = await findApiKeyHolder(trx, apiKeyId);
  if (!holder) throw new AppError('invalid_grant');
  try {
    return effectivePermissions(apiKeyPrincipal(holder), edition);
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    throw new AppError('invalid_grant', {
      detail: 'The person who let this client in may not use personal API keys now.',
      cause,
    });
  }
}
