/**
 * Bearer tokens `<prefix>_<id>_<secret><checksum>`: found by id, and compared in constant time by the SHA-256
 * of a secret of 32 random bytes. The secret has only letters and digits, so that a double click
 * selects all of it. A slow password hash would add nothing to 256 random bits and cost 70 ms a
 * call.
 * The checksum tells scanners, and us before a look-up, that a text is a token that was not cut or invented.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
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

/**
 * Older tokens have no checksum, and still older secrets are base64url, with `_` and `-`. Both still
 * work.
 */
const TOKEN =
  /^((wh[a-z])_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})_([A-Za-z0-9_-]{43}))([0-9A-Za-z]{6})?$/;

export function issueToken(prefix: string, id: string = v7()): IssuedToken {
  const secret = randomSecret();
  const text = `${prefix}_${id}_${secret}`;
  return { id, token: `${text}${checksumOf(text)}`, hash: hashSecret(secret) };
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The fewest letters and digits that can write every number of 32 bytes: 62^43 > 2^256. */
const SECRET_LENGTH = 43;

/** 32 random bytes as a number in base 62, of fixed length. */
function randomSecret(): string {
  return inBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
}

/** The fewest letters and digits that can write every CRC-32: 62^6 > 2^32. */
const CHECKSUM_LENGTH = 6;

/** The CRC-32 of all that stands before it. */
function checksumOf(text: string): string {
  return inBase62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

function inBase62(number: bigint, length: number): string {
  let rest = number;
  let text = '';
  while (text.length < length) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/**
 * The parts of a well-formed token, or undefined, also for a wrong checksum. It does not check whether the token was
 * ever issued.
 */
export function parseToken(token: string): PresentedToken | undefined {
  const match = TOKEN.exec(token);
  const [, text, prefix, id, secret, checksum] = match ?? [];
  if (!text || !prefix || !id || !secret) return undefined;
  return checksum === undefined || checksum === checksumOf(text)
    ? { prefix, id, secret }
    : undefined;
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
