/** A secret in a file that only the operator can read. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a new secret (0600) to a temporary file and renames it, so that readers see all of it. An
 * existing file stays.
 */
export async function ensureSecretFile(file: string): Promise<void> {
  if ((await readSecretFile(file)) !== undefined) return;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const secret = randomBytes(32).toString('base64url');
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600 });
  await rename(draft, file);
}

/** Without surrounding white space; undefined when there is none to read. */
export async function readSecretFile(file: string): Promise<string | undefined> {
  const secret = (await readFile(file, 'utf8').catch(() => '')).trim();
  return secret === '' ? undefined : secret;
}
