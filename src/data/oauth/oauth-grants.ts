/** That a person let a client in: the code that it exchanges, and the key that this opens. */
import {
  ACCESS_TOKEN_SECONDS,
  CODE_SECONDS,
  REFRESH_TOKEN_SECONDS,
} from '../../domain/oauth/lifetimes.ts';
import type { OAuthResource } from '../../domain/people/key-resources.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';

interface NewGrant {
  readonly id: string;
  readonly clientId: string;
  readonly apiKeyId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly codeHash: Buffer;
  /** When it ends even if it is refreshed. */
  readonly endsAt: Date | undefined;
}

export async function insertGrant(
  trx: Trx,
  organizationId: string,
  grant: NewGrant,
): Promise<void> {
  await trx.raw(
    `insert into oauth_grants (id, organization_id, client_id, api_key_id, redirect_uri, code_challenge, code_hash, code_expires_at, ends_at)
     values (:id, :organizationId, :clientId, :apiKeyId, :redirectUri, :codeChallenge, :codeHash,
             clock_timestamp() + make_interval(secs => :seconds), :endsAt)`,
    { ...grant, organizationId, endsAt: grant.endsAt ?? null, seconds: CODE_SECONDS },
  );
}

/** What is said of the key of a client in addition to what every key has. */
export async function bindKey(
  trx: Trx,
  organizationId: string,
  { apiKeyId, resource }: { readonly apiKeyId: string; readonly resource: OAuthResource },
): Promise<void> {
  await trx('api_keys')
    .where({ organization_id: organizationId, id: apiKeyId })
    .update({ resource });
}

export interface Grant {
  readonly id: string;
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly clientId: string;
  readonly resource: OAuthResource;
}

const GRANT = `g.id, g.organization_id, g.api_key_id, g.client_id, k.resource`;

export interface PresentedCode extends Grant {
  readonly tokenHash: Buffer;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly isExpired: boolean;
}

/** The grant with its code, used or not. */
export async function findCode(db: Db, id: string): Promise<PresentedCode | undefined> {
  return await queryRow<PresentedCode>(
    db,
    `select ${GRANT}, g.code_hash as token_hash, g.redirect_uri, g.code_challenge,
            g.code_expires_at <= clock_timestamp() as is_expired
       from oauth_grants g join api_keys k on k.id = g.api_key_id where g.id = :id`,
    { id },
  );
}

/** True for the one call that may exchange the code. */
export async function useCode(db: Db, id: string): Promise<boolean> {
  const used = await db('oauth_grants')
    .where({ id })
    .whereNull('code_used_at')
    .update({ code_used_at: db.raw('clock_timestamp()') });
  return used === 1;
}

/** Locks the key of a grant until the commit. Undefined when it is revoked, or its grant is over. */
export async function lockLiveKey(
  trx: Trx,
  { id }: Pick<Grant, 'id'>,
): Promise<{ readonly createdAt: Date } | undefined> {
  const row = await queryRow<{ isLive: boolean; createdAt: Date }>(
    trx,
    `select k.created_at,
            k.revoked_at is null and coalesce(k.expires_at > clock_timestamp(), true) and o.deleted_at is null as is_live
       from oauth_grants g join api_keys k on k.id = g.api_key_id join organizations o on o.id = g.organization_id
      where g.id = :id for no key update of k`,
    { id },
  );
  return row?.isLive ? { createdAt: row.createdAt } : undefined;
}

/** A grant and its locked key end at `latest` or before. False when that is over. */
export async function endGrantBy(
  trx: Trx,
  { id, apiKeyId }: Pick<Grant, 'id' | 'apiKeyId'>,
  latest: Date,
): Promise<boolean> {
  const { isLive } = await queryOne<{ isLive: boolean }>(
    trx,
    `with shortened as (
       update oauth_grants set ends_at = least(ends_at, :latest) where id = :id
     )
     update api_keys set expires_at = least(expires_at, :latest) where id = :apiKeyId
     returning expires_at > clock_timestamp() as is_live`,
    { id, apiKeyId, latest },
  );
  return isLive;
}

export interface GivenTokens {
  readonly grant: Pick<Grant, 'id' | 'apiKeyId'>;
  readonly accessHash: Buffer;
  readonly refresh: { readonly id: string; readonly hash: Buffer };
}

/** Writes the tokens of a grant. Returns for how many seconds the access token works. */
export async function giveTokens(
  trx: Trx,
  { grant, accessHash, refresh }: GivenTokens,
): Promise<number> {
  const { seconds } = await queryOne<{ seconds: number }>(
    trx,
    `with granted as (
       update oauth_grants set exchanged_at = coalesce(exchanged_at, clock_timestamp()) where id = :grantId
       returning ends_at
     ), ends as (
       select least(clock_timestamp() + make_interval(secs => :access), ends_at) as access,
              least(clock_timestamp() + make_interval(secs => :refresh), ends_at) as refresh from granted
     ), refreshed as (
       insert into oauth_refresh_tokens (id, grant_id, token_hash, expires_at)
       select :refreshId, :grantId, :refreshHash, refresh from ends
     )
     update api_keys k set token_hash = :accessHash, token_expires_at = ends.access, expires_at = ends.refresh
       from ends where k.id = :apiKeyId
     returning cast(round(extract(epoch from ends.access - clock_timestamp())) as int) as seconds`,
    {
      grantId: grant.id,
      apiKeyId: grant.apiKeyId,
      refreshId: refresh.id,
      refreshHash: refresh.hash,
      accessHash,
      access: ACCESS_TOKEN_SECONDS,
      refresh: REFRESH_TOKEN_SECONDS,
    },
  );
  return Math.max(seconds, 1);
}

/** For how many more seconds the present access token of a grant works. */
export async function secondsOfAccess(
  trx: Trx,
  { apiKeyId }: Pick<Grant, 'apiKeyId'>,
): Promise<number> {
  const { seconds } = await queryOne<{ seconds: number }>(
    trx,
    `select cast(round(extract(epoch from least(token_expires_at, expires_at) - clock_timestamp())) as int) as seconds
       from api_keys where id = :apiKeyId`,
    { apiKeyId },
  );
  return Math.max(seconds, 1);
}

/** The key of an access token that is the present one of a client, live or not. */
export async function findGrantOfKey(
  db: Db,
  apiKeyId: string,
): Promise<(Grant & { readonly tokenHash: Buffer }) | undefined> {
  return await queryRow<Grant & { tokenHash: Buffer }>(
    db,
    `select ${GRANT}, k.token_hash from oauth_grants g join api_keys k on k.id = g.api_key_id where k.id = :apiKeyId`,
    { apiKeyId },
  );
}

/** Grants whose code was not exchanged in time, and whose key is not revoked yet. */
export async function lockUnused(
  trx: Trx,
  limit: number,
): Promise<readonly Pick<Grant, 'organizationId' | 'apiKeyId'>[]> {
  return await queryRows(
    trx,
    `select g.organization_id, g.api_key_id
       from oauth_grants g join api_keys k on k.id = g.api_key_id
      where g.exchanged_at is null and g.code_expires_at < clock_timestamp() - interval '5 seconds' and k.revoked_at is null
      order by g.code_expires_at limit :limit for no key update of k skip locked`,
    { limit },
  );
}
