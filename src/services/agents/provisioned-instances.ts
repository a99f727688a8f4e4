/** A fleet makes an instance for each of its replicas. */
import { createHash } from 'node:crypto';
import { actorOf } from '../../domain/audit.ts';
import type { ProvisionerPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { useAgentProvisioner } from '../../data/agents/agent-provisioners.ts';
import { findAgentForShare } from '../../data/agents/agents.ts';
import {
  findProvisionedInstance,
  keepProvisionedInstance,
  lockProvisionKey,
} from '../../data/agents/provisioned-instances.ts';
import { canonicalJson } from '../../platform/json/exact-values.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { addInstance, issueCredential, type CreatedInstance } from './new-instances.ts';
import { openAnswer, sealAnswer } from './sealed-answers.ts';

export interface ProvisionInput {
  /** A name is generated when it is absent. */
  readonly name: string | undefined;
  readonly metadata: JsonText | undefined;
  readonly ttlSeconds: number | undefined;
}

export interface Provisioned extends CreatedInstance {
  /** False when the key was used before; the answer then is the instance it made. */
  readonly created: boolean;
}

interface ProvisionCall {
  readonly input: ProvisionInput;
  /** Without a key each call makes an instance. */
  readonly idempotencyKey: string | undefined;
}

/**
 * Throws 401 when the token or its agent has ended, 403 `agent_disabled`, 409 `instance_name_taken`
 * or `idempotency_conflict`.
 */
export async function provisionInstance(
  context: ServiceContext,
  principal: ProvisionerPrincipal,
  call: ProvisionCall,
): Promise<Provisioned> {
  const { organizationId, provisionerId } = principal;
  return await context.db.transaction(async (trx) => {
    const provisioned = await provisionOnce(trx, context, { principal, call });
    // Last, because replicas that start together take turns from here to the commit.
    if (provisioned.created && !(await useAgentProvisioner(trx, organizationId, provisionerId)))
      throw new AppError('authentication_required');
    return provisioned;
  });
}

/** Locks the agent, so that it is neither archived nor disabled meanwhile. */
async function provisionOnce(
  trx: Trx,
  runtime: Runtime,
  {
    principal,
    call: { input, idempotencyKey },
  }: { readonly principal: ProvisionerPrincipal; readonly call: ProvisionCall },
): Promise<Provisioned> {
  const { organizationId, provisionerId, agentSlug, answerKey } = principal;
  const agent = await findAgentForShare(trx, organizationId, agentSlug);
  if (!agent || agent.status === 'archived') throw new AppError('authentication_required');
  if (agent.status !== 'active') throw new AppError('agent_disabled');
  if (idempotencyKey === undefined) return await make(trx, runtime, { principal, input });
  const identity = { provisionerId, key: idempotencyKey };
  const parametersHash = hashOf(input);
  await lockProvisionKey(trx, identity);
  const kept = await findProvisionedInstance(trx, identity);
  if (kept) {
    if (!kept.parametersHash.equals(parametersHash)) throw new AppError('idempotency_conflict');
    const { instance, credentialId: id, sealedToken, expiresAt } = kept;
    const token = openAnswer(answerKey, sealedToken, id);
    return { instance, credential: { id, token, expiresAt }, created: false };
  }
  const made = await make(trx, runtime, { principal, input });
  const { id, token } = made.credential;
  const sealedToken = sealAnswer(answerKey, token, id);
  await keepProvisionedInstance(trx, identity, { parametersHash, sealedToken, credentialId: id });
  return made;
}

async function make(
  trx: Trx,
  runtime: Runtime,
  {
    principal,
    input,
  }: { readonly principal: ProvisionerPrincipal; readonly input: ProvisionInput },
): Promise<Provisioned> {
  const { organizationId, agentSlug, provisionerId, suffix } = principal;
  const actor = actorOf(principal);
  const data = { agent_provisioner_id: provisionerId, agent_provisioner_suffix: suffix };
  const instance = await addInstance(trx, organizationId, {
    instance: { agentSlug, ...input },
    origin: { eventType: 'agent_instance.provisioned', actor, data },
  });
  const issuedAt = instance.createdAt;
  const { ttlSeconds } = input;
  const credential = await issueCredential(trx, runtime, { instance, actor, issuedAt, ttlSeconds });
  return { instance, credential, created: true };
}

/** Key order, white space and the spelling of numbers do not matter. */
function hashOf({ name, metadata, ttlSeconds }: ProvisionInput): Buffer {
  const compared = {
    name: name ?? null,
    metadata: metadata?.value ?? {},
    ttl_seconds: String(ttlSeconds ?? 0),
  };
  return createHash('sha256').update(canonicalJson(compared)).digest();
}
