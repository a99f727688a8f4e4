/**
 * Hashing takes too long for a transaction. So a password is verified before it, and the
 * transaction checks that the hash is still current.
 */
import { AppError } from '../../domain/errors.ts';
import { lockPassword } from '../../data/sign-in/passwords.ts';
import { verifyPassword } from '../../platform/crypto/passwords.ts';
import type { Trx } from '../../platform/postgres.ts';

/**
 * The hash, when the password matches it. It takes the same time otherwise, and without a hash.
 * `onBehalfOf`: as in `verifyPassword`.
 */
export async function verifiedHash(
  password: string,
  passwordHash: string | null | undefined,
  onBehalfOf: string,
): Promise<string | undefined> {
  const correct = await verifyPassword(password, passwordHash ?? undefined, onBehalfOf);
  return correct ? (passwordHash ?? undefined) : undefined;
}

/** 401 when the password changed since. The row stays locked until the transaction ends. */
export async function requirePasswordStill(
  trx: Trx,
  userId: string,
  verified: string,
): Promise<void> {
  if ((await lockPassword(trx, userId, 'verify')) !== verified)
    throw new AppError('invalid_credentials');
}
