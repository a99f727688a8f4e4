/**
 * Tokens kept so that a repeated call returns them again. Each is sealed under a key derived from the
 * token that the call presents, of a provisioner or of OAuth. The service keeps only a hash of that
 * token, so it can open the value during such a call and at no other time.
 */
import { hkdfSync } from 'node:crypto';
import { openSecretBox, type SecretBox } from '../../platform/crypto/secret-box.ts';

/** Part of every key: other text would open nothing that is kept. */
const USE = 'countersign: answers to a provisioner';
const KEY_BYTES = 32;

/** The key derived from the secret of the presented token. */
export function responseKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', USE, KEY_BYTES));
}

/** `owner`: the id of what the token belongs to. A value that was moved does not open. */
export function sealResponse(key: Buffer, token: string, owner: string): Buffer {
  return boxOf(key).seal(Buffer.from(token), owner).sealed;
}

/** Throws when the key is another one, or the value was changed or moved. */
export function openResponse(key: Buffer, sealed: Buffer, owner: string): string {
  const box = boxOf(key);
  return box.open({ keyId: box.keyId, sealed }, owner).toString();
}

const boxOf = (key: Buffer): SecretBox => openSecretBox(key.toString('base64'), []);
