/**
 * `npm run bench`: starts its own servers, measures the main job beside Temporal's floor in the same run, prints ratios
 * and writes bench/results.json. `npm run bench -- create parked` measures these sections only and writes nothing.
 * `npm run bench -- compare --with <folder>` compares this build with that of another checkout. `--with peers` installs
 * other systems: no other run does.
 * Compare figures of one run only: a noisy machine makes two runs differ.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, cpus } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../src/local/processes.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { packageRoot } from '../src/platform/package-root.ts';
import { compare } from './compare/compare.ts';
import { startReceivers } from './senders/receivers.ts';
import { report } from './report.ts';
import { NAMESPACE, say } from './frame/say.ts';
import { sections, type Results } from './sections.ts';
import { furnish, settle, startServers } from './frame/servers.ts';
import { introduce, startService, stopEmail } from './frame/service.ts';

async function run(directory: string, wanted: readonly string[]): Promise<Results> {
  const servers = await startServers(directory);
  const { databaseUrl, namespace } = await furnish(servers, NAMESPACE);
  const { connection, temporal } = servers;
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
    await stopEmail(db);
    const bench = {
      parties,
      service,
      receivers,
      db,
      connection,
      temporalAddress: temporal.address,
      temporalPid: temporal.pid() ?? 0,
      databaseUrl,
      directory,
    };
    const results: Record<string, unknown> = {};
    for (const [name, section] of Object.entries(sections)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      say(name);
      await settle(connection, namespace, db);
      results[name] = await section(bench);
      console.log(JSON.stringify(results[name]));
    }
    return results;
  } finally {
    await service.stop();
    receivers.stop();
    await db.end();
    await servers.stop();
  }
}

const directory = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
try {
  const wanted = process.argv.slice(2);
  if (wanted[0] === 'compare') await compare(join(directory, 'compare'), wanted.slice(1));
  else {
    const results = await run(directory, wanted);
    report(results);
    const machine = { cores: cpus().length, node: process.version };
    if (wanted.length === 0)
      writeFileSync(
        join(packageRoot(), 'bench/results.json'),
        `${JSON.stringify({ machine, ...results }, null, 2)}\n`,
      );
  }
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exit();
