/** Postgres and Temporal of one run, and the databases in them. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import type pg from 'pg';
import { migrateToLatest } from '../../src/data/migrate.ts';
import {
  ensureDatabase,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/local/embedded-postgres.ts';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/local/embedded-temporal.ts';
import { setupTemporal } from '../../temporal/setup.ts';
import { say } from './say.ts';

export interface Servers {
  readonly postgres: EmbeddedPostgres;
  readonly temporal: EmbeddedTemporal;
  readonly connection: Connection;
  stop(): Promise<void>;
}

/** What one service needs of the servers. */
export interface Home {
  readonly databaseUrl: string;
  readonly namespace: string;
}

/** `directory` contains their data and logs. */
export async function startServers(directory: string): Promise<Servers> {
  say('starting Postgres and Temporal');
  const [postgres, temporal] = await Promise.all([
    startEmbeddedPostgres({ directory: join(directory, 'postgres'), maxConnections: 400 }),
    startEmbeddedTemporal({
      directory: join(directory, 'temporal'),
      cacheDirectory: cacheDirectory(),
      namespace: 'default',
      ui: false,
      onProgress: say,
    }),
  ]);
  const connection = await Connection.connect({ address: temporal.address });
  return {
    postgres,
    temporal,
    connection,
    stop: async () => {
      await connection.close();
      await Promise.all([temporal.stop(), postgres.stop()]);
    },
  };
}

/** A database with our tables, and a namespace with our search attributes. */
export async function furnish({ postgres, connection }: Servers, name: string): Promise<Home> {
  await ensureDatabase(postgres, name);
  const databaseUrl = postgres.url(name);
  await migrateToLatest(databaseUrl);
  await setupTemporal(connection, name);
  return { databaseUrl, namespace: name };
}

/** Waits until the workflows of settled requests have ended. */
export async function settle(
  connection: Connection,
  namespace: string,
  db: pg.Client,
): Promise<void> {
  const query = 'ExecutionStatus = "Running"';
  for (let tries = 0; tries < 600; tries++) {
    const { rows } = await db.query<{ open: string }>(
      `select count(*) as open from approval_requests where state in ('evaluating', 'pending')`,
    );
    // An overloaded server may not answer.
    const running = await connection.workflowService
      .countWorkflowExecutions({ namespace, query })
      .catch(() => undefined);
    if (running && Number(running.count) <= Number(rows[0]?.open)) return;
    await delay(200);
  }
  throw new Error('workflows of settled requests did not end within two minutes');
}

/** Where what is downloaded is kept between runs. */
export function cacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'countersign');
}
