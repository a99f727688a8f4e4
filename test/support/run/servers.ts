/**
 * One Postgres and one Temporal server for a whole test run, in a separate folder, on free ports.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Connection } from '@temporalio/client';
import {
  endLeftPostgres,
  ensureDatabase,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../../src/local/embedded-postgres.ts';
import { readHolder, tryLock } from '../../../src/local/lock-file.ts';
import { identifyProcess, isRunning } from '../../../src/local/processes.ts';
import {
  endLeftTemporal,
  startEmbeddedTemporal,
  type EmbeddedTemporal,
} from '../../../src/local/embedded-temporal.ts';
import { setupTemporal } from '../../../temporal/setup.ts';
import { runSource } from './run-source.ts';

export const TEMPLATE_DATABASE = 'countersign_template';
export const TEST_NAMESPACE = 'countersign-test';

export interface TestServers {
  readonly postgresUrl: string;
  readonly temporalAddress: string;
  stop(): Promise<void>;
}

const PREFIX = 'countersign-test-';

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

/** The folder for downloaded servers, which the service itself uses too. */
export function testCacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'countersign');
}

/** Starts both at once, and migrates the template database. Cloning it takes about 30 ms. */
export async function startTestServers(): Promise<TestServers> {
  await removeLeftovers();
  const directory = mkdtempSync(join(parentDirectory(), PREFIX));
  const held = tryLock(join(directory, 'owner.lock'));
  const children: { pid(): number | undefined }[] = [];
  // An interrupted run gets no teardown, and must still leave nothing behind.
  const killAll = (): void => {
    for (const child of children) {
      const pid = child.pid();
      const identity = pid === undefined ? undefined : identifyProcess(pid);
      if (identity) process.kill(identity.pid, 'SIGKILL');
    }
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', killAll);
  const [postgres, temporal] = await Promise.all([
    startPostgres(directory).then((server) => {
      children.push(server);
      return server;
    }),
    startTemporal(directory).then((server) => {
      children.push(server);
      return server;
    }),
  ]);
  return {
    postgresUrl: postgres.url('postgres'),
    temporalAddress: temporal.address,
    stop: async () => {
      await Promise.all([postgres.stop(), temporal.stop()]);
      process.off('exit', killAll);
      if ('release' in held) held.release();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startPostgres(directory: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    // Six files run side by side, each with several processes of 21 connections.
    maxConnections: 600,
    durable: false,
  });
  await ensureDatabase(server, TEMPLATE_DATABASE);
  await runSource('test/support/run/migrate-template.ts', server.url(TEMPLATE_DATABASE));
  return server;
}

async function startTemporal(directory: string): Promise<EmbeddedTemporal> {
  const server = await startEmbeddedTemporal({
    directory: join(directory, 'temporal'),
    cacheDirectory: testCacheDirectory(),
    namespace: TEST_NAMESPACE,
    ui: false,
    timeSkipping: true,
    onProgress: (message) => {
      process.stderr.write(`${message}\n`);
    },
  });
  const connection = await Connection.connect({ address: server.address });
  await setupTemporal(connection, TEST_NAMESPACE);
  await connection.close();
  return server;
}

/** Ends the servers of a run that was killed, and removes its folder. */
async function removeLeftovers(): Promise<void> {
  const parents = [MEMORY, tmpdir()].filter((parent) => existsSync(parent));
  const names = parents.flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)));
  for (const directory of names.filter((name) => basename(name).startsWith(PREFIX))) {
    const owner = readHolder(join(directory, 'owner.lock'));
    if (!owner || isRunning(owner)) continue;
    await Promise.all([
      endLeftPostgres(join(directory, 'postgres')),
      endLeftTemporal(join(directory, 'temporal')),
    ]);
    rmSync(directory, { recursive: true, force: true });
  }
}
