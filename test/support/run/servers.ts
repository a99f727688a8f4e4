/**
 * A process with one Postgres and one Temporal server for a whole test run, in a separate folder, on free ports. It prints
 * their addresses as one line of JSON. When its input ends, with the run or because the run was killed, it stops them and
 * removes the folder.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { migrateToLatest } from '../../../src/data/migrate.ts';
import {
  ensureDatabase,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../../src/local/embedded-postgres.ts';
import {
  startEmbeddedTemporal,
  type EmbeddedTemporal,
} from '../../../src/local/embedded-temporal.ts';
import { setupTemporal } from '../../../temporal/setup.ts';
import { testCacheDirectory } from './cache.ts';
import { TEMPLATE_DATABASE } from './database.ts';

export interface ServerAddresses {
  readonly postgresUrl: string;
  readonly temporalAddress: string;
  readonly namespace: string;
}

const NAMESPACE = 'countersign-test';
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 4 * 1024 ** 3;

/**
 * Memory where there is enough. On ext4, a file that is created passes over the inodes of all files that were deleted in
 * the last minutes. After twenty dropped databases, cloning the next took 0.5 s of a processor instead of 0.04 s.
 */
function parentDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_NEEDED ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function startPostgres(directory: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ directory, maxConnections: 300, durable: false });
  await ensureDatabase(server, TEMPLATE_DATABASE);
  await migrateToLatest(server.url(TEMPLATE_DATABASE));
  return server;
}

async function startTemporal(directory: string): Promise<EmbeddedTemporal> {
  const server = await startEmbeddedTemporal({
    directory,
    cacheDirectory: testCacheDirectory(),
    namespace: NAMESPACE,
    ui: false,
    timeSkipping: true,
    onProgress: (message) => {
      process.stderr.write(`${message}\n`);
    },
  });
  const connection = await Connection.connect({ address: server.address });
  await setupTemporal(connection, NAMESPACE);
  await connection.close();
  return server;
}

const ended = once(process.stdin.resume(), 'end');
// A closed terminal or an impatient second Ctrl-C does not keep it from cleaning up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

const directory = mkdtempSync(join(parentDirectory(), 'countersign-test-'));
const starting = [
  startPostgres(join(directory, 'postgres')),
  startTemporal(join(directory, 'temporal')),
] as const;
try {
  const [postgres, temporal] = await Promise.all(starting);
  const addresses: ServerAddresses = {
    postgresUrl: postgres.url('postgres'),
    temporalAddress: temporal.address,
    namespace: NAMESPACE,
  };
  process.stdout.write(`${JSON.stringify(addresses)}\n`);
  await ended;
} finally {
  for (const started of await Promise.allSettled(starting))
    if (started.status === 'fulfilled') await started.value.stop();
  rmSync(directory, { recursive: true, force: true });
}
process.exit();
