/**
 * Resolves a presented credential to its caller at every call, so that a revocation takes effect at
 * once.
 */
import { AppError } from '../../domain/errors.ts';
import type { AgentPrincipal, Principal } from '../../domain/people/authorization.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import {
  findCredentialHolder,
  touchCredential,
  type CredentialHolder,
} from '../../data/agents/agent-credentials.ts';
import { parseToken, secretMatches, type PresentedToken } from '../../platform/crypto/tokens.ts';
import type { Db } from '../../platform/postgres.ts';
import { authenticateProvisioner } from '../agents/agent-provisioners.ts';
import { authenticateApiKey } from '../people/api-keys.ts';
import type { ServiceContext } from '../context.ts';
import { authenticateOrganizationKey } from '../people/organization-api-keys.ts';
import { authenticateSession } from './sessions.ts';

export type PresentedCredential =
  | { readonly kind: 'bearer'; readonly token: string }
  | {
      readonly kind: 'session';
      readonly token: string;
      /** The call is no use of the session. */
      readonly background?: boolean;
    };

/**
 * Throws 401 for a missing, malformed, unknown, revoked or expired credential; 403 for a disabled
 * agent or inactive member.
 */
export async function authenticate(
  context: ServiceContext,
  presented: PresentedCredential | undefined,
): Promise<Principal> {
  const token = presented && parseToken(presented.token);
  if (!token) throw new AppError('authentication_required');
  if (presented.kind === 'session') return await authenticateSession(context, token, presented);
  switch (token.prefix) {
    case TOKEN_PREFIX.agentCredential:
      return await authenticateAgent(context, token);
    case TOKEN_PREFIX.provisioner:
      return await authenticateProvisioner(context, token);
    case TOKEN_PREFIX.apiKey:
      return await authenticateApiKey(context, token);
    case TOKEN_PREFIX.organizationKey:
      return await authenticateOrganizationKey(context, token);
    default:
      throw new AppError('authentication_required');
  }
}

/** Throws what the next call of an agent would get, if its credential, agent or instance has ended. */
export async function requireUsableCredential(db: Db, credentialId: string): Promise<void> {
  requireUsable(await findCredentialHolder(db, credentialId));
}

function requireUsable(holder: CredentialHolder | undefined): void {
  if (!holder?.valid) throw new AppError('authentication_required');
  if (holder.agentStatus !== 'active') throw new AppError('agent_disabled');
  if (holder.instanceStatus !== 'active') throw new AppError('instance_disabled');
}

async function authenticateAgent(
  context: ServiceContext,
  token: PresentedToken,
): Promise<AgentPrincipal> {
  const holder = await findCredentialHolder(context.db, token.id);
  if (!holder || !secretMatches(token.secret, holder.tokenHash))
    throw new AppError('authentication_required');
  requireUsable(holder);
  if (holder.useIsStale) {
    touchCredential(context.db, holder.organizationId, holder.credentialId).catch(
      (error: unknown) => {
        context.logger.warn({ err: error }, 'could not record the use of an agent credential');
      },
    );
  }
  return {
    kind: 'agent',
    organizationId: holder.organizationId,
    agentSlug: holder.agentSlug,
    agentName: holder.agentName,
    instanceId: holder.instanceId,
    instanceName: holder.instanceName,
    resume: holder.resume,
    approvalWindow: holder.approvalWindow,
    credentialId: holder.credentialId,
    auth: {
      method: 'agent_credential',
      assurance: 'single_factor',
      authenticated_at: holder.issuedAt,
      credential_id: holder.credentialId,
    },
  };
}
