/** Authenticator apps of people: the sealed seed, and the last code that was used. */
import type { StoredSecret } from '../../domain/sealed-secrets.ts';
import type { TotpFactor } from '../../domain/sign-in/second-factors.ts';
import type { Db, Trx } from '../../platform/postgres.ts';

const COLUMNS = {
  sealed: 'secret',
  keyId: 'secret_key_id',
  lastUsedStep: 'last_used_step',
  confirmedAt: 'confirmed_at',
};

export async function findTotpFactor(db: Db, userId: string): Promise<TotpFactor | undefined> {
  return (await db('totp_factors').where({ user_id: userId }).first(COLUMNS)) as
    TotpFactor | undefined;
}

/** Locks the factor until the end of the transaction. */
export async function lockTotpFactor(trx: Trx, userId: string): Promise<TotpFactor | undefined> {
  return (await trx('totp_factors').where({ user_id: userId }).forUpdate().first(COLUMNS)) as
    TotpFactor | undefined;
}

/** Replaces an unconfirmed factor, if there is one. Returns false when a confirmed one exists. */
export async function putUnconfirmedTotpFactor(
  db: Db,
  userId: string,
  seed: StoredSecret,
): Promise<boolean> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `insert into totp_factors as f (user_id, secret, secret_key_id, created_at)
     values (:userId, :sealed, :keyId, clock_timestamp())
     on conflict (user_id) do update
        set secret = excluded.secret, secret_key_id = excluded.secret_key_id, created_at = excluded.created_at
      where f.confirmed_at is null`,
    { userId, sealed: seed.sealed, keyId: seed.keyId },
  );
  return rowCount === 1;
}

/** `step`: the step of the confirming code, which cannot be used again. */
export async function confirmTotpFactor(trx: Trx, userId: string, step: number): Promise<void> {
  await trx('totp_factors')
    .where({ user_id: userId })
    .update({ confirmed_at: trx.raw('clock_timestamp()'), last_used_step: step });
}

export async function markTotpStepUsed(trx: Trx, userId: string, step: number): Promise<void> {
  await trx('totp_factors').where({ user_id: userId }).update({ last_used_step: step });
}

export async function deleteTotpFactor(db: Db, userId: string): Promise<void> {
  await db('totp_factors').where({ user_id: userId }).delete();
}
