import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import {
  endProcess,
  eventually,
  isRunning,
  type ProcessIdentity,
} from '../../src/local/processes.ts';
import { mainProcess, runCommand, servers, spawnService, startService } from './processes.ts';

/** One data folder for all tests: only the first start creates the cluster of Postgres. */
const folder = mkdtempSync(join(tmpdir(), 'countersign-start-'));

afterEach(async () => {
  // Even a test that failed half way leaves nothing behind.
  for (const find of [() => [mainProcess(folder)], () => Object.values(servers(folder))]) {
    try {
      for (const identity of find()) await endProcess(identity, { signals: [], graceMs: 1_000 });
    } catch {
      // It has stopped already.
    }
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
  return answer?.status === 200;
}

function kill({ pid }: ProcessIdentity): void {
  process.kill(pid, 'SIGKILL');
}

test('one command runs everything, prints its address, refuses a second run, and stops in order', async () => {
  const service = await startService(folder);
  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(service.uiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/countersign\/workflows$/);
  expect(service.output()).toContain(`Bootstrap secret  ${join(folder, 'bootstrap-secret')}`);
  const secret = readFileSync(join(folder, 'bootstrap-secret'), 'utf8').trim();
  expect(service.output()).toMatch(/ Next {14}open this link/);
  const link = `${service.url}/welcome#secret=${secret}\n`;
  expect(await eventually(() => service.output().endsWith(link), 120_000)).toBe(true);
  expect(statSync(join(folder, 'bootstrap-secret')).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'audit-key')).mode & 0o777).toBe(0o600);
  expect(await eventually(() => isReady(service.url), 120_000)).toBe(true);
  // The UI does not hold up the start.
  expect(
    await eventually(
      async () => (await fetch(service.uiUrl).catch(() => undefined))?.status === 200,
      120_000,
    ),
  ).toBe(true);

  const second = runCommand(['start'], folder);
  expect([second.status, second.stdout]).toEqual([1, '']);
  expect(second.stderr).toContain(
    `already runs on ${folder} (process ${service.child.pid ?? 0}, ${service.url})`,
  );

  const elsewhere = join(folder, 'elsewhere');
  const taken = runCommand(['start'], elsewhere, { env: { PORT: new URL(service.url).port } });
  expect(taken.status).toBe(1);
  expect(taken.stdout).toMatch(/cannot be listened on: it is taken[^]*Set HOST and PORT/);
  expect(existsSync(join(elsewhere, 'postgres'))).toBe(false);

  const people = [
    '--organization',
    'Acme',
    '--name',
    'Ada',
    '--email',
    'ada@example.com',
    '--url',
    service.url,
  ];
  const bootstrap = runCommand(['bootstrap', ...people], folder, {
    input: 'correct horse battery staple\n',
  });
  expect([bootstrap.status, bootstrap.stderr]).toEqual([0, '']);
  expect(bootstrap.stdout).toContain('ada@example.com is its owner');
  const again = runCommand(['bootstrap', ...people], folder, {
    input: 'correct horse battery staple\n',
  });
  expect([again.status, again.stdout]).toEqual([1, '']);

  const audit = join(folder, 'audit.ndjson');
  const exported = runCommand(['export-audit', audit], folder);
  expect([exported.status, exported.stderr]).toEqual([0, '']);
  const verify = () => {
    const { status, stdout, stderr } = runCommand(['verify-audit'], folder);
    return [status, stderr, stdout.slice(0, 5)];
  };
  expect(verify()).toEqual([0, '', 'Whole']);

  const children = Object.values(servers(folder));
  service.child.kill('SIGINT');
  expect(await service.exited).toEqual([0, null]);
  expect(children.filter(isRunning)).toEqual([]);
  expect(existsSync(join(folder, 'countersign.lock'))).toBe(false);
  expect(service.output()).toMatch(/Stopping \(SIGINT\)[^]*Stopped\.\n$/);
  // It starts the Postgres of the folder, and stops it again.
  expect(verify()).toEqual([0, '', 'Whole']);
  expect(existsSync(join(folder, 'countersign.lock'))).toBe(false);
});

function allRun(dataDirectory: string): boolean {
  try {
    return Object.values(servers(dataDirectory)).length > 0;
  } catch {
    return false;
  }
}

test('kill -9 of a server is repaired while the service runs, kill -9 of the service by the next start; the end of npm stops all', async () => {
  const first = await startService(folder);
  expect(await eventually(() => allRun(folder), 120_000)).toBe(true);
  const before = servers(folder);
  for (const identity of Object.values(before)) kill(identity);
  const restarted = (): boolean => {
    try {
      return Object.values(servers(folder)).every(
        ({ pid }) => !Object.values(before).some((old) => old.pid === pid),
      );
    } catch {
      return false;
    }
  };
  expect(await eventually(restarted, 120_000)).toBe(true);
  expect(await eventually(() => isReady(first.url), 120_000)).toBe(true);

  const orphans = Object.values(servers(folder));
  first.child.kill('SIGKILL');
  expect(await first.exited).toEqual([null, 'SIGKILL']);
  expect(orphans.filter(isRunning)).toHaveLength(2);
  const behindNpm = await startService(folder, true);
  expect(orphans.filter(isRunning)).toEqual([]);
  expect(await eventually(() => isReady(behindNpm.url), 120_000)).toBe(true);

  const processes = [mainProcess(folder), ...Object.values(servers(folder))];
  behindNpm.child.kill('SIGKILL');
  expect(await eventually(() => !processes.some(isRunning), 120_000)).toBe(true);
});

test('a signal during the start stops everything that runs by then', async () => {
  const interrupted = spawnService(folder);
  expect(await eventually(() => interrupted.output().includes('Postgres runs on'), 120_000)).toBe(
    true,
  );
  const main = mainProcess(folder);
  interrupted.child.kill('SIGTERM');
  expect(await interrupted.exited).toEqual([0, null]);
  expect(isRunning(main)).toBe(false);
  expect(existsSync(join(folder, 'countersign.lock'))).toBe(false);
  expect(existsSync(join(folder, 'postgres/cluster/postmaster.pid'))).toBe(false);
});
