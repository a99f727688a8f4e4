/** Renames, disables, enables, archives and restores agents. */
import type { Agent, ResumeMode } from '../../domain/agents/agents.ts';
import { actorOf, type NewAuditEvent } from '../../domain/audit/events.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { formatDuration } from '../../domain/durations.ts';
import { AppError } from '../../domain/errors.ts';
import type { PipelineKey } from '../../domain/pipelines/request-approval-pipelines.ts';
import { endEnrollmentsOfAgent } from '../../data/agents/agent-enrollments.ts';
import { lockAgent, revokeAllOfAgent, updateAgent } from '../../data/agents/agents.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { lockAccessUnchanged } from '../../data/organization/organizations.ts';
import {
  archivePipeline,
  restorePipeline,
} from '../../data/pipelines/request-approval-pipelines.ts';
import type { Effects } from '../../domain/requests/engine/effects.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { rereadCaller } from '../access/current-callers.ts';
import { announceCommitted, cancelAll } from '../engine/change-all.ts';
import { requireRoom } from './agents.ts';

const pipelineOf = (slug: string): PipelineKey => `agent:${slug}`;

/** Throws what `rereadCaller` throws, and 404. */
async function lockAndReread(trx: Trx, principal: ProductPrincipal, slug: string): Promise<Agent> {
  const agent = await lockAgent(trx, principal.organizationId, slug);
  await rereadCaller(trx, principal, {
    permission: 'agent.write',
    target: { kind: 'agent', slug },
  });
  if (!agent) throw new AppError('not_found');
  return agent;
}

/** Throws 409 `agent_name_taken`. */
async function store(
  trx: Trx,
  principal: ProductPrincipal,
  { agent, events }: { readonly agent: Agent; readonly events: readonly AgentEvent[] },
): Promise<Agent> {
  const stored = await updateAgent(trx, agent);
  if (!stored) throw new AppError('agent_name_taken');
  await insertAuditEvents(trx, principal.organizationId, {
    events: events.map(({ verb, data }): NewAuditEvent => ({
      eventType: `agent.${verb}`,
      actor: actorOf(principal),
      subjectId: agent.slug,
      data,
    })),
    occurredAt: stored.updatedAt,
  });
  return stored;
}

interface AgentEvent {
  readonly verb:
    | 'renamed'
    | 'resume_changed'
    | 'approval_window_changed'
    | 'enabled'
    | 'disabled'
    | 'archived'
    | 'restored';
  readonly data: Readonly<Record<string, unknown>>;
}

export interface AgentChange {
  readonly slug: string;
  readonly name?: string | undefined;
  readonly status?: 'active' | 'disabled' | undefined;
  readonly resume?: ResumeMode | undefined;
  /** Seconds. */
  readonly approvalWindow?: number | undefined;
}

/**
 * Renames, disables, enables or changes settings, and records only what changes. Once the call that disables an agent
 * returns, the agent creates no further request. Throws what `rereadCaller` throws, 404, 409
 * `agent_archived` or `agent_name_taken`.
 */
export async function changeAgent(
  context: ServiceContext,
  principal: ProductPrincipal,
  { slug, ...change }: AgentChange,
): Promise<Agent> {
  return await context.db.transaction(async (trx) => {
    const before = await lockAndReread(trx, principal, slug);
    if (before.status === 'archived') throw new AppError('agent_archived');
    const {
      name = before.name,
      status = before.status,
      resume = before.resume,
      approvalWindow = before.approvalWindow,
    } = change;
    const agent = { ...before, name, status, resume, approvalWindow };
    const events = eventsOfChange(before, agent);
    if (events.length === 0) return before;
    return await store(trx, principal, { agent, events });
  });
}

function eventsOfChange(before: Agent, after: Agent): AgentEvent[] {
  const events: AgentEvent[] = [];
  if (after.name !== before.name)
    events.push({ verb: 'renamed', data: { from: before.name, to: after.name } });
  if (after.resume !== before.resume)
    events.push({ verb: 'resume_changed', data: { from: before.resume, to: after.resume } });
  if (after.approvalWindow !== before.approvalWindow)
    events.push({
      verb: 'approval_window_changed',
      data: {
        from: formatDuration(before.approvalWindow),
        to: formatDuration(after.approvalWindow),
      },
    });
  if (after.status !== before.status)
    events.push({
      verb: after.status === 'active' ? 'enabled' : 'disabled',
      data: { name: after.name },
    });
  return events;
}

/**
 * Ends the agent's credentials and provisioner tokens for good, cancels its open requests, and
 * archives its pipeline. A repeat changes nothing. Throws what `rereadCaller` throws, and 404.
 */
export async function archiveAgent(
  context: ServiceContext,
  principal: ProductPrincipal,
  slug: string,
): Promise<void> {
  const settled = await context.db.transaction(
    async (trx) => await archiveLocked(trx, principal, await lockAndReread(trx, principal, slug)),
  );
  announceCommitted(context, settled);
}

async function archiveLocked(
  trx: Trx,
  principal: ProductPrincipal,
  agent: Agent,
): Promise<readonly Effects[]> {
  const { organizationId, slug } = agent;
  if (agent.status === 'archived') return [];
  const revoked = await revokeAllOfAgent(trx, organizationId, slug);
  await endEnrollmentsOfAgent(trx, organizationId, slug);
  const revision = await archivePipeline(trx, organizationId, pipelineOf(slug));
  const closed = await cancelAll(trx, {
    organizationId,
    agentSlug: slug,
    actor: actorOf(principal),
    reason: 'agent_archived',
  });
  const data = {
    name: agent.name,
    pipeline_revision: revision,
    revoked_credentials: revoked.credentials,
    revoked_provisioners: revoked.provisioners,
    cancelled_requests: closed.filter(({ request }) => request.state === 'cancelled').length,
  };
  await store(trx, principal, {
    agent: { ...agent, status: 'archived' },
    events: [{ verb: 'archived', data }],
  });
  return closed;
}

/**
 * Brings an archived agent back, active, with the pipeline revision it had. What was revoked stays
 * revoked. A live agent stays as it is. Throws what `rereadCaller` throws, 404, 409
 * `agent_name_taken`, 429 `quota_exceeded`.
 */
export async function restoreAgent(
  context: ServiceContext,
  principal: ProductPrincipal,
  slug: string,
): Promise<Agent> {
  const { organizationId } = principal;
  return await context.db.transaction(async (trx) => {
    await lockAccessUnchanged(trx, organizationId);
    const agent = await lockAndReread(trx, principal, slug);
    if (agent.status !== 'archived') return agent;
    const restored = await restoreLocked(trx, principal, agent);
    if (!agent.demo) await requireRoom(trx, context, organizationId);
    return restored;
  });
}

/** Call it with the archived agent locked. Throws 409 `agent_name_taken`. */
export async function restoreLocked(
  trx: Trx,
  principal: ProductPrincipal,
  agent: Agent,
): Promise<Agent> {
  const { organizationId, slug, name } = agent;
  const revision = await restorePipeline(trx, organizationId, pipelineOf(slug));
  return await store(trx, principal, {
    agent: { ...agent, status: 'active' },
    events: [{ verb: 'restored', data: { name, pipeline_revision: revision } }],
  });
}
