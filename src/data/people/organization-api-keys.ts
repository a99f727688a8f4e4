/** Keys that act for the organization: `who_` tokens, kept as a hash, with their own policies. */
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import { KEY_POLICIES } from './permission-policies.ts';
import type { HeldPolicy } from '../../domain/people/permission-policies.ts';

/** What one call needs to know about the organization key it presents. */
export interface OrganizationKeyHolder {
  readonly organizationId: string;
  readonly keyId: string;
  readonly name: string;
  readonly tokenHash: Buffer;
  readonly assurance: 'single_factor' | 'strong';
  readonly createdAt: Date;
  readonly policies: readonly HeldPolicy[];
  /** Neither expired nor revoked, by the database's clock, and the organization is there. */
  readonly valid: boolean;
  /** The recorded last use is more than a minute old. */
  readonly useIsStale: boolean;
}

const ORGANIZATION_KEY_HOLDER: PreparedStatement = {
  name: 'find-organization-key-holder',
  sql: `select k.organization_id, k.id as key_id, k.name, k.token_hash,
            k.assurance_at_issue as assurance, k.created_at,
            o.deleted_at is null and k.revoked_at is null and coalesce(k.expires_at > clock_timestamp(), true) as valid,
            coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as use_is_stale,
            ${KEY_POLICIES} as policies
       from api_keys k
       join organizations o on o.id = k.organization_id
      where k.id = :keyId and k.kind = 'organization'`,
};

/** The organization key with its policies, in one round trip. */
export async function findOrganizationKeyHolder(
  db: Db,
  keyId: string,
): Promise<OrganizationKeyHolder | undefined> {
  return (await runPrepared<OrganizationKeyHolder>(db, ORGANIZATION_KEY_HOLDER, { keyId }))[0];
}
