/**
 * The secrets key that `start` stores next to its own Postgres: the file `secrets-key` (0600). While
 * a new key replaces it, `secrets-key.previous` has the earlier ones, one per line.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { listSealingKeyIds } from '../src/data/sealed-secrets.ts';
import { isSecretsKey } from '../src/platform/config-variables.ts';
import type { Config } from '../src/platform/config.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { openPool, type Db } from '../src/platform/postgres.ts';
import { openSecretBox } from '../src/platform/crypto/secret-box.ts';
import { requireReadableSecrets } from '../src/services/sealed-secrets.ts';

type Keys = Pick<Config, 'secretsKey' | 'previousSecretsKeys'>;

/**
 * The keys of this process. Throws OperatorError when they do not open the secrets in the database.
 * `own`: the database of `start`, whose key is in the data folder.
 */
export async function readableSecretsKeys(
  config: Config,
  { databaseUrl, own }: { databaseUrl: string; own: boolean },
): Promise<Keys> {
  const db = openPool({
    connectionString: databaseUrl,
    max: 1,
    applicationName: 'countersign-secrets',
  });
  try {
    const { secretsKey, previousSecretsKeys = [] } = own
      ? await ownSecretsKeys(config, db)
      : config;
    await requireReadableSecrets(
      db,
      secretsKey === undefined ? undefined : openSecretBox(secretsKey, previousSecretsKeys),
    );
    return { secretsKey, previousSecretsKeys };
  } finally {
    await db.destroy();
  }
}

const keyFile = (directory: string): string => join(directory, 'secrets-key');
const previousFile = (directory: string): string => join(directory, 'secrets-key.previous');

/**
 * The keys of a deployment on its own Postgres. A key in the environment comes first, then those in
 * the files. Without any, it creates one, but never next to values that it cannot open
 * (OperatorError names their keys).
 */
export async function ownSecretsKeys(config: Config, db: Db): Promise<Keys> {
  const { dataDirectory: directory, secretsKey, previousSecretsKeys = [] } = config;
  const files = [...readKeys(keyFile(directory)), ...readKeys(previousFile(directory))];
  const [current, ...previous] = [...(secretsKey === undefined ? [] : [secretsKey]), ...files];
  if (current !== undefined)
    return { secretsKey: current, previousSecretsKeys: [...previousSecretsKeys, ...previous] };
  const sealed = await listSealingKeyIds(db);
  if (sealed.length > 0) {
    throw new OperatorError(
      `The secrets key ${sealed.join(', ')} is missing: secrets in the database are encrypted under it, and no other key opens them. ` +
        `Put it back as ${keyFile(directory)} from a backup, or into COUNTERSIGN_SECRETS_KEY.`,
    );
  }
  const made = newKey();
  writeKeys(keyFile(directory), [made]);
  return { secretsKey: made, previousSecretsKeys };
}

/**
 * Replaces the key in the file and keeps the old one readable. A crash in between loses neither.
 */
export function replaceOwnSecretsKey({ dataDirectory: directory }: Config): void {
  writeKeys(previousFile(directory), [
    ...new Set([...readKeys(keyFile(directory)), ...readKeys(previousFile(directory))]),
  ]);
  writeKeys(keyFile(directory), [newKey()]);
}

/** Call it once nothing is encrypted under the earlier keys any more. */
export function deletePreviousSecretsKeys({ dataDirectory: directory }: Config): void {
  rmSync(previousFile(directory), { force: true });
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

function readKeys(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new OperatorError(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const keys = text.split(/\s+/).filter((line) => line !== '');
  if (keys.length > 0 && keys.every(isSecretsKey)) return keys;
  throw new OperatorError(
    `${path} holds no secrets key (32 bytes in base64). Put it back from a backup.`,
  );
}

/** Safely on the disk before anything is encrypted under it, and never partly written. */
function writeKeys(path: string, keys: readonly string[]): void {
  if (keys.length === 0) return;
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, keys.map((key) => `${key}\n`).join(''));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  const folder = openSync(join(path, '..'), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
