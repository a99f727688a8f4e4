/**
 * `npm run bench`: starts its own servers, measures the main job beside Temporal's floor in the same run, prints ratios
 * and writes bench/results.json. `npm run bench -- create parked` measures these sections only and writes nothing.
 * Compare figures of one run only: a noisy machine makes two runs differ.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import pg from 'pg';
import { migrateToLatest } from '../src/data/migrate.ts';
import { ensureDatabase, startEmbeddedPostgres } from '../src/local/embedded-postgres.ts';
import { packageRoot } from '../src/platform/package-root.ts';
import { freePort } from '../src/local/processes.ts';
import { startEmbeddedTemporal } from '../src/local/embedded-temporal.ts';
import { setupTemporal } from '../temporal/setup.ts';
import { startReceivers } from './senders/receivers.ts';
import { report } from './report.ts';
import { NAMESPACE, say, sections, type Results } from './sections.ts';
import { introduce, startService } from './service.ts';

/**
 * Waits until the workflows of settled requests have ended, so that they do not slow the next
 * section.
 */
async function settle(connection: Connection, db: pg.Client): Promise<void> {
  const query = 'ExecutionStatus = "Running"';
  for (let tries = 0; tries < 600; tries++) {
    const { rows } = await db.query<{ open: string }>(
      `select count(*) as open from approval_requests where state in ('evaluating', 'pending')`,
    );
    const running = await connection.workflowService.countWorkflowExecutions({
      namespace: NAMESPACE,
      query,
    });
    if (Number(running.count) <= Number(rows[0]?.open)) return;
    await delay(200);
  }
  throw new Error('workflows of settled requests did not end within two minutes');
}

async function run(directory: string, wanted: readonly string[]): Promise<Results> {
  say('starting Postgres and Temporal');
  const [postgres, temporal] = await Promise.all([
    startEmbeddedPostgres({ directory: join(directory, 'postgres') }),
    startEmbeddedTemporal({
      directory: join(directory, 'temporal'),
      cacheDirectory: cacheDirectory(),
      namespace: NAMESPACE,
      ui: false,
      onProgress: say,
    }),
  ]);
  await ensureDatabase(postgres, 'bench');
  const databaseUrl = postgres.url('bench');
  await migrateToLatest(databaseUrl);
  const connection = await Connection.connect({ address: temporal.address });
  await setupTemporal(connection, NAMESPACE);
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  const receivers = await startReceivers();
  const service = await startService({
    environment: receivers.environment,
    directory,
    databaseUrl,
    temporalAddress: temporal.address,
    port: await freePort(),
  });
  try {
    const parties = await introduce(service);
    // Only the section about senders sends email.
    await db.query(`update notification_channels set enabled = false where kind = 'email'`);
    const bench = {
      parties,
      service,
      receivers,
      db,
      connection,
      temporalAddress: temporal.address,
    };
    const results: Record<string, unknown> = {};
    for (const [name, section] of Object.entries(sections)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      say(name);
      await settle(connection, db);
      results[name] = await section(bench);
      console.log(JSON.stringify(results[name]));
    }
    return results;
  } finally {
    await service.stop();
    receivers.stop();
    await db.end();
    await connection.close();
    await Promise.all([temporal.stop(), postgres.stop()]);
  }
}

function cacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'countersign');
}

const directory = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
try {
  const wanted = process.argv.slice(2);
  const results = await run(directory, wanted);
  report(results);
  const machine = { cores: cpus().length, node: process.version };
  if (wanted.length === 0)
    writeFileSync(
      join(packageRoot(), 'bench/results.json'),
      `${JSON.stringify({ machine, ...results }, null, 2)}\n`,
    );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exit();
