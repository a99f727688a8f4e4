/** Recovery codes of people, stored as SHA-256 hashes. */
import type { Db } from '../../platform/postgres.ts';

export async function insertRecoveryCodes(
  db: Db,
  userId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await db('recovery_codes').insert(hashes.map((hash) => ({ user_id: userId, code_hash: hash })));
}

/** Returns true only for the one call that used up the code. */
export async function useRecoveryCode(db: Db, userId: string, hash: Buffer): Promise<boolean> {
  const changed = await db('recovery_codes')
    .where({ user_id: userId, code_hash: hash })
    .whereNull('used_at')
    .update({ used_at: db.raw('clock_timestamp()') });
  return changed === 1;
}

export async function countUnusedRecoveryCodes(db: Db, userId: string): Promise<number> {
  const [row] = (await db('recovery_codes')
    .where({ user_id: userId })
    .whereNull('used_at')
    .count({ left: '*' })) as { left: number }[];
  return row?.left ?? 0;
}

export async function deleteRecoveryCodes(db: Db, userId: string): Promise<void> {
  await db('recovery_codes').where({ user_id: userId }).delete();
}
