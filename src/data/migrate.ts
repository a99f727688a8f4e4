/**
 * Brings a database to the newest schema, while a service uses it. `.ts` sources and built
 * `.js` files are the same migration to Knex.
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import { OperatorError } from '../platform/operator-error.ts';
import { isDatabaseUnavailable, openPool, type Db } from '../platform/postgres.ts';
import { queryOne, queryRows } from '../platform/rows.ts';
import { EARLIER_MIGRATIONS, recordBaseline, withBaseline } from './earlier-migrations.ts';
import { givenUp, hasLock, onlyOneAtATime, watched, type Blocker } from './migration-locks.ts';

export type MigrationSource = Knex.MigrationSource<string>;

export interface Migration extends Knex.Migration {
  /** `transaction: false` for what Postgres does outside of one. */
  readonly config?: { readonly transaction: false };
}

const directory = fileURLToPath(new URL('../../migrations/', import.meta.url));
const MIGRATION_FILE = /^(\d{14}_[a-z_]+)\.(ts|js)$/;

/** Below `deadlock_timeout` of Postgres, so that a migration gives way before a deadlock is found. */
const LOCK_TIMEOUT_MS = 500;
/** Between two tries, the calls that waited behind the migration continue. */
const PAUSE_MS = { first: 500, longest: 2_000 };
const GIVE_UP_AFTER_MS = 60_000;
/** For another run, which may build an index. */
const WAIT_FOR_MS = 600_000;
/** A process that stops in the middle of a migration must not keep its locks. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/**
 * The server looks whether this process is still there, also in the middle of a statement, so that the lock of a dead run is free
 * within half a minute.
 */
const NOTICE_DEATH = `
  set client_connection_check_interval = '1s';
  set tcp_keepalives_idle = 10;
  set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 3`;
/** Lock not granted, and deadlock found: another process went first. */
const GIVEN_WAY = new Set(['55P03', '40P01']);

export const migrationSource: MigrationSource = {
  getMigrations: async () =>
    (await readdir(directory)).filter((file) => MIGRATION_FILE.test(file)).sort(),
  getMigrationName: (file) => file.replace(/\.(ts|js)$/, ''),
  getMigration: async (file) =>
    (await import(pathToFileURL(`${directory}${file}`).href)) as Migration,
};

export interface MigrateOptions {
  /** Default: those of this version. */
  readonly source?: MigrationSource;
  /** How long a migration tries to get its locks. Default: a minute. */
  readonly giveUpAfterMs?: number;
  /** How long it waits for another run. Default: ten minutes. */
  readonly waitForMs?: number;
  /** Lines for people, about what it waits for. */
  readonly onProgress?: (line: string) => void;
}

/**
 * Runs the missing migrations, one process at a time and each in its own transaction, so that it continues where it ended.
 * Returns the names of those it ran. Throws OperatorError for a database that this version cannot continue, where
 * other processes keep the locks or another run takes long, and when its connection is lost.
 */
export async function migrateToLatest(
  databaseUrl: string,
  options: MigrateOptions = {},
): Promise<string[]> {
  const open = (applicationName: string, idleInTransactionMs?: number): Db =>
    openPool({ connectionString: databaseUrl, max: 1, applicationName, idleInTransactionMs });
  const db = open('countersign-migrate', IDLE_IN_TRANSACTION_MS);
  const watch = open('countersign-migrate-watch');
  try {
    const { waitForMs = WAIT_FOR_MS, onProgress } = options;
    await noticeDeath(watch);
    return await onlyOneAtATime(watch, { waitForMs, onProgress }, (lockPid) =>
      runMissing(db, { ...options, watch, lockPid }),
    );
  } finally {
    await Promise.all([db.destroy(), watch.destroy()]);
  }
}

async function noticeDeath(db: Db): Promise<void> {
  // Servers on Windows cannot do it.
  await db.raw(NOTICE_DEATH).catch(() => undefined);
}

async function runMissing(
  db: Db,
  { source = migrationSource, ...options }: MigrateOptions & Run,
): Promise<string[]> {
  const newer = await newerMigrations(db, source);
  if (newer.length > 0)
    throw new OperatorError(
      `A newer version of Countersign made the schema of this database: it has ${newer.join(', ')}. Nothing was changed. Run \`countersign migrate\` of that version, or restore the backup from before it.`,
    );
  await db.transaction(async (trx) => {
    await recordBaseline(trx, await recordedMigrations(trx));
  });
  // Knex marks a run in a row, which stays when the process is killed. Our lock says that none runs.
  await db.migrate.forceFreeMigrationsLock({ migrationSource: source });
  const missing = await pendingMigrations(db, source);
  for (const [done, name] of missing.entries())
    await runOne({ name, done, of: missing.length }, { ...options, db, source });
  return missing;
}

