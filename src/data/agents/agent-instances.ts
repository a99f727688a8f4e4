/** Instances: the running copies of agents. */
import type { AgentInstance } from '../../domain/agents/agent-instances.ts';
import { v7 } from 'uuid';
import { JsonText } from '../../platform/exact-json.ts';
import { violatedConstraint, type Db } from '../../platform/postgres.ts';

interface AgentInstanceRow {
  id: string;
  organization_id: string;
  agent_slug: string;
  name: string;
  status: 'active' | 'disabled';
  metadata: string;
  created_at: Date;
  last_seen_at: Date;
}

/**
 * Creates an active instance. Undefined when another instance of the agent has the name; the
 * transaction is then aborted.
 */
export async function insertAgentInstance(
  trx: Db,
  organizationId: string,
  {
    agentSlug,
    name,
    metadata,
  }: { readonly agentSlug: string; readonly name: string; readonly metadata: string },
): Promise<AgentInstance | undefined> {
  try {
    const { rows } = await trx.raw<{ rows: [AgentInstanceRow] }>(
      `insert into agent_instances (id, organization_id, agent_slug, name, status, metadata, created_at, last_seen_at)
       select :id, :organizationId, :agentSlug, :name, 'active', cast(:metadata as json), now, now from clock_timestamp() as now
       returning id, organization_id, agent_slug, name, status, metadata, created_at, last_seen_at`,
      { id: v7(), organizationId, agentSlug, name, metadata },
    );
    const [row] = rows;
    return {
      id: row.id,
      organizationId: row.organization_id,
      agentSlug: row.agent_slug,
      name: row.name,
      status: row.status,
      metadata: new JsonText(row.metadata),
      createdAt: row.created_at,
      lastSeenAt: row.last_seen_at,
    };
  } catch (error) {
    if (violatedConstraint(error) === 'agent_instances_name_key') return undefined;
    throw error;
  }
}
