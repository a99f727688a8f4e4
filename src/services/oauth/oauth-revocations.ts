/** A client gives its tokens back (RFC 7009): with one of them, all end. */
import { AppError } from '../../domain/errors.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import { findGrantOfKey, type Grant } from '../../data/oauth/oauth-grants.ts';
import { findRefreshToken } from '../../data/oauth/oauth-refresh-tokens.ts';
import { findByToken, parseToken } from '../../platform/crypto/tokens.ts';
import { forgiveOAuthAttempt, type OAuthCaller } from '../access/sign-in-attempts.ts';
import type { ServiceContext } from '../context.ts';
import { findKnownClient } from './oauth-clients.ts';
import { revokeGrant } from './oauth-codes.ts';

export interface OAuthTokenToRevoke {
  readonly token: string;
  readonly clientId: string;
  readonly caller: OAuthCaller;
}

/** A token that is unknown, or over already, is no error. Throws 401 `invalid_client`; 400 `invalid_grant` for the token of another client. */
export async function revokeOAuthToken(
  context: ServiceContext,
  { token: text, clientId, caller }: OAuthTokenToRevoke,
): Promise<void> {
  const client = await findKnownClient(context, clientId);
  if (!client) throw new AppError('invalid_client');
  const grant = await grantOf(context, text);
  if (!grant) return;
  if (grant.clientId !== client.id)
    throw new AppError('invalid_grant', { detail: 'The token belongs to another client.' });
  await revokeGrant(context.db, grant, 'revoked_by_client');
  await forgiveOAuthAttempt(context, caller);
}

async function grantOf({ db }: ServiceContext, text: string): Promise<Grant | undefined> {
  const token = parseToken(text);
  return (
    (await findByToken(
      token,
      TOKEN_PREFIX.oauthRefresh,
      async (id) => await findRefreshToken(db, id),
    )) ??
    (await findByToken(token, TOKEN_PREFIX.apiKey, async (id) => await findGrantOfKey(db, id)))
  );
}
