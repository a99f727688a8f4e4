/** Ed25519: a private key as an operator configures it, and public keys as they are published. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  randomBytes,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';

export interface PublicKey {
  /** First 16 hex characters of the SHA-256 of the public key. */
  readonly id: string;
  /** 32 bytes. */
  readonly publicKey: Buffer;
}

export interface SigningKey extends PublicKey {
  /** 64 bytes. */
  sign(bytes: Buffer): Buffer;
}

const KEY_BYTES = 32;
/** What stands before the key itself in DER. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** A seed of 32 bytes or PKCS#8, in base64. Undefined when it is neither. */
export function openSigningKey(text: string): SigningKey | undefined {
  const bytes = bytesAfter(PKCS8, text);
  if (!bytes) return undefined;
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, bytes]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return { ...publicKeyOf(spki.subarray(SPKI.length)), sign: (signed) => sign(null, signed, key) };
}

/** A new private key, in base64. */
export function newSigningKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** 32 bytes or SPKI, in base64, or SPKI as PEM. Undefined when it is neither. */
export function readPublicKey(text: string): PublicKey | undefined {
  const bytes = bytesAfter(SPKI, text.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
  return bytes && publicKeyOf(bytes);
}

export function publicKeyOf(publicKey: Buffer): PublicKey {
  const id = createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
  return { id, publicKey };
}

/** A function that tells whether a signature of these bytes is from this key. */
export function verifierOf({
  publicKey,
}: PublicKey): (bytes: Buffer, signature: Buffer) => boolean {
  const key: KeyObject = createPublicKey({
    key: Buffer.concat([SPKI, publicKey]),
    format: 'der',
    type: 'spki',
  });
  return (bytes, signature) => verify(null, bytes, key, signature);
}

/** The key in base64, alone or after the prefix. */
function bytesAfter(prefix: Buffer, text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === KEY_BYTES) return bytes;
  const isPrefixed =
    bytes.length === prefix.length + KEY_BYTES && bytes.subarray(0, prefix.length).equals(prefix);
  return isPrefixed ? bytes.subarray(prefix.length) : undefined;
}
