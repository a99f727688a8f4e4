import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ensureSecretFile, readSecretFile } from '../../../src/platform/crypto/secret-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-secret-'));
  file = join(folder, 'new', 'secret');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function ensured(): Promise<string | undefined> {
  await ensureSecretFile(file);
  return await readSecretFile(file);
}

test('all who start at once read one secret, which stays', async () => {
  const secrets = await Promise.all(Array.from({ length: 40 }, ensured));
  expect(secrets[0]).toMatch(/^[\w-]{43}$/);
  expect(new Set(secrets).size).toBe(1);
  expect(await ensured()).toBe(secrets[0]);
});

test('only the file of the secret stays, and only its owner can read it', async () => {
  await ensured();
  expect(readdirSync(join(folder, 'new'))).toEqual(['secret']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an empty file gets a secret, and a secret of the operator stays', async () => {
  file = join(folder, 'secret');
  writeFileSync(file, '\n');
  expect(await ensured()).toMatch(/^[\w-]{43}$/);
  writeFileSync(file, ' chosen \n');
  expect(await ensured()).toBe('chosen');
});
