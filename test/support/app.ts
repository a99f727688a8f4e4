/**
 * The service in this process, over a database cloned from the template: real HTTP, real Postgres,
 * and real Temporal on demand.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { composeApp, type ComposeOptions, type RunningApp } from '../../bin/compose.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { temporalConnectionOptions } from '../../temporal/connection-options.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { Db } from '../../src/platform/postgres.ts';
import { builtPath, WORKFLOW_BUNDLE } from './run/built.ts';
import { cloneDatabase } from './run/database.ts';
import { HttpClient } from './http.ts';

export const BOOTSTRAP_SECRET = 'the-bootstrap-secret-of-this-test-run';

export interface TestAppOptions {
  /**
   * Connects to the Temporal server of the run and runs a worker. Default false: the reconciler
   * steps overdue requests.
   */
  readonly temporal?: boolean;
  /** False with Temporal: workflows start, and no worker runs them. */
  readonly worker?: boolean;
  /** With `temporal`: a server other than that of the run. */
  readonly temporalAddress?: string;
  /** Likewise, by the TEMPORAL_ variables of an operator. */
  readonly temporalEnvironment?: Readonly<Record<string, string>>;
  /** Where rules run. Default: TEST_RULES, or in workflows. */
  readonly rules?: 'workflow' | 'door';
  readonly environment?: Readonly<Record<string, string>>;
  readonly databaseWaits?: ComposeOptions['databaseWaits'];
  /** Another process of the same deployment: uses this database instead of a new clone. */
  readonly databaseUrl?: string;
  /** The task queue of another app. Default: a separate one. */
  readonly taskQueue?: string;
}

export interface TestApp extends RunningApp {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly taskQueue: string;
  /** Log lines of the service, as JSON text. */
  readonly log: string[];
  /**
   * The address of a process of this deployment that responds before the rules have run. With inline rules this is another
   * process.
   */
  readonly urlBeforeRules: () => Promise<string>;
  /** A client without credentials. */
  readonly http: HttpClient;
}

/** Where nothing listens. */
const NO_TEMPORAL = '127.0.0.1:9';

function connectionOf({ temporal, temporalAddress, temporalEnvironment }: TestAppOptions) {
  if (temporalEnvironment) return { connection: temporalConnectionOptions(temporalEnvironment) };
  if (temporalAddress !== undefined) return { connection: { address: temporalAddress } };
  const shared = temporal ? process.env['TEST_TEMPORAL_ADDRESS'] : undefined;
  return { connection: { address: shared ?? NO_TEMPORAL } };
}

let apps = 0;

export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.databaseUrl === undefined ? await cloneDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const dataDirectory = mkdtempSync(join(tmpdir(), 'countersign-app-'));
  writeFileSync(join(dataDirectory, 'bootstrap-secret'), BOOTSTRAP_SECRET, { mode: 0o600 });
  const rules = options.rules ?? process.env['TEST_RULES'];
  const config = loadConfig(
    {
      PORT: '0',
      COUNTERSIGN_DATA_DIR: dataDirectory,
      TEMPORAL_NAMESPACE: process.env['TEST_TEMPORAL_NAMESPACE'] ?? 'countersign-test',
      DATABASE_URL: databaseUrl,
      // No test calls Slack itself.
      COUNTERSIGN_SLACK_API_URL: 'http://127.0.0.1:9/',
      ...(rules && { COUNTERSIGN_RULES: rules }),
      ...options.environment,
    },
    'start',
  );
  const log: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log.push(chunk.toString());
      done();
    },
  });
  const taskQueue = options.taskQueue ?? `test-${process.pid}-${++apps}`;
  const app = await composeApp(config, {
    logger: createLogger({ level: config.logLevel, format: 'json', destination }),
    databaseUrl,
    temporal: connectionOf(options),
    roles: { api: true, worker: options.worker ?? options.temporal ?? false },
    taskQueue,
    heavyWork: pathToFileURL(builtPath('bin/heavy-work.ts')),
    strictResponses: true,
    ...(options.databaseWaits && { databaseWaits: options.databaseWaits }),
    ...(options.temporal && { workflowBundle: { codePath: WORKFLOW_BUNDLE } }),
  });
  if (options.temporal) await app.temporal.ready;
  let other: Promise<TestApp> | undefined;
  const urlBeforeRules = async (): Promise<string> => {
    if (config.rules === 'workflow') return app.url;
    other ??= startApp({ ...options, databaseUrl, rules: 'workflow', temporal: false });
    return (await other).url;
  };
  return {
    ...app,
    db: app.context.db,
    databaseUrl,
    taskQueue,
    log,
    urlBeforeRules,
    http: new HttpClient(app.url),
    close: async () => {
      await (await other)?.close();
      await app.close();
      await database?.drop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
