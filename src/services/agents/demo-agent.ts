/**
 * The demo agent: a page of the web app calls as it, to show how a request is decided. It has the rights of any agent. Only the
 * service makes one. It is archived and restored like any agent.
 */
import { actorOf } from '../../domain/audit/events.ts';
import type { Agent } from '../../domain/agents/agents.ts';
import { AppError } from '../../domain/errors.ts';
import { type ProductPrincipal } from '../../domain/people/authorization.ts';
import { requireRecentUnlessKey } from '../../domain/people/recent-authentication.ts';
import { lockAgentInstance } from '../../data/agents/agent-instances.ts';
import { findAgent, lockAgent } from '../../data/agents/agents.ts';
import {
  findDemoInstanceId,
  findDemoSlug,
  findFreeDemoName,
  listUnrevoked,
} from '../../data/agents/demo-agents.ts';
import { readClock } from '../../data/clock.ts';
import { lockAccess } from '../../data/organization/organizations.ts';
import type { Trx } from '../../platform/postgres.ts';
import { requirePermission, rereadCaller } from '../access/current-callers.ts';
import type { ServiceContext } from '../context.ts';
import { restoreLocked } from './agent-lifecycle.ts';
import { revokeIn } from './agent-credentials.ts';
import { addAgent } from './agents.ts';
import { addInstance, issueCredential, type CreatedInstance } from './new-instances.ts';

/** The page keeps its credential in memory, so a long life would help no one. */
const TTL_SECONDS = 3_600;

export interface StartedDemo extends CreatedInstance {
  readonly agent: Agent;
}

/** For those who may make it. Undefined where the organization has none. Throws 403. */
export async function getDemoAgent(
  { db }: ServiceContext,
  principal: ProductPrincipal,
): Promise<Agent | undefined> {
  requirePermission(principal, { permission: 'agent.credential.issue' });
  const slug = await findDemoSlug(db, principal.organizationId);
  return slug === undefined ? undefined : await findAgent(db, principal.organizationId, slug);
}

async function lockDemo(trx: Trx, organizationId: string): Promise<Agent | undefined> {
  const slug = await findDemoSlug(trx, organizationId);
  return slug === undefined ? undefined : await lockAgent(trx, organizationId, slug);
}

/**
 * Makes the demo agent, or restores it, and gives it a credential for an hour in place of the one that it had. Throws what
 * `createAgent`, `createAgentInstance` and `restoreAgent` throw, and 403 `agent_disabled`.
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
    if (agent.status === 'disabled') throw new AppError('agent_disabled');
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
  const found = await lockDemo(trx, principal.organizationId);
  if (found)
    return found.status === 'archived' ? await restoreLocked(trx, principal, found) : found;
  const free = await findFreeDemoName(trx, principal.organizationId);
  return await addAgent(trx, context, { principal, agent: { ...free, demo: true } });
}

/**
 * What making it takes. Call it with access locked. Throws what `rereadCaller`, `requirePermission` and
 * `requireRecentUnlessKey` throw.
 */
async function rereadForDemo(trx: Trx, principal: ProductPrincipal): Promise<void> {
  const caller = await rereadCaller(trx, principal, { permission: 'agent.write' });
  requirePermission(caller, { permission: 'agent.credential.issue' });
  requireRecentUnlessKey(caller);
}
