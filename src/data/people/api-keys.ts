/** API keys: bearer tokens `whk_` of members and `who_` of the organization, kept as a hash. */
import type {
  ApiKeyKind,
  ApiKeyStatus,
  ApiKeyRecord,
  ApiKeyRules,
} from '../../domain/people/api-keys.ts';
import { ACCESS_TOKEN_SECONDS } from '../../domain/oauth/lifetimes.ts';
import { ENDING_DAYS } from '../../domain/organization/overview.ts';
import type { OAuthResource } from '../../domain/people/key-resources.ts';
import type { Db } from '../../platform/postgres.ts';
import {
  type PreparedStatement,
  queryOne,
  queryRow,
  queryRows,
  runPrepared,
} from '../../platform/rows.ts';
import { anyNameContains } from '../names.ts';
import { MEMBER_COLUMNS, type MemberWithPolicies } from './memberships.ts';
import { KEY_POLICIES } from './permission-policies.ts';

/** What one call needs to know about the personal key it presents. */
export interface ApiKeyHolder extends MemberWithPolicies {
  readonly keyId: string;
  readonly tokenHash: Buffer;
  readonly permissions: readonly string[] | null;
  readonly assurance: 'single_factor' | 'strong';
  readonly createdAt: Date;
  readonly personalApiKeysAllowed: boolean;
  /** Of a key of an OAuth client: what it opens. */
  readonly resource: OAuthResource | null;
  /** Neither expired nor revoked, by the database's clock, and the organization is there. */
  readonly valid: boolean;
  /** The recorded last use is more than a minute old. */
  readonly useIsStale: boolean;
}

/** SQL: the key `k` is not revoked or expired. */
export const LIVE_API_KEY = `
  k.revoked_at is null and coalesce(k.expires_at > clock_timestamp(), true)`;

/**
 * SQL: the key `k` works and ends soon. A program that a person approved renews its key itself, and asks the person again
 * afterwards, so its key is not among them.
 */
export const ENDING_API_KEY = `
  k.revoked_at is null and k.expires_at > clock_timestamp()
    and k.expires_at < clock_timestamp() + make_interval(days => ${ENDING_DAYS})
    and not exists (select from oauth_grants granted where granted.api_key_id = k.id)`;

/** How many personal keys of the member are neither revoked nor expired. */
export async function countLiveKeysOf(
  db: Db,
  organizationId: string,
  membershipId: string,
): Promise<number> {
  const row = await queryOne<{ keys: number }>(
    db,
    `select count(*) as keys from api_keys k
      where k.organization_id = :organizationId and k.membership_id = :membershipId and ${LIVE_API_KEY}`,
    { organizationId, membershipId },
  );
  return row.keys;
}

const API_KEY_HOLDER: PreparedStatement = {
  name: 'find-api-key-holder',
  sql: `select k.id as key_id, k.token_hash, k.permissions, k.assurance_at_issue as assurance,
            k.created_at, k.resource, o.personal_api_keys_allowed,
            o.deleted_at is null and ${LIVE_API_KEY}
              and coalesce(k.token_expires_at > clock_timestamp(), true) as valid,
            coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as use_is_stale,
            ${MEMBER_COLUMNS}
       from api_keys k
       join memberships m on m.id = k.membership_id
       join users u on u.id = m.user_id
       join organizations o on o.id = m.organization_id
      where k.id = :keyId`,
};

/** The personal key with its member and policies, in one round trip. */
export async function findApiKeyHolder(db: Db, keyId: string): Promise<ApiKeyHolder | undefined> {
  return (await runPrepared<ApiKeyHolder>(db, API_KEY_HOLDER, { keyId }))[0];
}

export async function touchApiKey(db: Db, organizationId: string, keyId: string): Promise<void> {
  await db('api_keys')
    .where({ organization_id: organizationId, id: keyId })
    .update({ last_used_at: db.raw('clock_timestamp()') });
}

/** The organization's rules for new keys. */
export async function findApiKeyRules(db: Db, organizationId: string): Promise<ApiKeyRules> {
  const rules = await queryRow<ApiKeyRules>(
    db,
    `select personal_api_keys_allowed, max_api_key_lifetime_seconds as max_lifetime_seconds,
            clock_timestamp() as now
       from organizations where id = :organizationId`,
    { organizationId },
  );
  if (!rules) throw new Error('an organization with members is gone');
  return rules;
}

const STATUS = `
  case when k.revoked_at is not null then 'revoked' when k.expires_at <= clock_timestamp() then 'expired' else 'active' end`;

/**
 * Keys `k` with their creators; the condition follows. A token lives for a fixed time, unless the grant ends before: so its end
 * tells when it was given.
 */
const RECORDS = `
  select k.id, k.kind, k.membership_id, k.name, k.permissions, k.assurance_at_issue,
         k.created_at, k.expires_at, k.last_used_at,
         k.revoked_at, k.revocation_reason, ${STATUS} as status,
         case when o.deleted_at is not null then 'organization_inactive'
              when k.kind = 'personal' and not o.personal_api_keys_allowed then 'api_keys_disabled' end as blocked_reason,
         k.kind = 'organization' or creator.status = 'active' as holder_active,
         jsonb_build_object('membershipId', creator.id, 'displayName', u.display_name, 'email', u.email) as created_by,
         c.id as client_id, c.name as client_name, c.metadata_url, k.resource, g.ends_at,
         case when k.token_expires_at is distinct from g.ends_at
              then k.token_expires_at - make_interval(secs => ${ACCESS_TOKEN_SECONDS}) end as token_issued_at,
         ${KEY_POLICIES} as policies
    from api_keys k
    left join oauth_grants g on g.api_key_id = k.id
    left join oauth_clients c on c.id = g.client_id
    join organizations o on o.id = k.organization_id
    join memberships creator on creator.id = k.created_by_membership_id
    join users u on u.id = creator.user_id`;

