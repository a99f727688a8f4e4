import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { eventually, freePorts, identifyProcess, isRunning } from '../../src/local/processes.ts';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/local/embedded-temporal.ts';
import { builtServer } from '../../src/local/temporal-server/build.ts';
import { isRecentCli } from '../../src/local/temporal-server/executables.ts';
import { SEARCH_ATTRIBUTES, setupTemporal } from '../../temporal/setup.ts';

const NAMESPACE = 'countersign';
const cacheDirectory = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'countersign',
);

const folder = mkdtempSync(join(tmpdir(), 'countersign-temporal-'));
const start = () =>
  startEmbeddedTemporal({ directory: folder, cacheDirectory, namespace: NAMESPACE });
/** One server for all tests: each start takes seconds. The last test restarts it. */
let server: EmbeddedTemporal;

beforeAll(async () => {
  server = await start();
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function proxyTo(port: number): Server {
  return createServer((socket) => {
    const target = connect({ port, host: '127.0.0.1' });
    socket.pipe(target).pipe(socket);
    for (const end of [socket, target])
      end.on('error', () => [socket, target].map((each) => each.destroy()));
  });
}

async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection, namespace: NAMESPACE }));
  } finally {
    await connection.close();
  }
}

function startWorkflow(client: Client, workflowId: string): Promise<unknown> {
  const searchAttributes = Object.fromEntries(SEARCH_ATTRIBUTES.map((name) => [name, ['x']]));
  return client.workflow.start('unserved', { taskQueue: 'unserved', workflowId, searchAttributes });
}

describe('the embedded Temporal server', () => {
  test('is set up once by any number of concurrent callers', async () => {
    await withClient(server.address, async (client) => {
      const connection = client.connection as Connection;
      await Promise.all([1, 2, 3].map(() => setupTemporal(connection, NAMESPACE)));
      await setupTemporal(connection, NAMESPACE);
      const { customAttributes } = await connection.operatorService.listSearchAttributes({
        namespace: NAMESPACE,
      });
      expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining([...SEARCH_ATTRIBUTES]));
      const { config } = await connection.workflowService.describeNamespace({
        namespace: NAMESPACE,
      });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(24 * 60 * 60);
    });
  });

  test('restarts by itself after kill -9, with its workflows', async () => {
    const { address, servers } = server;
    await withClient(address, async (client) => {
      await startWorkflow(client, 'before');
      const pid = servers[0]?.pid();
      if (pid === undefined) throw new Error('The server does not run.');
      process.kill(pid, 'SIGKILL');
      const works = async (): Promise<boolean> =>
        startWorkflow(client, 'after').then(
          () => true,
          () => false,
        );
      expect(await eventually(works, 60_000)).toBe(true);
      expect((await client.workflow.getHandle('before').describe()).status.name).toBe('RUNNING');
    });
  });

  test.each(['frontend', 'ui'] as const)(
    'is never taken for another program that takes its %s port at the same time',
    async (kind) => {
      const target = kind === 'frontend' ? server.address : new URL(server.uiUrl ?? '').host;
      const [frontend = 0, ui = 0] = await freePorts(2);
      const own = join(folder, kind);
      const starting = startEmbeddedTemporal({
        directory: own,
        cacheDirectory,
        namespace: NAMESPACE,
        preferredPorts: { frontend, ui },
      });
      // The ports were chosen, and the server does not listen yet.
      expect(await eventually(() => existsSync(join(own, 'server.process.json')), 60_000)).toBe(
        true,
      );
      const proxy = proxyTo(Number(target.split(':')[1])).listen(
        { frontend, ui }[kind],
        '127.0.0.1',
      );
      await once(proxy, 'listening');
      const started = await starting;
      try {
        const ports = [started.address, new URL(started.uiUrl ?? '').host];
        expect(ports).not.toContain(`127.0.0.1:${{ frontend, ui }[kind]}`);
        expect(started.servers.map((child) => child.pid())).not.toContain(undefined);
      } finally {
        await started.stop();
        proxy.close();
      }
    },
  );

  test('keeps its workflows over a restart, serves its UI on 127.0.0.1, and leaves no process behind', async () => {
    const first = server;
    await withClient(first.address, (client) => startWorkflow(client, 'kept'));
    expect(first.uiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const page = await fetch(first.uiUrl ?? '');
    expect(page.status).toBe(200);
    const identities = first.servers.map((child) => identifyProcess(child.pid() ?? 0));
    await first.stop();
    expect(identities.map((identity) => identity && isRunning(identity))).toEqual(
      identities.map(() => false),
    );
    server = await start();
    // The server's own membership table still names the ports of the last run.
    expect(server.address).toBe(first.address);
    await withClient(server.address, async (client) => {
      expect((await client.workflow.getHandle('kept').describe()).status.name).toBe('RUNNING');
    });
  });
});

test.each([
  ['temporal version 1.9.0 (Server 1.32.0, UI 2.54.1)', true],
  ['temporal version 1.10.2 (Server 1.33.0)', true],
  ['temporal version 2.0.0', true],
  ['temporal version 1.8.9 (Server 1.31.0)', false],
  ['temporal version 0.13.2', false],
  ['tctl version 1.18.0', false],
])('a CLI that reports %p is recent enough: %p', (output, expected) => {
  expect(isRecentCli(output)).toBe(expected);
});

test('a build interrupted before it began leaves neither a lock nor a folder, and reports the reason', async () => {
  const cache = join(folder, 'cache');
  mkdirSync(cache);
  writeFileSync(join(cache, 'temporal-build.lock'), '{"pid":1,');
  const aborted = builtServer({
    cacheDirectory: cache,
    onProgress: () => undefined,
    signal: AbortSignal.abort(),
  });
  await expect(aborted).rejects.toThrow(/Building temporal-server failed|no Go toolchain/);
  expect(readdirSync(cache)).toEqual([]);
});
