/** `countersign start`: Postgres, Temporal with its UI, migrations, API and worker in one supervised process tree. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrateToLatest } from '../src/data/migrate.ts';
import type { Config } from '../src/platform/config.ts';
import {
  endLeftPostgres,
  ensureDatabase,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../src/local/embedded-postgres.ts';
import { checkDatabase } from '../src/platform/database/check.ts';
import { readSecretFile } from '../src/platform/crypto/secret-file.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { createLogger, type Logger } from '../src/platform/logger.ts';
import { canListen } from '../src/local/processes.ts';
import { temporalConnectionOptions } from '../temporal/connection-options.ts';
import {
  endLeftTemporal,
  startEmbeddedTemporal,
  type EmbeddedTemporal,
} from '../src/local/embedded-temporal.ts';
import { postgresBinaries } from '../src/local/postgres-binaries.ts';
import { ensureOwnAuditKey, ownSignedFile } from './audit-key.ts';
import type { ComposeOptions, RunningApp } from './compose.ts';
import {
  DATABASE,
  lockDataDirectory,
  postgresDirectory,
  STOPPING,
  temporalDirectory,
} from './data-directory.ts';
import { readableSecretsKeys } from './secrets-key.ts';
import { listenForStop, stopInOrder, type Stoppable } from './stopping.ts';

const PREFERRED_PORTS = { postgres: 54329, frontend: 7233, ui: 8233 } as const;
const READY_WITHIN_MS = 60_000;
const READY_POLL_MS = 250;
/**
 * Together below the promised ten seconds: first the parts that serve people, then the servers
 * below them.
 */
const STOP_WITHIN_MS = { app: 5_500, servers: 3_500 } as const;

interface Running {
  app?: RunningApp;
  postgres?: EmbeddedPostgres;
  temporal?: EmbeddedTemporal;
}

interface Context {
  readonly config: Config;
  readonly workflowBundle: ComposeOptions['workflowBundle'];
  readonly logger: Logger;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface StartOptions {
  /** npm may die silently. Then this process stops, too. */
  readonly startedByNpm: boolean;
  /** Default: the one that lies next to the build. */
  readonly workflowBundle?: ComposeOptions['workflowBundle'];
}

/** Runs until stopped. Resolves with the exit code. */
export async function start(
  config: Config,
  { startedByNpm, workflowBundle }: StartOptions,
): Promise<number> {
  const logger = createLogger({ level: config.logLevel, format: config.logFormat });
  // Machines read this log, so lines for people do not mix with it.
  const out = config.logFormat === 'json' ? process.stderr : process.stdout;
  const say = (line: string): void => void out.write(`${line}\n`);
  const running: Running = {};
  const stop = listenForStop({ onForce: () => forceExit(running), watchParent: startedByNpm });
  const lock = await lockDataDirectory(config.dataDirectory, stop.signal);
  if (!lock) return 0;
  const crashed = untilCrash(logger);
  let exitCode = 0;
  try {
    const context = { config, workflowBundle, logger, say, signal: stop.signal };
    const started = startAll(context, running).then(async (url) => {
      lock.annotate(url);
      const link = await linkOf(config, url);
      say(readyBlock(config, url, running.temporal) + link);
    });
    // A signal during the start does not wait for its end. Started parts are stopped, the rest is
    // aborted.
    await Promise.race([started, stop.requested, crashed]);
    await Promise.race([stop.requested.then((reason) => say(`\nStopping (${reason}).`)), crashed]);
    await Promise.race([started, delay(STOP_WITHIN_MS.servers)]).catch(() => undefined);
  } catch (error) {
    exitCode = error instanceof OperatorError ? error.exitCode : 1;
    if (!stop.signal.aborted)
      say(`\nCountersign cannot go on: ${error instanceof Error ? error.message : String(error)}`);
  }
  lock.annotate(STOPPING);
  await stopInOrder(stoppables(running), logger);
  // Parts that were still starting, or did not stop in time, must not outlive this process.
  await Promise.all([
    endLeftPostgres(postgresDirectory(config)),
    endLeftTemporal(temporalDirectory(config)),
  ]);
  lock.release();
  if (exitCode === 0) say('Stopped.');
  return exitCode;
}

async function startAll(context: Context, running: Running): Promise<string> {
  const { config, workflowBundle, logger, say } = context;
  const began = performance.now();
  // Checked first, so that a mistake does not cost the start of three servers.
  const { temporalAddress, temporalEnvironment } = config;
  const given = temporalAddress && temporalConnectionOptions(temporalEnvironment);
  if (config.databaseUrl === undefined) postgresBinaries();
  if (config.port !== 0 && !(await canListen(config.host, config.port))) throw portTaken(config);
  say('Starting Countersign. Data: ' + config.dataDirectory);
  const onEvent = (message: string): void => logger.warn({ part: 'servers' }, message);
  const [{ composeApp }] = await Promise.all([
    // It takes a second, in which the servers start.
    import('./compose.ts'),
    bothOrNeither([
      startPostgres(context, running, onEvent),
      startTemporal(context, running, onEvent),
    ]),
  ]);
  context.signal.throwIfAborted();
  const databaseUrl = running.postgres?.url(DATABASE) ?? config.databaseUrl ?? '';
  const ran = await migrateToLatest(databaseUrl, { onProgress: (line) => say(`  ${line}`) });
  if (ran.length > 0) say('  Database schema brought up to date.');
  context.signal.throwIfAborted();
  const keys = await readableSecretsKeys(config, {
    databaseUrl,
    own: running.postgres !== undefined,
  });
  const auditKey = config.auditKey ?? (running.postgres && (await ensureOwnAuditKey(config)));
  const connection = given || temporalConnectionOptions({}, running.temporal?.address);
  running.app = await composeApp(
    {
      ...config,
      ...keys,
      auditKey,
      auditSignedFile: config.auditSignedFile ?? ownSignedFile(config),
      temporalUiUrl: config.temporalUiUrl ?? running.temporal?.uiUrl,
    },
    {
      logger,
      databaseUrl,
      temporal: { connection },
      roles: { api: true, worker: true },
      ...(workflowBundle && { workflowBundle }),
    },
  );
  say('  API and worker run; waiting until everything is ready.');
  await untilReady(running.app, context.signal);
  say(`  Ready after ${((performance.now() - began) / 1_000).toFixed(1)} s.`);
  return running.app.url;
}

async function startPostgres(
  { config, say }: Context,
  running: Running,
  onEvent: (message: string) => void,
): Promise<void> {
  if (config.databaseUrl !== undefined) {
    await checkDatabase(config.databaseUrl, 'migrate');
    return;
  }
  running.postgres = await startEmbeddedPostgres({
    directory: postgresDirectory(config),
    preferredPort: PREFERRED_PORTS.postgres,
    // The pools of calls and steps; the rest is for the sender, the listener, migrations and psql.
    maxConnections: config.databasePool + config.workerPool + 20,
    onProgress: (message) => say(`  ${message}`),
    onEvent,
  });
  await ensureDatabase(running.postgres, DATABASE);
  say(`  Postgres runs on port ${running.postgres.port}.`);
}

async function startTemporal(
  { config, say, signal }: Context,
  running: Running,
  onEvent: (message: string) => void,
): Promise<void> {
  if (config.temporalAddress !== undefined) return;
  running.temporal = await startEmbeddedTemporal({
    directory: temporalDirectory(config),
    cacheDirectory: config.cacheDirectory,
    namespace: config.temporalNamespace,
    preferredPorts: PREFERRED_PORTS,
    onProgress: (message) => say(`  ${message}`),
    onEvent,
    signal,
  });
  say(`  Temporal runs on ${running.temporal.address}.`);
}

/**
 * Waits for all even when one fails, so that none is still starting when the failure is handled.
 */
async function bothOrNeither(steps: Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(steps)) {
    if (result.status === 'rejected') throw result.reason;
  }
}

