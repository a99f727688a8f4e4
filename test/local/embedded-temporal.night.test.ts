import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { eventually, freePorts, identifyProcess, isRunning } from '../../src/local/processes.ts';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/local/embedded-temporal.ts';
import { SEARCH_ATTRIBUTES, setupTemporal } from '../../temporal/setup.ts';
import { until } from '../support/waiting.ts';

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
    const { address } = server;
    await withClient(address, async (client) => {
      await startWorkflow(client, 'before');
      const pid = server.pid();
      if (pid === undefined) throw new Error('The server does not run.');
      process.kill(pid, 'SIGKILL');
      const works = async (): Promise<boolean> =>
        startWorkflow(client, 'after').then(
          () => true,
          () => false,
        );
      expect(await eventually(works, 120_000)).toBe(true);
      expect((await client.workflow.getHandle('before').describe()).status.name).toBe('RUNNING');
    });
  });

  test.each(['frontend', 'ui'] as const)(
    'is never taken for another program that takes its %s port at the same time',
    async (kind) => {
      const target = kind === 'frontend' ? server.address : new URL(server.uiUrl ?? '').host;
      // On a busy machine the server may listen first.
      for (let [isTaken, nth] = [false, 0]; !isTaken; nth += 1) {
        const [frontend = 0, ui = 0] = await freePorts(2);
        const own = join(folder, `${kind}-${nth}`);
        const starting = startEmbeddedTemporal({
          directory: own,
          cacheDirectory,
          namespace: NAMESPACE,
          preferredPorts: { frontend, ui },
        });
        // The ports were chosen, and the server does not listen yet.
        await until('it is started', () => existsSync(join(own, 'server.process.json')));
        const port = { frontend, ui }[kind];
        const proxy = proxyTo(Number(target.split(':')[1])).listen(port, '127.0.0.1');
        isTaken = await once(proxy, 'listening').then(
          () => true,
          () => false,
        );
        const started = await starting;
        try {
          const ports = [started.address, new URL(started.uiUrl ?? '').host];
          expect(ports.includes(`127.0.0.1:${port}`)).toBe(!isTaken);
          expect(started.pid()).toBeDefined();
        } finally {
          await started.stop();
          proxy.close();
        }
      }
    },
  );

  test('keeps its workflows over a restart, serves its UI on 127.0.0.1, and leaves no process behind', async () => {
    const first = server;
    await withClient(first.address, (client) => startWorkflow(client, 'kept'));
    expect(first.uiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const page = await fetch(first.uiUrl ?? '');
    expect(page.status).toBe(200);
    const identity = identifyProcess(first.pid() ?? 0);
    await first.stop();
    expect(identity && isRunning(identity)).toBe(false);
    server = await start();
    // Bookmarks and other processes still name the ports of the last run.
    expect(server.address).toBe(first.address);
    await withClient(server.address, async (client) => {
      expect((await client.workflow.getHandle('kept').describe()).status.name).toBe('RUNNING');
    });
  });
});
