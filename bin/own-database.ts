/** The database of a deployment for a command that may run while the service runs: that of DATABASE_URL, or that of `start`. */
import { existsSync } from 'node:fs';
import type { Config } from '../src/platform/config.ts';
import { checkDatabase } from '../src/platform/database/check.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { openPool, type Pool } from '../src/platform/postgres.ts';
import {
  endLeftPostgres,
  startEmbeddedPostgres,
  urlOfRunningPostgres,
} from '../src/local/embedded-postgres.ts';
import { DATABASE, lockDataDirectory, postgresDirectory } from './data-directory.ts';

export interface OpenedDatabase {
  readonly db: Pool;
  /** It is the one of `start`, whose keys are in the data folder. */
  readonly isOwn: boolean;
}

/** Starts the Postgres of `start` for as long as the work takes, unless it runs. */
export async function withDatabase<T>(
  config: Config,
  use: 'serve' | 'read',
  work: (database: OpenedDatabase) => Promise<T>,
): Promise<T> {
  const { databaseUrl } = config;
  if (databaseUrl !== undefined) {
    await checkDatabase(databaseUrl, use);
    return await withPool(databaseUrl, (db) => work({ db, isOwn: false }));
  }
  const directory = postgresDirectory(config);
  if (!existsSync(directory))
    throw new OperatorError(
      `${config.dataDirectory} is no data folder of \`start\`. Set COUNTERSIGN_DATA_DIR or DATABASE_URL.`,
    );
  const own = (url: string) => withPool(url, (db) => work({ db, isOwn: true }));
  const running = await urlOfRunningPostgres(directory, DATABASE);
  if (running !== undefined) return await own(running);
  const lock = await lockDataDirectory(config.dataDirectory, new AbortController().signal);
  try {
    const postgres = await startEmbeddedPostgres({ directory });
    try {
      return await own(postgres.url(DATABASE));
    } finally {
      await postgres.stop();
    }
  } finally {
    await endLeftPostgres(directory);
    lock?.release();
  }
}

async function withPool<T>(connectionString: string, work: (db: Pool) => Promise<T>): Promise<T> {
  const db = openPool({ connectionString, max: 2, applicationName: 'countersign-command' });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
