/** Provisioner tokens: issued for an agent, shown once, revocable. */
import type { AgentProvisioner } from '../../domain/agents/agent-provisioners.ts';
import { actorIdOf, actorOf } from '../../domain/audit/events.ts';
import type { ProductPrincipal, ProvisionerPrincipal } from '../../domain/people/authorization.ts';
import { AppError, invalid } from '../../domain/errors.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import {
  findProvisionerAgent,
  findProvisionerHolder,
  insertAgentProvisioner,
  revokeAgentProvisioner,
} from '../../data/agents/agent-provisioners.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { findByToken, issueToken, type PresentedToken } from '../../platform/crypto/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { lockAgentToIssue, rereadForPart } from './agent-access.ts';
import { responseKey } from '../access/sealed-responses.ts';

const SUFFIX_LENGTH = 6;

export interface IssuedProvisioner {
  readonly provisioner: AgentProvisioner;
  /** Shown once. The service stores only its hash. */
  readonly token: string;
}

/**
 * Issues a token that makes instances of the agent. A late `expiresAt` is reduced to the longest
 * life of this deployment. Throws what `rereadCaller` throws, 404, 409 `agent_archived`, and 400
 * for an `expiresAt` that has passed.
 */
export async function issueProvisioner(
  context: ServiceContext,
  principal: ProductPrincipal,
  { agentSlug, expiresAt }: { readonly agentSlug: string; readonly expiresAt: Date | undefined },
): Promise<IssuedProvisioner> {
  const { organizationId } = principal;
  return await context.db.transaction(async (trx) => {
    await lockAgentToIssue(trx, principal, agentSlug);
    const { id, token, hash } = issueToken(TOKEN_PREFIX.provisioner);
    const provisioner = await insertAgentProvisioner(trx, organizationId, {
      id,
      agentSlug,
      createdByActorId: actorIdOf(principal),
      tokenHash: hash,
      suffix: token.slice(-SUFFIX_LENGTH),
      expiresAt,
      longest: context.limits.provisionerLifetimeMs,
    });
    if (!provisioner) {
      const message = 'must be in the future';
      throw invalid([{ pointer: '/expires_at', code: 'invalid_value', message }]);
    }
    const { suffix, issuedAt } = provisioner;
    const event = {
      eventType: 'agent_provisioner.issued' as const,
      actor: actorOf(principal),
      subjectId: id,
      data: { agent_slug: agentSlug, suffix, expires_at: provisioner.expiresAt },
    };
    await insertAuditEvents(trx, organizationId, { events: [event], occurredAt: issuedAt });
    return { provisioner, token };
  });
}

/**
 * Revokes a token. The instances it made stay. A repeat is not an error. Throws what `rereadCaller`
 * throws, and 404, also where the caller may not revoke for its agent.
 */
export async function revokeProvisioner(
  context: ServiceContext,
  principal: ProductPrincipal,
  id: string,
): Promise<void> {
  const { organizationId } = principal;
  await context.db.transaction(async (trx) => {
    const { agentSlug, suffix } = await rereadForPart(trx, principal, {
      part: await findProvisionerAgent(trx, organizationId, id),
      permission: 'agent.credential.revoke',
    });
    if (!(await revokeAgentProvisioner(trx, organizationId, id))) return;
    const event = {
      eventType: 'agent_provisioner.revoked' as const,
      actor: actorOf(principal),
      subjectId: id,
      data: { agent_slug: agentSlug, suffix },
    };
    await insertAuditEvents(trx, organizationId, { events: [event] });
  });
}

/** 401 also for a token of an archived agent; 403 `agent_disabled`. */
export async function authenticateProvisioner(
  { db }: ServiceContext,
  token: PresentedToken,
): Promise<ProvisionerPrincipal> {
  const holder = await findByToken(token, TOKEN_PREFIX.provisioner, (id) =>
    findProvisionerHolder(db, id),
  );
  if (!holder?.valid || holder.agentStatus === 'archived')
    throw new AppError('authentication_required');
  if (holder.agentStatus !== 'active') throw new AppError('agent_disabled');
  return {
    kind: 'provisioner',
    organizationId: holder.organizationId,
    agentSlug: holder.agentSlug,
    agentName: holder.agentName,
    provisionerId: holder.id,
    suffix: holder.suffix,
    responseKey: responseKey(token.secret),
  };
}
