/** Keys whose request was withdrawn before it was made: for a day none is made. */
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { lockAccessShared } from '../organization/organizations.ts';
import { queryOne, queryRow } from '../../platform/rows.ts';

/** SQL: whether the key was withdrawn. */
export const IS_WITHDRAWN = `exists (
  select from withdrawn_keys w
   where w.agent_instance_id = :instance and w.idempotency_key = :key and w.withdrawn_at > clock_timestamp() - interval '1 day')`;

export interface KeyOfInstance {
  readonly instance: string;
  readonly key: string;
}

export async function isWithdrawn(db: Db, { instance, key }: KeyOfInstance): Promise<boolean> {
  const row = await queryOne<{ isWithdrawn: boolean }>(
    db,
    `select ${IS_WITHDRAWN} as is_withdrawn`,
    {
      instance,
      key,
    },
  );
  return row.isWithdrawn;
}

/** Requests of the instance that are being made are written before this returns, and others wait. */
export async function lockInstanceToWithdraw(trx: Trx, instance: string): Promise<void> {
  await trx.raw('select from agent_instances where id = :instance for update', { instance });
}

/** No key of the instance is withdrawn until the transaction ends. In the order in which a create locks. */
export async function lockAgainstWithdrawals(
  trx: Trx,
  {
    organizationId,
    agentSlug,
    instanceId,
  }: Pick<AgentPrincipal, 'organizationId' | 'agentSlug' | 'instanceId'>,
): Promise<void> {
  const bindings = { organizationId, agentSlug, instanceId };
  await lockAccessShared(trx, organizationId);
  await trx.raw(
    'select from agents where organization_id = :organizationId and slug = :agentSlug for share',
    bindings,
  );
  await trx.raw('select from agent_instances where id = :instanceId for key share', bindings);
}

/**
 * Under that lock, when the key has no request. A statement that began before the commit does not see
 * the key, but it notices that the count is another one.
 */
export async function withdrawKey(trx: Trx, { instance, key }: KeyOfInstance): Promise<void> {
  await queryRow(
    trx,
    `with counted as (update agent_instances set withdrawals = withdrawals + 1 where id = :instance)
     insert into withdrawn_keys (agent_instance_id, idempotency_key, withdrawn_at)
     values (:instance, :key, clock_timestamp())
     on conflict on constraint withdrawn_keys_pkey do update set withdrawn_at = excluded.withdrawn_at`,
    { instance, key },
  );
}

/** Deletes up to `most` keys older than a day. Returns how many. */
export async function deleteOldWithdrawals(db: Db, most: number): Promise<number> {
  return await db('withdrawn_keys')
    .whereRaw(
      `(agent_instance_id, idempotency_key) in (
         select agent_instance_id, idempotency_key from withdrawn_keys
          where withdrawn_at < clock_timestamp() - interval '1 day'
          order by withdrawn_at limit :most for update skip locked)`,
      { most },
    )
    .delete();
}
