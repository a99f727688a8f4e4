/** Provisioner tokens of agents: `whp_` tokens, kept as a hash. */
import type { AgentProvisioner } from '../../domain/agents/agent-provisioners.ts';
import type { AgentStatus } from '../../domain/agents/agents.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';
import { ACCESS_LOCKED_SHARED } from '../organization/organizations.ts';

/** SQL: the columns of an `AgentProvisioner`. */
export const PROVISIONER_COLUMNS =
  'id, organization_id, agent_slug, created_by_actor_id, suffix, issued_at, expires_at, last_used_at, revoked_at';

interface NewAgentProvisioner {
  readonly id: string;
  readonly agentSlug: string;
  readonly createdByActorId: string;
  readonly tokenHash: Buffer;
  readonly suffix: string;
  /** Default: the longest. */
  readonly expiresAt: Date | undefined;
  /** In milliseconds. A later expiry is reduced to it. */
  readonly longest: number;
}

/** Undefined when `expiresAt` has passed. */
export async function insertAgentProvisioner(
  db: Db,
  organizationId: string,
  { expiresAt, ...provisioner }: NewAgentProvisioner,
): Promise<AgentProvisioner | undefined> {
  return await queryRow<AgentProvisioner>(
    db,
    `insert into agent_provisioners
       (id, organization_id, agent_slug, created_by_actor_id, token_hash, suffix, issued_at, expires_at)
     select :id, :organizationId, :agentSlug, :createdByActorId, :tokenHash, :suffix, now,
            least(cast(:expiresAt as timestamptz), now + cast(:longest as double precision) * interval '1 millisecond')
       from date_trunc('milliseconds', clock_timestamp()) as now
      where coalesce(cast(:expiresAt as timestamptz) > now, true)
     returning ${PROVISIONER_COLUMNS}`,
    { ...provisioner, organizationId, expiresAt: expiresAt ?? null },
  );
}

/** What one call needs to know about the provisioner token it presents. */
interface ProvisionerHolder {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly agentName: string;
  readonly agentStatus: AgentStatus;
  readonly suffix: string;
  /** Neither expired nor revoked, by the database's clock, and its organization is not deleted. */
  readonly valid: boolean;
}

export async function findProvisionerHolder(
  db: Db,
  id: string,
): Promise<ProvisionerHolder | undefined> {
  return await queryRow<ProvisionerHolder>(
    db,
    `select p.id, p.token_hash, p.organization_id, p.suffix,
            a.slug as agent_slug, a.name as agent_name, a.status as agent_status,
            p.revoked_at is null and p.expires_at > clock_timestamp() and o.deleted_at is null as valid
       from agent_provisioners p
       join agents a on a.organization_id = p.organization_id and a.slug = p.agent_slug
       join organizations o on o.id = p.organization_id
      where p.id = :id`,
    { id },
  );
}

/**
 * Records that the token makes, changes or deletes an instance now. False when it is revoked or has expired. Revoking it
 * waits for the end of the transaction.
 */
export async function useAgentProvisioner(
  trx: Trx,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const used = await trx('agent_provisioners')
    .where({ organization_id: organizationId, id })
    .whereNull('revoked_at')
    .whereRaw('expires_at > clock_timestamp()')
    .update({ last_used_at: trx.raw('clock_timestamp()') });
  return used === 1;
}

/**
 * Holds the organization's access and returns the agent of a token. Undefined when the organization
 * has no token of that id.
 */
export async function findProvisionerAgent(
  trx: Trx,
  organizationId: string,
  id: string,
): Promise<Pick<AgentProvisioner, 'agentSlug' | 'suffix'> | undefined> {
  return await queryRow(
    trx,
    `with ${ACCESS_LOCKED_SHARED}
     select p.agent_slug, p.suffix from access join agent_provisioners p on p.organization_id = access.id
      where p.id = :id`,
    { organizationId, id },
  );
}

/** True when this call revoked it, false when it was revoked before. */
export async function revokeAgentProvisioner(
  db: Db,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const changed = await db('agent_provisioners')
    .where({ organization_id: organizationId, id })
    .whereNull('revoked_at')
    .update({ revoked_at: db.raw('clock_timestamp()') });
  return changed === 1;
}
