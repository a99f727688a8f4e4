/** Agent credentials: issued with a new instance, shown once, revocable. */
import { actorOf } from '../../domain/audit/events.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { findCredentialAgent, revokeAgentCredential } from '../../data/agents/agent-credentials.ts';
import { lockAgentInstance } from '../../data/agents/agent-instances.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { readClock } from '../../data/clock.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { lockAgentToIssue, rereadForPart } from './agent-access.ts';
import {
  addInstance,
  issueCredential,
  type CreatedInstance,
  type IssuedCredential,
  type NewInstance,
} from './new-instances.ts';

/**
 * Creates an instance with its first credential, for a person or an integration. Throws what
 * `rereadCaller` throws, 404, 409 `agent_archived` or `instance_name_taken`.
 */
export async function createAgentInstance(
  context: ServiceContext,
  principal: ProductPrincipal,
  wanted: NewInstance & { readonly ttlSeconds: number | undefined },
): Promise<CreatedInstance> {
  const { organizationId } = principal;
  const { agentSlug, ttlSeconds } = wanted;
  return await context.db.transaction(async (trx) => {
    await lockAgentToIssue(trx, principal, agentSlug);
    const actor = actorOf(principal);
    const origin = { eventType: 'agent_instance.created', actor } as const;
    const instance = await addInstance(trx, organizationId, { instance: wanted, origin });
    const issuedAt = instance.createdAt;
    const credential = await issueCredential(trx, context, {
      instance,
      actor,
      issuedAt,
      ttlSeconds,
    });
    return { instance, credential };
  });
}

/**
 * A further credential of an instance: the earlier ones keep working, so that it can change over. Throws what
 * `rereadCaller` throws, 404, also where the caller may not issue for its agent, and 409 `agent_archived`.
 */
export async function issueFurtherCredential(
  context: ServiceContext,
  principal: ProductPrincipal,
  {
    instanceId,
    ttlSeconds,
  }: { readonly instanceId: string; readonly ttlSeconds?: number | undefined },
): Promise<IssuedCredential> {
  return await context.db.transaction(async (trx) => {
    const locked = await lockAgentInstance(trx, principal.organizationId, instanceId);
    const instance = await rereadForPart(trx, principal, {
      part: locked?.instance,
      permission: 'agent.credential.issue',
    });
    await lockAgentToIssue(trx, principal, instance.agentSlug);
    const issuedAt = await readClock(trx);
    const actor = actorOf(principal);
    return await issueCredential(trx, context, { instance, actor, issuedAt, ttlSeconds });
  });
}

/**
 * Revokes a credential. A repeat is not an error. Throws what `rereadCaller` throws, and 404, also
 * where the caller may not revoke for its agent.
 */
export async function revokeCredential(
  context: ServiceContext,
  principal: ProductPrincipal,
  credentialId: string,
): Promise<void> {
  const { organizationId } = principal;
  await context.db.transaction(async (trx) => {
    const credential = await rereadForPart(trx, principal, {
      part: await findCredentialAgent(trx, organizationId, credentialId),
      permission: 'agent.credential.revoke',
    });
    await revokeIn(trx, principal, { id: credentialId, ...credential });
  });
}

interface HeldCredential {
  readonly id: string;
  readonly agentSlug: string;
  readonly instanceId: string;
  readonly instanceName: string;
}

/** Call it with the organization's access locked, once it is known that the caller may. */
export async function revokeIn(
  trx: Trx,
  principal: ProductPrincipal,
  { id, agentSlug, instanceId, instanceName }: HeldCredential,
): Promise<void> {
  const { organizationId } = principal;
  if (!(await revokeAgentCredential(trx, organizationId, id))) return;
  const event = {
    eventType: 'agent_credential.revoked' as const,
    actor: actorOf(principal),
    subjectId: id,
    data: {
      agent_slug: agentSlug,
      agent_instance_id: instanceId,
      agent_instance_name: instanceName,
    },
  };
  await insertAuditEvents(trx, organizationId, { events: [event] });
}
