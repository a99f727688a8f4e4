/** Codes a person types as a second factor: six digits of an authenticator app, or a recovery code. */
import { createHash } from 'node:crypto';
import type { StoredSecret } from '../sealed-secrets.ts';

export interface TotpFactor extends StoredSecret {
  /** The 30-second step of the last used code. Codes of this step and earlier ones are refused. */
  readonly lastUsedStep: number | null;
  /** Null until the person has entered a code from the app. */
  readonly confirmedAt: Date | null;
}

export type SecondFactor = 'totp' | 'recovery_code';

export interface PresentedCode {
  readonly kind: SecondFactor;
  /** Normalized: no spaces or hyphens, upper case. */
  readonly code: string;
}

/** Crockford's base32: no letter in it looks like a digit or like another letter. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUP = 4;
const CODES = 10;
const BYTES_A_CODE = 10;

/** Random bytes `newRecoveryCodes` turns into a person's codes: 80 bits for each. */
export const RECOVERY_CODE_BYTES = CODES * BYTES_A_CODE;

/** Six digits are an app's code. Anything else is a recovery code. */
export function readCode(typed: string): PresentedCode {
  const code = typed.replaceAll(/[\s-]/g, '').toUpperCase();
  if (/^[0-9]{6}$/.test(code)) return { kind: 'totp', code };
  return { kind: 'recovery_code', code: code.replaceAll('O', '0').replaceAll(/[IL]/g, '1') };
}

/** A code such as `7KQ2-M3XA-9R0D-ZB5T` of ten bytes: four characters for each 20 bits. */
export function readableCode(random: Buffer): string {
  return inGroups(inBase32(random));
}

/** Ten codes such as `7KQ2-M3XA-9R0D-ZB5T`. */
export function newRecoveryCodes(random: Buffer): readonly string[] {
  if (random.length !== RECOVERY_CODE_BYTES)
    throw new Error(`recovery codes are made of ${RECOVERY_CODE_BYTES} random bytes`);
  return Array.from({ length: CODES }, (_, index) => {
    const bytes = random.subarray(index * BYTES_A_CODE, (index + 1) * BYTES_A_CODE);
    return readableCode(bytes);
  });
}

function inBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => ALPHABET.charAt(Number.parseInt(five, 2)))
    .join('');
}

function inGroups(text: string): string {
  return (text.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join('-');
}

/** The stored hash of a code, independent of how the person typed it. */
export function hashTypedCode(typed: string): Buffer {
  return createHash('sha256').update(readCode(typed).code).digest();
}
