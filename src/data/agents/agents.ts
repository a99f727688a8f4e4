/** Agents, identified permanently by their slug. */
import type { AgentStatus, Agent, ResumeMode } from '../../domain/agents/agents.ts';
import { violatedConstraint, type Db, type Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';
import { ACCESS_LOCKED_SHARED } from '../organization/organizations.ts';
import { anyNameContains } from '../names.ts';

interface AgentRow {
  organizationId: string;
  slug: string;
  name: string;
  status: AgentStatus;
  resume: ResumeMode;
  approvalWindow: number;
  createdByActorId: string;
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
  demo: boolean;
}

const COLUMNS =
  'organization_id, slug, name, status, resume, approval_window_seconds as approval_window, created_by_actor_id, created_at, updated_at, archived_at, demo';

const FIND = `select ${COLUMNS} from agents where organization_id = :organizationId and slug = :slug`;

function toAgent({ archivedAt, demo, ...agent }: AgentRow): Agent {
  return { ...agent, ...(archivedAt !== null && { archivedAt }), ...(demo && { demo }) };
}

/** SQL: a demo agent had the slug and was removed, as earlier versions did. The audit log has its events, so no other agent may take it. */
export const wasRemoved = (slug: string): string => `
  exists (select from audit_events e
           where e.organization_id = :organizationId and e.subject_type = 'agent' and e.subject_id = ${slug}
             and e.event_type = 'agent.removed')`;

type InsertedAgent =
  | { readonly ok: true; readonly agent: Agent }
  | { readonly ok: false; readonly taken: 'slug' | 'name' };

/**
 * Creates an active agent. When the slug or name is taken, the transaction is aborted, and the
 * caller must end it.
 */
export async function insertAgent(
  trx: Trx,
  organizationId: string,
  {
    slug,
    name,
    createdByActorId,
    demo = false,
  }: {
    readonly slug: string;
    readonly name: string;
    readonly createdByActorId: string;
    readonly demo?: boolean | undefined;
  },
): Promise<InsertedAgent> {
  try {
    const row = await queryRow<AgentRow>(
      trx,
      `insert into agents (organization_id, slug, name, status, created_by_actor_id, created_at, updated_at, demo)
       select :organizationId, :slug, :name, 'active', :createdByActorId, now, now, :demo from clock_timestamp() as now
        where not ${wasRemoved('cast(:slug as text)')}
       returning ${COLUMNS}`,
      { organizationId, slug, name, createdByActorId, demo },
    );
    return row ? { ok: true, agent: toAgent(row) } : { ok: false, taken: 'slug' };
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'agents_pkey') return { ok: false, taken: 'slug' };
    if (constraint === 'agents_live_name_key') return { ok: false, taken: 'name' };
    throw error;
  }
}

/** Agents that are not archived, without the demo agent. Count them under `lockAccessUnchanged`. */
export async function countLiveAgents(db: Db, organizationId: string): Promise<number> {
  const row = await queryOne<{ count: number }>(
    db,
    `select count(*) as count from agents where organization_id = :organizationId and status <> 'archived' and not demo`,
    { organizationId },
  );
  return row.count;
}

export async function findAgent(
  db: Db,
  organizationId: string,
  slug: string,
): Promise<Agent | undefined> {
  const row = await queryRow<AgentRow>(db, FIND, { organizationId, slug });
  return row && toAgent(row);
}

/**
 * The agent, locked with the organization's access: archiving, disabling and renaming it wait for
 * the end of the transaction.
 */
export async function findAgentForShare(
  trx: Trx,
  organizationId: string,
  slug: string,
): Promise<Agent | undefined> {
  const row = await queryRow<AgentRow>(
    trx,
    `with ${ACCESS_LOCKED_SHARED} ${FIND} and exists (select from access) for share`,
    { organizationId, slug },
  );
  return row && toAgent(row);
}

/**
 * The agent, locked with the organization's access. Requests to be created wait for the end of the
 * transaction, and then see its new status. Every change of a status starts here. A transaction that
 * holds one of its requests continues: its second write checks the foreign key to the agent again.
 */
