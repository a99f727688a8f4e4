/** Keys that sign, in the forms that people have them in. */
import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  newSigningKey,
  openSigningKey,
  readPublicKey,
  verifierOf,
} from '../../../src/platform/crypto/signing-key.ts';

const bytes = Buffer.from('what is signed');

test('a key of 32 bytes signs what its public key verifies, and nothing else', () => {
  const key = openSigningKey(newSigningKey());
  const other = openSigningKey(newSigningKey());
  if (!key || !other) throw new Error('a new key must open');
  const signature = key.sign(bytes);
  expect(verifierOf(key)(bytes, signature)).toBe(true);
  expect(verifierOf(other)(bytes, signature)).toBe(false);
  expect(verifierOf(key)(Buffer.from('what is not'), signature)).toBe(false);
});

test('keys as other programs write them are the same keys', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const seed = pkcs8.subarray(-32);
  const ids = [
    openSigningKey(pkcs8.toString('base64'))?.id,
    openSigningKey(seed.toString('base64'))?.id,
    openSigningKey(seed.toString('base64url'))?.id,
    readPublicKey(spki.toString('base64'))?.id,
    readPublicKey(spki.subarray(-32).toString('base64'))?.id,
    readPublicKey(pem)?.id,
  ];
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
});

test('anything else is no key', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  for (const text of ['', 'secret', `${'A'.repeat(42)}=`, '!'.repeat(44), 'AA'.repeat(40)])
    expect(openSigningKey(text)).toBeUndefined();
  expect(
    openSigningKey(rsa.export({ format: 'der', type: 'pkcs8' }).toString('base64')),
  ).toBeUndefined();
  expect(readPublicKey('AAAA')).toBeUndefined();
});
