/** Credentials of agent instances: `whc_` tokens, kept as a hash. */
import type { ResumeMode } from '../../domain/agents/agents.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRow, runPrepared } from '../../platform/rows.ts';
import { ACCESS_LOCKED_SHARED } from '../organization/organizations.ts';

/** What one call needs to know about the credential it presents. */
export interface CredentialHolder {
  readonly credentialId: string;
  readonly tokenHash: Buffer;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly agentName: string;
  readonly agentStatus: 'active' | 'disabled' | 'archived';
  readonly resume: ResumeMode;
  readonly approvalWindow: number;
  readonly instanceId: string;
  readonly instanceName: string;
  readonly instanceStatus: 'active' | 'disabled';
  readonly issuedAt: Date;
  /** Neither expired nor revoked, by the database's clock, and its organization is not deleted. */
  readonly valid: boolean;
  /** The last use on record is over a minute old. */
  readonly useIsStale: boolean;
}

/** SQL: a use is written once a minute at most. */
const USE_IS_STALE = `coalesce(last_used_at < clock_timestamp() - interval '1 minute', true)`;

const CREDENTIAL_HOLDER: PreparedStatement = {
  name: 'find-credential-holder',
  sql: `select c.id as credential_id, c.token_hash, c.organization_id,
            a.slug as agent_slug, a.name as agent_name, a.status as agent_status, a.resume, a.approval_window_seconds as approval_window,
            i.id as instance_id, i.name as instance_name, i.status as instance_status, c.issued_at,
            c.revoked_at is null and c.expires_at > clock_timestamp() and o.deleted_at is null as valid,
            ${USE_IS_STALE} as use_is_stale
       from agent_credentials c
       join agent_instances i on i.id = c.agent_instance_id
       join agents a on a.organization_id = i.organization_id and a.slug = i.agent_slug
       join organizations o on o.id = c.organization_id
      where c.id = :credentialId`,
};

export async function findCredentialHolder(
  db: Db,
  credentialId: string,
): Promise<CredentialHolder | undefined> {
  return (await runPrepared<CredentialHolder>(db, CREDENTIAL_HOLDER, { credentialId }))[0];
}

/**
 * Records that the credential and its instance were used. Calls that came together write once,
 * because each looks again at the row it waited for.
 */
export async function touchCredential(
  db: Db,
  organizationId: string,
  credentialId: string,
): Promise<void> {
  await db.raw(
    `with used as (
       update agent_credentials set last_used_at = clock_timestamp()
        where organization_id = :organizationId and id = :credentialId and ${USE_IS_STALE} returning agent_instance_id
     )
     update agent_instances i set last_seen_at = clock_timestamp() from used where i.id = used.agent_instance_id`,
    { organizationId, credentialId },
  );
}

interface NewAgentCredential {
  readonly id: string;
  readonly agentInstanceId: string;
  readonly tokenHash: Buffer;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** The instance is live as long as the credential works, at least. */
export async function insertAgentCredential(
  db: Db,
  organizationId: string,
  credential: NewAgentCredential,
): Promise<void> {
  await db.raw(
    `with issued as (
       insert into agent_credentials (id, organization_id, agent_instance_id, token_hash, issued_at, expires_at)
       values (:id, :organizationId, :agentInstanceId, :tokenHash, :issuedAt, :expiresAt)
     )
     update agent_instances set live_until = greatest(live_until, cast(:expiresAt as timestamptz)) where id = :agentInstanceId`,
    { ...credential, organizationId },
  );
}

/**
 * Holds the organization's access and returns the agent and instance of a credential. Undefined
 * when the organization has no credential of that id.
 */
export async function findCredentialAgent(
  trx: Trx,
  organizationId: string,
  credentialId: string,
): Promise<{ agentSlug: string; instanceId: string; instanceName: string } | undefined> {
  return await queryRow(
    trx,
    `with ${ACCESS_LOCKED_SHARED}
     select i.agent_slug, i.id as instance_id, i.name as instance_name
       from access
       join agent_credentials c on c.organization_id = access.id
       join agent_instances i on i.id = c.agent_instance_id
      where c.id = :credentialId`,
    { organizationId, credentialId },
  );
}

/** True when this call revoked it, false when it was revoked before. */
export async function revokeAgentCredential(
  trx: Trx,
  organizationId: string,
  credentialId: string,
): Promise<boolean> {
  const revoked = await queryRow<{ agentInstanceId: string }>(
    trx,
    // For update, which a request being created with it notices.
    `with held as materialized (
       select id from agent_credentials
        where organization_id = :organizationId and id = :credentialId and revoked_at is null for update
     )
     update agent_credentials c set revoked_at = clock_timestamp() from held where c.id = held.id
     returning c.agent_instance_id`,
    { organizationId, credentialId },
  );
  if (!revoked) return false;
  const { agentInstanceId } = revoked;
  await trx.raw('select from agent_instances where id = :agentInstanceId for no key update', {
    agentInstanceId,
  });
  // A separate statement: one that waited for the lock would not see a credential issued meanwhile.
  await trx.raw(
    `update agent_instances set live_until =
            (select max(expires_at) from agent_credentials where agent_instance_id = :agentInstanceId and revoked_at is null)
      where id = :agentInstanceId`,
    { agentInstanceId },
  );
  return true;
}
