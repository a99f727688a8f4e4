/** A secret in a file that only the operator can read. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a new secret (0600) to a temporary file and links it, so that readers see all of it. A
 * secret that exists stays, also one that another process wrote meanwhile.
 */
export async function ensureSecretFile(file: string): Promise<void> {
  if ((await readSecretFile(file)) !== undefined) return;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const secret = randomBytes(32).toString('base64url');
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600 });
  try {
    await link(draft, file);
  } catch {
    // An empty file is no secret, and another process's secret stays.
    if ((await readSecretFile(file)) === undefined) await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Without surrounding white space; undefined when there is none to read. */
export async function readSecretFile(file: string): Promise<string | undefined> {
  const secret = (await readFile(file, 'utf8').catch(() => '')).trim();
  return secret === '' ? undefined : secret;
}
