/** Instances: the running copies of agents. */
import type { AgentInstance } from '../../domain/agents/agent-instances.ts';
import type { AgentStatus } from '../../domain/agents/agents.ts';
import { v7 } from 'uuid';
import { JsonText } from '../../platform/json/exact-json.ts';
import { violatedConstraint, type Db, type Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow } from '../../platform/rows.ts';
import { nameKey } from '../names.ts';
import { ACCESS_LOCKED_SHARED } from '../organization/organizations.ts';

export type AgentInstanceRow = Omit<AgentInstance, 'metadata'> & { readonly metadata: string };

const COLUMNS = 'id, organization_id, agent_slug, name, status, metadata, created_at, last_seen_at';

/** SQL: the columns of an `AgentInstanceRow`, of the table `i`. */
export const INSTANCE_COLUMNS = COLUMNS.replaceAll(/(\w+)/g, 'i.$1');

export function toInstance(row: AgentInstanceRow): AgentInstance {
  return { ...row, metadata: new JsonText(row.metadata) };
}

/** Creates an active instance. Undefined when another instance of the agent has the name. */
export async function insertAgentInstance(
  db: Db,
  organizationId: string,
  {
    id = v7(),
    ...instance
  }: {
    readonly id?: string | undefined;
    readonly agentSlug: string;
    readonly name: string;
    readonly metadata: string;
  },
): Promise<AgentInstance | undefined> {
  const row = await queryRow<AgentInstanceRow>(
    db,
    `insert into agent_instances (id, organization_id, agent_slug, name, status, metadata, created_at, last_seen_at)
       select :id, :organizationId, :agentSlug, :name, 'active', cast(:metadata as json), now, now from clock_timestamp() as now
       on conflict (organization_id, agent_slug, ${nameKey('name')}) where deleted_at is null do nothing
       returning ${COLUMNS}`,
    { id, organizationId, ...instance },
  );
  return row && toInstance(row);
}

/**
 * The instance, locked with the organization's access and its agent. Requests of the instance wait
 * for the end of the transaction, and then see its new status.
 */
export async function lockAgentInstance(
  trx: Trx,
  organizationId: string,
  id: string,
): Promise<{ readonly instance: AgentInstance; readonly agentStatus: AgentStatus } | undefined> {
  const row = await queryRow<AgentInstanceRow & { agentStatus: AgentStatus }>(
    trx,
    `with ${ACCESS_LOCKED_SHARED}
     select ${INSTANCE_COLUMNS}, a.status as agent_status
       from agents a join agent_instances i on i.organization_id = a.organization_id and i.agent_slug = a.slug
      where i.organization_id = :organizationId and i.id = :id and i.deleted_at is null and exists (select from access)
        for share of a for update of i`,
    { organizationId, id },
  );
  if (!row) return undefined;
  const { agentStatus, ...instance } = row;
  return { instance: toInstance(instance), agentStatus };
}

/** An instance of the agent. Undefined when it is deleted. */
export async function findAgentInstance(
  db: Db,
  { organizationId, agentSlug, id }: InstanceOfAgent,
): Promise<AgentInstance | undefined> {
  const row = await queryRow<AgentInstanceRow>(
    db,
    `select ${COLUMNS} from agent_instances
      where organization_id = :organizationId and agent_slug = :agentSlug and id = :id and deleted_at is null`,
    { organizationId, agentSlug, id },
  );
  return row && toInstance(row);
}

export interface InstanceOfAgent {
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly id: string;
}

/** The same, locked. Deleting it waits for the end of the transaction. Lock the agent before. */
export async function lockInstanceOfAgent(
  trx: Trx,
  { organizationId, agentSlug, id }: InstanceOfAgent,
): Promise<(AgentInstance & { readonly deletedAt: Date | null }) | undefined> {
  const row = await queryRow<AgentInstanceRow & { readonly deletedAt: Date | null }>(
    trx,
    `select ${COLUMNS}, deleted_at from agent_instances
      where organization_id = :organizationId and agent_slug = :agentSlug and id = :id for update`,
    { organizationId, agentSlug, id },
  );
  return row && { ...toInstance(row), deletedAt: row.deletedAt };
}

/**
 * Deletes a locked instance with its credentials, and returns how many it revoked. Requests keep it.
 * Lock its agent and end its requests before: see `src/data/requests/engine/insert.ts`.
 */
export async function deleteAgentInstance(trx: Trx, id: string): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    trx,
    `with held as materialized (
       select id from agent_credentials where agent_instance_id = :id and revoked_at is null for update
     ),
     revoked as (
       update agent_credentials c set revoked_at = clock_timestamp() from held where c.id = held.id returning 1
     ),
     gone as (
       update agent_instances set deleted_at = clock_timestamp(), live_until = null where id = :id
     )
     select count(*) as count from revoked`,
    { id },
  );
  return count;
}

/**
 * Stores name and status of a locked instance. Undefined when another instance of the agent has the
 * name; the transaction is then aborted.
 */
export async function updateAgentInstance(
  trx: Trx,
  {
    organizationId,
    id,
    name,
    status,
  }: Pick<AgentInstance, 'organizationId' | 'id' | 'name' | 'status'>,
): Promise<AgentInstance | undefined> {
  try {
    const row = await queryOne<AgentInstanceRow>(
      trx,
      `update agent_instances set name = :name, status = :status
        where organization_id = :organizationId and id = :id
       returning ${COLUMNS}`,
      { organizationId, id, name, status },
    );
    return toInstance(row);
  } catch (error) {
    if (violatedConstraint(error) === 'agent_instances_name_key') return undefined;
    throw error;
  }
}
