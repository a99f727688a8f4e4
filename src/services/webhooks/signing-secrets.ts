/** Secrets that sign what is posted: made, sealed for their owner, and opened again. */
import type { StoredSecret, StoredSigningSecrets } from '../../domain/sealed-secrets.ts';
import { parseDuration } from '../../domain/durations.ts';
import { AppError } from '../../domain/errors.ts';
import type { SealedSecret, SecretBox } from '../../platform/crypto/secret-box.ts';
import { newSigningSecret } from '../../platform/crypto/webhook-signature.ts';
import type { Runtime } from '../context.ts';

export interface MadeSecret {
  /** Returned once. */
  readonly secret: string;
  readonly sealed: SealedSecret;
}

/** `purpose`: one of `SEALED_FOR`. Throws 501 `secrets_key_missing`. */
export function makeSigningSecret(
  { secrets }: Pick<Runtime, 'secrets'>,
  purpose: string,
): MadeSecret {
  if (!secrets) throw new AppError('secrets_key_missing');
  const secret = newSigningSecret();
  return { secret, sealed: secrets.seal(Buffer.from(secret), purpose) };
}

/** Undefined when its key is not configured, or the stored value was changed or moved. */
export function openSigningSecret(
  secrets: SecretBox,
  stored: StoredSecret,
  purpose: string,
): string | undefined {
  try {
    return secrets.open(stored, purpose).toString();
  } catch {
    return undefined;
  }
}

/** The secret, and the one before it while that signs, too. Undefined when the secret does not open. */
export function openSigningSecrets(
  secrets: SecretBox,
  { previousSealed: sealed, previousKeyId: keyId, ...stored }: StoredSigningSecrets,
  purpose: string,
): readonly string[] | undefined {
  const secret = openSigningSecret(secrets, stored, purpose);
  if (secret === undefined) return undefined;
  const before = sealed && keyId !== null && openSigningSecret(secrets, { sealed, keyId }, purpose);
  return before ? [secret, before] : [secret];
}

/** Milliseconds. Without an overlap the old secret stops at once. */
export function overlapOf(overlap: string | undefined): number {
  return (overlap === undefined ? undefined : parseDuration(overlap)) ?? 0;
}
