/** Agents: create and list them. Each agent owns a pipeline. */
import type { Agent, AgentActivity } from '../../domain/agents/agents.ts';
import { actorIdOf, actorOf } from '../../domain/audit/events.ts';
import { scopeOf, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import {
  countLiveAgents,
  insertAgent,
  listAgents,
  STATUS_ORDER,
  type AgentPosition,
} from '../../data/agents/agents.ts';
import { readActivity } from '../../data/agents/agent-activity.ts';
import { readCountedUntil } from '../../data/agents/request-counts.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { lockAccessUnchanged } from '../../data/organization/organizations.ts';
import { createPipeline } from '../../data/pipelines/request-approval-pipelines.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { readPage } from '../pages.ts';
import { rereadCaller, requirePermission, type Needs } from '../access/current-callers.ts';

/**
 * Throws what `rereadCaller` throws, 409 `agent_slug_taken` or `agent_name_taken`, 429
 * `quota_exceeded`.
 */
export async function createAgent(
  context: ServiceContext,
  principal: ProductPrincipal,
  { slug, name }: { readonly slug: string; readonly name: string },
): Promise<Agent> {
  return await context.db.transaction((trx) =>
    addAgent(trx, context, { principal, agent: { slug, name } }),
  );
}

interface AgentByCaller {
  readonly principal: ProductPrincipal;
  readonly agent: { readonly slug: string; readonly name: string; readonly demo?: true };
  /** What the caller must hold besides `agent.write`. */
  readonly needs?: readonly Needs[];
}

/** Takes the lock on access. Throws as `createAgent` does. */
export async function addAgent(
  trx: Trx,
  runtime: Runtime,
  { principal, agent: { slug, name, demo }, needs = [] }: AgentByCaller,
): Promise<Agent> {
  const { organizationId } = principal;
  const createdByActorId = actorIdOf(principal);
  await lockAccessUnchanged(trx, organizationId);
  const current = await rereadCaller(trx, principal, { permission: 'agent.write' });
  for (const needed of needs) requirePermission(current, needed);
  const inserted = await insertAgent(trx, organizationId, {
    ...{ slug, name, createdByActorId, demo },
  });
  if (!inserted.ok)
    throw new AppError(inserted.taken === 'slug' ? 'agent_slug_taken' : 'agent_name_taken');
  if (!demo) await requireRoom(trx, runtime, organizationId);
  await createPipeline(trx, organizationId, { documentKey: `agent:${slug}`, createdByActorId });
  const event = {
    eventType: 'agent.created' as const,
    actor: actorOf(principal),
    subjectId: slug,
    data: { name, ...(demo && { demo }) },
  };
  await insertAuditEvents(trx, organizationId, {
    events: [event],
    occurredAt: inserted.agent.createdAt,
  });
  return inserted.agent;
}

/**
 * For an agent that was just added, with access locked. Throws 429 `quota_exceeded`.
 */
export async function requireRoom(
  trx: Trx,
  { limits }: Runtime,
  organizationId: string,
): Promise<void> {
  const used = (await countLiveAgents(trx, organizationId)) - 1;
  const limit = limits.activeAgents;
  if (used >= limit)
    throw new AppError('quota_exceeded', { details: { dimension: 'active_agents', limit, used } });
}

/** An agent in a list. */
export interface ListedAgent extends Agent, AgentActivity {}

export interface AgentList {
  readonly agents: readonly ListedAgent[];
  /** The start of the next page; absent on the last one. */
  readonly next?: AgentPosition;
}

const STATUSES = {
  live: ['active', 'disabled'],
  archived: ['archived'],
  all: STATUS_ORDER,
} as const;

export function activityOf(
  activity: ReadonlyMap<string, AgentActivity>,
  slug: string,
): AgentActivity {
  const own = activity.get(slug);
  if (!own) throw new Error(`no activity of agent ${slug} was read`);
  return own;
}

/** The agents that the caller may see, with what they do. */
export async function listVisibleAgents(
  context: ServiceContext,
  principal: ProductPrincipal,
  page: {
    readonly status: keyof typeof STATUSES;
    readonly q?: string | undefined;
    readonly limit: number;
    readonly after?: AgentPosition | undefined;
  },
): Promise<AgentList> {
  const scope = scopeOf(principal, 'agent.read');
  if (!scope) return { agents: [] };
  const { items: agents, last } = await readPage(page.limit, (limit) =>
    listAgents(context.db, principal.organizationId, {
      statuses: STATUSES[page.status],
      slugs: scope.all ? undefined : scope.agentSlugs,
      q: page.q,
      after: page.after,
      limit,
    }),
  );
  const activity = await readActivity(context.db, principal.organizationId, {
    slugs: agents.map(({ slug }) => slug),
    since: await readCountedUntil(context.db),
  });
  return {
    agents: agents.map((agent) => ({ ...agent, ...activityOf(activity, agent.slug) })),
    ...(last && { next: { rank: STATUS_ORDER.indexOf(last.status), slug: last.slug } }),
  };
}
