/** Refresh tokens. Each works once; a used one is kept until it expires, so that its return is noticed. */
import { REPEAT_SECONDS } from '../../domain/oauth/lifetimes.ts';
import type { OAuthResource } from '../../domain/people/key-resources.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';
import type { Grant } from './oauth-grants.ts';

export interface PresentedRefreshToken extends Grant {
  readonly tokenHash: Buffer;
  readonly tokenId: string;
}

/** A token with its grant. Undefined for one that has expired. */
export async function findRefreshToken(
  db: Db,
  tokenId: string,
): Promise<PresentedRefreshToken | undefined> {
  return await queryRow<PresentedRefreshToken & { resource: OAuthResource }>(
    db,
    `select t.id as token_id, t.token_hash, g.id, g.organization_id, g.api_key_id, g.client_id, k.resource
       from oauth_refresh_tokens t
       join oauth_grants g on g.id = t.grant_id
       join api_keys k on k.id = g.api_key_id
      where t.id = :tokenId and t.expires_at > clock_timestamp()`,
    { tokenId },
  );
}

/** What became of a token that was presented. */
export type RefreshState =
  | { readonly kind: 'unused' }
  /** Its response may have been lost: no one has used what it gave. */
  | { readonly kind: 'repeated'; readonly sealedTokens: Buffer }
  | { readonly kind: 'old' };

/** Call it after the key is locked. */
export async function readRefreshState(trx: Trx, tokenId: string): Promise<RefreshState> {
  const row = await queryRow<{
    usedAt: Date | null;
    sealedTokens: Buffer | null;
    mayRepeat: boolean;
  }>(
    trx,
    `select t.used_at, t.sealed_tokens,
            s.id is not null and s.used_at is null
              and t.used_at > clock_timestamp() - make_interval(secs => :seconds) as may_repeat
       from oauth_refresh_tokens t left join oauth_refresh_tokens s on s.id = t.successor_id
      where t.id = :tokenId`,
    { tokenId, seconds: REPEAT_SECONDS },
  );
  if (row?.usedAt === null) return { kind: 'unused' };
  if (row?.mayRepeat && row.sealedTokens)
    return { kind: 'repeated', sealedTokens: row.sealedTokens };
  return { kind: 'old' };
}

export async function useRefreshToken(
  trx: Trx,
  tokenId: string,
  { successorId, sealedTokens }: { readonly successorId: string; readonly sealedTokens: Buffer },
): Promise<void> {
  await trx('oauth_refresh_tokens')
    .where({ id: tokenId })
    .update({
      used_at: trx.raw('clock_timestamp()'),
      successor_id: successorId,
      sealed_tokens: sealedTokens,
    });
}

/** Deletes up to `limit` expired tokens. */
export async function deleteExpiredRefreshTokens(db: Db, limit: number): Promise<number> {
  return await db('oauth_refresh_tokens')
    .whereRaw(
      `id in (select id from oauth_refresh_tokens where expires_at < clock_timestamp() order by expires_at limit :limit)`,
      { limit },
    )
    .delete();
}

/** Forgets up to `limit` responses that no one may ask for again. */
export async function forgetRepeatableTokens(db: Db, limit: number): Promise<number> {
  return await db('oauth_refresh_tokens')
    .whereRaw(
      `id in (select id from oauth_refresh_tokens
               where sealed_tokens is not null and used_at < clock_timestamp() - make_interval(secs => :seconds)
               order by used_at limit :limit)`,
      { limit, seconds: REPEAT_SECONDS },
    )
    .update({ sealed_tokens: null });
}
