/**
 * `countersign rotate-secrets`: encrypts every stored secret again under the current secrets key.
 */
import { existsSync } from 'node:fs';
import { ConfigError, type Config } from '../src/platform/config.ts';
import { checkDatabase } from '../src/platform/database/check.ts';
import { endLeftPostgres, startEmbeddedPostgres } from '../src/local/embedded-postgres.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { openPool } from '../src/platform/postgres.ts';
import { openSecretBox } from '../src/platform/crypto/secret-box.ts';
import { resealSecrets, type Resealed } from '../src/services/sealed-secrets.ts';
import { DATABASE, lockDataDirectory, postgresDirectory } from './data-directory.ts';
import {
  deletePreviousSecretsKeys,
  ownSecretsKeys,
  readableSecretsKeys,
  replaceOwnSecretsKey,
} from './secrets-key.ts';
import { listenForStop } from './stopping.ts';

const STOPPED = 130;

export interface RotateOptions {
  /** Creates a new key first, for `start` on its own Postgres. */
  readonly newKey?: boolean;
}

/** With the id of the key that encrypts everything now. */
type Rotated = Resealed & { readonly keyId: string };

/**
 * Resolves with the exit code. A signal ends it after the current batch; a further run continues
 * from there.
 */
export async function rotateSecrets(
  config: Config,
  { newKey = false }: RotateOptions,
): Promise<number> {
  requireFitting(config, newKey);
  const stop = listenForStop({ onForce: () => process.exit(STOPPED), watchParent: false });
  try {
    const rotate =
      config.databaseUrl === undefined
        ? rotateOwn(config, newKey, stop.signal)
        : reseal(config, config.databaseUrl, stop.signal);
    return report(await rotate);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    console.error('Stopped before the end. Run it again to go on.');
    return STOPPED;
  }
}

function requireFitting({ databaseUrl, secretsKey }: Config, newKey: boolean): void {
  if (newKey && (databaseUrl !== undefined || secretsKey !== undefined)) {
    throw new ConfigError(
      '--new-key is for the key that `start` keeps in its data folder. With DATABASE_URL or COUNTERSIGN_SECRETS_KEY set, give the new key ' +
        'as COUNTERSIGN_SECRETS_KEY and the earlier one in COUNTERSIGN_PREVIOUS_SECRETS_KEYS.',
    );
  }
  if (databaseUrl !== undefined && secretsKey === undefined) {
    throw new ConfigError(
      'COUNTERSIGN_SECRETS_KEY must be set for `rotate-secrets`: the key to encrypt under from now on.',
    );
  }
}

/**
 * The data folder of `start`. No other process may use it, and its Postgres runs during the work.
 */
async function rotateOwn(config: Config, newKey: boolean, signal: AbortSignal): Promise<Rotated> {
  const directory = postgresDirectory(config);
  if (!existsSync(directory)) {
    throw new OperatorError(
      `${config.dataDirectory} is no data folder of \`start\`. Set COUNTERSIGN_DATA_DIR or DATABASE_URL.`,
    );
  }
  const lock = await lockDataDirectory(config.dataDirectory, signal);
  signal.throwIfAborted();
  try {
    const postgres = await startEmbeddedPostgres({ directory });
    try {
      const databaseUrl = postgres.url(DATABASE);
      if (newKey) {
        // A new key next to values that no key opens would only hide the loss of one.
        await readableSecretsKeys(config, { databaseUrl, own: true });
        replaceOwnSecretsKey(config);
      }
      const resealed = await reseal(config, databaseUrl, signal);
      if (config.secretsKey === undefined && resealed.broken.length === 0)
        deletePreviousSecretsKeys(config);
      return resealed;
    } finally {
      await postgres.stop();
    }
  } finally {
    await endLeftPostgres(directory);
    lock?.release();
  }
}

async function reseal(
  config: Config,
  connectionString: string,
  signal: AbortSignal,
): Promise<Rotated> {
  if (config.databaseUrl !== undefined) await checkDatabase(connectionString, 'serve');
  const db = openPool({ connectionString, max: 1, applicationName: 'countersign-rotate-secrets' });
  try {
    const { secretsKey = '', previousSecretsKeys = [] } =
      config.databaseUrl === undefined ? await ownSecretsKeys(config, db) : config;
    const box = openSecretBox(secretsKey, previousSecretsKeys);
    return { ...(await resealSecrets(db, box, signal)), keyId: box.keyId };
  } finally {
    await db.destroy();
  }
}

function report({ count, broken, keyId }: Rotated): number {
  console.log(
    `${count === 1 ? '1 secret' : `${count} secrets`} re-encrypted under the secrets key ${keyId}.`,
  );
  if (broken.length === 0) {
    console.log('Nothing is encrypted under an earlier key any more.');
    return 0;
  }
  console.error(
    `${broken.length} could not be decrypted, although their key is known, and stay what they are: ${broken.join(', ')}.`,
  );
  return 1;
}
