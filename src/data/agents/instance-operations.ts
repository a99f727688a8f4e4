/**
 * What provisioner tokens did with an Idempotency-Key, kept for seven days so that a repeated call
 * gets the same response. While an attempt verifies a receiver, its row is a lease.
 */
import type { AgentInstance } from '../../domain/agents/agent-instances.ts';
import type { Receiver } from '../../domain/receivers/receivers.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';

/** An Idempotency-Key belongs to the token that the call presents, and to one operation. */
export interface OperationKey {
  readonly provisionerId: string;
  /** `create`, or `update` and the id of the instance. */
  readonly operation: string;
  readonly key: string;
}

/** Makes calls with the same key wait for the end of the transaction that came first. */
export async function lockOperation(
  trx: Trx,
  { provisionerId, operation, key }: OperationKey,
): Promise<void> {
  await trx.raw(
    `select pg_advisory_xact_lock(hashtextextended('operation ' || :provisionerId || ' ' || :operation || ' ' || :key, 0))`,
    { provisionerId, operation, key },
  );
}

/** What of an instance may change later, as the first response had it. */
export type ReturnedInstance = Pick<AgentInstance, 'name' | 'status' | 'lastSeenAt'> & {
  readonly delivery?: Receiver | undefined;
};

/** What a replay needs. */
export interface KeptOperation {
  readonly returned: ReturnedInstance;
  /** Of a new instance. */
  readonly credential?: {
    readonly id: string;
    readonly instanceId: string;
    readonly sealedToken: Buffer;
    readonly expiresAt: Date;
  };
}

export type FoundOperation = { readonly parametersHash: Buffer } & (
  | { readonly state: 'done'; readonly kept: KeptOperation }
  | {
      readonly state: 'leased' | 'ended';
      readonly leaseId: string;
      readonly failure: ErrorCode | null;
    }
);

interface StoredInstance {
  readonly name: string;
  readonly status: AgentInstance['status'];
  readonly last_seen_at: string;
  readonly delivery?: { readonly url: string; readonly registration_id: string };
}

interface OperationRow {
  readonly parametersHash: Buffer;
  /** JSON text. */
  readonly returned: string | null;
  readonly credentialId: string | null;
  readonly instanceId: string;
  readonly sealedToken: Buffer;
  readonly expiresAt: Date;
  readonly leaseId: string;
  readonly isLeased: boolean;
  readonly failure: ErrorCode | null;
}

/** Undefined after seven days. Call it under `lockOperation`. */
export async function findOperation(
  trx: Trx,
  key: OperationKey,
): Promise<FoundOperation | undefined> {
  const row = await queryRow<OperationRow>(
    trx,
    `select o.parameters_hash, o.instance_then as returned, c.id as credential_id, c.agent_instance_id as instance_id, o.sealed_token,
            c.expires_at, o.lease_id, coalesce(o.leased_until > clock_timestamp(), false) as is_leased, o.failure
       from instance_operations o
       left join agent_credentials c on c.id = o.agent_credential_id
      where o.agent_provisioner_id = :provisionerId and o.operation = :operation and o.key = :key
        and o.created_at > clock_timestamp() - interval '7 days'`,
    { ...key },
  );
  if (!row) return undefined;
  const { parametersHash, returned, credentialId, leaseId, failure } = row;
  if (!returned)
    return { parametersHash, state: row.isLeased ? 'leased' : 'ended', leaseId, failure };
  const { instanceId, sealedToken, expiresAt } = row;
  return {
    parametersHash,
    state: 'done',
    kept: {
      returned: returnedOf(JSON.parse(returned) as StoredInstance),
      ...(credentialId !== null && {
        credential: { id: credentialId, instanceId, sealedToken, expiresAt },
      }),
    },
  };
}

function returnedOf({
  delivery,
  last_seen_at: lastSeenAt,
  ...rest
}: StoredInstance): ReturnedInstance {
  return {
    ...rest,
    lastSeenAt: new Date(lastSeenAt),
    delivery: delivery && { url: delivery.url, registrationId: delivery.registration_id },
  };
}

interface Lease {
  readonly leaseId: string;
  readonly parametersHash: Buffer;
  readonly ms: number;
}

/** Marks that an attempt is at it. Replaces an attempt that ended, and what is older than seven days. */
export async function leaseOperation(
  trx: Trx,
  key: OperationKey,
  { leaseId, parametersHash, ms }: Lease,
): Promise<void> {
  await trx.raw(
    `insert into instance_operations as o
       (agent_provisioner_id, operation, key, parameters_hash, lease_id, leased_until, created_at)
     select :provisionerId, :operation, :key, :parametersHash, :leaseId, now + cast(:ms as integer) * interval '1 millisecond', now
       from clock_timestamp() as now
     on conflict on constraint instance_operations_pkey do update
       set parameters_hash = excluded.parameters_hash, lease_id = excluded.lease_id, leased_until = excluded.leased_until,
           created_at = excluded.created_at, failure = null, instance_then = null, agent_credential_id = null, sealed_token = null`,
    { ...key, leaseId, parametersHash, ms },
  );
}

/** Ends an attempt that failed. The key is unused again. */
export async function failOperation(
  db: Db,
  key: OperationKey,
  { leaseId, failure }: { readonly leaseId: string; readonly failure: ErrorCode },
): Promise<void> {
  await db.raw(
    `update instance_operations set failure = :failure, leased_until = null
      where agent_provisioner_id = :provisionerId and operation = :operation and key = :key and lease_id = :leaseId`,
    { ...key, leaseId, failure },
  );
}

/** Ends the lease, and replaces what is older than seven days. */
export async function keepOperation(
  trx: Trx,
  key: OperationKey,
  {
    parametersHash,
    returned: { name, status, lastSeenAt, delivery },
    credential,
  }: {
    readonly parametersHash: Buffer;
    readonly returned: ReturnedInstance;
    readonly credential?: { readonly id: string; readonly sealedToken: Buffer } | undefined;
  },
): Promise<void> {
  await trx.raw(
    `insert into instance_operations as o
       (agent_provisioner_id, operation, key, parameters_hash, instance_then, agent_credential_id, sealed_token, created_at)
     values (:provisionerId, :operation, :key, :parametersHash, cast(:returned as json), :credentialId, :sealedToken, clock_timestamp())
     on conflict on constraint instance_operations_pkey do update
       set parameters_hash = excluded.parameters_hash, instance_then = excluded.instance_then,
           agent_credential_id = excluded.agent_credential_id, sealed_token = excluded.sealed_token,
           created_at = excluded.created_at, lease_id = null, leased_until = null, failure = null`,
    {
      ...key,
      parametersHash,
      returned: JSON.stringify({
        name,
        status,
        last_seen_at: lastSeenAt,
        delivery: delivery && { url: delivery.url, registration_id: delivery.registrationId },
      }),
      credentialId: credential?.id ?? null,
      sealedToken: credential?.sealedToken ?? null,
    },
  );
}

/** Deletes up to `most` operations older than seven days. Returns how many. */
export async function deleteOldOperations(db: Db, most: number): Promise<number> {
  return await db('instance_operations')
    .whereRaw(
      `(agent_provisioner_id, operation, key) in (
         select agent_provisioner_id, operation, key from instance_operations
          where created_at < clock_timestamp() - interval '7 days'
          order by created_at limit :most for update skip locked)`,
      { most },
    )
    .delete();
}
