/**
 * A refresh token works once, and gives the next ones. For a minute its owner may ask again, in case the response was lost.
 * Later, or once its successor was used, its return means that two hold it: then the key ends.
 */
import { AppError } from '../../domain/errors.ts';
import { SYSTEM } from '../../domain/audit/events.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import { secondsOfAccess } from '../../data/oauth/oauth-grants.ts';
import {
  findRefreshToken,
  readRefreshState,
  useRefreshToken,
  type PresentedRefreshToken,
} from '../../data/oauth/oauth-refresh-tokens.ts';
import { findByToken, parseToken } from '../../platform/crypto/tokens.ts';
import type { Trx } from '../../platform/postgres.ts';
import { responseKey, openResponse, sealResponse } from '../access/sealed-responses.ts';
import { revokeWithAudit } from '../people/api-keys.ts';
import type { ServiceContext } from '../context.ts';
import { issueTokensOf, lockKeyOf, permissionsOf, type IssuedTokens } from './issued-tokens.ts';

/** A token with its grant, and the key that opens what it gave before. */
export interface ForRefresh extends PresentedRefreshToken {
  readonly responseKey: Buffer;
}

/** Undefined for an unknown or expired token. */
export async function findForRefresh(
  { db }: ServiceContext,
  refreshToken: string,
): Promise<ForRefresh | undefined> {
  const token = parseToken(refreshToken);
  const found = await findByToken(
    token,
    TOKEN_PREFIX.oauthRefresh,
    async (id) => await findRefreshToken(db, id),
  );
  return found && token && { ...found, responseKey: responseKey(token.secret) };
}

/** Throws `invalid_grant` when the grant has ended, or ends because of this call. */
export async function refreshTokens(
  context: ServiceContext,
  presented: ForRefresh,
): Promise<IssuedTokens> {
  const issued = await context.db.transaction(async (trx) => {
    if (!(await lockKeyOf(trx, context, presented))) return undefined;
    const state = await readRefreshState(trx, presented.tokenId);
    switch (state.kind) {
      case 'unused':
        return await rotate(trx, context, presented);
      case 'repeated':
        return {
          ...opened(presented, state.sealedTokens),
          expiresInSeconds: await secondsOfAccess(trx, presented),
          permissions: await permissionsOf(trx, context, presented),
        };
      case 'old':
        await revokeWithAudit(trx, presented.organizationId, {
          id: presented.apiKeyId,
          actor: SYSTEM,
          reason: 'refresh_token_used_again',
        });
        return undefined;
    }
  });
  // After the commit, which must keep what ended.
  if (!issued) throw new AppError('invalid_grant');
  return issued;
}

type TokenPair = Pick<IssuedTokens, 'accessToken' | 'refreshToken'>;

async function rotate(
  trx: Trx,
  context: ServiceContext,
  presented: ForRefresh,
): Promise<IssuedTokens> {
  const { refreshId, ...issued } = await issueTokensOf(trx, context, presented);
  const { accessToken, refreshToken } = issued;
  const pair = JSON.stringify({ accessToken, refreshToken } satisfies TokenPair);
  await useRefreshToken(trx, presented.tokenId, {
    successorId: refreshId,
    sealedTokens: sealResponse(presented.responseKey, pair, presented.tokenId),
  });
  return issued;
}

const opened = (presented: ForRefresh, sealed: Buffer): TokenPair =>
  JSON.parse(openResponse(presented.responseKey, sealed, presented.tokenId)) as TokenPair;
