/** The key that `start` signs the audit log with, beside its own Postgres: the file `audit-key` (0600). */
import { join } from 'node:path';
import type { Config } from '../src/platform/config.ts';
import { ensureSecretFile, readSecretFile } from '../src/platform/crypto/secret-file.ts';
import { openSigningKey, type SigningKey } from '../src/platform/crypto/signing-key.ts';
import { OperatorError } from '../src/platform/operator-error.ts';

const fileIn = ({ dataDirectory }: Config): string => join(dataDirectory, 'audit-key');

/** Creates it when it is missing. Throws OperatorError for a file that holds no key. */
export async function ensureOwnAuditKey(config: Config): Promise<string> {
  await ensureSecretFile(fileIn(config));
  return (await readOwnAuditKey(config)) ?? '';
}

/** The configured key, or that of the file. Undefined when there is none. Throws OperatorError for a file that holds no key. */
export async function auditKeyOf(config: Config, isOwn: boolean): Promise<SigningKey | undefined> {
  const key = config.auditKey ?? (isOwn ? await readOwnAuditKey(config) : undefined);
  return key === undefined ? undefined : openSigningKey(key);
}

async function readOwnAuditKey(config: Config): Promise<string | undefined> {
  const file = fileIn(config);
  const key = await readSecretFile(file);
  if (key === undefined || openSigningKey(key)) return key;
  throw new OperatorError(
    `${file} holds no Ed25519 key (32 bytes in base64). Put it back from a backup, or remove it to get a new one.`,
  );
}
