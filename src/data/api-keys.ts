/** Personal API keys: `whk_` tokens, kept as a hash. */
import type { Db } from '../platform/postgres.ts';
import { MEMBER_COLUMNS, type MemberWithPolicies } from './memberships.ts';

/** Everything one call needs to know about the personal key it presents. */
export interface ApiKeyHolder extends MemberWithPolicies {
  readonly keyId: string;
  readonly tokenHash: Buffer;
  readonly permissions: readonly string[] | null;
  readonly assurance: 'single_factor' | 'strong';
  readonly createdAt: Date;
  readonly personalApiKeysAllowed: boolean;
  /** Neither expired nor revoked, by the database's clock. */
  readonly valid: boolean;
  /** The last use on record is over a minute old. */
  readonly useIsStale: boolean;
}

/** The personal key with its member and policies in one round trip. */
export async function findApiKeyHolder(db: Db, keyId: string): Promise<ApiKeyHolder | undefined> {
  const { rows } = await db.raw<{ rows: ApiKeyHolder[] }>(
    `select k.id as "keyId", k.token_hash as "tokenHash", k.permissions, k.assurance_at_issue as assurance,
            k.created_at as "createdAt", o.personal_api_keys_allowed as "personalApiKeysAllowed",
            k.revoked_at is null and coalesce(k.expires_at > clock_timestamp(), true) as valid,
            coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as "useIsStale",
            ${MEMBER_COLUMNS}
       from api_keys k
       join memberships m on m.id = k.membership_id
       join users u on u.id = m.user_id
       join organizations o on o.id = m.organization_id
      where k.id = :keyId`,
    { keyId },
  );
  return rows[0];
}

export async function touchApiKey(db: Db, organizationId: string, keyId: string): Promise<void> {
  await db('api_keys')
    .where({ organization_id: organizationId, id: keyId })
    .update({ last_used_at: db.raw('clock_timestamp()') });
}
