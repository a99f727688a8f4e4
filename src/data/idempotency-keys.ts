/** Which resource a call with an Idempotency-Key made, so that a repetition makes no second one. */
import type { Trx } from '../platform/postgres.ts';
import { queryRow } from '../platform/rows.ts';

export interface IdempotencyKey {
  /** The operation's id. Keys of different operations are independent. */
  readonly operation: string;
  readonly key: string;
}

interface KeptOutcome {
  /** SHA-256 of the compared parameters. */
  readonly parametersHash: Buffer;
  readonly resourceId: string;
}

/** Call it under a lock that also holds up a repetition of the call, see `lockAccess`. */
export async function findOutcome(
  trx: Trx,
  organizationId: string,
  { operation, key }: IdempotencyKey,
): Promise<KeptOutcome | undefined> {
  return await queryRow<KeptOutcome>(
    trx,
    `select parameters_hash, resource_id from idempotency_keys
      where organization_id = :organizationId and operation = :operation and key = :key`,
    { organizationId, operation, key },
  );
}

export async function keepOutcome(
  trx: Trx,
  organizationId: string,
  outcome: IdempotencyKey & KeptOutcome,
): Promise<void> {
  await trx('idempotency_keys').insert({
    organization_id: organizationId,
    operation: outcome.operation,
    key: outcome.key,
    parameters_hash: outcome.parametersHash,
    resource_id: outcome.resourceId,
    created_at: trx.raw('clock_timestamp()'),
  });
}
