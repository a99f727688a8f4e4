/**
 * Secrets that must be readable again, encrypted with AES-256-GCM under the deployment's secrets
 * key. Each value carries the id of its key. So the key can be replaced while the old one still
 * opens values.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

export interface SealedSecret {
  /** First 16 hex characters of the SHA-256 of the key. */
  readonly keyId: string;
  /** Nonce (12 bytes), tag (16 bytes), ciphertext. */
  readonly sealed: Buffer;
}

export interface SecretBox {
  /** The key that seals new values. */
  readonly keyId: string;
  /** Whether it opens what was sealed under this key. */
  knows(keyId: string): boolean;
  /**
   * `purpose` names the value and its owner, such as `totp:<user id>`. A value that was moved does
   * not open.
   */
  seal(secret: Buffer, purpose: string): SealedSecret;
  /** Throws when the key is unknown, or the value was changed or moved. */
  open(value: SealedSecret, purpose: string): Buffer;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys are 32 bytes in base64: the one that seals, and earlier ones that still open values. */
export function openSecretBox(key: string, previous: readonly string[]): SecretBox {
  const keys = new Map([key, ...previous].map((text) => keyEntry(text)));
  const [keyId, current] = keyEntry(key);
  return {
    keyId,
    knows: (id) => keys.has(id),
    seal: (secret, purpose) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(purpose));
      const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
      return { keyId, sealed: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]) };
    },
    open: ({ keyId: sealedUnder, sealed }, purpose) => {
      const opening = keys.get(sealedUnder);
      if (!opening)
        throw new Error(`the secrets key ${sealedUnder} is not among those of this deployment`);
      const decipher = createDecipheriv('aes-256-gcm', opening, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher
        .setAAD(Buffer.from(purpose))
        .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([
        decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]);
    },
  };
}

function keyEntry(text: string): readonly [string, Buffer] {
  const key = Buffer.from(text, 'base64');
  return [createHash('sha256').update(key).digest('hex').slice(0, 16), key];
}
