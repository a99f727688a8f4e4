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
    agentSlug,
    name,
    metadata,
  }: { readonly agentSlug: string; readonly name: string; readonly metadata: string },
): Promise<AgentInstance | undefined> {
  const row = await queryRow<AgentInstanceRow>(
    db,
    `insert into agent_instances (id, organization_id, agent_slug, name, status, metadata, created_at, last_seen_at)
       select :id, :organizationId, :agentSlug, :name, 'active', cast(:metadata as json), now, now from clock_timestamp() as now
       on conflict (organization_id, agent_slug, ${nameKey('name')}) do nothing
       returning ${COLUMNS}`,
    { id: v7(), organizationId, agentSlug, name, metadata },
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
      where i.organization_id = :organizationId and i.id = :id and exists (select from access)
        for share of a for update of i`,
    { organizationId, id },
  );
  if (!row) return undefined;
  const { agentStatus, ...instance } = row;
  return { instance: toInstance(instance), agentStatus };
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
