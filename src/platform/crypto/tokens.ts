/**
 * Bearer tokens `<prefix>_<id>_<secret>`: found by id, and compared in constant time by the SHA-256
 * of a secret of 32 random bytes. The secret has only letters and digits, so that a double click
 * selects all of it. A slow password hash would add nothing to 256 random bits and cost 70 ms a
 * call.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { v7 } from 'uuid';

export interface IssuedToken {
  readonly id: string;
  /** Shown once. */
  readonly token: string;
  /** What is stored. */
  readonly hash: Buffer;
}

export interface PresentedToken {
  readonly prefix: string;
  readonly id: string;
  readonly secret: string;
}

/** Older secrets are base64url and may contain `_` and `-`. They still work. */
const TOKEN =
  /^(wh[a-z])_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})_([A-Za-z0-9_-]{43})$/;

export function issueToken(prefix: string, id: string = v7()): IssuedToken {
  const secret = randomSecret();
  return { id, token: `${prefix}_${id}_${secret}`, hash: hashSecret(secret) };
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The fewest letters and digits that can write every number of 32 bytes: 62^43 > 2^256. */
const SECRET_LENGTH = 43;

/** 32 random bytes as a number in base 62, of fixed length. */
function randomSecret(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    secret = ALPHABET.charAt(Number(rest % 62n)) + secret;
    rest /= 62n;
  }
  return secret;
}

/**
 * The parts of a well-formed token, or undefined. It does not check whether the token was ever
 * issued.
 */
export function parseToken(token: string): PresentedToken | undefined {
  const match = TOKEN.exec(token);
  const [, prefix, id, secret] = match ?? [];
  return prefix && id && secret ? { prefix, id, secret } : undefined;
}

/** The row of the token, when it is of this kind and the secret matches. */
export async function findByToken<Row extends { readonly tokenHash: Buffer }>(
  token: PresentedToken | undefined,
  prefix: string,
  find: (id: string) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  if (token?.prefix !== prefix) return undefined;
  const row = await find(token.id);
  return row && secretMatches(token.secret, row.tokenHash) ? row : undefined;
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function secretMatches(secret: string, hash: Buffer): boolean {
  const presented = hashSecret(secret);
  return presented.length === hash.length && timingSafeEqual(presented, hash);
}
