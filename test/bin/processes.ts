/** The service as a tree of real processes, and the command line as people use it. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, identifyProcess, type ProcessIdentity } from '../../src/local/processes.ts';
import { builtPath } from '../support/run/built.ts';

const READY_WITHIN_MS = 120_000;

export interface Service {
  /** The spawned process: the service, or the shell around it. */
  readonly child: ChildProcess;
  readonly url: string;
  readonly uiUrl: string;
  output(): string;
  /** Resolves with exit code and signal. */
  readonly exited: Promise<unknown[]>;
}

function environment(dataDirectory: string): Record<string, string> {
  const { PATH = '', HOME = '', XDG_CACHE_HOME = '' } = process.env;
  return { PATH, HOME, XDG_CACHE_HOME, PORT: '0', COUNTERSIGN_DATA_DIR: dataDirectory };
}

export function runCommand(
  args: readonly string[],
  dataDirectory: string,
  options: { input?: string; env?: Record<string, string> } = {},
) {
  return spawnSync(process.execPath, [builtPath('bin/countersign.ts'), ...args], {
    env: { ...environment(dataDirectory), ...options.env },
    encoding: 'utf8',
    input: options.input ?? '',
  });
}

/**
 * Spawns `start` without waiting for it. `behindShell`: with a shell in between that may die, as
 * npm does.
 */
export function spawnService(
  dataDirectory: string,
  behindShell = false,
): Omit<Service, 'url' | 'uiUrl'> {
  const command = [process.execPath, builtPath('bin/countersign.ts'), 'start'];
  const [program = '', ...args] = behindShell
    ? ['sh', '-c', `${command.join(' ')} & wait`]
    : command;
  const env = {
    ...environment(dataDirectory),
    ...(behindShell ? { npm_lifecycle_event: 'start' } : {}),
  };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return { child, output: () => output, exited: once(child, 'exit') };
}

/** Starts the service and waits until it reports that it is ready. */
export async function startService(dataDirectory: string, behindShell = false): Promise<Service> {
  const service = spawnService(dataDirectory, behindShell);
  const ready = await eventually(
    () => /Stop +Ctrl-C/.test(service.output()) || service.child.exitCode !== null,
    READY_WITHIN_MS,
  );
  const url = /Address +(\S+)/.exec(service.output())?.[1];
  const uiUrl = /Temporal UI +(\S+)/.exec(service.output())?.[1];
  if (!ready || url === undefined || uiUrl === undefined) {
    service.child.kill('SIGKILL');
    throw new Error(`The service did not get ready:\n${service.output()}`);
  }
  return { ...service, url, uiUrl };
}

/** The servers of a data folder that run now, according to the service's records. */
export function servers(dataDirectory: string): Record<'postgres' | 'temporal', ProcessIdentity> {
  const read = (path: string): ProcessIdentity => {
    const { pid } = JSON.parse(readFileSync(join(dataDirectory, path), 'utf8')) as ProcessIdentity;
    const identity = identifyProcess(pid);
    if (!identity) throw new Error(`${path} names a process that does not run.`);
    return identity;
  };
  return {
    postgres: read('postgres/process.json'),
    temporal: read('temporal/server.process.json'),
  };
}

/** The process that holds the data folder. */
export function mainProcess(dataDirectory: string): ProcessIdentity {
  const { pid } = JSON.parse(
    readFileSync(join(dataDirectory, 'countersign.lock'), 'utf8'),
  ) as ProcessIdentity;
  const identity = identifyProcess(pid);
  if (!identity) throw new Error('No process holds the data folder.');
  return identity;
}
