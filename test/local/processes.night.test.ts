import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { listensAt } from '../../src/local/listeners.ts';
import { lock, readHolder, tryLock, type FileLock } from '../../src/local/lock-file.ts';
import {
  endProcess,
  eventually,
  freePort,
  freePorts,
  identifyProcess,
  isRunning,
} from '../../src/local/processes.ts';
import {
  endOrphan,
  ServerStartError,
  supervise,
  type ServerSpec,
} from '../../src/local/supervisor.ts';

const IDLE = 'setInterval(() => {}, 1000)';
const DEAF = `process.on('SIGTERM', () => {}); process.stdout.write('ready'); ${IDLE}`;
const END = { signals: ['SIGTERM'], graceMs: 200 } as const;

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-processes-'));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function startNode(script: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error('The child has no pid.');
  return Object.assign(child, { pid });
}

/** The identity of a process that is gone by now. */
async function deadIdentity(): Promise<{ pid: number; startedAt: string }> {
  const child = await startNode(IDLE);
  const identity = identifyProcess(child.pid);
  if (!identity) throw new Error('The child cannot be identified.');
  child.kill('SIGKILL');
  await once(child, 'exit');
  return identity;
}

function taken(result: ReturnType<typeof tryLock>): FileLock {
  if (!('release' in result)) throw new Error(`The lock is held by ${result.pid}.`);
  return result;
}

describe('a process identity', () => {
  test('is valid while the process runs and ends with it', async () => {
    const child = await startNode(IDLE);
    const identity = identifyProcess(child.pid);
    expect(identity).toEqual({ pid: child.pid, startedAt: expect.any(String) });
    if (!identity) return;
    expect(isRunning(identity)).toBe(true);
    await endProcess(identity, END);
    expect(isRunning(identity)).toBe(false);
  });

  test('is not mistaken for a later process with the same pid', () => {
    const self = identifyProcess(process.pid);
    expect(isRunning({ pid: process.pid, startedAt: 'earlier' })).toBe(false);
    expect(self && isRunning(self)).toBe(true);
  });

  test('a process that ignores SIGTERM is killed', async () => {
    const child = await startNode(DEAF);
    await once(child.stdout ?? child, 'data');
    const identity = identifyProcess(child.pid);
    if (!identity) throw new Error('The child cannot be identified.');
    const exit = once(child, 'exit');
    await endProcess(identity, END);
    expect(await exit).toEqual([null, 'SIGKILL']);
  });
});

describe('ports', () => {
  test('chosen together are all different', async () => {
    expect(new Set(await freePorts(20)).size).toBe(20);
  });

  test('are none that Linux gives to outgoing connections', async () => {
    expect(Math.max(...(await freePorts(20)))).toBeLessThan(32_768);
  });

  test('are known by the process that listens there', async () => {
    const listening = `require('net').createServer().listen(0, '127.0.0.1', function () {
      process.stdout.write(String(this.address().port)); })`;
    const child = await startNode(listening);
    const [port] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    expect(await listensAt(child.pid, Number(port))).toBe(true);
    expect(await listensAt(process.pid, Number(port))).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await listensAt(child.pid, Number(port))).toBe(false);
  });

  test('a preferred port is taken when free, and another when not', async () => {
    const port = await freePort();
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    expect(await freePort(port)).not.toBe(port);
    server.close();
    await once(server, 'close');
    expect(await freePort(port)).toBe(port);
  });
});

describe('a lock file', () => {
  test('is held by one process at a time and names the holder', () => {
    const path = join(folder, 'a.lock');
    const first = taken(tryLock(path, 'http://127.0.0.1:1'));
    expect(tryLock(path)).toMatchObject({ pid: process.pid, note: 'http://127.0.0.1:1' });
    first.annotate('stopping');
    expect(readHolder(path)?.note).toBe('stopping');
    first.release();
    taken(tryLock(path)).release();
    expect(existsSync(path)).toBe(false);
  });

  test('of a killed holder is taken over', async () => {
    const path = join(folder, 'a.lock');
    writeFileSync(path, JSON.stringify({ ...(await deadIdentity()), note: '' }));
    taken(tryLock(path)).release();
  });

  test('that was truncated by a crash is taken over', () => {
    const path = join(folder, 'a.lock');
    writeFileSync(path, '{"pid":');
    taken(tryLock(path)).release();
  });

  test('is waited for', async () => {
    const path = join(folder, 'a.lock');
    const first = taken(tryLock(path));
    let waitedFor = 0;
    const second = lock(path, {
      onWait: (holder) => {
        waitedFor = holder.pid;
        first.release();
      },
    });
    (await second).release();
    expect(waitedFor).toBe(process.pid);
  });
});

describe('a supervised server', () => {
  function spec(script: string, extra: Partial<ServerSpec> = {}): ServerSpec {
    const [logFile, recordFile] = [join(folder, 'server.log'), join(folder, 'server.json')];
    return {
      name: 'Server',
      command: process.execPath,
      args: ['-e', script],
      logFile,
      recordFile,
      end: END,
      ready: async () => readFileSync(logFile, 'utf8').includes('up'),
      startTimeoutMs: 120_000,
      ...extra,
    };
  }

  test('is restarted when it dies, and stays stopped once stopped', async () => {
    const events: string[] = [];
    const server = await supervise(
      spec(`console.log('up'); ${IDLE}`, { onEvent: (message) => events.push(message) }),
    );
    const first = server.pid();
    if (first === undefined) throw new Error('The server does not run.');
    process.kill(first, 'SIGKILL');
    expect(
      await eventually(() => server.pid() !== undefined && server.pid() !== first, 120_000),
    ).toBe(true);
    expect(events).toEqual(['Server ended (SIGKILL); starting it again in 200 ms.']);
    const second = identifyProcess(server.pid() ?? 0);
    if (!second) throw new Error('The server was not started again.');
    await server.stop();
    expect(isRunning(second)).toBe(false);
    expect(server.pid()).toBeUndefined();
    expect(existsSync(join(folder, 'server.json'))).toBe(false);
  });

  test('that ends at once fails the start with the end of its log', async () => {
    const start = supervise(
      spec(`console.error('the disk is full'); process.exit(3)`, { ready: async () => false }),
    );
    await expect(start).rejects.toThrow(ServerStartError);
    await expect(start).rejects.toThrow(/Server ended at once \(exit code 3\)[^]*the disk is full/);
  });

  test('that cannot be spawned fails the start', async () => {
    const start = supervise(
      spec('', { command: join(folder, 'missing'), ready: async () => false }),
    );
    await expect(start).rejects.toThrow(/Server ended at once \(spawn .*ENOENT\)/);
  });

  test('that never becomes ready is ended', async () => {
    const start = supervise(spec(IDLE, { ready: async () => false, startTimeoutMs: 300 }));
    await expect(start).rejects.toThrow(/Server was not ready within 0.3 s/);
    expect(existsSync(join(folder, 'server.json'))).toBe(false);
  });

  test('left behind by a killed run is ended by its record, and an unrelated process with its pid is not', async () => {
    const record = join(folder, 'server.json');
    const orphan = await startNode(IDLE);
    writeFileSync(record, JSON.stringify({ pid: orphan.pid, startedAt: 'another boot' }));
    expect(await endOrphan(record, END)).toBe(false);
    expect(identifyProcess(orphan.pid)).toBeDefined();
    writeFileSync(record, JSON.stringify(identifyProcess(orphan.pid)));
    expect(await endOrphan(record, END)).toBe(true);
    expect(identifyProcess(orphan.pid)).toBeUndefined();
  });
});
