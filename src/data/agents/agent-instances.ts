/** Instances: the running copies of agents. */
import type { AgentInstance } from '../../domain/agents/agent-instances.ts';
import { v7 } from 'uuid';
import { JsonText } from '../../platform/json/exact-json.ts';
import { violatedConstraint, type Trx } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';

interface AgentInstanceRow {
  id: string;
  organizationId: string;
  agentSlug: string;
  name: string;
  status: 'active' | 'disabled';
  metadata: string;
  createdAt: Date;
  lastSeenAt: Date;
}

/**
 * Creates an active instance. Undefined when another instance of the agent has the name; the
 * transaction is then aborted.
 */
export async function insertAgentInstance(
  trx: Trx,
  organizationId: string,
  {
    agentSlug,
    name,
    metadata,
  }: { readonly agentSlug: string; readonly name: string; readonly metadata: string },
): Promise<AgentInstance | undefined> {
  try {
    const row = await queryOne<AgentInstanceRow>(
      trx,
      `insert into agent_instances (id, organization_id, agent_slug, name, status, metadata, created_at, last_seen_at)
       select :id, :organizationId, :agentSlug, :name, 'active', cast(:metadata as json), now, now from clock_timestamp() as now
       returning id, organization_id, agent_slug, name, status, metadata, created_at, last_seen_at`,
      { id: v7(), organizationId, agentSlug, name, metadata },
    );
    return { ...row, metadata: new JsonText(row.metadata) };
  } catch (error) {
    if (violatedConstraint(error) === 'agent_instances_name_key') return undefined;
    throw error;
  }
}
