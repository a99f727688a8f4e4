/**
 * The demo agent: a page of the web app calls as it, to show how a request is decided. It has the rights of any agent. Only the
 * service makes one, and it can be removed with its requests.
 */
import { actorOf } from '../../domain/audit/events.ts';
import type { Agent } from '../../domain/agents/agents.ts';
import { AppError } from '../../domain/errors.ts';
import { type ProductPrincipal } from '../../domain/people/authorization.ts';
import { requireRecentUnlessKey } from '../../domain/sign-in/recent-authentication.ts';
import { lockAgentInstance } from '../../data/agents/agent-instances.ts';
import { findAgent, lockAgent } from '../../data/agents/agents.ts';
import {
  findDemoInstanceId,
  findDemoSlug,
  findFreeDemoName,
  listUnrevoked,
  removeDemoAgentRows,
} from '../../data/agents/demo-agents.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { readClock } from '../../data/clock.ts';
import { lockAccess } from '../../data/organization/organizations.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { requirePermission, rereadCaller } from '../access/current-callers.ts';
import type { ServiceContext } from '../context.ts';
import { announceCommitted } from '../engine/change-all.ts';
import { takeGrantsForAgent } from '../people/agent-grants.ts';
import { archiveLocked } from './agent-lifecycle.ts';
import { revokeIn } from './agent-credentials.ts';
import { addAgent } from './agents.ts';
import { addInstance, issueCredential, type CreatedInstance } from './new-instances.ts';

/** The page keeps its credential in memory, so a long life would help no one. */
const TTL_SECONDS = 3_600;

export interface StartedDemo extends CreatedInstance {
  readonly agent: Agent;
}

/** For those who may make and remove it. Undefined where the organization has none. Throws 403. */
export async function getDemoAgent(
  { db }: ServiceContext,
  principal: ProductPrincipal,
): Promise<Agent | undefined> {
  requirePermission(principal, { permission: 'agent.credential.issue' });
  return await findDemo(db, principal.organizationId);
}

async function findDemo(db: Db, organizationId: string): Promise<Agent | undefined> {
  const slug = await findDemoSlug(db, organizationId);
  return slug === undefined ? undefined : await findAgent(db, organizationId, slug);
}

async function lockDemo(trx: Trx, organizationId: string): Promise<Agent | undefined> {
  const slug = await findDemoSlug(trx, organizationId);
  return slug === undefined ? undefined : await lockAgent(trx, organizationId, slug);
}

/**
 * Makes the demo agent, unless the organization has it, and gives it a credential for an hour in place of the one that it had. Throws
 * what `createAgent` and `createAgentInstance` throw, and 403 `agent_disabled`.
 */
export async function startDemoAgent(
  context: ServiceContext,
  principal: ProductPrincipal,
): Promise<StartedDemo> {
  const { organizationId } = principal;
  const actor = actorOf(principal);
  return await context.db.transaction(async (trx) => {
    // Of two that start it at once, the second one finds it.
    await lockAccess(trx, organizationId);
    await rereadForDemo(trx, principal);
    const agent = await findOrAdd(trx, context, principal);
    if (agent.status !== 'active')
      throw new AppError(agent.status === 'archived' ? 'agent_archived' : 'agent_disabled');
    const found = await findDemoInstanceId(trx, organizationId, agent.slug);
    const locked = found && (await lockAgentInstance(trx, organizationId, found));
    const instance = locked
      ? locked.instance
      : await addInstance(trx, organizationId, {
          instance: { agentSlug: agent.slug },
          origin: { eventType: 'agent_instance.created', actor },
        });
    for (const id of await listUnrevoked(trx, instance.id)) {
      const of = { agentSlug: agent.slug, instanceId: instance.id, instanceName: instance.name };
      await revokeIn(trx, principal, { id, ...of });
    }
    const issuedAt = await readClock(trx);
    const credential = await issueCredential(trx, context, {
      ...{ instance, actor, issuedAt, ttlSeconds: TTL_SECONDS },
    });
    return { agent, instance, credential };
  });
}

async function findOrAdd(
  trx: Trx,
  context: ServiceContext,
  principal: ProductPrincipal,
): Promise<Agent> {
  const found = await findDemo(trx, principal.organizationId);
  if (found) return found;
  const free = await findFreeDemoName(trx, principal.organizationId);
  return await addAgent(trx, context, { principal, agent: { ...free, demo: true } });
}

/**
 * What making it takes, and removing it. Call it with access locked. Throws what `rereadCaller`, `requirePermission` and
 * `requireRecentUnlessKey` throw.
 */
async function rereadForDemo(trx: Trx, principal: ProductPrincipal): Promise<void> {
  const caller = await rereadCaller(trx, principal, { permission: 'agent.write' });
  requirePermission(caller, { permission: 'agent.credential.issue' });
  requireRecentUnlessKey(caller);
}

/**
 * First archives the demo agent, which ends its credentials, and tells every page and workflow that its requests are cancelled. Then
 * removes all of it at once, but its audit events. Does nothing without one. Should the process end in between, an archived
 * agent is left, and a repeat removes it. Throws what `rereadForDemo` throws.
 */
export async function removeDemoAgent(
  context: ServiceContext,
  principal: ProductPrincipal,
): Promise<void> {
  let isGone = false;
  // Someone may restore it in between.
  while (!isGone) {
    await archiveDemoAgent(context, principal);
    isGone = await removeArchived(context, principal);
  }
}

async function archiveDemoAgent(
  context: ServiceContext,
  principal: ProductPrincipal,
): Promise<void> {
  const settled = await context.db.transaction(async (trx) => {
    const agent = await lockDemo(trx, principal.organizationId);
    await rereadForDemo(trx, principal);
    return agent ? await archiveLocked(trx, principal, agent) : [];
  });
  announceCommitted(context, settled);
}

/** False when it is not archived. */
async function removeArchived(
  context: ServiceContext,
  principal: ProductPrincipal,
): Promise<boolean> {
  const { organizationId } = principal;
  return await context.db.transaction(async (trx) => {
    await lockAccess(trx, organizationId);
    await rereadForDemo(trx, principal);
    const agent = await lockDemo(trx, organizationId);
    if (!agent) return true;
    if (agent.status !== 'archived') return false;
    await takeGrantsForAgent(trx, organizationId, { slug: agent.slug, actor: actorOf(principal) });
    await removeDemoAgentRows(trx, organizationId, agent.slug);
    const event = {
      eventType: 'agent.removed' as const,
      actor: actorOf(principal),
      subjectId: agent.slug,
      data: { name: agent.name },
    };
    await insertAuditEvents(trx, organizationId, { events: [event] });
    return true;
  });
}
