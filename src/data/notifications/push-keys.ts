/** The one key pair with which this deployment signs push messages. */
import type { StoredPushKey } from '../../domain/notifications/push-subscriptions.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';

interface KeyRow {
  readonly id: string;
  readonly publicKey: string;
  readonly sealed: Buffer;
  readonly keyId: string;
}

export async function findPushKey(db: Db): Promise<StoredPushKey | undefined> {
  const row = await queryRow<KeyRow>(
    db,
    'select id, public_key, secret as sealed, secret_key_id as key_id from push_keys',
  );
  return (
    row && {
      id: row.id,
      publicKey: row.publicKey,
      privateKey: { sealed: row.sealed, keyId: row.keyId },
    }
  );
}

/** Does nothing when there is a key. */
export async function insertPushKey(
  db: Db,
  { id, publicKey, privateKey }: StoredPushKey,
): Promise<void> {
  await db.raw(
    `insert into push_keys (id, public_key, secret, secret_key_id, created_at)
     values (:id, :publicKey, :sealed, :keyId, clock_timestamp())
     on conflict do nothing`,
    { id, publicKey, ...privateKey },
  );
}
