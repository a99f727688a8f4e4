import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { anyCharacter } from '../../support/characters.ts';

const key = () => randomBytes(32).toString('base64');
const [current, earlier, stranger] = [key(), key(), key()];
const box = openSecretBox(current, [earlier]);
const secret = Buffer.from('the seed of an authenticator app');

describe('a secret box', () => {
  test('opens what it sealed, for any content and purpose', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 500 }),
        fc.string({ unit: anyCharacter }),
        (bytes, purpose) => {
          expect(box.open(box.seal(Buffer.from(bytes), purpose), purpose)).toEqual(
            Buffer.from(bytes),
          );
        },
      ),
    );
  });

  test('seals the same secret differently each time, and reveals nothing of it', () => {
    const [first, second] = [box.seal(secret, 'totp:1'), box.seal(secret, 'totp:1')];
    expect(first.sealed.equals(second.sealed)).toBe(false);
    expect(first.sealed.includes(secret.subarray(0, 12))).toBe(false);
    expect(first.sealed.length).toBe(12 + 16 + secret.length);
  });

  test('opens nothing that was changed in a single bit or truncated', () => {
    const { keyId, sealed } = box.seal(secret, 'totp:1');
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => box.open({ keyId, sealed: changed }, 'totp:1')).toThrow();
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => box.open({ keyId, sealed: sealed.subarray(0, length) }, 'totp:1')).toThrow();
    }
  });

  test('opens nothing that was moved to another owner or purpose', () => {
    const value = box.seal(secret, 'totp:1');
    for (const purpose of ['totp:2', 'totp:', '', 'webhook:1'])
      expect(() => box.open(value, purpose)).toThrow();
  });

  test('opens what earlier keys sealed, seals under the current one, and knows no others', () => {
    const old = openSecretBox(earlier, []).seal(secret, 'totp:1');
    expect(box.open(old, 'totp:1')).toEqual(secret);
    expect(box.seal(secret, 'totp:1').keyId).toBe(openSecretBox(current, []).keyId);
    const foreign = openSecretBox(stranger, []).seal(secret, 'totp:1');
    expect([box.knows(box.keyId), box.knows(old.keyId), box.knows(foreign.keyId)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(() => box.open(foreign, 'totp:1')).toThrow(foreign.keyId);
    // Another key with the name of a known key is still another key.
    expect(() => box.open({ ...foreign, keyId: box.keyId }, 'totp:1')).toThrow();
  });

  test('accepts a key with or without padding, in either alphabet of base64, as the same key', () => {
    const bytes = randomBytes(32);
    const ids = [
      bytes.toString('base64'),
      bytes.toString('base64').replace('=', ''),
      bytes.toString('base64url'),
    ].map((text) => openSecretBox(text, []).keyId);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
  });
});