export async function lockAgent(
  trx: Trx,
  organizationId: string,
  slug: string,
): Promise<Agent | undefined> {
  const row = await queryRow<AgentRow>(
    trx,
    `with ${ACCESS_LOCKED_SHARED} ${FIND} and exists (select from access) for no key update`,
    { organizationId, slug },
  );
  return row && toAgent(row);
}

/**
 * Stores the name, status and settings of a locked agent. Undefined when another live agent has the name; the
 * transaction is then aborted.
 */
export async function updateAgent(
  trx: Trx,
  {
    organizationId,
    slug,
    name,
    status,
    resume,
    approvalWindow,
  }: Pick<Agent, 'organizationId' | 'slug' | 'name' | 'status' | 'resume' | 'approvalWindow'>,
): Promise<Agent | undefined> {
  try {
    const row = await queryOne<AgentRow>(
      trx,
      `update agents
          set name = :name, status = :status, resume = :resume, approval_window_seconds = :approvalWindow, updated_at = now, archived_at = case when :status = 'archived' then now end
         from clock_timestamp() as now
        where organization_id = :organizationId and slug = :slug
       returning ${COLUMNS}`,
      { organizationId, slug, name, status, resume, approvalWindow },
    );
    return toAgent(row);
  } catch (error) {
    if (violatedConstraint(error) === 'agents_live_name_key') return undefined;
    throw error;
  }
}

/** Revokes all credentials and provisioner tokens of a locked agent. Returns how many of each. */
export async function revokeAllOfAgent(
  trx: Trx,
  organizationId: string,
  slug: string,
): Promise<{ readonly credentials: number; readonly provisioners: number }> {
  return await queryOne(
    trx,
    `with clock as materialized (select clock_timestamp() as now),
     credential as (
       update agent_credentials c set revoked_at = now
         from clock, agent_instances i
        where i.organization_id = :organizationId and i.agent_slug = :slug and c.agent_instance_id = i.id
          and c.revoked_at is null
       returning 1
     ),
     instance as (
       update agent_instances set live_until = null
        where organization_id = :organizationId and agent_slug = :slug and live_until is not null
     ),
     provisioner as (
       update agent_provisioners set revoked_at = now from clock
        where organization_id = :organizationId and agent_slug = :slug and revoked_at is null
       returning 1
     )
     select (select count(*) from credential) as credentials, (select count(*) from provisioner) as provisioners`,
    { organizationId, slug },
  );
}

/**
 * Where a page of agents ended: its last agent, and the rank of that agent's status at the time.
 */
export interface AgentPosition {
  readonly rank: number;
  readonly slug: string;
}

interface AgentPage {
  readonly statuses: readonly AgentStatus[];
  /** Only these agents; all of the organization when absent. */
  readonly slugs?: readonly string[] | undefined;
  /** Part of the slug or name, ignoring case. */
  readonly q?: string | undefined;
  readonly after?: AgentPosition | undefined;
  readonly limit: number;
}

/** The order of the statuses in a list. An agent's rank is the index of its status. */
export const STATUS_ORDER: readonly AgentStatus[] = ['active', 'disabled', 'archived'];

/** Active, then disabled, then archived agents, each by name ignoring case. */
export async function listAgents(
  db: Db,
  organizationId: string,
  { statuses, slugs, q, after, limit }: AgentPage,
): Promise<Agent[]> {
  const order = `array_position(cast(:statusOrder as text[]), status) - 1, lower(name) collate "C", slug collate "C"`;
  const rows = await queryRows<AgentRow>(
    db,
    `select ${COLUMNS}
       from agents
      where organization_id = :organizationId and status = any(:statuses)
        ${slugs ? 'and slug = any(:slugs)' : ''}
        ${q === undefined ? '' : `and ${anyNameContains(['slug', 'name'])}`}
        ${
          after
            ? `and (${order}) > (cast(:afterRank as integer),
                 (select lower(name) collate "C" from agents where organization_id = :organizationId and slug = :afterSlug),
                 cast(:afterSlug as text) collate "C")`
            : ''
        }
      order by ${order}
      limit :limit`,
    {
      organizationId,
      statuses: [...statuses],
      statusOrder: [...STATUS_ORDER],
      limit,
      ...(slugs && { slugs: [...slugs] }),
      ...(q !== undefined && { q }),
      ...(after && { afterRank: after.rank, afterSlug: after.slug }),
    },
  );
  return rows.map(toAgent);
}
