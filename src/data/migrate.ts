/**
 * Brings a database to the newest schema. `.ts` sources and built `.js` files are the same
 * migration to Knex.
 */
import { readdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import { openPool, type Db } from '../platform/postgres.ts';
import { queryOne, queryRows } from '../platform/rows.ts';
import { recordBaseline, withBaseline } from './earlier-migrations.ts';

interface Migration {
  up(db: Knex): Promise<void>;
  down(db: Knex): Promise<void>;
}

const directory = fileURLToPath(new URL('../../migrations/', import.meta.url));
const MIGRATION_FILE = /^(\d{14}_[a-z_]+)\.(ts|js)$/;

const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () =>
    (await readdir(directory)).filter((file) => MIGRATION_FILE.test(file)).sort(),
  getMigrationName: (file) => file.replace(/\.(ts|js)$/, ''),
  getMigration: async (file) =>
    (await import(pathToFileURL(`${directory}${file}`).href)) as Migration,
};

/**
 * Runs the missing migrations, one process at a time. Returns the names of those it ran. Throws
 * OperatorError for a database that this version cannot continue.
 */
export async function migrateToLatest(databaseUrl: string): Promise<string[]> {
  const db = openPool({
    connectionString: databaseUrl,
    max: 2,
    applicationName: 'countersign-migrate',
  });
  try {
    return await db.transaction(async (trx) => {
      // Knex's own lock row stays after a kill; an advisory lock ends with its transaction.
      await trx.raw(`select pg_advisory_xact_lock(hashtextextended('countersign.migrate', 0))`);
      await recordBaseline(trx, await recordedMigrations(trx));
      const [, ran] = (await trx.migrate.latest({
        migrationSource,
        disableMigrationsListValidation: false,
      })) as [number, string[]];
      return ran.map((file) => migrationSource.getMigrationName(file));
    });
  } finally {
    await db.destroy();
  }
}

/**
 * Names of migrations this build knows and the database has not run. Empty when the schema is
 * current.
 */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const known = (await migrationSource.getMigrations([])).map((file) =>
    migrationSource.getMigrationName(file),
  );
  const recorded = withBaseline(await recordedMigrations(db));
  return known.filter((name) => !recorded.includes(name));
}

async function recordedMigrations(db: Db): Promise<string[]> {
  const { present } = await queryOne<{ present: boolean }>(
    db,
    `select to_regclass('knex_migrations') is not null as present`,
  );
  if (!present) return [];
  const rows = await queryRows<{ name: string }>(db, 'select name from knex_migrations');
  return rows.map(({ name }) => name);
}
