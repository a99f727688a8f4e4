/**
 * `npm run bench`: starts its own servers, measures the main job beside Temporal's floor in the same run, prints ratios
 * and writes bench/results.json. `npm run bench -- create parked` measures these sections only and writes nothing.
 * `npm run bench -- approvals` measures whole approvals in several variants, `-- peers` those of other systems, too, which
 * it installs: no other run does.
 * Compare figures of one run only: a noisy machine makes two runs differ.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { freePort } from '../src/local/processes.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { packageRoot } from '../src/platform/package-root.ts';
import { compareApprovals } from './approvals/compare.ts';
import type { Work } from './approvals/system.ts';
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

function workOf(name: string): Work {
  if (name === 'rule' || name === 'person') return name;
  throw new OperatorError(`--work ${name} is not known. It takes person or rule.`);
}

const directory = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
try {
  const { values, positionals: wanted } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '5' },
      work: { type: 'string', default: 'person' },
      beside: { type: 'string', multiple: true, default: ['door'] },
    },
  });
  const comparisons = wanted.filter((name) => ['approvals', 'peers'].includes(name));
  if (comparisons.length > 0)
    await compareApprovals(join(directory, 'approvals'), {
      ...values,
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
      work: workOf(values.work),
      peers: comparisons.includes('peers'),
    });
  const sections = wanted.filter((name) => !comparisons.includes(name));
  if (wanted.length === 0 || sections.length > 0) {
    const results = await run(directory, sections);
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