interface ClientColumns {
  readonly clientId: string | null;
  readonly clientName: string;
  readonly metadataUrl: string | null;
  readonly resource: OAuthResource;
  readonly endsAt: Date | null;
  readonly tokenIssuedAt: Date | null;
}

type RecordRow = Omit<ApiKeyRecord, 'oauthClient'> & ClientColumns;

function toRecord(row: RecordRow): ApiKeyRecord {
  const { clientId: id, clientName: name, metadataUrl, resource, endsAt, ...rest } = row;
  const { tokenIssuedAt, ...record } = rest;
  const oauthClient =
    id === null ? null : { id, name, metadataUrl, resource, tokenIssuedAt, endsAt };
  return { ...record, oauthClient };
}

/** Which keys of an organization to list. An absent field filters nothing. */
interface ApiKeyPage {
  /** Only personal keys of this member. */
  readonly membershipId?: string;
  readonly kind?: ApiKeyKind | undefined;
  /** Only keys that this member created. */
  readonly createdBy?: string | undefined;
  /** Only keys of `ENDING_API_KEY`. */
  readonly endsSoon?: boolean;
  readonly status?: ApiKeyStatus | undefined;
  /** Part of the key's name, or of its creator's name or email. Of one member's keys: of their names. */
  readonly q?: string | undefined;
  readonly limit: number;
  /** Id of the last key of the previous page. */
  readonly after?: string | undefined;
}

/** One page of keys, newest first. */
export async function listApiKeys(
  db: Db,
  organizationId: string,
  page: ApiKeyPage,
): Promise<ApiKeyRecord[]> {
  const { membershipId, createdBy, kind, status, endsSoon = false, q, after, limit } = page;
  // A cursor edited to name another member's key selects nothing.
  const among = (keys: string) =>
    `${keys}.organization_id = :organizationId${membershipId === undefined ? '' : ` and ${keys}.membership_id = :membershipId`}`;
  const conditions = [
    among('k'),
    kind !== undefined && 'k.kind = :kind',
    createdBy !== undefined && 'k.created_by_membership_id = :createdBy',
    endsSoon && ENDING_API_KEY,
    status !== undefined && `${STATUS} = :status`,
    q !== undefined &&
      anyNameContains(
        membershipId === undefined ? ['k.name', 'u.display_name', 'u.email'] : ['k.name'],
      ),
    after !== undefined &&
      `(k.created_at, k.id) < (select l.created_at, l.id from api_keys l where l.id = :after and ${among('l')})`,
  ].filter((condition) => condition !== false);
  const rows = await queryRows<RecordRow>(
    db,
    `${RECORDS} where ${conditions.join(' and ')} order by k.created_at desc, k.id desc limit :limit`,
    { organizationId, membershipId, createdBy, kind, status, q, after, limit } as Record<
      string,
      string | number
    >,
  );
  return rows.map(toRecord);
}

/** One key of the organization. */
export async function findApiKey(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ApiKeyRecord | undefined> {
  const row = await queryRow<RecordRow>(
    db,
    `${RECORDS} where k.organization_id = :organizationId and k.id = :id`,
    { organizationId, id },
  );
  return row && toRecord(row);
}

/** A key with which a person still acts. */
export interface LiveApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly membershipId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The live personal keys of a person, in all organizations, newest first. */
export async function listLiveApiKeysOfUser(db: Db, userId: string): Promise<LiveApiKey[]> {
  return await queryRows<LiveApiKey>(
    db,
    `select k.id, k.organization_id, k.membership_id, k.name, k.created_at, k.last_used_at
       from api_keys k
       join memberships m on m.id = k.membership_id
       join organizations o on o.id = k.organization_id and o.deleted_at is null
      where m.user_id = :userId and ${LIVE_API_KEY}
      order by k.created_at desc, k.id desc`,
    { userId },
  );
}

interface NewApiKey {
  readonly id: string;
  readonly kind: ApiKeyKind;
  readonly createdByMembershipId: string;
  readonly name: string;
  readonly tokenHash: Buffer;
  readonly permissions: readonly string[] | undefined;
  readonly assurance: 'single_factor' | 'strong';
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
}

export async function insertApiKey(db: Db, organizationId: string, key: NewApiKey): Promise<void> {
  await db('api_keys').insert({
    id: key.id,
    organization_id: organizationId,
    kind: key.kind,
    membership_id: key.kind === 'personal' ? key.createdByMembershipId : null,
    created_by_membership_id: key.createdByMembershipId,
    name: key.name,
    token_hash: key.tokenHash,
    permissions: key.permissions ?? null,
    assurance_at_issue: key.assurance,
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
  });
}

/** True when this call revoked the key, false when it was revoked before. `reason`: null when no one ended it on purpose. */
export async function revokeApiKey(
  db: Db,
  organizationId: string,
  {
    id,
    reason,
  }: { readonly id: string; readonly reason: 'manual' | 'membership_deprovisioned' | null },
): Promise<boolean> {
  const changed = await db('api_keys')
    .where({ organization_id: organizationId, id })
    .whereNull('revoked_at')
    .update({ revoked_at: db.raw('clock_timestamp()'), revocation_reason: reason });
  return changed === 1;
}
