/** Personal API keys: `whk_` tokens, kept as a hash. */
import { runPrepared, type Db, type PreparedStatement } from '../platform/postgres.ts';
import { MEMBER_COLUMNS, type MemberWithPolicies } from './memberships.ts';

/** Everything one call needs to know about the personal key it presents. */
export interface ApiKeyHolder extends MemberWithPolicies {
  readonly keyId: string;
  readonly tokenHash: Buffer;
  readonly permissions: readonly string[] | null;
  readonly assurance: 'single_factor' | 'strong';
  readonly createdAt: Date;
  readonly personalApiKeysAllowed: boolean;
  /** Neither expired nor revoked, by the database's clock, and the organization is there. */
  readonly valid: boolean;
  /** The last use on record is over a minute old. */
  readonly useIsStale: boolean;
}

const API_KEY_HOLDER: PreparedStatement = {
  name: 'find-api-key-holder',
  sql: `select k.id as "keyId", k.token_hash as "tokenHash", k.permissions, k.assurance_at_issue as assurance,
            k.created_at as "createdAt", o.personal_api_keys_allowed as "personalApiKeysAllowed",
            o.deleted_at is null and k.revoked_at is null and coalesce(k.expires_at > clock_timestamp(), true) as valid,
            coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as "useIsStale",
            ${MEMBER_COLUMNS}
       from api_keys k
       join memberships m on m.id = k.membership_id
       join users u on u.id = m.user_id
       join organizations o on o.id = m.organization_id
      where k.id = :keyId`,
};

/** The personal key with its member and policies in one round trip. */
export async function findApiKeyHolder(db: Db, keyId: string): Promise<ApiKeyHolder | undefined> {
  return (await runPrepared<ApiKeyHolder>(db, API_KEY_HOLDER, { keyId }))[0];
}

export async function touchApiKey(db: Db, organizationId: string, keyId: string): Promise<void> {
  await db('api_keys')
    .where({ organization_id: organizationId, id: keyId })
    .update({ last_used_at: db.raw('clock_timestamp()') });
}

/** A personal key as its member sees it. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly membershipId: string;
  readonly name: string;
  readonly permissions: readonly string[] | null;
  readonly assuranceAtIssue: 'single_factor' | 'strong';
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly revocationReason: 'manual' | 'membership_deprovisioned' | null;
  readonly status: 'active' | 'expired' | 'revoked';
  readonly personalApiKeysAllowed: boolean;
}

const RECORD = `
  select k.id, k.membership_id as "membershipId", k.name, k.permissions, k.assurance_at_issue as "assuranceAtIssue",
         k.created_at as "createdAt", k.expires_at as "expiresAt", k.last_used_at as "lastUsedAt",
         k.revoked_at as "revokedAt", k.revocation_reason as "revocationReason",
         case when k.revoked_at is not null then 'revoked'
              when k.expires_at <= clock_timestamp() then 'expired' else 'active' end as status,
         o.personal_api_keys_allowed as "personalApiKeysAllowed"
    from api_keys k
    join organizations o on o.id = k.organization_id
   where k.organization_id = :organizationId and k.membership_id = :membershipId`;

export interface ApiKeyPage {
  readonly membershipId: string;
  readonly limit: number;
  /** Id of the last key of the page before. */
  readonly after?: string | undefined;
}

/** A member's personal keys, newest first. */
export async function listApiKeys(db: Db, organizationId: string, page: ApiKeyPage): Promise<ApiKeyRecord[]> {
  const { rows } = await db.raw<{ rows: ApiKeyRecord[] }>(
    `${RECORD}
       and (cast(:after as uuid) is null or (k.created_at, k.id) <
            (select l.created_at, l.id from api_keys l where l.id = :after and l.membership_id = :membershipId))
     order by k.created_at desc, k.id desc
     limit :limit`,
    { organizationId, membershipId: page.membershipId, after: page.after ?? null, limit: page.limit },
  );
  return rows;
}

/** One of the member's own keys. */
export async function findApiKey(
  db: Db,
  organizationId: string,
  { id, membershipId }: { readonly id: string; readonly membershipId: string },
): Promise<ApiKeyRecord | undefined> {
  const { rows } = await db.raw<{ rows: ApiKeyRecord[] }>(`${RECORD} and k.id = :id`, { organizationId, membershipId, id });
  return rows[0];
}

export interface NewApiKey {
  readonly id: string;
  readonly membershipId: string;
  readonly name: string;
  readonly tokenHash: Buffer;
  readonly assurance: 'single_factor' | 'strong';
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
}

export async function insertApiKey(db: Db, organizationId: string, key: NewApiKey): Promise<void> {
  await db('api_keys').insert({
    id: key.id,
    organization_id: organizationId,
    kind: 'personal',
    membership_id: key.membershipId,
    created_by_membership_id: key.membershipId,
    name: key.name,
    token_hash: key.tokenHash,
    assurance_at_issue: key.assurance,
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
  });
}

/** True when this call revoked it; false when it was revoked before. */
export async function revokeApiKey(
  db: Db,
  organizationId: string,
  { id, reason }: { readonly id: string; readonly reason: 'manual' | 'membership_deprovisioned' },
): Promise<boolean> {
  const changed = await db('api_keys')
    .where({ organization_id: organizationId, id })
    .whereNull('revoked_at')
    .update({ revoked_at: db.raw('clock_timestamp()'), revocation_reason: reason });
  return changed === 1;
}
