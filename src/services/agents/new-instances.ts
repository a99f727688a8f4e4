/** Makes instances of agents: for people, for fleets, for machines that enroll. */
import { randomBytes } from 'node:crypto';
import { generatedName, type AgentInstance } from '../../domain/agents/agent-instances.ts';
import type { AuditActor } from '../../domain/audit/events.ts';
import { AppError } from '../../domain/errors.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import { insertAgentCredential } from '../../data/agents/agent-credentials.ts';
import { insertAgentInstance } from '../../data/agents/agent-instances.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { removeUnclaimed } from './unclaimed-instances.ts';
import { issueToken } from '../../platform/crypto/tokens.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime } from '../context.ts';

const RANDOM_NAME_BYTES = 5;

/** `token` is shown once; the service stores only its hash. */
export interface IssuedCredential {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: Date;
}

export interface CreatedInstance {
  readonly instance: AgentInstance;
  readonly credential: IssuedCredential;
}

/** How an instance came into being, as its audit event says. */
export interface Origin {
  readonly eventType:
    'agent_instance.created' | 'agent_instance.provisioned' | 'agent_instance.enrolled';
  readonly actor: AuditActor;
  /** Besides the agent and the name. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface NewInstance {
  /** Where its id was given out before it exists. */
  readonly id?: string | undefined;
  readonly agentSlug: string;
  /** A name is generated when it is absent. */
  readonly name?: string | undefined;
  readonly metadata?: JsonText | undefined;
}

/** Call it with the agent locked. Throws 409 `instance_name_taken`. */
export async function addInstance(
  trx: Trx,
  organizationId: string,
  { instance, origin }: { readonly instance: NewInstance; readonly origin: Origin },
): Promise<AgentInstance> {
  const { id, agentSlug, name, metadata } = instance;
  const insert = async (chosen: string) =>
    await insertAgentInstance(trx, organizationId, {
      id,
      agentSlug,
      name: chosen,
      metadata: metadata?.text ?? '{}',
    });
  if (name !== undefined)
    await removeUnclaimed(trx, { limit: 1, of: { organizationId, agentSlug, name } });
  let added = await insert(name ?? randomName(agentSlug));
  while (!added) {
    if (name !== undefined) throw new AppError('instance_name_taken');
    added = await insert(randomName(agentSlug));
  }
  const { eventType, actor, data } = origin;
  const about = { agent_slug: agentSlug, agent_instance_name: added.name };
  await insertAuditEvents(trx, organizationId, {
    events: [{ eventType, actor, subjectId: added.id, data: { ...about, ...data } }],
    occurredAt: added.createdAt,
  });
  return added;
}

const randomName = (agentSlug: string): string =>
  generatedName(agentSlug, randomBytes(RANDOM_NAME_BYTES));

interface Issue {
  readonly instance: AgentInstance;
  readonly actor: AuditActor;
  readonly issuedAt: Date;
  /** Wanted lifetime. Absent or 0 means the default, which is also the longest. */
  readonly ttlSeconds?: number | undefined;
}

/** Gives an instance a credential. */
export async function issueCredential(
  trx: Trx,
  { limits }: Runtime,
  { instance, actor, issuedAt, ttlSeconds }: Issue,
): Promise<IssuedCredential> {
  const { organizationId, agentSlug } = instance;
  const { id, token, hash } = issueToken(TOKEN_PREFIX.agentCredential);
  const longest = limits.agentCredentialLifetimeMs;
  const life = ttlSeconds ? Math.min(ttlSeconds * 1_000, longest) : longest;
  const expiresAt = new Date(issuedAt.getTime() + life);
  await insertAgentCredential(trx, organizationId, {
    id,
    agentInstanceId: instance.id,
    tokenHash: hash,
    issuedAt,
    expiresAt,
  });
  const data = {
    agent_slug: agentSlug,
    agent_instance_name: instance.name,
    agent_instance_id: instance.id,
    expires_at: expiresAt,
  };
  const event = { eventType: 'agent_credential.issued' as const, actor, subjectId: id, data };
  await insertAuditEvents(trx, organizationId, { events: [event], occurredAt: issuedAt });
  return { id, token, expiresAt };
}
