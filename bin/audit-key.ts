/** The key that `start` signs the audit log with, next to its own Postgres: the file `audit-key` (0600). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../src/platform/config.ts';
import { signedEndsFrom } from '../src/domain/audit/signed-ends.ts';
import { KeptFileFailure, readKeptFile } from '../src/platform/crypto/kept-file.ts';
import { ensureSecretFile, readSecretFile } from '../src/platform/crypto/secret-file.ts';
import { openSigningKey, type SigningKey } from '../src/platform/crypto/signing-key.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import type { KeptEnds } from '../src/services/audit/signed-ends.ts';

/** What was signed last is kept next to the key (0600). */
export const ownSignedFile = ({ dataDirectory }: Config): string =>
  join(dataDirectory, 'audit-signed');

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

/** The file that says it. Undefined where there is none: a command makes none. */
export function signedFileOf(config: Config, isOwn: boolean): string | undefined {
  const file = config.auditSignedFile ?? (isOwn ? ownSignedFile(config) : undefined);
  return file !== undefined && existsSync(file) ? file : undefined;
}

/** What the service signed last of each chain, as this machine keeps it. Undefined when it keeps nothing. */
export async function keptSignedEnds(
  config: Config,
  isOwn: boolean,
): Promise<KeptEnds | undefined> {
  const file = signedFileOf(config, isOwn);
  const text = file && (await readKeptFile(file));
  if (file === undefined || text === undefined) return undefined;
  const ends = signedEndsFrom(text);
  if (ends) return ends;
  throw new KeptFileFailure(file, {
    problem: 'does not say what was signed',
    advice: 'Put it back from a backup.',
  });
}

async function readOwnAuditKey(config: Config): Promise<string | undefined> {
  const file = fileIn(config);
  const key = await readSecretFile(file);
  if (key === undefined || openSigningKey(key)) return key;
  throw new OperatorError(
    `${file} holds no Ed25519 key (32 bytes in base64). Put it back from a backup, or remove it to get a new one.`,
  );
}
