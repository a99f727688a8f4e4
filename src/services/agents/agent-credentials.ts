/** Agent credentials: issued with a new instance, shown once, revocable. */
import type { AgentInstance } from '../../domain/agents/agent-instances.ts';
import { actorOf } from '../../domain/audit.ts';
import { authorize, type ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import {
  findCredentialAgent,
  insertAgentCredential,
  revokeAgentCredential,
} from '../../data/agents/agent-credentials.ts';
import { insertAgentInstance } from '../../data/agents/agent-instances.ts';
import { findAgentForShare } from '../../data/agents/agents.ts';
import { insertAuditEvents } from '../../data/audit-events.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import { issueToken } from '../../platform/crypto/tokens.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { rereadCaller } from '../people/current-callers.ts';

/** `token` is shown once; the service stores only its hash. */
export interface IssuedCredential {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: Date;
}

export interface NewInstance {
  readonly agentSlug: string;
  readonly name: string;
  readonly metadata?: JsonText | undefined;
  /** Wanted lifetime of the credential; absent or 0 for the default, which is also the maximum. */
  readonly ttlSeconds?: number | undefined;
}

/**
 * Creates an instance with its first credential. Throws what `rereadCaller` throws, 404, 409
 * `agent_archived` or `instance_name_taken`.
 */
export async function createAgentInstance(
  context: ServiceContext,
  principal: ProductPrincipal,
  { agentSlug, name, metadata, ttlSeconds }: NewInstance,
): Promise<{ instance: AgentInstance; credential: IssuedCredential }> {
  const { organizationId } = principal;
  return await context.db.transaction(async (trx) => {
    const agent = await findAgentForShare(trx, organizationId, agentSlug);
    await rereadCaller(trx, principal, {
      permission: 'agent.credential.issue',
      target: { kind: 'agent', slug: agentSlug },
    });
    if (!agent) throw new AppError('not_found');
    if (agent.status === 'archived') throw new AppError('agent_archived');
    const instance = await insertAgentInstance(trx, organizationId, {
      agentSlug,
      name,
      metadata: metadata?.text ?? '{}',
    });
    if (!instance) throw new AppError('instance_name_taken');
    const { id, token, hash } = issueToken(TOKEN_PREFIX.agentCredential);
    const issuedAt = instance.createdAt;
    const expiresAt = new Date(issuedAt.getTime() + credentialLifetime(context, ttlSeconds));
    await insertAgentCredential(trx, organizationId, {
      id,
      agentInstanceId: instance.id,
      tokenHash: hash,
      issuedAt,
      expiresAt,
    });
    const actor = actorOf(principal);
    const about = { agent_slug: agentSlug, agent_instance_name: name };
    await insertAuditEvents(trx, organizationId, {
      events: [
        { eventType: 'agent_instance.created', actor, subjectId: instance.id, data: about },
        {
          eventType: 'agent_credential.issued',
          actor,
          subjectId: id,
          data: { ...about, agent_instance_id: instance.id, expires_at: expiresAt },
        },
      ],
      occurredAt: issuedAt,
    });
    return { instance, credential: { id, token, expiresAt } };
  });
}

function credentialLifetime({ limits }: Runtime, ttlSeconds = 0): number {
  return ttlSeconds === 0
    ? limits.agentCredentialLifetimeMs
    : Math.min(ttlSeconds * 1_000, limits.agentCredentialLifetimeMs);
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
    const credential = await findCredentialAgent(trx, organizationId, credentialId);
    const permission = 'agent.credential.revoke';
    const current = await rereadCaller(trx, principal, { permission, target: { kind: 'any' } });
    if (!credential) throw new AppError('not_found');
    const verdict = authorize(current, permission, { kind: 'agent', slug: credential.agentSlug });
    // The same as for an unknown one, so that it reveals nothing about an agent outside the
    // caller's scope.
    if (!verdict.allowed) throw new AppError('not_found');
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
