/** Hashing takes too long for a transaction: a password is verified before, and the one that acts asks whether it is still that one. */
import { AppError } from '../../domain/errors.ts';
import { lockPassword } from '../../data/sign-in/passwords.ts';
import { verifyPassword } from '../../platform/crypto/passwords.ts';
import type { Db } from '../../platform/postgres.ts';

/** The hash, when the password is of it. Takes the same time when it is not, and without a hash. `onBehalfOf`: as in `verifyPassword`. */
export async function verifiedHash(
  password: string,
  passwordHash: string | null | undefined,
  onBehalfOf: string,
): Promise<string | undefined> {
  const correct = await verifyPassword(password, passwordHash ?? undefined, onBehalfOf);
  return correct ? (passwordHash ?? undefined) : undefined;
}

/** 401 when the password was changed since, and a change ends what the old one opened. It stays until the transaction ends. */
export async function requirePasswordStill(
  trx: Db,
  userId: string,
  verified: string,
): Promise<void> {
  if ((await lockPassword(trx, userId, 'verify')) !== verified)
    throw new AppError('invalid_credentials');
}
