/** Answers to provisioner tokens, kept for seven days so that a repeated call gets the same. */
import type { AgentInstance } from '../../domain/agents/agent-instances.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';
import { INSTANCE_COLUMNS, toInstance, type AgentInstanceRow } from './agent-instances.ts';

/** An Idempotency-Key belongs to the token that the call presents. */
export interface ProvisionKey {
  readonly provisionerId: string;
  readonly key: string;
}

/** Makes calls with the same key wait for the end of the transaction that came first. */
export async function lockProvisionKey(
  trx: Trx,
  { provisionerId, key }: ProvisionKey,
): Promise<void> {
  await trx.raw(
    `select pg_advisory_xact_lock(hashtextextended('provisioned ' || :provisionerId || ' ' || :key, 0))`,
    { provisionerId, key },
  );
}

interface KeptInstance {
  readonly parametersHash: Buffer;
  readonly sealedToken: Buffer;
  readonly credentialId: string;
  readonly expiresAt: Date;
  readonly instance: AgentInstance;
}

type KeptRow = Omit<KeptInstance, 'instance'> & AgentInstanceRow;

/** The instance as it is now. Undefined after seven days. Call it under `lockProvisionKey`. */
export async function findProvisionedInstance(
  trx: Trx,
  { provisionerId, key }: ProvisionKey,
): Promise<KeptInstance | undefined> {
  const row = await queryRow<KeptRow>(
    trx,
    `select k.parameters_hash, k.sealed_token, c.id as credential_id, c.expires_at,
            ${INSTANCE_COLUMNS}
       from provisioned_instances k
       join agent_credentials c on c.id = k.agent_credential_id
       join agent_instances i on i.id = c.agent_instance_id
      where k.agent_provisioner_id = :provisionerId and k.key = :key
        and k.created_at > clock_timestamp() - interval '7 days'`,
    { provisionerId, key },
  );
  if (!row) return undefined;
  const { parametersHash, sealedToken, credentialId, expiresAt, ...instance } = row;
  return { parametersHash, sealedToken, credentialId, expiresAt, instance: toInstance(instance) };
}

/** Replaces an answer older than seven days. */
export async function keepProvisionedInstance(
  trx: Trx,
  { provisionerId, key }: ProvisionKey,
  kept: Pick<KeptInstance, 'parametersHash' | 'sealedToken' | 'credentialId'>,
): Promise<void> {
  await trx('provisioned_instances')
    .insert({
      agent_provisioner_id: provisionerId,
      key,
      parameters_hash: kept.parametersHash,
      agent_credential_id: kept.credentialId,
      sealed_token: kept.sealedToken,
      created_at: trx.raw('clock_timestamp()'),
    })
    .onConflict(['agent_provisioner_id', 'key'])
    .merge();
}

/** Deletes up to `most` answers older than seven days. Returns how many. */
export async function deleteOldProvisionedInstances(db: Db, most: number): Promise<number> {
  return await db('provisioned_instances')
    .whereRaw(
      `(agent_provisioner_id, key) in (
         select agent_provisioner_id, key from provisioned_instances
          where created_at < clock_timestamp() - interval '7 days'
          order by created_at limit :most for update skip locked)`,
      { most },
    )
    .delete();
}
