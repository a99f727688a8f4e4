/** Real API and worker processes in addition to that of the test, to be killed by their pid. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtTestPath } from '../run/built.ts';

export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** With `movableClock`: sets the offset of its clock; 0 corrects it. */
  setClockOff(ms: number): void;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
}

export interface ServiceProcessOptions {
  readonly databaseUrl: string;
  /** Shared by the processes of one deployment. */
  readonly taskQueue: string;
  /** Default: the Temporal server of the run. */
  readonly temporalAddress?: string;
  /** Further settings. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Its JavaScript clock can be moved. */
  readonly movableClock?: boolean;
}

const running = new Set<ChildProcess>();

/** For `afterAll`: kills the remaining processes of this file. */
export async function killServiceProcesses(): Promise<void> {
  await Promise.all([...running].map(killed));
}

async function killed(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Resolves once the process serves and its worker is connected. */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'countersign-process-'));
  const { PATH = '', HOME = '', XDG_CACHE_HOME = '' } = process.env;
  const program = [builtTestPath('test/support/processes/service-process.ts'), options.taskQueue];
  const preloaded = options.movableClock
    ? ['--import', builtTestPath('test/support/clocks/movable-clock.ts')]
    : [];
  const child = spawn(process.execPath, [...preloaded, ...program], {
    stdio: 'pipe',
    env: {
      ...{ PATH, HOME, XDG_CACHE_HOME },
      PORT: '0',
      COUNTERSIGN_DATA_DIR: dataDirectory,
      DATABASE_URL: options.databaseUrl,
      TEMPORAL_ADDRESS: options.temporalAddress ?? process.env['TEST_TEMPORAL_ADDRESS'] ?? '',
      TEMPORAL_NAMESPACE: process.env['TEST_TEMPORAL_NAMESPACE'] ?? '',
      // Empty counts as not set.
      COUNTERSIGN_RULES: process.env['TEST_RULES'] ?? '',
      ...options.environment,
    },
  });
  running.add(child);
  const exited = once(child, 'exit').then(() => {
    running.delete(child);
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  const url = await firstLine(child, exited);
  return {
    url,
    pid: child.pid ?? 0,
    setClockOff: (ms) => {
      child.stdin.write(`${ms}\n`);
    },
    kill: () => killed(child),
  };
}

async function firstLine(child: ChildProcess, exited: Promise<void>): Promise<string> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000);
  });
  const line = new Promise<string>((resolve) => {
    child.stdout?.once('data', (chunk: Buffer) => {
      resolve(chunk.toString().trim());
    });
  });
  const url = await Promise.race([line, exited]);
  if (typeof url !== 'string') throw new Error(`the process did not start:\n${errors}`);
  return url;
}