async function untilReady({ url, temporal }: RunningApp, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  await Promise.race([temporal.ready, delay(READY_WITHIN_MS, undefined, { signal, ref: false })]);
  for (;;) {
    signal.throwIfAborted();
    const response = await fetch(`${url}/health/ready`, {
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined);
    if (response?.ok === true) return;
    if (performance.now() > deadline) {
      throw new OperatorError(
        `it was not ready within ${READY_WITHIN_MS / 1_000} s: ${(await response?.text()) ?? 'no answer from the API'}`,
      );
    }
    await delay(READY_POLL_MS);
  }
}

function stoppables({ app, postgres, temporal }: Running): Stoppable[][] {
  const servers = [
    postgres && { ...postgres, name: 'Postgres' },
    temporal && { ...temporal, name: 'Temporal' },
  ];
  return [
    app ? [{ name: 'API and worker', withinMs: STOP_WITHIN_MS.app, stop: () => app.close() }] : [],
    servers
      .filter((server) => server !== undefined)
      .map(({ name, stop }) => ({ name, withinMs: STOP_WITHIN_MS.servers, stop })),
  ];
}

function forceExit({ postgres, temporal }: Running): never {
  for (const child of [postgres, temporal]) {
    const pid = child?.pid();
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }
  process.exit(130);
}

function portTaken({ host, port }: Config): OperatorError {
  return new OperatorError(
    `${host}:${port} cannot be listened on: it is taken, or not an address of this machine. Set HOST and PORT.`,
  );
}

/**
 * Never resolves. Rejects on an unhandled error, so that the child processes are stopped even then.
 */
function untilCrash(logger: Logger): Promise<never> {
  const crashed = new Promise<never>((_resolve, reject) => {
    const fail = (error: unknown): void => {
      logger.fatal({ err: error }, 'unexpected error');
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    process.on('uncaughtException', fail);
    process.on('unhandledRejection', fail);
  });
  crashed.catch(() => undefined);
  return crashed;
}

function readyBlock(config: Config, url: string, temporal: EmbeddedTemporal | undefined): string {
  const secret = join(config.dataDirectory, 'bootstrap-secret');
  const needsBootstrap = existsSync(secret);
  const ui = temporal?.uiUrl;
  const rows = [
    [
      'Address',
      config.publicUrl === undefined || config.publicUrl === url
        ? url
        : `${config.publicUrl} (listening on ${url})`,
    ],
    [
      'Temporal UI',
      ui === undefined
        ? 'that of your own Temporal server'
        : `${ui}/namespaces/${config.temporalNamespace}/workflows`,
    ],
    ['Bootstrap secret', needsBootstrap ? secret : 'used: this deployment has its organization'],
    ['Stop', 'Ctrl-C'],
    [
      'Next',
      needsBootstrap ? 'open this link, which carries the bootstrap secret:' : 'open this link:',
    ],
  ];
  const lines = rows.map(([label = '', value = '']) => `  ${label.padEnd(18)}${value}`);
  return ['', 'Countersign is ready.', '', ...lines, '', ''].join('\n');
}

/** The last line. Browsers keep a fragment to themselves, so the secret reaches no log on its way. */
async function linkOf(config: Config, url: string): Promise<string> {
  const address = (config.publicUrl ?? url).replace(/\/+$/, '');
  const secret = await readSecretFile(join(config.dataDirectory, 'bootstrap-secret'));
  return secret === undefined
    ? `${address}/`
    : `${address}/welcome#secret=${encodeURIComponent(secret)}`;
}
