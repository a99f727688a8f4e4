/**
 * Servers as children: started, watched, restarted with growing pauses after a crash, and ended in
 * order.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  endProcess,
  identifyProcess,
  isRunning,
  type EndOptions,
  type ProcessIdentity,
} from './processes.ts';
import { OperatorError } from '../platform/operator-error.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
/** A child that ran this long counts as healthy again: the next pause is the first one. */
const WELL_AFTER_MS = 30_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

export interface ServerSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The log. A file over 10 MiB is moved away at the next start. */
  readonly logFile: string;
  /**
   * Contains pid and start time of the child, so that the next run can end the child of a killed
   * run.
   */
  readonly recordFile: string;
  readonly end: EndOptions;
  /**
   * Called with the child's pid until it returns true. `startTimeoutMs` limits the wait at the
   * first start.
   */
  readonly ready: (pid: number) => Promise<boolean>;
  readonly startTimeoutMs: number;
  /** Runs before every start, for example to clean up after a crash. */
  readonly prepare?: () => Promise<void>;
  readonly onEvent?: (message: string) => void;
}

export interface SupervisedServer {
  readonly name: string;
  /** The pid of the running child; undefined between a crash and its restart. */
  pid(): number | undefined;
  /** Ends the child for good; resolves when it is gone. */
  stop(): Promise<void>;
}

/** Thrown when a server does not come up; the message ends with the last lines of its log. */
export class ServerStartError extends OperatorError {
  override readonly name = 'ServerStartError';
}

interface Running {
  readonly identity: ProcessIdentity;
  readonly exited: Promise<string>;
}

/** Ends the child of a killed run, if it still runs. */
export async function endOrphan(recordFile: string, end: EndOptions): Promise<boolean> {
  const orphan = readRecord(recordFile);
  if (!orphan || !isRunning(orphan)) return false;
  await endProcess(orphan, end);
  return true;
}

/** Starts the server, waits until it is ready, and keeps it running until `stop`. */
export async function supervise(spec: ServerSpec): Promise<SupervisedServer> {
  mkdirSync(dirname(spec.recordFile), { recursive: true });
  mkdirSync(dirname(spec.logFile), { recursive: true });
  const stopping = new AbortController();
  let current: Running | undefined = await startOnce(spec);
  const first = current;

  const watch = async (): Promise<void> => {
    let running = first;
    let pause = FIRST_PAUSE_MS;
    let since = performance.now();
    for (;;) {
      const how = await running.exited;
      current = undefined;
      if (stopping.signal.aborted) return;
      if (performance.now() - since > WELL_AFTER_MS) pause = FIRST_PAUSE_MS;
      spec.onEvent?.(`${spec.name} ended (${how}); starting it again in ${pause} ms.`);
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      since = performance.now();
      try {
        running = await launch(spec);
        current = running;
      } catch (error) {
        spec.onEvent?.(
          `${spec.name} could not be started: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  };
  const watching = watch();

  return {
    name: spec.name,
    pid: () => current?.identity.pid,
    stop: async () => {
      stopping.abort();
      if (current) await endProcess(current.identity, spec.end);
      await watching;
      // The watcher may be in the middle of a restart.
      await endOrphan(spec.recordFile, spec.end);
      rmSync(spec.recordFile, { force: true });
    },
  };
}

async function startOnce(spec: ServerSpec): Promise<Running> {
  const running = await launch(spec);
  let died: string | undefined;
  void running.exited.then((how) => {
    died = how;
  });
  const deadline = performance.now() + spec.startTimeoutMs;
  while (died === undefined && performance.now() < deadline) {
    if (await spec.ready(running.identity.pid)) return running;
    await delay(25);
  }
  const why =
    died === undefined
      ? `was not ready within ${spec.startTimeoutMs / 1000} s`
      : `ended at once (${died})`;
  await endProcess(running.identity, spec.end);
  rmSync(spec.recordFile, { force: true });
  throw new ServerStartError(
    `${spec.name} ${why}. Its log, ${spec.logFile}, ends with:\n${tail(spec.logFile)}`,
  );
}

async function launch(spec: ServerSpec): Promise<Running> {
  await spec.prepare?.();
  rotate(spec.logFile);
  const log = openSync(spec.logFile, 'a', 0o600);
  try {
    const child = spawn(spec.command, spec.args, {
      // A separate process group: Ctrl-C in a terminal reaches only us, and we end the children
      // in order.
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_MESSAGES: 'C', ...spec.env },
      ...(spec.user ?? {}),
    });
    const exited = whenExited(child);
    const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
    if (identity) writeFileSync(spec.recordFile, JSON.stringify(identity), { mode: 0o600 });
    // A child that is gone already has no start time. The caller learns of its end from `exited`.
    return { identity: identity ?? { pid: child.pid ?? 0, startedAt: 'gone' }, exited };
  } finally {
    closeSync(log);
  }
}

function whenExited(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('exit', (code, signal) => {
      resolve(signal ?? `exit code ${code ?? 'unknown'}`);
    });
  });
}

function readRecord(path: string): ProcessIdentity | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<ProcessIdentity>;
    return typeof value.pid === 'number' && typeof value.startedAt === 'string'
      ? { pid: value.pid, startedAt: value.startedAt }
      : undefined;
  } catch {
    return undefined;
  }
}

function rotate(path: string): void {
  try {
    if (statSync(path).size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  } catch {
    // There is no log yet.
  }
}

function tail(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}
