/** A fleet makes an instance for each of its replicas, renames them, and deletes those it no longer needs. */
import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { actorOf } from '../../domain/audit/events.ts';
import type { AgentInstance } from '../../domain/agents/agent-instances.ts';
import type { ProvisionerPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { DeliveryInput, Receiver } from '../../domain/receivers/receivers.ts';
import {
  deleteAgentInstance,
  findAgentInstance,
  lockInstanceOfAgent,
  updateAgentInstance,
} from '../../data/agents/agent-instances.ts';
import { endEnrollmentsOfInstance } from '../../data/agents/agent-enrollments.ts';
import { useAgentProvisioner } from '../../data/agents/agent-provisioners.ts';
import { lockAgent } from '../../data/agents/agents.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import type { KeptOperation } from '../../data/agents/instance-operations.ts';
import { canonicalJson } from '../../platform/json/exact-values.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { announceCommitted, cancelAll } from '../engine/change-all.ts';
import type { Effects } from '../../domain/requests/engine/effects.ts';
import { operateOnce, type Committed } from './instance-operations.ts';
import { addInstance, issueCredential, type CreatedInstance } from './new-instances.ts';
import { openResponse, sealResponse } from '../access/sealed-responses.ts';
import { removeReceiver, findReceiver } from '../../data/receivers/receivers.ts';
import { setReceiver, verifyReceiver } from '../receivers/verification.ts';

export interface ProvisionInput {
  /** A name is generated when it is absent. */
  readonly instance_name?: string | undefined;
  readonly instance_metadata?: JsonText | undefined;
  readonly ttl_seconds?: number | undefined;
  readonly delivery?: DeliveryInput | undefined;
}

/** With the receiver that it has, if any. */
export interface ProvisionedInstance extends AgentInstance {
  readonly delivery?: Receiver | undefined;
}

interface MadeInstance extends CreatedInstance {
  readonly instance: ProvisionedInstance;
}

export interface Provisioned extends MadeInstance {
  /** False when the key was used before; the response then is the instance it made. */
  readonly created: boolean;
}

/**
 * Without a key each call makes an instance. Throws what `operateOnce` throws, 401 where the token
 * has ended, 409 `instance_name_taken`, or `instance_deleted` for a replay. With a receiver also what
 * `verifyReceiver` throws.
 */
export async function provisionInstance(
  context: ServiceContext,
  principal: ProvisionerPrincipal,
  {
    input,
    idempotencyKey,
  }: { readonly input: ProvisionInput; readonly idempotencyKey: string | undefined },
): Promise<Provisioned> {
  const id = v7();
  const { delivery } = input;
  const { result, isNew } = await operateOnce<MadeInstance>(context, {
    principal,
    key: idempotencyKey === undefined ? undefined : { operation: 'create', key: idempotencyKey },
    parametersHash: hashOf({
      name: input.instance_name ?? null,
      metadata: input.instance_metadata?.value ?? {},
      ttl_seconds: String(input.ttl_seconds ?? 0),
      ...(delivery && { delivery: { ...delivery } }),
    }),
    verify:
      delivery &&
      (async () => {
        await verifyReceiver(context, principal, { delivery, instanceId: id });
      }),
    commit: async (trx) => {
      const made = await make(trx, context, { principal, input, id });
      // Last, because replicas that start together take turns from here to the commit.
      await useToken(trx, principal);
      return made;
    },
    replay: async (trx, kept) => await madeBefore(trx, principal, kept),
  });
  return { ...result, created: isNew };
}

async function make(
  trx: Trx,
  runtime: Runtime,
  {
    principal,
    input,
    id,
  }: {
    readonly principal: ProvisionerPrincipal;
    readonly input: ProvisionInput;
    readonly id: string;
  },
): Promise<Committed<MadeInstance>> {
  const { organizationId, agentSlug, provisionerId, suffix, responseKey } = principal;
  const actor = actorOf(principal);
  const { instance_name: name, instance_metadata: metadata, ttl_seconds: ttlSeconds } = input;
  const data = { agent_provisioner_id: provisionerId, agent_provisioner_suffix: suffix };
  const added = await addInstance(trx, organizationId, {
    instance: { id, agentSlug, name, metadata },
    origin: {
      eventType: 'agent_instance.provisioned',
      actor,
      data: { ...data, ...(input.delivery && { receiver_host: hostIn(input.delivery) }) },
    },
  });
  if (input.delivery) await setReceiver(trx, runtime, { instanceId: id, delivery: input.delivery });
  const instance = { ...added, delivery: input.delivery && shownOf(input.delivery) };
  const issuedAt = instance.createdAt;
  const credential = await issueCredential(trx, runtime, { instance, actor, issuedAt, ttlSeconds });
  const sealedToken = sealResponse(responseKey, credential.token, credential.id);
  return {
    result: { instance, credential },
    returned: instance,
    credential: { id: credential.id, sealedToken },
  };
}

async function madeBefore(
  trx: Trx,
  { organizationId, agentSlug, responseKey }: ProvisionerPrincipal,
  { returned, credential: kept }: KeptOperation,
): Promise<MadeInstance> {
  if (!kept) throw new Error('an instance was kept without its credential');
  const { id, instanceId, sealedToken, expiresAt } = kept;
  const now = await findAgentInstance(trx, { organizationId, agentSlug, id: instanceId });
  if (!now) throw new AppError('instance_deleted');
  const token = openResponse(responseKey, sealedToken, id);
  return { instance: { ...now, ...returned }, credential: { id, token, expiresAt } };
}

/** An instance of the token's agent, no matter who made it. Throws 404. */
export async function getProvisionedInstance(
  { db }: ServiceContext,
  { organizationId, agentSlug }: ProvisionerPrincipal,
  id: string,
): Promise<ProvisionedInstance> {
  const instance = await findAgentInstance(db, { organizationId, agentSlug, id });
  if (!instance) throw new AppError('not_found');
  return { ...instance, delivery: await findReceiver(db, id) };
}

export interface ProvisionedChange {
  readonly id: string;
  readonly input: {
    readonly instance_name?: string | undefined;
    /** Null ends it. */
    readonly delivery?: DeliveryInput | null | undefined;
  };
  readonly idempotencyKey: string | undefined;
}

/**
 * What stays the same is not recorded. Throws what `operateOnce` throws, 401 where the token has
 * ended, 404, 409 `instance_name_taken`. With a receiver also what `verifyReceiver` throws.
 */
export async function changeProvisionedInstance(
  context: ServiceContext,
  principal: ProvisionerPrincipal,
  { id, input, idempotencyKey }: ProvisionedChange,
): Promise<ProvisionedInstance> {
  const { delivery } = input;
  const { result } = await operateOnce<ProvisionedInstance>(context, {
    principal,
    key:
      idempotencyKey === undefined ? undefined : { operation: `update ${id}`, key: idempotencyKey },
    parametersHash: hashOf({
      name: input.instance_name ?? null,
      delivery: delivery ? { ...delivery } : delivery === null,
    }),
    verify: delivery
      ? async () => {
          await getProvisionedInstance(context, principal, id);
          await verifyReceiver(context, principal, { delivery, instanceId: id });
        }
      : undefined,
    commit: async (trx) => {
      const before = await lockLive(trx, principal, id);
      const renamed = await rename(trx, { principal, before, name: input.instance_name });
      const had = await findReceiver(trx, id);
      if (delivery !== undefined && (delivery || had))
        await changeReceiver(trx, context, { principal, instance: renamed, delivery });
      const has = delivery === undefined ? had : delivery && shownOf(delivery);
      const after = { ...renamed, delivery: has ?? undefined };
      await useToken(trx, principal);
      return { result: after, returned: after };
    },
    replay: async (trx, { returned }) => ({
      ...(await lockLive(trx, principal, id)),
      ...returned,
    }),
  });
  return result;
}

async function lockLive(
  trx: Trx,
  { organizationId, agentSlug }: ProvisionerPrincipal,
  id: string,
): Promise<AgentInstance> {
  const locked = await lockInstanceOfAgent(trx, { organizationId, agentSlug, id });
  if (!locked || locked.deletedAt) throw new AppError('not_found');
  return locked;
}

async function rename(
  trx: Trx,
  {
    principal,
    before,
    name = before.name,
  }: {
    readonly principal: ProvisionerPrincipal;
    readonly before: AgentInstance;
    readonly name: string | undefined;
  },
): Promise<AgentInstance> {
  if (name === before.name) return before;
  const after = await updateAgentInstance(trx, { ...before, name });
  if (!after) throw new AppError('instance_name_taken');
  const data = {
    agent_slug: before.agentSlug,
    agent_instance_name: name,
    from: before.name,
    to: name,
  };
  const event = { eventType: 'agent_instance.renamed' as const, subjectId: before.id, data };
  await insertAuditEvents(trx, before.organizationId, {
    events: [{ ...event, actor: actorOf(principal) }],
  });
  return after;
}

/**
 * Ends an instance for good: its open requests are cancelled, its credentials revoked, its name is
 * free. A repeat changes nothing. Throws 401 where the token has ended, 403 `agent_disabled`, and 404.
 */
export async function deleteProvisionedInstance(
  context: ServiceContext,
  principal: ProvisionerPrincipal,
  id: string,
): Promise<void> {
  const closed = await context.db.transaction((trx) => deleteLocked(trx, principal, id));
  announceCommitted(context, closed);
}

/**
 * The agent's lock stops new requests, so that none follows those that are cancelled here. The
 * requests come before the instance: someone who changes one may still look at its instance.
 */
async function deleteLocked(
  trx: Trx,
  principal: ProvisionerPrincipal,
  id: string,
): Promise<readonly Effects[]> {
  const { organizationId, agentSlug } = principal;
  const agent = await lockAgent(trx, organizationId, agentSlug);
  if (!agent || agent.status === 'archived') throw new AppError('authentication_required');
  if (agent.status !== 'active') throw new AppError('agent_disabled');
  const actor = actorOf(principal);
  // First, so that no one is told of what is cancelled here.
  if (await findAgentInstance(trx, { organizationId, agentSlug, id }))
    await removeReceiver(trx, id);
  const closed = await cancelAll(trx, {
    organizationId,
    instanceId: id,
    agentSlug,
    actor,
    reason: 'agent_instance_deleted',
  });
  const before = await lockInstanceOfAgent(trx, { organizationId, agentSlug, id });
  if (!before) throw new AppError('not_found');
  if (before.deletedAt) return closed;
  await endEnrollmentsOfInstance(trx, id);
  const revoked = await deleteAgentInstance(trx, id);
  const data = {
    agent_slug: agentSlug,
    agent_instance_name: before.name,
    revoked_credentials: revoked,
    cancelled_requests: closed.filter(({ request }) => request.state === 'cancelled').length,
  };
  await insertAuditEvents(trx, organizationId, {
    events: [{ eventType: 'agent_instance.deleted', actor, subjectId: id, data }],
  });
  await useToken(trx, principal);
  return closed;
}

/** Sets or removes the receiver of a locked instance. */
async function changeReceiver(
  trx: Trx,
  runtime: Runtime,
  {
    principal,
    instance,
    delivery,
  }: {
    readonly principal: ProvisionerPrincipal;
    readonly instance: AgentInstance;
    readonly delivery: DeliveryInput | null;
  },
): Promise<void> {
  await setReceiver(trx, runtime, { instanceId: instance.id, delivery });
  const data = {
    agent_slug: instance.agentSlug,
    agent_instance_name: instance.name,
    ...(delivery && { receiver_host: hostIn(delivery) }),
  };
  const eventType = delivery ? 'agent_instance.receiver_set' : 'agent_instance.receiver_removed';
  await insertAuditEvents(trx, instance.organizationId, {
    events: [{ eventType, actor: actorOf(principal), subjectId: instance.id, data }],
  });
}

/** Host and port, for the audit log. */
const hostIn = ({ url }: DeliveryInput): string => new URL(url).host;

const shownOf = ({ url, registration_id: registrationId }: DeliveryInput): Receiver => ({
  url,
  registrationId,
});

/** A token that is revoked meanwhile does nothing. */
async function useToken(
  trx: Trx,
  { organizationId, provisionerId }: ProvisionerPrincipal,
): Promise<void> {
  if (!(await useAgentProvisioner(trx, organizationId, provisionerId)))
    throw new AppError('authentication_required');
}

/** Key order, white space and the spelling of numbers do not matter. */
function hashOf(compared: Parameters<typeof canonicalJson>[0]): Buffer {
  return createHash('sha256').update(canonicalJson(compared)).digest();
}
