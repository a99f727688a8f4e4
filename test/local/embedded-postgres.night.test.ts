import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  ensureDatabase,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/local/embedded-postgres.ts';
import { eventually, identifyProcess, isRunning } from '../../src/local/processes.ts';
import { builtTestPath } from '../support/run/built.ts';

/** One cluster for all tests. Only the owner may enter a folder that mkdtemp creates. */
const folder = mkdtempSync(join(tmpdir(), 'countersign-postgres-'));
let server: EmbeddedPostgres | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedPostgres> {
  server = await startEmbeddedPostgres({ directory: join(folder, 'pg'), maxConnections: 20 });
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function killHard(pid: number | undefined): void {
  if (pid === undefined) throw new Error('The server does not run.');
  process.kill(pid, 'SIGKILL');
}

describe('the embedded Postgres', () => {
  test('creates its cluster after an incomplete start, below a folder that only its owner may enter, keeps its data over a restart, and stops without a trace', async () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    // Of a first start that was interrupted.
    const incomplete = join(folder, 'pg/cluster.making-1');
    mkdirSync(incomplete, { recursive: true });
    writeFileSync(join(incomplete, 'PG_VERSION'), '18');
    writeFileSync(join(folder, 'pg/password'), 'never used', { mode: 0o600 });
    const first = await start();
    expect(existsSync(incomplete)).toBe(false);
    await ensureDatabase(first, 'approvals');
    await ensureDatabase(first, 'approvals');
    await query(first.url('approvals'), 'create table kept as select 42 as answer');
    const identity = identifyProcess(first.pid() ?? 0);
    await first.stop();
    expect(identity && isRunning(identity)).toBe(false);
    expect(existsSync(join(folder, 'pg/cluster/postmaster.pid'))).toBe(false);
    const second = await start();
    expect(await query(second.url('approvals'), 'select answer from kept')).toEqual([
      { answer: 42 },
    ]);
  });

  test('listens only on 127.0.0.1, with a generated password that only its owner can read', async () => {
    const { url, port } = await start();
    expect(await query(url('postgres'), 'show listen_addresses')).toEqual([
      { listen_addresses: '127.0.0.1' },
    ]);
    expect(await query(url('postgres'), 'show unix_socket_directories')).toEqual([
      { unix_socket_directories: '' },
    ]);
    expect(await query(url('postgres'), 'show max_connections')).toEqual([
      { max_connections: '20' },
    ]);
    expect(statSync(join(folder, 'pg/password')).mode & 0o777).toBe(0o600);
    await expect(
      query(`postgres://postgres:guess@127.0.0.1:${port}/postgres`, 'select 1'),
    ).rejects.toThrow(/password/);
  });

  test('restarts by itself after kill -9, on the same address', async () => {
    const { url, pid } = await start();
    const first = pid();
    killHard(first);
    const works = async (): Promise<boolean> =>
      query(url('postgres'), 'select 1').then(
        () => pid() !== first,
        () => false,
      );
    expect(await eventually(works, 120_000)).toBe(true);
  });

  test('replaces a server that a killed run left behind', async () => {
    const script = `
      import { startEmbeddedPostgres } from '${builtTestPath('src/local/embedded-postgres.ts')}';
      const server = await startEmbeddedPostgres({ directory: '${join(folder, 'pg')}' });
      process.stdout.write(String(server.pid()), () => process.kill(process.pid, 'SIGKILL'));`;
    const args = ['--input-type=module', '-e', script];
    const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(run.signal).toBe('SIGKILL');
    const orphan = identifyProcess(Number(run.stdout));
    expect(orphan).toBeDefined();
    expect(await query((await start()).url('postgres'), 'select 1 as up')).toEqual([{ up: 1 }]);
    expect(orphan && isRunning(orphan)).toBe(false);
  });

  test('ignores a stale postmaster.pid that names an unrelated process', async () => {
    await (await start()).stop();
    writeFileSync(
      join(folder, 'pg/cluster/postmaster.pid'),
      `${process.pid}\n${join(folder, 'pg/cluster')}\n1\n1\n\n\n`,
    );
    expect(await query((await start()).url('postgres'), 'select 1 as up')).toEqual([{ up: 1 }]);
  });
});
