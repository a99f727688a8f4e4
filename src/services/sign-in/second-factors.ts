/** Checks codes of a second factor. Each code works once, also in concurrent calls. */
import { hashTypedCode, readCode, type SecondFactor } from '../../domain/sign-in/second-factors.ts';
import { AppError } from '../../domain/errors.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { SEALED_FOR, type StoredSecret } from '../../domain/sealed-secrets.ts';
import { readClock } from '../../data/clock.ts';
import { useRecoveryCode } from '../../data/sign-in/recovery-codes.ts';
import {
  findTotpFactor,
  lockTotpFactor,
  markTotpStepUsed,
} from '../../data/sign-in/totp-factors.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { SealedSecret } from '../../platform/crypto/secret-box.ts';
import { totpStep } from '../../platform/crypto/totp.ts';
import type { Runtime, ServiceContext } from '../context.ts';
import { countTotpCode, deleteTotpCodes } from '../access/sign-in-attempts.ts';

interface Presented {
  readonly userId: string;
  readonly typed: string;
}

/**
 * Runs `judge` on a code in its transaction. It first counts wrong codes of authenticator apps (429
 * `rate_limited`) on its own connection, so that a rollback keeps the count. `judge` returns
 * undefined for a wrong code.
 */
export async function tryCode<T>(
  context: ServiceContext,
  { userId, typed }: Presented,
  judge: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const counted = readCode(typed).kind === 'totp';
  if (counted) await countTotpCode(context, userId);
  const outcome = await judge();
  if (counted && outcome !== undefined) await deleteTotpCodes(context, userId);
  return outcome;
}

/**
 * Uses the code and returns its kind; undefined when it is wrong or already used. Call it within
 * `tryCode`.
 */
export async function acceptCode(
  trx: Trx,
  runtime: Runtime,
  { userId, typed }: Presented,
): Promise<SecondFactor | undefined> {
  const { kind, code } = readCode(typed);
  if (kind === 'recovery_code')
    return (await useRecoveryCode(trx, userId, hashTypedCode(code))) ? kind : undefined;
  const factor = await lockTotpFactor(trx, userId);
  if (!factor?.confirmedAt) return undefined;
  const step = await matchingStep(trx, runtime, { userId, seed: factor, code });
  if (step === undefined || (factor.lastUsedStep !== null && step <= factor.lastUsedStep))
    return undefined;
  await markTotpStepUsed(trx, userId, step);
  return kind;
}

/**
 * For re-authentication by password alone: allowed for sessions that already had the second factor
 * and for people without one. Throws 403 `mfa_required` otherwise, since a stolen password alone
 * must not be enough.
 */
export async function requirePasswordEnough(
  db: Db,
  { userId, auth }: MemberPrincipal,
): Promise<void> {
  if (auth.assurance === 'strong' || !(await findTotpFactor(db, userId))?.confirmedAt) return;
  throw new AppError('mfa_required', {
    detail: 'You have a second factor: authenticate again with one of its codes.',
  });
}

/**
 * The time step whose code this is, by the database's clock. 501 `secrets_key_missing`; 500 for a
 * damaged seed.
 */
export async function matchingStep(
  db: Db,
  runtime: Runtime,
  {
    userId,
    seed,
    code,
  }: { readonly userId: string; readonly seed: StoredSecret; readonly code: string },
): Promise<number | undefined> {
  return totpStep(openSeed(runtime, userId, seed), code, await readClock(db));
}

function openSeed({ secrets }: Runtime, userId: string, { keyId, sealed }: StoredSecret): Buffer {
  if (!secrets?.knows(keyId))
    throw new AppError('secrets_key_missing', { internal: { userId, keyId } });
  try {
    return secrets.open({ keyId, sealed }, SEALED_FOR.totp(userId));
  } catch (cause) {
    // No key helps: the value was changed or belongs to another person.
    throw new AppError('internal_error', { cause, internal: { userId, keyId } });
  }
}

export function sealSeed({ secrets }: Runtime, userId: string, seed: Buffer): SealedSecret {
  if (!secrets) throw new AppError('secrets_key_missing');
  return secrets.seal(seed, SEALED_FOR.totp(userId));
}
