/** Agent credentials: issued with a new instance, shown once, revocable. */
import { actorOf } from '../../domain/audit.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { findCredentialAgent, revokeAgentCredential } from '../../data/agents/agent-credentials.ts';
import { insertAuditEvents } from '../../data/audit-events.ts';
import type { ServiceContext } from '../context.ts';
import { lockAgentToIssue, rereadForPart } from './agent-access.ts';
import {
  addInstance,
  issueCredential,
  type CreatedInstance,
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
    if (!(await revokeAgentCredential(trx, organizationId, credentialId))) return;
    const event = {
      eventType: 'agent_credential.revoked',
      actor: actorOf(principal),
      subjectId: credentialId,
      data: {
        agent_slug: credential.agentSlug,
        agent_instance_id: credential.instanceId,
        agent_instance_name: credential.instanceName,
      },
    };
    await insertAuditEvents(trx, organizationId, { events: [event] });
  });
}
