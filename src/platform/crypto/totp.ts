/**
 * One-time codes of authenticator apps (RFC 6238): six digits, a new code every 30 seconds, by
 * SHA-1, which all apps support.
 */
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const SEED_BYTES = 20;
const PERIOD_S = 30;
const WINDOW_STEPS = 1;

export function newTotpSeed(): Buffer {
  return randomBytes(SEED_BYTES);
}

/** What the app needs: the seed in base32, and the same with its labels as an `otpauth://` URI. */
export function describeTotp(
  seed: Buffer,
  labels: { readonly issuer: string; readonly account: string },
): { secret: string; uri: string } {
  const totp = totpOf(seed, { issuer: labels.issuer, label: labels.account });
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * The 30-second step of this code, counted from 1970: that of `now`, the one before or the one
 * after. Otherwise undefined.
 */
export function totpStep(seed: Buffer, code: string, now: Date): number | undefined {
  const distance = totpOf(seed).validate({
    token: code,
    timestamp: now.getTime(),
    window: WINDOW_STEPS,
  });
  return distance === null ? undefined : Math.floor(now.getTime() / 1_000 / PERIOD_S) + distance;
}

function totpOf(
  seed: Buffer,
  labels: { readonly issuer?: string; readonly label?: string } = {},
): TOTP {
  const buffer = new Uint8Array(seed).buffer;
  return new TOTP({
    ...labels,
    secret: new Secret({ buffer }),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_S,
  });
}
