/**
 * What of a server's tools an agent may call through an MCP gateway. The gateway reads it with an organization key, and
 * refuses what is not listed.
 */
import { actorOf } from '../../domain/audit/events.ts';
import {
  isSameAccess,
  MOST_SERVERS,
  type ToolAccess,
  type WantedToolAccess,
} from '../../domain/agents/tool-access.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { lockAgent } from '../../data/agents/agents.ts';
import {
  countServers,
  findToolAccess,
  findToolAccessRevision,
  listToolAccess,
  putToolAccess,
} from '../../data/agents/tool-access.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import type { LongList } from '../../platform/long-list.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { rereadCaller } from '../access/current-callers.ts';

export interface AgentToolAccess {
  readonly servers: LongList<ToolAccess>;
  /** 0 before the first change. */
  readonly revision: number;
}

/** Throws 404 for an unknown agent. */
export async function readToolAccess(
  { db }: ServiceContext,
  { organizationId }: ProductPrincipal,
  agentSlug: string,
): Promise<AgentToolAccess> {
  // First, so that a change meanwhile shows under an older revision and is read again.
  const revision = await findToolAccessRevision(db, { organizationId, agentSlug });
  if (revision === undefined) throw new AppError('not_found');
  return { revision, servers: await listToolAccess(db, { organizationId, agentSlug }) };
}

export interface ToolAccessChange {
  readonly agentSlug: string;
  readonly serverSlug: string;
  readonly wanted: WantedToolAccess;
  /** The revision that the caller has seen; undefined when it does not matter. */
  readonly expected: number | undefined;
}

/**
 * Sets the access to one server. What is so already keeps its revision. Throws what `rereadCaller` throws, 404, 409 `agent_archived`, 412
 * `revision_conflict`, 429 `quota_exceeded`.
 */
export async function changeToolAccess(
  { db }: ServiceContext,
  principal: ProductPrincipal,
  { agentSlug, serverSlug, wanted, expected }: ToolAccessChange,
): Promise<ToolAccess> {
  const { organizationId } = principal;
  return await db.transaction(async (trx) => {
    const agent = await lockAgent(trx, organizationId, agentSlug);
    await rereadCaller(trx, principal, {
      permission: 'gateway.write',
      target: { kind: 'agent', slug: agentSlug },
    });
    if (!agent) throw new AppError('not_found');
    if (agent.status === 'archived') throw new AppError('agent_archived');
    const of = { organizationId, agentSlug };
    const revision = await findToolAccessRevision(trx, of);
    if (expected !== undefined && expected !== revision)
      throw new AppError('revision_conflict', { details: { active_revision: revision } });
    const before = await findToolAccess(trx, { ...of, serverSlug });
    if (before && isSameAccess(before, wanted)) return before;
    if (!before) await requireRoomForServer(trx, of);
    const after = await putToolAccess(trx, { ...of, serverSlug }, wanted);
    await insertAuditEvents(trx, organizationId, {
      events: [
        {
          eventType: 'tool_access.updated',
          actor: actorOf(principal),
          subjectId: agentSlug,
          data: eventData(after, before),
        },
      ],
      occurredAt: after.updatedAt,
    });
    return after;
  });
}

async function requireRoomForServer(
  trx: Trx,
  of: Parameters<typeof countServers>[1],
): Promise<void> {
  const used = await countServers(trx, of);
  const limit = MOST_SERVERS;
  if (used >= limit)
    throw new AppError('quota_exceeded', {
      details: { dimension: 'tool_access_servers', limit, used },
    });
}

function eventData(after: ToolAccess, before: ToolAccess | undefined) {
  return {
    server_slug: after.serverSlug,
    revision: after.revision,
    from: before?.access ?? 'none',
    access: after.access,
    ...(after.access === 'selected' && { tools: after.tools }),
  };
}