interface Step {
  readonly name: string;
  /** How many migrations this run has behind it, and how many it has in all. */
  readonly done: number;
  readonly of: number;
}

interface Run {
  /** Has the lock of the run, and looks at what the run waits for. */
  readonly watch: Db;
  /** The process of the session that has the lock. */
  readonly lockPid: number;
}

interface StepOptions extends Omit<MigrateOptions, 'source'>, Run {
  readonly db: Db;
  readonly source: MigrationSource;
}

async function runOne(step: Step, options: StepOptions): Promise<void> {
  const { db, watch, lockPid, source, giveUpAfterMs = GIVE_UP_AFTER_MS, onProgress } = options;
  const end = performance.now() + giveUpAfterMs;
  let blocker: Blocker | undefined;
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
    const seen = (found: Blocker): void => {
      blocker = found;
    };
    try {
      if (!(await hasLock(watch, lockPid)))
        throw cutOff(step, 'the connection that had the lock of this run was lost');
      // After a try that failed, the pool connects again.
      await noticeDeath(db);
      const { pid } = await queryOne<{ pid: number }>(
        db,
        `select pg_backend_pid() as pid, set_config('lock_timeout', :timeout, false)`,
        { timeout: String(LOCK_TIMEOUT_MS) },
      );
      const { name } = step;
      await watched(watch, { pid, lockPid, seen }, () =>
        db.migrate.up({ migrationSource: source, name }),
      );
      return;
    } catch (error) {
      if (!hasGivenWay(error)) throw readable(error, step);
      if (performance.now() + pauseMs > end) {
        const transaction = await isTransaction(source, step.name);
        throw givenUp(blocker, { ...step, transaction, afterMs: giveUpAfterMs });
      }
      if (pauseMs === PAUSE_MS.first)
        onProgress?.(
          `Migration ${step.name} waits for ${blocker?.table ?? 'a lock'}. It tries for ${giveUpAfterMs / 1_000} s.`,
        );
      await delay(pauseMs);
    }
  }
}

async function isTransaction(source: MigrationSource, name: string): Promise<boolean> {
  const all = await source.getMigrations([]);
  const file = all.find((candidate) => source.getMigrationName(candidate) === name);
  if (file === undefined) return true;
  const migration: Migration = await source.getMigration(file);
  return migration.config === undefined;
}

const hasGivenWay = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && GIVEN_WAY.has(String(error.code));

/** A mistake in a migration keeps its stack. */
function readable(error: unknown, step: Step): unknown {
  if (!isDatabaseUnavailable(error)) return error;
  return cutOff(step, error instanceof Error ? error.message : String(error));
}

const cutOff = ({ name, done, of }: Step, reason: string): OperatorError =>
  new OperatorError(
    `Migration ${name} was cut off: ${reason}. ${done} of ${of} migrations ran. Run \`countersign migrate\` again.`,
  );

/**
 * Names of migrations this build knows and the database has not run. Empty when the schema is
 * current.
 */
export async function pendingMigrations(db: Db, source = migrationSource): Promise<string[]> {
  const recorded = withBaseline(await recordedMigrations(db));
  return (await namesOf(source)).filter((name) => !recorded.includes(name));
}

/** Names of migrations that the database has run and this build does not know. */
export async function newerMigrations(db: Db, source = migrationSource): Promise<string[]> {
  const known = [...EARLIER_MIGRATIONS, ...(await namesOf(source))];
  return (await recordedMigrations(db)).filter((name) => !known.includes(name));
}

async function namesOf(source: MigrationSource): Promise<string[]> {
  return (await source.getMigrations([])).map((file) => source.getMigrationName(file));
}

async function recordedMigrations(db: Db): Promise<string[]> {
  const { present } = await queryOne<{ present: boolean }>(
    db,
    `select to_regclass('knex_migrations') is not null as present`,
  );
  if (!present) return [];
  const rows = await queryRows<{ name: string }>(
    db,
    'select name from knex_migrations order by id',
  );
  return rows.map(({ name }) => name);
}
